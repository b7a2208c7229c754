/* Answers as text: printing and reading them back. */
#include "tap.h"

#include <jansson.h>
#include "base/rng.h"
#include "text/spans.h"

static const char request[] = "use ./a b8 8123 'two words' ./a \"q\\\"x\" -3 --port";
static const struct span spans[] = {{4, 7, SPAN_PATH}, {8, 10, SPAN_NAME}, {11, 15, SPAN_NUMBER},
	{17, 26, SPAN_QUOTED}, {28, 31, SPAN_PATH}, {33, 37, SPAN_QUOTED}, {39, 41, SPAN_NUMBER},
	{42, 48, SPAN_NAME}};
enum {
	N_SPANS = sizeof spans / sizeof *spans
};

static void check_print(const char *expected, int argc, ...)
{
	const char *argv[16];
	struct buf out = {0};
	va_list args;

	va_start(args, argc);
	for (int i = 0; i < argc; i++)
		argv[i] = va_arg(args, const char *);
	va_end(args);
	answer_print(argc, argv, request, spans, N_SPANS, &out);
	assert_string_equal(out.data, expected);
	buf_release(&out);
}

static void spans_are_named(void **state)
{
	(void)state;
	check_print("null", -1);
	check_print("[\"x\",\"--to\",$3,\"up\"]", 4, "x", "--to", "8123", "up");
	check_print("[\"b8\",$2]", 2, "b8", "b8");			   /* word 0 never */
	check_print("[\"x\",$1,$5,\"./a\"]", 4, "x", "./a", "./a", "./a"); /* each once */
	check_print("[\"x\",\"--ports\",$8]", 3, "x", "--ports",
		"--port"); /* an option: where it is one */
	check_print("[\"x\",\"--port=\"$3,$7]", 3, "x", "--port=8123", "-3");
	check_print("[\"x\",\"port=8123\",$4]", 3, "x", "port=8123", "two words");
	check_print("[\"x\",$6,\"q\\\"\\n\\u0001/é\",\"\"]", 4, "x", "q\\\"x", "q\"\n\001/é", "");
}

static int parse(
	const char *text, struct arena *arena, int *argc, const char ***argv, struct error *err)
{
	return answer_parse(text, strlen(text), request, spans, N_SPANS, arena, argc, argv, err);
}

static void answers_are_read(void **state)
{
	struct arena arena = {0};
	struct error err;
	const char **argv;
	int argc;

	(void)state;
	assert_int_equal(parse("null", &arena, &argc, &argv, &err), 0);
	assert_int_equal(argc, -1);
	assert_int_equal(
		parse("[\"x\",\"--o=\"$3,$4,\"$1\",\"\\u00e9,]\"]", &arena, &argc, &argv, &err), 0);
	assert_int_equal(argc, 5);
	assert_string_equal(argv[1], "--o=8123");
	assert_string_equal(argv[2], "two words");
	assert_string_equal(argv[3], "$1");
	assert_string_equal(argv[4], "é,]");
	assert_null(argv[5]);
	arena_release(&arena);
}

/* Nothing but one whole answer counts. */
static void the_rest_is_refused(void **state)
{
	static const char *const bad[] = {"", "nul", "nulll", "null ", " null", "nullnull", "[]",
		"[", "[\"x\"", "[\"x\",", "[\"x\",]", "[\"x\"] ", " [\"x\"]", "[ \"x\"]",
		"[\"x\", \"y\"]", "[\"x\"][\"x\"]", "[\"x\"]null", "[\"x\"]\n", "[\"x\"]]", "[$1]",
		"[\"x\",$0]", "[\"x\",$9]", "[\"x\",$01]", "[\"x\",$]", "[\"x\",$99999999999]",
		"[\"x\",$1$2]", "[\"x\",$1\"y\"]", "[\"x\"$1]", "[\"x\",\"y\"$1]",
		"[\"x\",\"y=\"$1]", "[\"x\",\"--y\"$1]", "[\"x\",\"y\"\"z\"]", "[\"x\",1]",
		"[\"x\",null]", "[\"x\",[\"y\"]]", "[\"x\",{}]", "{\"a\":1}", "\"x\"",
		"[\"x\",\"\\x\"]", "[\"x\",\"\\u0000\"]", "[\"x\",\"a\nb\"]", "[\"x\",\"\\ud800\"]",
		"[\"x\",\"\xff\"]", "[\"x\",\"y]", "[\"x\\", "[\"x\",,\"y\"]", "[x]", "['x']",
		"[\"x\"],", "use [\"x\"]", "[\"x\"];[\"y\"]"};
	struct arena arena = {0};
	const char **argv;
	int argc;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct error err = {.message = ""};
		/* Exactly sized, so that reading beyond it is seen. */
		size_t len = strlen(bad[i]);
		char *text = malloc(len ? len : 1);

		memcpy(text, bad[i], len);
		if (answer_parse(text, len, request, spans, N_SPANS, &arena, &argc, &argv, &err) !=
				-1 ||
			!err.message[0])
			fail_msg("accepted: %s", bad[i]);
		free(text);
	}
	arena_release(&arena);
}

static char *random_word(struct rng *rng)
{
	static const char *const parts[] = {"a", "-", "--", "=", "$1", "\"", "\\", ",", "]", "[",
		" ", "./a", "8123", "two words", "b8", "é", "\n", "\x01", "\x7f", "<|end|>", "null",
		"x"};
	struct buf word = {0};

	for (uint32_t i = rng_below(rng, 4); i; i--)
		buf_adds(&word, parts[rng_below(rng, sizeof parts / sizeof *parts)]);
	return buf_detach(&word);
}

static void any_argv_comes_back(void **state)
{
	struct rng rng;
	size_t named = 0;

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 430, 0);
	for (int round = 0; round < 20000; round++) {
		char *words[8];
		struct arena arena = {0};
		struct buf text = {0}, text2 = {0};
		struct error err;
		const char **argv;
		int n = 1 + (int)rng_below(&rng, 7), argc;

		for (int i = 0; i < n; i++)
			words[i] = random_word(&rng);
		answer_print(n, (const char *const *)words, request, spans, N_SPANS, &text);
		if (parse(text.data, &arena, &argc, &argv, &err) < 0)
			fail_msg("%s: %s", text.data, err.message);
		assert_int_equal(argc, n);
		for (int i = 0; i < n; i++)
			assert_string_equal(argv[i], words[i]);
		answer_print(argc, argv, request, spans, N_SPANS, &text2);
		assert_string_equal(text.data, text2.data);
		named += strstr(text.data, ",$") != NULL;
		/* Without spans it is plain JSON, as jansson writes it. */
		buf_clear(&text);
		answer_print(n, (const char *const *)words, NULL, NULL, 0, &text);
		json_t *list = json_array();
		for (int i = 0; i < n; i++)
			json_array_append_new(list, json_string(words[i]));
		char *json = json_dumps(list, JSON_COMPACT);
		assert_string_equal(text.data, json);
		free(json);
		json_decref(list);
		for (int i = 0; i < n; i++)
			free(words[i]);
		buf_release(&text);
		buf_release(&text2);
		arena_release(&arena);
	}
	assert_true(named > 1000);
}

/* Damaged answers are read or refused, never worse. */
static void damage_does_no_harm(void **state)
{
	static const char good[] = "[\"x\",\"--o=\"$3,$4,\"\\u00e9\\\"\",\"--f\"]";
	struct rng rng;

	(void)state;
	rng_init(&rng, 2, RNG_TEST, 431, 0);
	for (int round = 0; round < 50000; round++) {
		size_t len = sizeof good - 1;
		char *text = malloc(len);
		struct arena arena = {0};
		const char **argv;
		int argc;

		memcpy(text, good, len);
		for (uint32_t i = 1 + rng_below(&rng, 3); i; i--)
			text[rng_below(&rng, (uint32_t)len)] =
				"\"\\,[]$19=-ux \n\xff"[rng_below(&rng, 15)];
		answer_parse(text, rng_below(&rng, (uint32_t)len + 1), request, spans, N_SPANS,
			&arena, &argc, &argv, NULL);
		free(text);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_named),
		cmocka_unit_test(answers_are_read),
		cmocka_unit_test(the_rest_is_refused),
		cmocka_unit_test(any_argv_comes_back),
		cmocka_unit_test(damage_does_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
