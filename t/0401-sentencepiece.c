/* Vocabularies of characters with a mark for the blank: foreign text, added tokens, what
 * tokens stand for, and faults.  That ids are right is shown by 0411-hf-families.sh. */
#include "tap.h"

#include "base/rng.h"
#include "text/tokenizer.h"

#define MARK "\xe2\x96\x81"

/* <0x00> to <0xFF> have the ids 4 to 259. */
static const char head[] = "{\"added_tokens\":[{\"id\":1,\"content\":\"<s>\",\"special\":true},"
			   "{\"id\":2,\"content\":\"$1\",\"special\":false},"
			   "{\"id\":3,\"content\":\"up\",\"special\":false,\"normalized\":true}],";
static const char llama[] =
	"\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":"
	"\"" MARK "\"},{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" MARK
	"\"}]},"
	"\"pre_tokenizer\":null,\"decoder\":{\"type\":\"Sequence\",\"decoders\":["
	"{\"type\":\"Replace\",\"pattern\":{\"String\":\"" MARK "\"},\"content\":\" \"},"
	"{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
	"{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]},";
static const char tail[] =
	"\"merges\":[\"" MARK " t\",\"h e\",\"" MARK "t he\",\"" MARK " " MARK "\"]}}";

static struct tokenizer *load(const char *layout, struct error *err)
{
	const char *path = scratch_path("pieces.json");
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file,
		"%s%s\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,"
		"\"byte_fallback\":true,\"vocab\":{\"<unk>\":0,\"<s>\":1",
		head, layout);
	for (int byte = 0; byte < 256; byte++)
		fprintf(file, ",\"<0x%02X>\":%d", (unsigned)byte, byte + 4);
	fprintf(file,
		",\"" MARK "\":260,\"t\":261,\"h\":262,\"e\":263,\"" MARK "t\":264,\"he\":265,"
		"\"" MARK "the\":266,\"" MARK MARK "\":267},%s",
		tail);
	fclose(file);
	return tokenizer_load(path, err);
}

static struct tokenizer *load_ok(void)
{
	struct error err;
	struct tokenizer *t = load(llama, &err);

	if (!t)
		fail_msg("%s", err.message);
	return t;
}

static void any_bytes_come_back(void **state)
{
	static const char *const parts[] = {"the", " the", " ", "  ", "t", "he", "up", "<s>", "$1",
		"\n", "\xc3\xa9", "\xff", "\xe2\x96", "<0x41>", "h"};
	struct tokenizer *t = load_ok();
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 401, 0);
	for (int round = 0; round < 3000; round++) {
		struct buf text = {0}, back = {0};
		struct ids ids = {0};
		size_t n = rng_below(&rng, 12);

		buf_reserve(&text, 1);
		for (size_t i = 0; i < n; i++)
			buf_adds(&text, parts[rng_below(&rng, 15)]);
		tokenizer_encode_plain(t, text.data, text.len, round % 3 ? 0.3 : 0, &rng, &ids);
		for (size_t i = 0; i < ids.len; i++) /* never an added token */
			assert_true(ids.data[i] > 3 && ids.data[i] <= 267);
		tokenizer_decode(t, ids.data, ids.len, 1, &back);
		assert_int_equal(back.len, text.len);
		if (text.len)
			assert_memory_equal(back.data, text.data, text.len);
		buf_release(&text);
		buf_release(&back);
		ids_release(&ids);
	}
	tokenizer_free(t);
}

static void assert_ids(const struct ids *ids, const int32_t *want, size_t n)
{
	assert_int_equal(ids->len, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ids->data[i], want[i]);
}

static void added_tokens_are_found(void **state)
{
	static const int32_t all[] = {266, 1, 266, 2, 3}, ordinary[] = {264, 260, 64, 119, 66, 3};
	struct tokenizer *t = load_ok();
	struct ids ids = {0};

	(void)state;
	tokenizer_encode(t, "the<s>the$1up", 13, &ids);
	assert_ids(&ids, all, 5);
	ids.len = 0;
	tokenizer_encode_ordinary(t, "t <s>", 5, &ids);
	assert_ids(&ids, ordinary, 5);
	ids_release(&ids);
	tokenizer_free(t);
}

static void tokens_stand_for_bytes(void **state)
{
	static const struct {
		int32_t id;
		const char *bytes;
	} tokens[] = {{266, " the"}, {267, "  "}, {1, "<s>"}, {3, " up"}, {2, "$1"}, {69, "A"}};
	struct tokenizer *t = load_ok();
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
		const char *bytes = tokenizer_bytes(t, tokens[i].id, &len);

		assert_int_equal(len, strlen(tokens[i].bytes));
		assert_memory_equal(bytes, tokens[i].bytes, len);
	}
	assert_memory_equal(tokenizer_bytes(t, 4, &len), "\0", 1);
	assert_int_equal(len, 1);
	assert_int_equal(tokenizer_id(t, " the"), 266);
	assert_int_equal(tokenizer_id(t, "  "), 267);
	assert_int_equal(tokenizer_id(t, "A"), 69);
	assert_int_equal(tokenizer_id(t, "$1"), 2);
	assert_int_equal(tokenizer_id(t, "none"), -1);
	assert_true(tokenizer_is_special(t, 1));
	assert_false(tokenizer_is_special(t, 2));
	tokenizer_free(t);
}

static void faults_name_the_field(void **state)
{
	static const char decoder[] = "\"decoder\":{\"type\":\"Fuse\"},";
	static const struct {
		const char *layout, *decoder, *message;
	} cases[] = {
		{"\"normalizer\":{\"type\":\"NFKC\"},", decoder, "normalizer.type: 'NFKC'"},
		{"\"normalizer\":{\"type\":\"Replace\",\"content\":\"x\"},", decoder,
			"Replace needs pattern"},
		{"\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"(\"},\"content\":"
		 "\"x\"},",
			decoder, "normalizer.pattern: bad pattern '('"},
		{"\"normalizer\":{\"type\":\"Sequence\"},", decoder, "not an array"},
		{"\"normalizer\":{\"type\":\"Prepend\"},", decoder, "normalizer.prepend"},
		{"", "\"decoder\":null,", "decoder.type: 'null'"},
		{"", "\"decoder\":{\"type\":\"ByteLevel\"},", "decoder.type: 'ByteLevel'"},
		{"", "\"decoder\":{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0},",
			"behind Fuse"},
		{"\"pre_tokenizer\":{\"type\":\"Metaspace\"},", decoder,
			"pre_tokenizer.replacement"},
		{"\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"_\","
		 "\"prepend_scheme\":\"last\"},",
			decoder, "prepend_scheme: 'last'"},
		{"\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Lost\"},", decoder,
			"behavior: 'Lost'"},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf layout = {0};
		struct tokenizer *t;

		buf_adds(&layout, cases[i].layout);
		buf_adds(&layout, cases[i].decoder);
		t = load(layout.data, &err);
		if (t || !strstr(err.message, cases[i].message) || err.code != EXIT_DATA)
			fail_msg("%s: %s", layout.data, t ? "accepted" : err.message);
		buf_release(&layout);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes_come_back),
		cmocka_unit_test(added_tokens_are_found),
		cmocka_unit_test(tokens_stand_for_bytes),
		cmocka_unit_test(faults_name_the_field),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
