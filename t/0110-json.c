/* JSON text to values and back: the rules, and jansson's own reader as the oracle. */
#include "tap.h"

#include <float.h>

#include "base/rng.h"
#include "stream/jsonl.h"

/* s is a string literal, which may hold NUL bytes. */
#define PARSE(s, err) json_text_parse(s, sizeof(s) - 1, err)

static void accepted(void **state)
{
	static const char *const good[] = {
		"{}",
		" \t{ } \r",
		"{\"\":0}",
		"{\"a\":[]}",
		"{\"a\":[ ]}",
		"{\"a\":{\"b\":{}}}",
		"{\"a\":-0,\"b\":-0.0,\"c\":0e1,\"d\":1E+2,\"e\":1.5e-300}",
		"{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\uD83D\\uDE00\"}",
		"{\"a\":\"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"}",
		"{\"a\":\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"}",
		"{\"a\" : 1 , \"b\" : [ 1 , 2 ] , \"c\" : null}",
		"{\"a\":1,\"A\":2,\"\\u0061b\":3}",
		"{\"9223372036854775807\":9223372036854775807,\"m\":-9223372036854775808}",
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		json_t *json = json_text_parse(good[i], strlen(good[i]), &err);

		if (!json)
			fail_msg("%s: %s", good[i], err.message);
		json_decref(json);
	}
}

static void rejected(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "expected a JSON object"},
		{"[]", "not a JSON object"},
		{"\"a\"", "not a JSON object"},
		{"{} {}", "more text"},
		{"{}x", "more text"},
		{"{", "ends too early"},
		{"{\"a\"", "ends too early"},
		{"{\"a\":", "missing"},
		{"{\"a\":1", "ends too early"},
		{"{\"a\":1,", "ends too early"},
		{"{\"a\":1,}", "name in quotes"},
		{"{,}", "name in quotes"},
		{"{a:1}", "name in quotes"},
		{"{'a':1}", "name in quotes"},
		{"{\"a\" 1}", "expected ':'"},
		{"{\"a\":1 \"b\":2}", "expected ','"},
		{"{\"a\":[1 2]}", "expected ',' or ']'"},
		{"{\"a\":[1,]}", "none that JSON has"},
		{"{\"a\":[", "missing"},
		{"{\"a\":[1", "ends too early"},
		{"{\"a\":01}", "leading zero"},
		{"{\"a\":-01}", "leading zero"},
		{"{\"a\":+1}", "none that JSON has"},
		{"{\"a\":.5}", "none that JSON has"},
		{"{\"a\":1.}", "digit is missing"},
		{"{\"a\":1e}", "digit is missing"},
		{"{\"a\":1e+}", "digit is missing"},
		{"{\"a\":-}", "digit is missing"},
		{"{\"a\":1.", "ends too early"},
		{"{\"a\":NaN}", "none that JSON has"},
		{"{\"a\":Infinity}", "none that JSON has"},
		{"{\"a\":-Infinity}", "digit"},
		{"{\"a\":tru}", "none that JSON has"},
		{"{\"a\":nul", "none that JSON has"},
		{"{\"a\":True}", "none that JSON has"},
		{"{\"a\":0x10}", "expected ','"},
		{"{\"a\":\"x", "closing quote"},
		{"{\"a\":\"x\\", "closing quote"},
		{"{\"a\":\"\\x\"}", "escape"},
		{"{\"a\":\"\\u12\"}", "four hexadecimal"},
		{"{\"a\":\"\\u12", "four hexadecimal"},
		{"{\"a\":\"\\u12g4\"}", "four hexadecimal"},
		{"{\"a\":\"\\ud800\"}", "surrogate"},
		{"{\"a\":\"\\udc00\"}", "surrogate"},
		{"{\"a\":\"\\ud800\\n\"}", "surrogate"},
		{"{\"a\":\"\\ud800\\u0041\"}", "surrogate"},
		{"{\"a\":\"\\ud800\\ud800\"}", "surrogate"},
		{"{\"a\":\"\t\"}", "control character"},
		{"{\"a\":\"\x1f\"}", "control character"},
		{"{\"a\":\"\x80\"}", "byte 7: not valid UTF-8"},
		{"{\"a\":\"\xc0\x80\"}", "UTF-8"},
		{"{\"a\":\"\xc1\xbf\"}", "UTF-8"},
		{"{\"a\":\"\xe0\x9f\xbf\"}", "UTF-8"},
		{"{\"a\":\"\xed\xa0\x80\"}", "UTF-8"},
		{"{\"a\":\"\xf0\x8f\xbf\xbf\"}", "UTF-8"},
		{"{\"a\":\"\xf4\x90\x80\x80\"}", "UTF-8"},
		{"{\"a\":\"\xf5\x80\x80\x80\"}", "UTF-8"},
		{"{\"a\":\"\xff\"}", "UTF-8"},
		{"{\"a\":\"\xe2\x82\"}", "UTF-8"},
		{"{\"a\":\"\xe2\x82", "UTF-8"},
		{"{\"a\":\"1234567\xe2(\xa1\"}", "byte 14: not valid UTF-8"},
		{"{\"a\":1,\"b\":2,\"a\":3}", "'a' occurs twice"},
		{"{\"a\":1,\"\\u0061\":3}", "occurs twice"},
		{"{\"x\":{\"b\":1,\"b\":1}}", "'b' occurs twice"},
		{"\xef\xbb\xbf{}", "not a JSON object"},
		{"{/**/}", "name in quotes"},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (json_text_parse(bad[i].text, strlen(bad[i].text), &err))
			fail_msg("accepted: %s", bad[i].text);
		if (!strstr(err.message, bad[i].message))
			fail_msg("%s: said: %s", bad[i].text, err.message);
		assert_int_equal(err.code, EXIT_DATA);
	}
	assert_null(PARSE("{\"a\":\"\0\"}", &err));
	assert_non_null(strstr(err.message, "control character"));
	assert_null(PARSE("{}\0", &err));
	assert_null(PARSE("{\0}", &err));
	assert_null(PARSE("{\"a\":1\0}", &err));
}

static void depth(void **state)
{
	struct error err;

	(void)state;
	for (int deep = 199; deep <= 201; deep++) {
		struct buf text = {0};
		json_t *json;

		buf_adds(&text, "{\"a\":");
		for (int i = 1; i < deep; i++)
			buf_adds(&text, "[");
		for (int i = 1; i < deep; i++)
			buf_adds(&text, "]");
		buf_adds(&text, "}");
		json = json_text_parse(text.data, text.len, &err);
		assert_int_equal(json != NULL, deep <= 200);
		json_decref(json);
		buf_release(&text);
	}
	assert_non_null(strstr(err.message, "nested deeper than 200"));
}

static void numbers(void **state)
{
	struct error err;
	json_t *json = PARSE("{\"a\":9007199254740993,\"b\":9223372036854775807,"
			     "\"c\":-9223372036854775808,\"d\":9223372036854775808,"
			     "\"e\":-9223372036854775809,\"f\":1e400,\"g\":-1e400,\"h\":1e-400,"
			     "\"i\":123456789012345678901234567890123456789012345678901234567890"
			     "123456789,\"j\":0.1,\"k\":-0.0,\"l\":1e0,\"m\":18446744073709551617}",
		&err);

	(void)state;
	assert_non_null(json);
	assert_true(json_integer_value(json_object_get(json, "a")) == 9007199254740993);
	assert_true(json_integer_value(json_object_get(json, "b")) == INT64_MAX);
	assert_true(json_integer_value(json_object_get(json, "c")) == INT64_MIN);
	assert_true(json_is_integer(json_object_get(json, "c")));
	assert_true(json_real_value(json_object_get(json, "d")) == 9223372036854775808.0);
	assert_true(json_real_value(json_object_get(json, "e")) == -9223372036854775808.0);
	assert_true(json_real_value(json_object_get(json, "f")) == DBL_MAX);
	assert_true(json_real_value(json_object_get(json, "g")) == -DBL_MAX);
	assert_true(json_real_value(json_object_get(json, "h")) == 0);
	assert_true(json_real_value(json_object_get(json, "i")) ==
		    123456789012345678901234567890123456789012345678901234567890123456789.0);
	assert_true(json_real_value(json_object_get(json, "j")) == 0.1);
	assert_true(json_is_real(json_object_get(json, "k")));
	assert_true(json_is_real(json_object_get(json, "l")));
	assert_true(json_real_value(json_object_get(json, "m")) == 18446744073709551616.0);
	json_decref(json);
}

static void nul_in_strings(void **state)
{
	struct error err;
	struct buf out = {0};
	json_t *json = PARSE("{\"a\":\"x\\u0000y\",\"b\\u0000c\":1,\"b\":2}", &err);
	json_t *a = json_object_get(json, "a");

	(void)state;
	assert_int_equal(json_string_length(a), 3);
	assert_memory_equal(json_string_value(a), "x\0y", 4);
	assert_int_equal(json_object_size(json), 3);
	assert_int_equal(json_integer_value(json_object_get(json, "b")), 2);
	json_text_print(json, &out);
	assert_string_equal(out.data, "{\"a\":\"x\\u0000y\",\"b\\u0000c\":1,\"b\":2}");
	buf_release(&out);
	json_decref(json);
}

static void printing(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"{ \"a\" : [ 1 , -2 , 0.1 , 1.0 , 1e300 , 5e-324 ] }",
			"{\"a\":[1,-2,0.1,1.0,1e+300,4.94065645841247e-324]}"},
		{"{\"a\":0.30000000000000004,\"b\":-9223372036854775808,\"c\":1e22}",
			"{\"a\":0.30000000000000004,\"b\":-9223372036854775808,\"c\":1e+22}"},
		{"{\"z\":true,\"y\":false,\"x\":null,\"w\":{}}",
			"{\"z\":true,\"y\":false,\"x\":null,\"w\":{}}"},
		{"{\"a\":\"\\u0001\\b\\f\\n\\r\\t\\\"\\\\\\/\\u001f\x7f\\u00e9\\ud83d\\ude00\"}",
			"{\"a\":\"\\u0001\\b\\f\\n\\r\\t\\\"\\\\/"
			"\\u001f\x7f\xc3\xa9\xf0\x9f\x98\x80\"}"},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		json_t *json = json_text_parse(cases[i].in, strlen(cases[i].in), &err);
		struct buf out = {0};

		json_text_print(json, &out);
		assert_string_equal(out.data, cases[i].out);
		buf_release(&out);
		json_decref(json);
	}
}

/* Random JSON text: an odd mix of blanks, escapes, numbers and nesting. */
static void random_value(struct rng *r, struct buf *out, int deep)
{
	static const char *const scalars[] = {"0", "-0", "1", "-12", "1.5", "1e5", "-2E-3",
		"9007199254740993", "9223372036854775807", "9223372036854775808",
		"-9223372036854775809", "1e400", "0.1", "true", "false", "null", "\"\"", "\"a\"",
		"\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\\\\\\"\\/\"", "\"\xc3\xa9\xe2\x82\xac\"",
		"\"the quick brown fox jumps\"", "\"12345678\\n12345678\"",
		"\" \xf0\x9f\x98\x80\""};
	static const char *const blanks[] = {"", "", "", " ", "\t", "  "};
	unsigned kind = rng_below(r, deep > 4 ? 3 : 5), n;

	buf_adds(out, blanks[rng_below(r, 6)]);
	if (deep && kind < 3) {
		buf_adds(out, scalars[rng_below(r, sizeof scalars / sizeof *scalars)]);
	} else {
		int object = !deep || kind == 4;

		buf_addc(out, object ? '{' : '[');
		n = rng_below(r, 5);
		for (unsigned i = 0; i < n; i++) {
			if (i)
				buf_addc(out, ',');
			if (object)
				buf_addf(out, "%s\"%s%u\"%s:", blanks[rng_below(r, 6)],
					rng_below(r, 3) ? "k" : "\\u006b\\n", rng_below(r, 40),
					blanks[rng_below(r, 6)]);
			random_value(r, out, deep + 1);
		}
		buf_addc(out, object ? '}' : ']');
	}
	buf_adds(out, blanks[rng_below(r, 6)]);
}

/* No raw NUL bytes: jansson loses one that follows a number. */
static void mutate(struct rng *r, struct buf *text)
{
	static const char alphabet[] = "{}[],:\"\\u0019.eE+-tfn \t\x01\x80\xc3\xe2\xed\xf0\xff";
	size_t at = rng_below(r, (uint32_t)text->len);

	switch (rng_below(r, 3)) {
	case 0:
		text->data[at] = alphabet[rng_below(r, sizeof alphabet - 1)];
		break;
	case 1:
		memmove(text->data + at, text->data + at + 1, text->len - at);
		text->len--;
		break;
	default:
		text->len = at;
	}
}

/* Where our limits differ from jansson's on purpose. */
static int known_difference(const json_error_t *theirs)
{
	return json_error_code(theirs) == json_error_numeric_overflow ||
	       json_error_code(theirs) == json_error_null_byte_in_key;
}

static void same_as_jansson(void **state)
{
	enum {
		ROUNDS = 60000
	};
	int accepted_texts = 0, refused_texts = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 1, RNG_TEST, 110, 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct buf text = {0}, printed = {0};
		json_error_t their_error;
		struct error err;
		json_t *ours, *theirs, *again;
		char *exact;

		random_value(&r, &text, 0);
		for (unsigned n = rng_below(&r, 3); n && text.len; n--)
			mutate(&r, &text);
		/* A copy of just that size lets the sanitizer see reads beyond it. */
		exact = xmalloc(text.len);
		memcpy(exact, text.data, text.len);
		theirs = json_loadb(
			exact, text.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &their_error);
		if (theirs && !json_is_object(theirs)) {
			json_decref(theirs);
			theirs = NULL;
		}
		ours = json_text_parse(exact, text.len, &err);
		if (ours && theirs) {
			assert_true(json_equal(ours, theirs));
			json_text_print(ours, &printed);
			again = json_loadb(printed.data, printed.len,
				JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
			assert_true(json_equal(again, ours));
			json_decref(again);
			accepted_texts++;
		} else if (theirs || (ours && !known_difference(&their_error))) {
			fail_msg("we %s, jansson %s: %s", ours ? "accept" : "refuse",
				theirs ? "accepts" : "refuses", text.data);
		} else {
			refused_texts++;
		}
		json_decref(ours);
		json_decref(theirs);
		free(exact);
		buf_release(&text);
		buf_release(&printed);
	}
	assert_true(accepted_texts > ROUNDS / 10 && refused_texts > ROUNDS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted),
		cmocka_unit_test(rejected),
		cmocka_unit_test(depth),
		cmocka_unit_test(numbers),
		cmocka_unit_test(nul_in_strings),
		cmocka_unit_test(printing),
		cmocka_unit_test(same_as_jansson),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
