/* The tokenizer on its own: training, files, dropout, foreign text, hostile files.
 * That its ids are right is shown by 0410-hf-tokenizers.sh. */
#include "tap.h"

#include "base/hash.h"
#include "base/rng.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

static const char *const texts[] = {" start the server on port 8123", " stop the server",
	" start it on port 80, please", " watch the server's port", " naïve 端口 port port port"};
static const struct added_token added[] = {{"<|request|>", 1}, {"<|end|>", 1}, {"$1", 0},
	{"$12", 0}, {"[\"x\",\"up\"", 0}, {",\"--port\",", 0}, {"]", 0}};

enum {
	MERGES = 14,
	FIRST = 256 + MERGES /* added token */
};

static struct tokenizer *train(size_t merges)
{
	struct error err;
	struct tokenizer *t = tokenizer_train(texts, 5, merges, added, 7, &err);

	if (!t)
		fail_msg("%s", err.message);
	return t;
}

static void saved_and_loaded_is_the_same(void **state)
{
	const char *path = scratch_path("tokenizer.json"), *again = scratch_path("again.json");
	struct tokenizer *t = train(MERGES), *u;
	struct buf a = {0}, b = {0};
	struct error err;
	char hash[65];

	(void)state;
	assert_int_equal(tokenizer_save(t, path, &err), 0);
	u = tokenizer_load(path, &err);
	assert_non_null(u);
	assert_int_equal(tokenizer_save(u, again, &err), 0);
	assert_int_equal(file_read(path, 1 << 20, &a, &err), 0);
	assert_int_equal(file_read(again, 1 << 20, &b, &err), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	sha256_hex(a.data, a.len, hash);
	assert_string_equal(tokenizer_hash(t), hash);
	assert_string_equal(tokenizer_hash(u), hash);
	assert_int_equal(tokenizer_size(t), tokenizer_size(u));
	tokenizer_free(u);
	u = train(MERGES); /* the same texts, the same bytes */
	assert_string_equal(tokenizer_hash(u), hash);
	tokenizer_free(t);
	tokenizer_free(u);
	buf_release(&a);
	buf_release(&b);
}

static void ids_are_in_the_order_promised(void **state)
{
	struct tokenizer *t = train(MERGES);
	size_t len;

	(void)state;
	assert_int_equal(tokenizer_size(t), 256 + MERGES + 6); /* ] is a byte already */
	assert_int_equal(tokenizer_id(t, "<|request|>"), FIRST);
	assert_int_equal(tokenizer_id(t, "$12"), FIRST + 3);
	assert_true(tokenizer_id(t, "]") < 256);
	assert_int_equal(tokenizer_id(t, "nothing of the kind"), -1);
	assert_true(tokenizer_id(t, " port") >= 256);
	assert_memory_equal(tokenizer_bytes(t, tokenizer_id(t, " port"), &len), " port", 5);
	assert_int_equal(len, 5);
	assert_null(tokenizer_bytes(t, FIRST + 6, &len));
	assert_null(tokenizer_bytes(t, -1, &len));
	assert_true(tokenizer_is_special(t, FIRST + 1));
	assert_false(tokenizer_is_special(t, FIRST + 2));
	assert_false(tokenizer_is_special(t, -1));
	assert_false(tokenizer_is_special(t, 5000));
	tokenizer_free(t);
}

static void round_trip(
	struct tokenizer *t, const char *text, size_t len, double dropout, struct rng *rng)
{
	struct ids ids = {0};
	struct buf back = {0};

	tokenizer_encode_plain(t, text, len, dropout, rng, &ids);
	for (size_t i = 0; i < ids.len; i++)
		assert_true(ids.data[i] >= 0 && ids.data[i] < FIRST); /* never an added token */
	tokenizer_decode(t, ids.data, ids.len, 1, &back);
	assert_int_equal(back.len, len);
	if (len)
		assert_memory_equal(back.data, text, len);
	ids_release(&ids);
	buf_release(&back);
}

static void any_bytes_come_back(void **state)
{
	static const char *const parts[] = {"<|end|>", "$1", "$12", "[\"x\",\"up\"", ",\"--port\",",
		" port", " server", " ", "\n", "端", "é", "\xff", "\xc3", "1", "]"};
	struct tokenizer *t = train(MERGES);
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 400, 0);
	for (int round = 0; round < 3000; round++) {
		char text[128];
		size_t len = 0, n = rng_below(&rng, 12);

		for (size_t i = 0; i < n; i++) {
			const char *part = parts[rng_below(&rng, 15)];

			if (round & 1) {
				text[len++] = (char)rng_below(&rng, 256);
			} else {
				memcpy(text + len, part, strlen(part));
				len += strlen(part);
			}
		}
		round_trip(t, text, len, round % 3 ? 0.3 : 0, &rng);
	}
	tokenizer_free(t);
}

static void special_tokens_are_left_out_on_demand(void **state)
{
	static const char text[] = "<|request|>port<|end|>$1]";
	struct tokenizer *t = train(MERGES);
	struct ids ids = {0};
	struct buf out = {0};

	(void)state;
	tokenizer_encode(t, text, strlen(text), &ids);
	tokenizer_decode(t, ids.data, ids.len, 0, &out);
	assert_string_equal(out.data, text);
	buf_clear(&out);
	tokenizer_decode(t, ids.data, ids.len, 1, &out);
	assert_string_equal(out.data, "port$1]");
	ids.len = 0;
	tokenizer_encode_ordinary(t, "<|end|>$12", 10, &ids);
	assert_int_equal(ids.data[ids.len - 1], FIRST + 3);
	for (size_t i = 0; i < ids.len; i++)
		assert_false(tokenizer_is_special(t, ids.data[i]));
	ids_release(&ids);
	buf_release(&out);
	tokenizer_free(t);
}

/* " port" is n bytes by n - 1 merges; with dropout p the first merge is passed over
 * with probability p, and all of them nearly always at p close to 1. */
static void dropout_drops(void **state)
{
	struct tokenizer *t = train(MERGES);
	struct rng rng;
	size_t whole = 0, pieces = 0;
	struct ids ids = {0};

	(void)state;
	rng_init(&rng, 2, RNG_TEST, 401, 0);
	for (int i = 0; i < 4000; i++) {
		ids.len = 0;
		tokenizer_encode_plain(t, " port", 5, 0.1, &rng, &ids);
		whole += ids.len == 1;
	}
	/* Each of four merges has another, later chance only if one below it is made. */
	assert_in_range(whole, 4000 * 0.6, 4000 * 0.97);
	for (int i = 0; i < 1000; i++) {
		ids.len = 0;
		tokenizer_encode_plain(t, " port", 5, 1.0, &rng, &ids);
		pieces += ids.len;
	}
	assert_int_equal(pieces, 5000);
	ids_release(&ids);
	tokenizer_free(t);
}

static const char base[] =
	"{\"added_tokens\":[{\"id\":3,\"content\":\"<x>\",\"special\":true}],\"normalizer\":null,"
	"\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},"
	"\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":"
	"1,"
	"\"ab\":2},\"merges\":[\"a b\"]}}";

/* base with one part replaced. */
static struct tokenizer *load_with(const char *old, const char *new, struct error *err)
{
	const char *path = scratch_path("broken.json"), *at = strstr(base, old);
	struct buf text = {0};
	struct tokenizer *t;

	assert_non_null(at);
	buf_add(&text, base, (size_t)(at - base));
	buf_adds(&text, new);
	buf_adds(&text, at + strlen(old));
	assert_int_equal(file_publish(path, text.data, text.len, err), 0);
	buf_release(&text);
	err->message[0] = '\0';
	t = tokenizer_load(path, err);
	return t;
}

static void faults_name_the_field(void **state)
{
	static const struct {
		const char *old, *new, *message;
	} cases[] = {
		{"\"BPE\"", "\"Unigram\"", "model.type: 'Unigram'"},
		{"\"normalizer\":null", "\"normalizer\":{\"type\":\"Nmt\"}", "Nmt"},
		{"\"add_prefix_space\":false", "\"add_prefix_space\":false},{", "line 1"},
		{"{\"type\":\"ByteLevel\",", "{\"type\":\"Whitespace\",",
			"pre_tokenizer.type: 'White"},
		{"\"decoder\":{\"type\":\"ByteLevel\"}", "\"decoder\":null", "decoder.type"},
		{"\"b\":1", "\"b\":0", "model.vocab: id 0"},
		{"\"b\":1", "\"b\":-1", "model.vocab: id of 'b'"},
		{"\"b\":1", "\"b\":4000000000", "model.vocab: id of 'b'"},
		{"\"b\":1", "\"b\":1.5", "model.vocab: id of 'b'"},
		{"\"b\":1", "\"b\":\"1\"", "model.vocab: id of 'b'"},
		{"\"b\":1", "\"a\":1", "duplicate"},
		{"\"a b\"", "\"a c\"", "model.merges[0]: 'c'"},
		{"\"a b\"", "\"c b\"", "model.merges[0]: 'cb'"},
		{"\"a b\"", "\"b a\"", "model.merges[0]: 'ba'"},
		{"\"a b\"", "\"ab\"", "model.merges[0]"},
		{"\"a b\"", "[\"a\"]", "model.merges[0]"},
		{"\"a b\"", "[\"a\",\"b\",\"a\"]", "model.merges[0]"},
		{"\"a b\"", "7", "model.merges[0]"},
		{"[\"a b\"]", "{}", "model.merges"},
		{"\"id\":3", "\"id\":2", "added_tokens[0].id: 2"},
		{"\"id\":3", "\"id\":70000", "added_tokens"},
		{"\"<x>\"", "\"\"", "added_tokens[0].content"},
		{"\"<x>\"", "\"ab\"", "added_tokens[0]: 'ab'"},
		{"\"special\":true", "\"special\":1", "added_tokens.special"},
		{"\"type\":\"BPE\"", "\"type\":\"BPE\",\"byte_fallback\":true", "byte_fallback"},
		{"\"type\":\"BPE\"", "\"type\":\"BPE\",\"dropout\":0.1", "dropout"},
		{"\"type\":\"BPE\"", "\"type\":\"BPE\",\"unk_token\":\"c\"", "unk_token"},
		{base, "", "line 1"},
		{base, "[]", "decoder"},
	};
	struct error err;
	struct tokenizer *t = load_with("\"BPE\"", "\"BPE\"", &err);

	(void)state;
	assert_non_null(t);
	assert_int_equal(tokenizer_size(t), 4);
	tokenizer_free(t);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		t = load_with(cases[i].old, cases[i].new, &err);
		if (t || !strstr(err.message, cases[i].message) ||
			!strstr(err.message, "broken.json") || err.code != EXIT_DATA)
			fail_msg("%s -> %s: %s", cases[i].old, cases[i].new, err.message);
	}
	assert_null(tokenizer_load(scratch_path("missing.json"), &err));
	assert_int_equal(err.code, EXIT_NOINPUT);
}

/* A stranger's pattern that backtracks for ever must not hold us up. */
static void patterns_are_bounded(void **state)
{
	static const char split[] =
		"{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{"
		"\"Regex\":"
		"\"(a+)+$\"},\"behavior\":\"Isolated\"},{\"type\":\"ByteLevel\"}]}";
	char text[2001];
	struct ids ids = {0};
	struct error err;
	struct tokenizer *t =
		load_with("{\"type\":\"ByteLevel\",\"add_prefix_space\":false}", split, &err);

	(void)state;
	assert_non_null(t);
	memset(text, 'a', 2000);
	text[1999] = 'b';
	tokenizer_encode(t, text, 2000, &ids);
	assert_int_equal(ids.len, 1999);
	ids_release(&ids);
	tokenizer_free(t);
}

static void damaged_files_do_no_harm(void **state)
{
	const char *path = scratch_path("tokenizer.json"), *damaged = scratch_path("damaged.json");
	struct tokenizer *t = train(20);
	struct buf text = {0};
	struct error err;
	struct rng rng;
	int loaded = 0;

	(void)state;
	rng_init(&rng, 3, RNG_TEST, 402, 0);
	assert_int_equal(tokenizer_save(t, path, &err), 0);
	tokenizer_free(t);
	assert_int_equal(file_read(path, 1 << 20, &text, &err), 0);
	for (int round = 0; round < 300; round++) {
		size_t at = rng_below(&rng, (uint32_t)text.len);
		size_t len = round % 4 ? text.len : at;
		char old = text.data[at];
		FILE *f = fopen(damaged, "w");

		text.data[at] = round % 2 ? (char)rng_below(&rng, 256) : "0\"{}[],: "[round % 9];
		fwrite(text.data, 1, len, f);
		fclose(f);
		text.data[at] = old;
		t = tokenizer_load(damaged, &err);
		loaded += t != NULL;
		if (t) {
			struct ids ids = {0};

			tokenizer_encode(t, "start <|end|> ] port", 20, &ids);
			ids_release(&ids);
		}
		tokenizer_free(t);
	}
	assert_true(loaded < 290);
	buf_release(&text);
}

static void utf8_is_checked(void **state)
{
	static const struct {
		const char *text, *repaired;
	} cases[] = {{"a\xe2\x82", "a\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"}, {"\xf0\x9f\x91z", "\xef\xbf\xbdz"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"端é", "端é"}};
	size_t size;
	char out[4];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf b = {0};

		utf8_repair(cases[i].text, strlen(cases[i].text), &b);
		assert_string_equal(b.data, cases[i].repaired);
		buf_release(&b);
	}
	for (int32_t code = 0; code < 0x110000; code++) {
		size_t n = utf8_encode((uint32_t)code, out);
		int surrogate = code >= 0xd800 && code < 0xe000;

		assert_int_equal(utf8_decode(out, n, &size), surrogate ? -1 : code);
		assert_int_equal(size, surrogate ? 1 : n);
		assert_int_equal(utf8_valid(out, n), surrogate ? 0 : n);
	}
	assert_int_equal(utf8_lower(0xc9), 0xe9);
	assert_int_equal(utf8_lower(0x416), 0x436);
	assert_int_equal(utf8_lower(0x17d), 0x17e);
	assert_int_equal(utf8_lower(0x3a9), 0x3c9);
	assert_int_equal(utf8_lower(0x7aef), 0x7aef);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved_and_loaded_is_the_same),
		cmocka_unit_test(ids_are_in_the_order_promised),
		cmocka_unit_test(any_bytes_come_back),
		cmocka_unit_test(special_tokens_are_left_out_on_demand),
		cmocka_unit_test(dropout_drops),
		cmocka_unit_test(faults_name_the_field),
		cmocka_unit_test(patterns_are_bounded),
		cmocka_unit_test(damaged_files_do_no_harm),
		cmocka_unit_test(utf8_is_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
