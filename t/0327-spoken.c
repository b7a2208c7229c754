/* Values said otherwise (synth/spoken.h), phrases reworded (synth/reword.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "synth/measured.h"
#include "synth/reword.h"
#include "synth/spoken.h"
#include "text/ground.h"
#include "text/number_words.h"
#include "text/quantity.h"

/* What is spelled is read back as that number and no other, all the way up. */
static void test_spelled_numbers(void **state)
{
	struct buf text = {0};

	(void)state;
	for (long n = 0; n <= 9999999; n += n < 30000 ? 1 : 997) {
		for (int with_and = 0; with_and < 2; with_and++) {
			long said[4] = {-1};

			buf_clear(&text);
			number_spell(n, with_and, &text);
			assert_int_equal(numbers_in_words(text.data, text.len, said, 4), 1);
			assert_int_equal(said[0], n);
		}
	}
	buf_release(&text);
}

static void assert_spelled(long n, int with_and, const char *expected)
{
	struct buf text = {0};

	number_spell(n, with_and, &text);
	assert_string_equal(text.data, expected);
	buf_release(&text);
}

static void test_spelling(void **state)
{
	(void)state;
	assert_spelled(0, 0, "zero");
	assert_spelled(25, 0, "twenty-five");
	assert_spelled(105, 1, "one hundred and five");
	assert_spelled(8080, 0, "eight thousand eighty");
	assert_spelled(1200003, 1, "one million two hundred thousand and three");
}

/* Whether value is ever said as text. */
static int says(enum value_kind kind, const char *name, const char *value, const char *text)
{
	struct argument argument = {.name = name, .description = "", .max_count = 1};
	struct value_plan plan = {.kind = kind, .argument = &argument};
	struct buf out = {0};
	struct rng r;
	int found = 0;

	rng_init(&r, 1, RNG_TEST, 0, 0);
	for (int i = 0; i < 400 && !found; i++)
		found = value_speak(&plan, value, 1, &r, &out) && strcmp(out.data, text) == 0;
	buf_release(&out);
	return found;
}

static void test_values(void **state)
{
	(void)state;
	assert_true(says(KIND_INTEGER, "seconds", "30", "thirty seconds"));
	assert_true(says(KIND_INTEGER, "seconds", "30", "30 sec"));
	assert_true(says(KIND_INTEGER, "seconds", "1", "one second"));
	assert_true(says(KIND_INTEGER, "n", "30", "thirty"));
	assert_false(says(KIND_INTEGER, "n", "30", "thirty seconds"));
	assert_true(says(KIND_PORT, "port", "8123", "8,123"));
	assert_true(says(KIND_PORT, "port", "8000", "eight thousand"));
	assert_true(says(KIND_SIZE, "size", "512MB", "512 mb"));
	assert_true(says(KIND_DURATION, "time", "5s", "5 s"));
	/* What is no number or measure has no other way to be said. */
	assert_false(says(KIND_TAG, "tag", "512", "five hundred twelve"));
	assert_false(says(KIND_POOL, "lines", "40,+5", "40 ,+5"));
	assert_false(says(KIND_VERSION, "version", "1.2", "1.2"));
}

/* Every amount that is drawn is said, and comes back as the same value, by the request's
 * grounding too; the digits of another unit do not. */
static void assert_measured(const struct argument *a, unsigned least)
{
	struct quantity found[QUANTITIES_MAX];
	char text[QUANTITY_TEXT_MAX];
	unsigned said = 0, other = 0;
	struct buf value = {0}, out = {0};
	struct rng r;

	rng_init(&r, 1, RNG_TEST, 0, 0);
	for (int i = 0; i < 4000; i++) {
		buf_clear(&value);
		buf_clear(&out);
		if (!measure_draw(a, &r, &value) || !measure_speak(a, value.data, &r, &out))
			continue;
		said++;
		if (quantities_find(a, out.data, out.len, found) != 1 ||
			!quantity_value(a, found, text) || strcmp(text, value.data) != 0 ||
			!ground_value(out.data, out.len, a, value.data))
			fail_msg("'%s' for %s", out.data, value.data);
		other += strncmp(out.data, value.data, strlen(value.data)) != 0;
	}
	assert_true(said >= least);
	assert_true(other >= least);
	buf_release(&value);
	buf_release(&out);
}

static void test_measured(void **state)
{
	static const struct unit_suffix seconds = {"", UNIT_SECONDS},
					megabytes = {"", UNIT_MEGABYTES},
					memory[] = {{"", UNIT_BYTES}, {"k", UNIT_KIBIBYTES},
						{"m", UNIT_MEBIBYTES}, {"g", UNIT_GIBIBYTES}},
					go[] = {{"s", UNIT_SECONDS}, {"m", UNIT_MINUTES},
						{"h", UNIT_HOURS}};
	struct argument a = {.name = "x", .type = VALUE_NUMBER, .units = &seconds, .n_units = 1};

	(void)state;
	assert_measured(&a, 2000);
	a.units = &megabytes;
	assert_measured(&a, 1000);
	a = (struct argument){.name = "x", .type = VALUE_SIZE, .units = memory, .n_units = 4};
	assert_measured(&a, 2000);
	a = (struct argument){.name = "x", .type = VALUE_DURATION, .units = go, .n_units = 3};
	assert_measured(&a, 1500);
	a.units = &seconds;
	a.n_units = 1;
	assert_int_equal(measure_tail(&a, " seconds to stop"), 8);
	assert_int_equal(measure_tail(&a, " secondsto stop"), 0);
	assert_int_equal(measure_tail(&a, " minutes"), 0);
	assert_int_equal(measure_tail(&a, ""), 0);
}

static void assert_reworded(
	int (*reword)(const char *, struct buf *), const char *text, const char *expected)
{
	struct buf out = {0};
	int done = reword(text, &out);

	assert_int_equal(done, expected != NULL);
	if (expected)
		assert_string_equal(out.data, expected);
	buf_release(&out);
}

static void test_reworded(void **state)
{
	(void)state;
	assert_reworded(reword_without, "don't open the browser", "without opening the browser");
	assert_reworded(reword_without, "please do not pull", "without pulling");
	assert_reworded(reword_without, "open the browser", NULL);
	assert_reworded(reword_without, "don't", NULL);
	assert_reworded(reword_verb_last, "start the server", "the server start");
	assert_reworded(reword_verb_last, "set the port to {}", "the port to {} set");
	assert_reworded(reword_verb_last, "make it fast", NULL);
	assert_reworded(reword_verb_last, "start", NULL);
	assert_reworded(reword_verb_last, "on port {}", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spelled_numbers),
		cmocka_unit_test(test_spelling),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_reworded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
