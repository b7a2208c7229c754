/* 0230-values.c - one value against type, range, pattern and accepted values. */
#include "tap.h"
#include "cli/number_text.h"
#include "cli/value.h"

static struct arena arena;

static const char *integer(enum dialect dialect, const char *text)
{
	const char *out = NULL;

	return integer_text(dialect, text, &arena, &out) ? out : "refused";
}

/* Expectations are what int() of CPython 3.11 says. */
static void python_integers(void **state)
{
	static const char *const cases[][2] = {{"0", "0"}, {"-0", "0"}, {"007", "7"}, {"+5", "5"},
		{" 5", "5"}, {"5 ", "5"}, {"\302\2405\343\200\200", "5"}, {"1_000", "1000"},
		{"1__0", "refused"}, {"_1", "refused"}, {"1_", "refused"}, {"+_1", "refused"},
		{"- 1", "refused"}, {"--1", "refused"}, {"", "refused"}, {" ", "refused"},
		{"0x10", "refused"}, {"1e3", "refused"}, {"1.0", "refused"}, {"1 2", "refused"},
		{"\331\241\331\242", "12"}, {"\357\274\221\357\274\220", "10"},
		{"\360\235\237\230", "0"}, {"\302\262", "refused"}, {"\342\205\240", "refused"},
		{"-\331\243_\331\243", "-33"},
		{"123456789012345678901234567890", "123456789012345678901234567890"}};
	char *digits = xmalloc(4302);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(integer(DIALECT_CLICK, cases[i][0]), cases[i][1]);
	memset(digits, '9', 4301);
	digits[4301] = '\0';
	assert_string_equal(integer(DIALECT_CLICK, digits), "refused");
	assert_string_equal(integer(DIALECT_CLICK, digits + 1), digits + 1);
	digits[1] = '-';
	assert_string_equal(integer(DIALECT_CLICK, digits + 1), digits + 1);
	free(digits);
}

static void other_integers(void **state)
{
	(void)state;
	assert_string_equal(integer(DIALECT_OPTPARSE, "0x1f"), "31");
	assert_string_equal(integer(DIALECT_OPTPARSE, "0b"), "0");
	assert_string_equal(integer(DIALECT_OPTPARSE, "010"), "8");
	assert_string_equal(integer(DIALECT_OPTPARSE, "-010"), "-10");
	assert_string_equal(integer(DIALECT_OPTPARSE, "09"), "refused");
	assert_string_equal(integer(DIALECT_CLAP, "+7"), "7");
	assert_string_equal(integer(DIALECT_CLAP, "9223372036854775808"), "refused");
	assert_string_equal(integer(DIALECT_CLAP, "-9223372036854775808"), "-9223372036854775808");
	assert_string_equal(integer(DIALECT_CLAP, " 7"), "refused");
	assert_string_equal(integer(DIALECT_GETOPT_LONG, "-08"), "-8");
	assert_string_equal(integer(DIALECT_GETOPT_LONG, "1_0"), "refused");
	assert_string_equal(integer(DIALECT_GOPTION, " 0x10"), "16");
	assert_string_equal(integer(DIALECT_COBRA, "0o17"), "15");
	assert_string_equal(integer(DIALECT_COBRA, "0b_1"), "1");
	assert_string_equal(integer(DIALECT_COBRA, "0x"), "refused");
	assert_string_equal(integer(DIALECT_COBRA, "1_"), "refused");
}

static void canonical_numbers(void **state)
{
	static const char *const cases[][2] = {{"1.50", "1.5"}, {"0.1", "0.1"}, {"1e3", "1000"},
		{"1000", "1000"}, {"1e300", "1e+300"}, {"0.00001", "0.00001"}, {"-0.0", "-0"},
		{"+1", "1"}, {"1_0.5", "10.5"}, {".5", "0.5"}, {"-INF", "-inf"}, {"NaN", "nan"},
		{"0.30000000000000004", "0.30000000000000004"}};
	const char *out;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(number_text(DIALECT_CLICK, cases[i][0], &arena, &out));
		assert_string_equal(out, cases[i][1]);
	}
}

static int number(enum dialect dialect, const char *text)
{
	const char *out;

	return number_text(dialect, text, &arena, &out);
}

static void numbers(void **state)
{
	static const char *const good[] = {
		"1", "-1.5", ".5", "5.", "1e3", "1E-3", "inf", "-Infinity", "nan", "+.5e+1"};
	static const char *const bad[] = {
		"", ".", "e3", "1e", "1e+", "1.2.3", "0x1p3", "--1", "1,5", "infin"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(number(DIALECT_CLICK, good[i]) && number(DIALECT_GETOPT_LONG, good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(number(DIALECT_CLICK, bad[i]) || number(DIALECT_GETOPT_LONG, bad[i]));
	assert_true(number(DIALECT_CLICK, "1_0.0_1e1_0"));
	assert_false(number(DIALECT_CLICK, "1_.0"));
	assert_false(number(DIALECT_CLICK, "1._0"));
	assert_false(number(DIALECT_GETOPT_LONG, "1_0"));
}

static void booleans(void **state)
{
	const char *out;

	(void)state;
	assert_true(boolean_text(DIALECT_CLICK, "Yes", &out));
	assert_string_equal(out, "true");
	assert_true(boolean_text(DIALECT_CLICK, "OFF", &out));
	assert_string_equal(out, "false");
	assert_false(boolean_text(DIALECT_COBRA, "yes", &out));
	assert_true(boolean_text(DIALECT_COBRA, "T", &out));
	assert_false(boolean_text(DIALECT_COBRA, "tRUE", &out));
	assert_false(boolean_text(DIALECT_CLAP, "1", &out));
}

static enum verdict_code check(const struct argument *a, const char *text)
{
	char message[300] = "";
	const char *out;
	enum verdict_code code =
		value_check(DIALECT_CLICK, a, text, &arena, &out, message, sizeof(message));

	assert_int_equal(code != VERDICT_OK, message[0] != '\0');
	return code;
}

static void ranges(void **state)
{
	struct argument a = {.type = VALUE_INTEGER,
		.has_minimum = 1,
		.minimum = 1,
		.has_maximum = 1,
		.maximum = 65535};

	(void)state;
	assert_int_equal(check(&a, "1"), VERDICT_OK);
	assert_int_equal(check(&a, "65535"), VERDICT_OK);
	assert_int_equal(check(&a, "0"), VERDICT_OUT_OF_RANGE);
	assert_int_equal(check(&a, "65536"), VERDICT_OUT_OF_RANGE);
	assert_int_equal(check(&a, "99999999999999999999999999"), VERDICT_OUT_OF_RANGE);
	a.type = VALUE_NUMBER;
	assert_int_equal(check(&a, "nan"), VERDICT_OUT_OF_RANGE);
	assert_int_equal(check(&a, "inf"), VERDICT_OUT_OF_RANGE);
	assert_int_equal(check(&a, "1.5"), VERDICT_OK);
}

static void patterns(void **state)
{
	struct argument a = {.type = VALUE_STRING, .pattern = "[a-z]+"};
	char message[200];

	(void)state;
	assert_int_equal(value_pattern_compile(&a, &arena, message, sizeof(message)), 0);
	assert_int_equal(check(&a, "abc"), VERDICT_OK);
	assert_int_equal(check(&a, "abc1"), VERDICT_BAD_PATTERN);
	assert_int_equal(check(&a, ""), VERDICT_BAD_PATTERN);
	a.pattern = "\\w+";
	assert_int_equal(value_pattern_compile(&a, &arena, message, sizeof(message)), 0);
	assert_int_equal(check(&a, "gr\303\274n"), VERDICT_OK);
	/* A pattern that backtracks without end is cut short. */
	a.pattern = "(a|aa)*(a|aa)*(a|aa)*c";
	assert_int_equal(value_pattern_compile(&a, &arena, message, sizeof(message)), 0);
	assert_int_equal(check(&a, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
		VERDICT_BAD_PATTERN);
	a.pattern = "(?:a{1,1000}){1,1000}{1,1000}";
	value_pattern_compile(&a, &arena, message, sizeof(message));
}

static void accepted(void **state)
{
	static const char *const none[] = {NULL};
	struct accepted_value values[] = {{"DEBUG", none}, {"ERROR", none}};
	struct argument a = {.type = VALUE_STRING, .accepted = values, .n_accepted = 2};

	(void)state;
	assert_int_equal(check(&a, "DEBUG"), VERDICT_OK);
	assert_int_equal(check(&a, "debug"), VERDICT_NOT_ACCEPTED);
	assert_int_equal(check(&a, ""), VERDICT_NOT_ACCEPTED);
	a.ignore_case = 1;
	assert_int_equal(check(&a, "Error"), VERDICT_OK);
}

static void clean_text(void **state)
{
	static const char *const good[] = {
		"", "a", "gr\303\274n", "\342\202\254", "\360\237\232\200", "\302\240"};
	static const char *const bad[] = {"\t", "a\nb", "\x7f", "\302\200", "\302\237", "\xff",
		"\x80", "\303", "\300\200", "\340\200\200", "\355\240\200", "\364\220\200\200",
		"\342\202", "a\360\237\232", "\360\200\200\200", "\x1b[1m"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(value_is_clean(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(value_is_clean(bad[i]));
}

static void distances(void **state)
{
	struct nearest n = {0};

	(void)state;
	assert_int_equal(edit_distance("", "", 3), 0);
	assert_int_equal(edit_distance("--prot", "--port", 3), 1);
	assert_int_equal(edit_distance("kitten", "sitting", 5), 3);
	assert_int_equal(edit_distance("kitten", "sitting", 2), 3);
	assert_int_equal(edit_distance("abc", "", 5), 3);
	nearest_offer(&n, "--conf", "--port");
	assert_null(n.text);
	nearest_offer(&n, "--confg", "--config");
	nearest_offer(&n, "--confg", "--confine");
	assert_string_equal(n.text, "--config");
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(python_integers),
		cmocka_unit_test(other_integers),
		cmocka_unit_test(numbers),
		cmocka_unit_test(canonical_numbers),
		cmocka_unit_test(booleans),
		cmocka_unit_test(ranges),
		cmocka_unit_test(patterns),
		cmocka_unit_test(accepted),
		cmocka_unit_test(clean_text),
		cmocka_unit_test(distances),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, teardown);
}
