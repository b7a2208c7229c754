/* From requests to ids and back: shape of prompts, short answers, foreign text. */
#include "tap.h"

#include "base/rng.h"
#include "text/lexicon.h"
#include "text/prompt.h"
#include "text/span_noise.h"

static const char spec_text[] =
	"{\"opencli\":\"0.1\",\"info\":{\"title\":\"srv\",\"version\":\"1\"},\"metadata\":[{"
	"\"name\":"
	"\"dialect\",\"value\":\"click\"}],\"options\":[{\"name\":\"--dir\",\"arguments\":[{"
	"\"name\":"
	"\"DIR\"}]}],\"commands\":[{\"name\":\"up\",\"options\":[{\"name\":\"--port\","
	"\"arguments\":[{"
	"\"name\":\"PORT\"}]},{\"name\":\"--wait\"},{\"name\":\"--lang\",\"arguments\":[{\"name\":"
	"\"LANG\",\"acceptedValues\":[\"python\",\"node.js\"]}]},{\"name\":\"--tag\",\"arguments\":"
	"[{"
	"\"name\":\"TAG\"}]}],\"arguments\":[{\"name\":\"KIND\",\"acceptedValues\":[\"python\","
	"\"caf\\u00e9\"],\"arity\":{\"minimum\":0,\"maximum\":1}}]}]}";

static const char *const texts[] = {" start the server on port and wait for it",
	" start server port please", " ./src/agent . json", " the server is up on port",
	" 8 8 9 9 wait on port please"};

struct fixture {
	struct spec *spec;
	struct arena arena;
	struct added_token *added;
	size_t n_added;
	struct tokenizer *tokenizer;
	struct lexicon *lexicon;
	struct prompter p;
};

static struct fixture f;

static int setup(void **state)
{
	static const char words[] = "start the server on port and wait for it please is up in use";
	struct error err;

	(void)state;
	f.spec = spec_parse(spec_text, strlen(spec_text), "spec", &err);
	if (!f.spec) {
		print_error("%s\n", err.message);
		return -1;
	}
	f.n_added = answer_tokens(f.spec, &f.arena, &f.added);
	f.tokenizer = tokenizer_train(texts, 5, 100, f.added, f.n_added, &err);
	f.lexicon = lexicon_new();
	for (const char *p = words; *p; p += strcspn(p, " "), p += *p == ' ')
		lexicon_add(f.lexicon, p, strcspn(p, " "));
	return prompter_init(&f.p, f.tokenizer, f.lexicon, SPANS_REPLACE, &err);
}

static int teardown(void **state)
{
	(void)state;
	lexicon_free(f.lexicon);
	tokenizer_free(f.tokenizer);
	spec_free(f.spec);
	arena_release(&f.arena);
	return 0;
}

/* Ids as the texts of their tokens, ¦ between them. */
static void show(const struct ids *ids, struct buf *out)
{
	size_t len;

	buf_clear(out);
	for (size_t i = 0; i < ids->len; i++) {
		const char *bytes = tokenizer_bytes(f.tokenizer, ids->data[i], &len);

		if (i)
			buf_adds(out, "¦");
		buf_add(out, bytes, len);
	}
}

static void check_prompt(enum spans_mode mode, const char *request, const char *expected)
{
	struct span spans[SPANS_MAX];
	struct ids ids = {0};
	struct buf out = {0};
	struct error err;
	struct prompter p;

	assert_int_equal(prompter_init(&p, f.tokenizer, f.lexicon, mode, &err), 0);
	prompt_encode(&p, request, strlen(request), NULL, NULL, spans, &ids);
	show(&ids, &out);
	assert_string_equal(out.data, expected);
	ids_release(&ids);
	buf_release(&out);
}

static void prompts_have_their_shape(void **state)
{
	(void)state;
	check_prompt(SPANS_REPLACE, "Start the SERVER on port 81234.",
		"<|request|>¦ start¦ the¦ server¦ on¦ port¦$1¦<|number|>¦ 8¦1¦2¦.¦<|answer|>");
	check_prompt(SPANS_REPLACE, "port \t 'Wait On' please",
		"<|request|>¦ port¦$1¦<|quoted|>¦ wait¦ on¦ please¦<|answer|>");
	check_prompt(SPANS_REPLACE, "port", "<|request|>¦ port¦<|answer|>");
	check_prompt(SPANS_REPLACE, "  port  ", "<|request|>¦ port¦<|answer|>");
	check_prompt(SPANS_REPLACE, "", "<|request|>¦<|answer|>");
	check_prompt(
		SPANS_REPLACE, "8 9", "<|request|>¦$1¦<|number|>¦ 8¦$2¦<|number|>¦ 9¦<|answer|>");
	check_prompt(SPANS_MARK, "on port 81234 please",
		"<|request|>¦ on¦ port¦$1¦ 8¦1¦2¦3¦4¦ please¦<|answer|>");
	check_prompt(
		SPANS_NONE, "on port 81 please", "<|request|>¦ on¦ port¦ 8¦1¦ please¦<|answer|>");
}

/* Encodes argv; its tokens must be `expected`, and decode to argv again. */
static void check_answer(const char *request, const char *expected, int argc, ...)
{
	struct span spans[SPANS_MAX];
	struct ids ids = {0}, prompt = {0};
	struct buf out = {0}, text = {0};
	struct arena arena = {0};
	const char *argv[16], **back;
	struct error err;
	size_t n = prompt_encode(&f.p, request, strlen(request), NULL, NULL, spans, &prompt);
	va_list args;
	int count;

	va_start(args, argc);
	for (int i = 0; i < argc; i++)
		argv[i] = va_arg(args, const char *);
	va_end(args);
	answer_encode(&f.p, argc, argv, request, spans, n, &ids);
	show(&ids, &out);
	if (expected)
		assert_string_equal(out.data, expected);
	for (size_t with_end = 0; with_end < 2; with_end++) {
		buf_clear(&text);
		if (answer_decode(&f.p, ids.data, ids.len - 1 + with_end, request, spans, n, &arena,
			    &count, &back, &text, &err) != 0)
			fail_msg("%s: %s", text.data, err.message);
		assert_int_equal(count, argc);
		for (int i = 0; i < argc; i++)
			assert_string_equal(back[i], argv[i]);
	}
	ids_release(&ids);
	ids_release(&prompt);
	buf_release(&out);
	buf_release(&text);
	arena_release(&arena);
}

static void answers_are_short(void **state)
{
	(void)state;
	check_answer("start on port 8123", "[\"srv\",\"up\"¦,\"--port\",¦$1¦,\"--wait\"¦]¦<|end|>",
		5, "srv", "up", "--port", "8123", "--wait");
	check_answer("", "null¦<|end|>", -1);
	check_answer("",
		"[\"srv\",\"up\"¦,\"--wait\"¦,\"--port\",¦\"¦8¦0¦\"¦,\"--lang\",¦\"python\"¦"
		",\"python\"¦]¦<|end|>",
		8, "srv", "up", "--wait", "--port", "80", "--lang", "python", "python");
	check_answer("in ./x up", "[\"srv\"¦,\"--dir\",¦$1¦,\"up\"¦]¦<|end|>", 4, "srv", "--dir",
		"./x", "up");
	/* A command's own name is no span, even where a person quotes it. */
	check_answer("use 'up'", "[\"srv\",\"up\"¦]¦<|end|>", 2, "srv", "up");
	check_answer("use \"up\" for 'up'", "[\"srv\",\"up\"¦,\"--tag\",¦$1¦]¦<|end|>", 4, "srv",
		"up", "--tag", "up");
	check_answer(
		"use ./x", "[\"srv\",\"up\"¦,\"--\"¦,¦$1¦]¦<|end|>", 4, "srv", "up", "--", "./x");
}

/* Words with any signs in them are spelled, and no special token comes of them. */
static void free_text_is_spelled(void **state)
{
	static const char *const words[] = {"<|end|>", "<|request|>", "x<|end|>y",
		"a\",\"--port\",", "],", "$1", "$99", "null", "[\"srv\",\"up\"", "café", "\"", "\\",
		" a  b ", "-", "--", "\n\t", "python", "--port", "👍🏽"};
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 440, 0);
	for (int round = 0; round < 2000; round++) {
		const char *w[3];

		for (int i = 0; i < 3; i++)
			w[i] = words[rng_below(&rng, sizeof words / sizeof *words)];
		check_answer("use $1 or '<|end|>' please", NULL, 6, "srv", "up", "--tag", w[0],
			w[1], w[2]);
	}
}

static void requests_make_no_added_token(void **state)
{
	static const char *const parts[] = {"<|end|>", "<|answer|>", "<|request|>", "<|path|>",
		"$1", "$16", "[\"srv\",\"up\"", ",\"--port\",", ",\"--wait\"", "null", "]", "<|",
		"|>", " ", "port", "\"python\"", "/think", "\n"};
	static const struct prompt_noise noise[2] = {{0, 0}, {0.2, 0.5}};
	struct rng rng;

	(void)state;
	rng_init(&rng, 2, RNG_TEST, 441, 0);
	for (int round = 0; round < 3000; round++) {
		struct span spans[SPANS_MAX];
		struct buf request = {0};
		struct ids ids = {0};
		size_t n, marks = 0;

		for (uint32_t i = rng_below(&rng, 10); i; i--)
			buf_adds(&request, parts[rng_below(&rng, sizeof parts / sizeof *parts)]);
		buf_adds(&request, "");
		n = prompt_encode(
			&f.p, request.data, request.len, &noise[round & 1], &rng, spans, &ids);
		assert_int_equal(ids.data[0], f.p.request_id);
		assert_int_equal(ids.data[ids.len - 1], f.p.answer_id);
		for (size_t i = 1; i + 1 < ids.len; i++) {
			if (ids.data[i] == f.p.span_ids[marks < n ? marks : 0] && marks < n) {
				assert_int_equal(ids.data[++i], f.p.type_ids[spans[marks++].type]);
				continue;
			}
			assert_true(ids.data[i] <= tokenizer_id(f.tokenizer, "<|request|>") - 1);
		}
		assert_int_equal(marks, n);
		ids_release(&ids);
		buf_release(&request);
	}
}

static void unreadable_completions(void **state)
{
	static const char request[] = "start on port 8123";
	const struct span span = {14, 18, SPAN_NUMBER};
	int32_t open = tokenizer_id(f.tokenizer, "[\"srv\",\"up\"");
	int32_t close = tokenizer_id(f.tokenizer, "]");
	int32_t null = tokenizer_id(f.tokenizer, "null");
	int32_t port = tokenizer_id(f.tokenizer, ",\"--port\",");
	const int32_t cases[][6] = {
		{open, -1},	  /* stopped by length */
		{f.p.end_id, -1}, /* nothing */
		{null, null, -1},
		{open, close, open, close, -1},			      /* two answers */
		{open, close, f.p.end_id, null, -1},		      /* text behind the end */
		{open, f.p.type_ids[0], close, -1},		      /* a special token within */
		{open, port, f.p.span_ids[1], close, f.p.end_id, -1}, /* no such span */
		{open, port, close, -1},			      /* no value */
		{f.p.request_id, open, close, -1},
	};
	struct arena arena = {0};
	const char **argv;
	int argc;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf text = {0};
		struct error err = {.message = ""};
		size_t n = 0;

		while (cases[i][n] >= 0)
			n++;
		assert_int_equal(answer_decode(&f.p, cases[i], n, request, &span, 1, &arena, &argc,
					 &argv, &text, &err),
			-2);
		assert_int_equal(argc, -2);
		assert_true(err.message[0]);
		buf_release(&text);
	}
	/* Any ids at all: no crash, and text that is UTF-8. */
	struct rng rng;
	rng_init(&rng, 3, RNG_TEST, 442, 0);
	for (int round = 0; round < 3000; round++) {
		int32_t ids[12];
		size_t n = rng_below(&rng, 12);

		for (size_t i = 0; i < n; i++)
			ids[i] = (int32_t)rng_below(&rng, tokenizer_size(f.tokenizer) + 3);
		answer_decode(&f.p, ids, n, request, &span, 1, &arena, &argc, &argv, NULL, NULL);
	}
	arena_release(&arena);
}

static void missing_tokens_are_named(void **state)
{
	struct error err;
	struct prompter p;
	struct tokenizer *t = tokenizer_train(texts, 4, 5, f.added, 3, &err);

	(void)state;
	assert_non_null(t);
	assert_int_equal(prompter_init(&p, t, NULL, SPANS_NONE, &err), 0);
	assert_int_equal(prompter_init(&p, t, NULL, SPANS_MARK, &err), -1);
	assert_non_null(strstr(err.message, "$1"));
	tokenizer_free(t);
	t = tokenizer_train(texts, 4, 5, NULL, 0, &err);
	assert_int_equal(prompter_init(&p, t, NULL, SPANS_NONE, &err), -1);
	assert_non_null(strstr(err.message, "<|request|>"));
	tokenizer_free(t);
}

static void added_tokens_are_distinct(void **state)
{
	(void)state;
	for (size_t i = 0; i < f.n_added; i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(f.added[i].content, f.added[k].content);
		for (const char *c = f.added[i].content; *c; c++)
			assert_true(*c >= 0x20 && *c < 0x7f); /* not café */
	}
}

static void training_text_is_what_is_encoded(void **state)
{
	static const char request[] = "Start  it on './src/Agent.py', port 8123!";
	struct buf out = {0};

	(void)state;
	prompt_text(f.lexicon, SPANS_REPLACE, request, strlen(request), &out);
	assert_string_equal(out.data, " start it on ./src/a, port 8123!");
	buf_release(&out);
}

/* The values of a record are unknown words afterwards, its other words known. */
static void lexicon_from_records(void **state)
{
	static const char *const argv[] = {"srv", "up", "--lang", "python", "--tag", "blue", NULL};
	static const char request[] = "bring srv up in python tagged blue";
	struct lexicon_counts *c = lexicon_counts_new();
	struct lexicon *lex = lexicon_new();

	(void)state;
	lexicon_learn_record(c, f.spec, request, strlen(request), 6, argv);
	lexicon_learn_record(c, f.spec, "bring nothing my-app", 20, -1, NULL);
	lexicon_counts_keep(c, 1, lex);
	assert_false(lexicon_has(lex, "blue", 4));
	assert_true(lexicon_has(lex, "up", 2));
	assert_true(lexicon_has(lex, "python", 6)); /* of a closed list */
	assert_true(lexicon_has(lex, "nothing", 7));
	assert_false(lexicon_has(lex, "my-app", 6));
	lexicon_free(lex);
	lex = lexicon_new();
	lexicon_counts_keep(c, 2, lex);
	assert_int_equal(lexicon_count(lex), 6); /* the spec's five options */
	assert_true(lexicon_has(lex, "--port", 6));
	assert_true(lexicon_has(lex, "bring", 5));
	lexicon_free(lex);
	lexicon_counts_free(c);
}

/* A word taken for a value is a span of its own, in order, and no other is touched. */
static void words_are_mistaken(void **state)
{
	static const char request[] = "start the server on 8123, at once";
	const struct span before[] = {{20, 24, SPAN_NUMBER}};
	const size_t words[][2] = {{0, 5}, {6, 9}, {10, 16}, {29, 33}};
	int seen[4] = {0};
	struct rng rng;

	(void)state;
	rng_init(&rng, 3, RNG_TEST, 442, 0);
	for (int round = 0; round < 400; round++) {
		struct span spans[SPANS_MAX] = {before[0]};
		size_t n = spans_mistake(request, strlen(request), spans, 1, &rng), new;

		assert_int_equal(n, 2);
		new = spans[0].from == 20;
		assert_memory_equal(&spans[1 - new], before, sizeof *before);
		for (size_t i = 0; i < 4; i++)
			seen[i] += spans[new].from == words[i][0] && spans[new].to == words[i][1];
	}
	for (size_t i = 0; i < 4; i++)
		assert_in_range(seen[i], 60, 140);
	assert_int_equal(seen[0] + seen[1] + seen[2] + seen[3], 400);
	assert_int_equal(
		spans_mistake("1 a-b", 5, (struct span[SPANS_MAX]){{0, 1, 0}}, 1, &rng), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prompts_have_their_shape),
		cmocka_unit_test(answers_are_short),
		cmocka_unit_test(free_text_is_spelled),
		cmocka_unit_test(requests_make_no_added_token),
		cmocka_unit_test(words_are_mistaken),
		cmocka_unit_test(unreadable_completions),
		cmocka_unit_test(missing_tokens_are_named),
		cmocka_unit_test(added_tokens_are_distinct),
		cmocka_unit_test(training_text_is_what_is_encoded),
		cmocka_unit_test(lexicon_from_records),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
