/* Quantities of a request in the unit of an argument (text/quantity.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "text/ground.h"
#include "text/quantity.h"
#include "text/words.h"

static const struct unit_suffix seconds[] = {{"", UNIT_SECONDS}},
				millis[] = {{"", UNIT_MILLISECONDS}}, bytes[] = {{"", UNIT_BYTES}},
				megabytes[] = {{"", UNIT_MEGABYTES}},
				memory[] = {{"", UNIT_BYTES}, {"b", UNIT_BYTES},
					{"k", UNIT_KIBIBYTES}, {"m", UNIT_MEBIBYTES},
					{"g", UNIT_GIBIBYTES}},
				go[] = {{"s", UNIT_SECONDS}, {"m", UNIT_MINUTES},
					{"h", UNIT_HOURS}},
				days[] = {{"", UNIT_DAYS}};

#define IN(list) .units = list, .n_units = sizeof list / sizeof *list

static const struct argument in_seconds = {.name = "s", .type = VALUE_INTEGER, IN(seconds)},
			     in_real = {.name = "s", .type = VALUE_NUMBER, IN(seconds)},
			     in_millis = {.name = "ms", .type = VALUE_INTEGER, IN(millis)},
			     in_bytes = {.name = "bytes", .type = VALUE_INTEGER, IN(bytes)},
			     in_megabytes = {.name = "mb", .type = VALUE_INTEGER, IN(megabytes)},
			     in_memory = {.name = "memory", .type = VALUE_SIZE, IN(memory)},
			     in_go = {.name = "duration", .type = VALUE_DURATION, IN(go)},
			     in_days = {.name = "days", .type = VALUE_INTEGER, IN(days)},
			     plain = {.name = "n", .type = VALUE_INTEGER},
			     text = {.name = "t", .type = VALUE_STRING};

/* The values that the quantities of a request come to, parted by blanks. */
static void assert_values(const struct argument *a, const char *request, const char *expected)
{
	struct quantity quantities[QUANTITIES_MAX];
	size_t n = quantities_find(a, request, strlen(request), quantities);
	struct buf found = {0};
	char value[QUANTITY_TEXT_MAX];

	buf_adds(&found, "");
	for (size_t i = 0; i < n; i++)
		if (quantity_value(a, &quantities[i], value))
			buf_addf(&found, "%s%s", found.len ? " " : "", value);
	if (strcmp(found.len ? found.data : "", expected) != 0)
		fail_msg("'%s': expected '%s', not '%s'", request, expected,
			found.len ? found.data : "");
	buf_release(&found);
}

static void test_time(void **state)
{
	(void)state;
	assert_values(&in_seconds, "wait two minutes", "120");
	assert_values(&in_seconds, "wait 2 min, then stop", "120");
	assert_values(&in_seconds, "wait 2min.", "120");
	assert_values(&in_seconds, "a 2-minute timeout", "120");
	assert_values(&in_seconds, "half an hour at most", "1800");
	assert_values(&in_seconds, "half a minute", "30");
	assert_values(&in_seconds, "a quarter of an hour", "900");
	assert_values(&in_seconds, "three quarters of an hour", "2700");
	assert_values(&in_seconds, "an hour", "3600");
	assert_values(&in_seconds, "a minute and a half", "90");
	assert_values(&in_seconds, "one and a half minutes", "90");
	assert_values(&in_seconds, "1.5 hours", "5400");
	assert_values(&in_seconds, "1h30m", "5400");
	assert_values(&in_seconds, "1 hour, 5 minutes and 3 seconds", "3903");
	assert_values(&in_seconds, "a couple of minutes", "120");
	assert_values(&in_seconds, "a dozen minutes", "720");
	assert_values(&in_seconds, "ninety seconds", "90");
	assert_values(&in_seconds, "twenty-five minutes", "1500");
	assert_values(&in_seconds, "one hundred and five minutes", "6300");
	assert_values(&in_seconds, "2 minutes or 3 hours", "120 10800");
	assert_values(&in_seconds, "1,000 minutes", "60000");
	assert_values(&in_seconds, "2000 ms", "2");
	assert_values(&in_seconds, "1.5 seconds", "");
	assert_values(&in_real, "1.5 seconds", "1.5");
	assert_values(&in_real, "half a second", "0.5");
	assert_values(&in_real, "100 ms", "0.1");
	assert_values(&in_millis, "half a second", "500");
	assert_values(&in_days, "two weeks", "14");
	assert_values(&in_days, "48 hours", "2");
	assert_values(&in_go, "half an hour", "30m");
	assert_values(&in_go, "90 seconds", "90s");
	assert_values(&in_go, "a day", "24h");
	assert_values(&in_go, "1.5 hours", "90m");
	assert_values(&in_go, "10 ms", "");
}

static void test_no_time(void **state)
{
	(void)state;
	assert_values(&in_seconds, "port 8080 on localhost", "");
	assert_values(&in_seconds, "v1.2 minutes.txt", "");
	assert_values(&in_seconds, "in ./2 minutes", "");
	assert_values(&in_seconds, "file 2minutes.txt_old /2m/3", "");
	assert_values(&in_seconds, "5m/s", "");
	assert_values(&in_seconds, "m", "");
	assert_values(&in_seconds, "a m", "");
	assert_values(&in_seconds, "ten m", "");
	assert_values(&in_seconds, "1.2345 hours", "");
	assert_values(&in_seconds, "99999999999999999999 weeks", "");
	assert_values(&in_seconds, "999999999999 weeks", "");
	assert_values(&text, "two minutes", "");
	assert_values(&plain, "two minutes", "");
	assert_values(&in_seconds, "", "");
	assert_values(&in_seconds, "-", "");
}

static void test_size(void **state)
{
	(void)state;
	assert_values(&in_memory, "half a gig of memory", "512m");
	assert_values(&in_memory, "two gigs", "2g");
	assert_values(&in_memory, "512 MB", "512m");
	assert_values(&in_memory, "1.5 GB", "1536m");
	assert_values(&in_memory, "a quarter of a gigabyte", "256m");
	assert_values(&in_memory, "64 mebibytes", "64m");
	assert_values(&in_memory, "half a byte", "");
	assert_values(&in_bytes, "ten kilobytes", "10240");
	assert_values(&in_bytes, "10 KiB", "10240");
	assert_values(&in_bytes, "5k", "5120");
	assert_values(&in_megabytes, "half a gig", "500");
	assert_values(&in_megabytes, "2 GB", "2000");
	assert_values(&in_megabytes, "two minutes", "");
}

static void test_count(void **state)
{
	(void)state;
	assert_values(&plain, "a dozen retries", "12");
	assert_values(&plain, "half a dozen jobs", "6");
	assert_values(&plain, "two dozen", "24");
	assert_values(&plain, "a couple of workers", "2");
	assert_values(&plain, "5k lines", "5000");
	assert_values(&plain, "1.5k lines", "1500");
	assert_values(&plain, "2 million rows", "2000000");
	assert_values(&plain, "half of it, a lot, 7", "");
	assert_values(&plain, "5kg", "");
	assert_values(&text, "a dozen", "");
}

static void assert_grounded(
	const struct argument *a, const char *request, const char *value, int expected)
{
	if (ground_value(request, strlen(request), a, value) != expected)
		fail_msg("'%s' in '%s': expected %d", value, request, expected);
}

static void test_grounded(void **state)
{
	(void)state;
	assert_grounded(&in_seconds, "wait two minutes", "120", 1);
	assert_grounded(&in_seconds, "wait two minutes", "2", 0);
	assert_grounded(&in_seconds, "wait 2 minutes", "2", 0);
	assert_grounded(&in_seconds, "wait 2 minutes", "120", 1);
	assert_grounded(&in_seconds, "wait 2 minutes", "60", 0);
	assert_grounded(&in_seconds, "wait 2 minutes, 2 at most", "2", 1);
	assert_grounded(&in_seconds, "wait 30 seconds", "30", 1);
	assert_grounded(&in_seconds, "wait 30", "30", 1);
	assert_grounded(&in_seconds, "wait thirty", "30", 1);
	assert_grounded(&plain, "retry 2 times within 2 minutes", "2", 1);
	assert_grounded(&plain, "two dozen", "2", 0);
	assert_grounded(&plain, "two dozen", "24", 1);
	assert_grounded(&in_memory, "with 512 MB", "512m", 1);
	assert_grounded(&in_memory, "with 512m", "512m", 1);
	assert_grounded(&in_memory, "with 512 MB", "512", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_grounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
