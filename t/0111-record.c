/* Records: what nobody set is written back byte for byte. */
#include "tap.h"

#include "stream/jsonl.h"

static void parse(struct record *r, const char *text)
{
	struct error err;

	if (record_parse(r, text, strlen(text), &err) != 0)
		fail_msg("%s: %s", text, err.message);
}

static void expect(const struct record *r, const char *text)
{
	struct buf out = {0}, again = {0}, object = {0};
	struct error err;
	json_t *json;

	record_print(r, &out);
	assert_string_equal(out.data, text);
	/* What is printed is what the object says (json_equal() stops at a NUL in names). */
	json = json_text_parse(out.data, out.len, &err);
	assert_non_null(json);
	json_text_print(json, &again);
	json_text_print(r->json, &object);
	assert_string_equal(again.data, object.data);
	json_decref(json);
	buf_release(&out);
	buf_release(&again);
	buf_release(&object);
}

static void untouched(void **state)
{
	static const char *const texts[] = {
		"{}",
		" { } ",
		"{\"z\":1,\"a\":2,\"m\":3}",
		"{\"n\":12345678901234567890123456789,\"x\":1e400,\"y\":1.10,\"z\":-0}",
		"{\"s\":\"\\u00e9\\/\\u0000\\ud83d\\ude00\",\"t\":\"\xc3\xa9\"}",
		"\t{\"a\" : [ 1 , { \"b\" : null } ] , \"c\":9007199254740993 }\r",
	};
	struct record r = {0};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		parse(&r, texts[i]);
		expect(&r, texts[i]);
	}
	record_release(&r);
	record_release(&r);
}

static void replaced_in_place(void **state)
{
	struct record r = {0};

	(void)state;
	parse(&r, "{ \"a\" : 1e400 , \"b\" : [ 1 , 2 ] , \"c\" : \"x\" }");
	record_set(&r, "b", json_string("\n"));
	expect(&r, "{ \"a\" : 1e400 , \"b\" : \"\\n\" , \"c\" : \"x\" }");
	record_set(&r, "c", json_null());
	record_set(&r, "b", json_integer(7));
	expect(&r, "{ \"a\" : 1e400 , \"b\" : 7 , \"c\" : null }");
	record_set(&r, "a", json_true());
	expect(&r, "{ \"a\" : true , \"b\" : 7 , \"c\" : null }");
	record_release(&r);
}

static void appended(void **state)
{
	struct record r = {0};

	(void)state;
	parse(&r, "{\"a\":1 }");
	record_set(&r, "b", json_integer(2));
	expect(&r, "{\"a\":1,\"b\":2 }");
	record_set(&r, "c\"\n", json_array());
	record_set(&r, "a", json_integer(0));
	record_set(&r, "b", json_integer(3));
	expect(&r, "{\"a\":0,\"b\":3,\"c\\\"\\n\":[] }");
	parse(&r, "{ }");
	record_set(&r, "x", json_integer(1));
	record_set(&r, "y", json_integer(2));
	expect(&r, "{\"x\":1,\"y\":2 }");
	record_release(&r);
}

static void escaped_names(void **state)
{
	struct record r = {0};

	(void)state;
	parse(&r, "{\"x\":0,\"\\u0061b\":1,\"c\\\"\":2,\"n\\u0000\":3}");
	record_set(&r, "ab", json_integer(5));
	record_set(&r, "c\"", json_integer(6));
	expect(&r, "{\"x\":0,\"\\u0061b\":5,\"c\\\"\":6,\"n\\u0000\":3}");
	/* "n" is not "n\0". */
	record_set(&r, "n", json_integer(7));
	expect(&r, "{\"x\":0,\"\\u0061b\":5,\"c\\\"\":6,\"n\\u0000\":3,\"n\":7}");
	record_release(&r);
}

/* Names inside values are not top-level fields. */
static void nested_names(void **state)
{
	struct record r = {0};

	(void)state;
	parse(&r, "{\"o\":{\"id\":1,\"p\":[{\"id\":2}]},\"id\":3,\"q\":{\"id\":4}}");
	record_set(&r, "id", json_integer(9));
	expect(&r, "{\"o\":{\"id\":1,\"p\":[{\"id\":2}]},\"id\":9,\"q\":{\"id\":4}}");
	record_release(&r);
}

static void new_record(void **state)
{
	struct record r;

	(void)state;
	record_init(&r);
	expect(&r, "{}");
	record_set(&r, "z", json_real(0.5));
	record_set(&r, "a", json_from_argv(2, (const char *const[]){"x", "y z"}));
	record_set(&r, "n", json_from_argv(-1, NULL));
	record_set(&r, "z", json_real(1));
	expect(&r, "{\"z\":1.0,\"a\":[\"x\",\"y z\"],\"n\":null}");
	record_release(&r);
}

/* A reused record forgets the fields and changes of the last line. */
static void reuse(void **state)
{
	struct record r = {0};
	struct error err;

	(void)state;
	parse(&r, "{\"a\":1,\"b\":2}");
	record_set(&r, "c", json_integer(3));
	assert_int_equal(record_parse(&r, "{\"a\":", 5, &err), -1);
	assert_null(r.json);
	assert_string_equal(r.text.data, "{\"a\":");
	parse(&r, "{\"c\":4}");
	expect(&r, "{\"c\":4}");
	record_release(&r);
}

static void scalar_fields(void **state)
{
	struct record r = {0};
	struct error err;
	const char *s = "old";
	long long i = 42;
	double x = 1.5;

	(void)state;
	parse(&r, "{\"s\":\"t\",\"i\":7,\"x\":0.25,\"n\":null,\"big\":99999999999999999999,"
		  "\"nul\":\"a\\u0000b\",\"b\":true}");
	assert_int_equal(record_string(&r, "s", &s, &err), 0);
	assert_string_equal(s, "t");
	assert_int_equal(record_string(&r, "n", &s, &err), 0);
	assert_null(s);
	assert_int_equal(record_string(&r, "none", &s, &err), 0);
	assert_int_equal(record_string(&r, "i", &s, &err), -1);
	assert_string_equal(err.message, "field 'i': expected a string, found an integer");
	assert_int_equal(record_string(&r, "nul", &s, &err), -1);
	assert_int_equal(record_integer(&r, "none", &i, &err), 0);
	assert_int_equal(record_integer(&r, "n", &i, &err), 0);
	assert_int_equal(i, 42);
	assert_int_equal(record_integer(&r, "i", &i, &err), 0);
	assert_int_equal(i, 7);
	assert_int_equal(record_integer(&r, "x", &i, &err), -1);
	assert_int_equal(record_integer(&r, "big", &i, &err), -1);
	assert_int_equal(record_real(&r, "none", &x, &err), 0);
	assert_true(x == 1.5);
	assert_int_equal(record_real(&r, "i", &x, &err), 0);
	assert_true(x == 7);
	assert_int_equal(record_real(&r, "b", &x, &err), -1);
	assert_int_equal(err.code, EXIT_DATA);
	record_release(&r);
}

static void array_fields(void **state)
{
	struct record r = {0};
	struct arena arena = {0};
	struct error err;
	const char **argv;
	double *reals;
	int n, *integers;

	(void)state;
	parse(&r, "{\"argv\":[\"up\",\"\",\"--port\"],\"none\":null,\"bad\":[\"a\",1],"
		  "\"nul\":[\"a\\u0000\"],\"empty\":[],\"i\":[1,-2],\"x\":[1,0.5],\"s\":\"s\","
		  "\"wide\":[2147483648],\"e\":[1,\"a\"]}");
	assert_int_equal(record_argv(&r, "argv", &arena, &n, &argv, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(argv[0], "up");
	assert_string_equal(argv[1], "");
	assert_string_equal(argv[2], "--port");
	assert_null(argv[3]);
	assert_int_equal(record_argv(&r, "empty", &arena, &n, &argv, &err), 0);
	assert_int_equal(n, 0);
	assert_null(argv[0]);
	assert_int_equal(record_argv(&r, "none", &arena, &n, &argv, &err), 0);
	assert_int_equal(n, -1);
	assert_int_equal(record_argv(&r, "absent", &arena, &n, &argv, &err), 0);
	assert_int_equal(n, -2);
	assert_int_equal(record_argv(&r, "bad", &arena, &n, &argv, &err), -1);
	assert_string_equal(
		err.message, "field 'bad': element 1: expected a string, found an integer");
	assert_int_equal(record_argv(&r, "nul", &arena, &n, &argv, &err), -1);
	assert_int_equal(record_argv(&r, "s", &arena, &n, &argv, &err), -1);
	assert_int_equal(record_integers(&r, "i", &arena, &n, &integers, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(integers[1], -2);
	assert_int_equal(record_integers(&r, "none", &arena, &n, &integers, &err), 0);
	assert_int_equal(n, -1);
	assert_int_equal(record_integers(&r, "wide", &arena, &n, &integers, &err), -1);
	assert_int_equal(record_integers(&r, "x", &arena, &n, &integers, &err), -1);
	assert_int_equal(record_reals(&r, "x", &arena, &n, &reals, &err), 0);
	assert_int_equal(n, 2);
	assert_true(reals[0] == 1 && reals[1] == 0.5);
	assert_int_equal(record_reals(&r, "absent", &arena, &n, &reals, &err), 0);
	assert_int_equal(n, -1);
	assert_int_equal(record_reals(&r, "e", &arena, &n, &reals, &err), -1);
	arena_release(&arena);
	record_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(untouched),
		cmocka_unit_test(replaced_in_place),
		cmocka_unit_test(appended),
		cmocka_unit_test(escaped_names),
		cmocka_unit_test(nested_names),
		cmocka_unit_test(new_record),
		cmocka_unit_test(reuse),
		cmocka_unit_test(scalar_fields),
		cmocka_unit_test(array_fields),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
