/* Which values follow from a request (text/ground.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "text/ground.h"
#include "text/words.h"

static int holds(const char *request, const struct argument *a, const char *value)
{
	struct buf plain = {0};
	int found;

	words_plain(request, strlen(request), &plain);
	found = ground_value(plain.data, plain.len, a, value);
	buf_release(&plain);
	return found;
}

static void test_literal(void **state)
{
	static const struct {
		const char *request, *value;
		int grounded;
	} cases[] = {
		{"run it on port 8123", "8123", 1},
		{"run it on port 8123.", "8123", 1},
		{"port=8123, please", "8123", 1},
		{"is (8123) free?", "8123", 1},
		{"about ~8123 or so", "8123", 1},
		{"on \"8123\"", "8123", 1},
		{"on \xe2\x80\x9c"
		 "8123\xe2\x80\x9d",
			"8123", 1},
		{"port 81234", "8123", 0},
		{"port 18123", "8123", 0},
		{"bind 0.0.0.0", "0.0.0", 0},
		{"bind 0.0.0.0", "0.0.0.0", 1},
		{"bind 0.0.0.0:80", "80", 0},
		{"version 0.2.74", "2.74", 0},
		{"take redis:7", "7", 0},
		{"take redis:7", "redis:7", 1},
		{"take redis:7", "redis", 0},
		{"use ./conf/a.json.", "./conf/a.json", 1},
		{"use ./conf/a.json", "conf/a.json", 0},
		{"use ./conf/a.json", "a.json", 0},
		{"look in src/", "src", 1},
		{"name it my-app", "my", 0},
		{"name it my-app", "app", 0},
		{"call it Foo", "foo", 0},
		{"with -3 degrees", "3", 0},
		{"all in .", ".", 1},
		{"stop it.", ".", 0},
		{"go to https://a.b/c?d=e now", "https://a.b/c?d=e", 1},
		{"go to https://a.b/c?d=e now", "https://a.b/c", 1},
		{"add --no-cache to it", "--no-cache", 1},
		{"tokens 3,4", "3", 1},
		{"tokens 3,4", "4", 0},
		{"the orders' table", "orders", 1},
		{"", "x", 0},
		{"x", "x", 1},
		{"nothing", "", 0},
		{"set it to ''", "", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (holds(cases[i].request, NULL, cases[i].value) != cases[i].grounded)
			fail_msg("'%s' in '%s': expected %d", cases[i].value, cases[i].request,
				cases[i].grounded);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	assert_true(holds("port 8,123 please", NULL, "8123"));
	assert_false(holds("port 8,123 please", NULL, "8"));
	assert_false(holds("port 8,123 please", NULL, "123"));
	assert_true(holds("with two workers", NULL, "2"));
	assert_true(holds("Twenty-five jobs", NULL, "25"));
	assert_false(holds("twenty five jobs", NULL, "20x"));
	assert_true(holds("port eight thousand", NULL, "8000"));
	assert_false(holds("often twofold", NULL, "2"));
	assert_true(holds("at most 512 MB", NULL, "512MB"));
	assert_true(holds("at most 512 mb", NULL, "512MB"));
	assert_true(holds("a 30-s wait", NULL, "30s"));
	assert_false(holds("at most 512 MB", NULL, "512GB"));
	assert_false(holds("twenty five jobs", NULL, "20"));
	assert_false(holds("twenty five jobs", NULL, "5"));
	assert_false(holds("two thousand", NULL, "2"));
	assert_true(holds("two or three", NULL, "3"));
	assert_true(holds("two, three", NULL, "2"));
	assert_true(holds("one hundred and five", NULL, "105"));
	assert_true(holds("two hundred and a dog", NULL, "200"));
	assert_true(holds(
		"Nine hundred ninety-nine thousand nine hundred ninety nine", NULL, "999999"));
	assert_true(holds("zero retries", NULL, "0"));
	assert_true(holds("hundred", NULL, "100"));
	assert_false(holds("once", NULL, "1"));
}

static void test_listed(void **state)
{
	static const char *const bullseye[] = {"debian 11", "old debian", NULL};
	static const char *const none[] = {NULL};
	static const struct accepted_value accepted[] = {{"bullseye", bullseye}, {"wolfi", none}};
	static const char *const examples[] = {"my-app", NULL};
	struct argument a = {.accepted = accepted,
		.n_accepted = 2,
		.default_value = "debian",
		.values = examples};

	(void)state;
	assert_true(holds("build on Debian 11", &a, "bullseye"));
	assert_true(holds("build on an OLD  debian!", &a, "bullseye"));
	assert_false(holds("build on debian 111", &a, "bullseye"));
	assert_true(holds("build on dbeian 11", &a, "bullseye"));
	assert_false(holds("build on debian 12", &a, "bullseye"));
	assert_false(holds("build on debian", &a, "bullseye"));
	assert_true(holds("build on Wolfi", &a, "wolfi"));
	assert_false(holds("build on wolfish", &a, "wolfi"));
	assert_true(holds("build on wofli", &a, "wolfi"));
	assert_true(holds("just Debian", &a, "debian"));
	assert_true(holds("call it my app", &a, "my-app"));
	assert_false(holds("call it my application", &a, "my-app"));
	assert_false(holds("call it ./my/app", &a, "my-app"));
	assert_false(holds("call it my app.json", &a, "my-app"));
	assert_true(holds("call it My App.", &a, "my-app"));
	assert_true(holds("a wolfi-based image", &a, "wolfi"));
	assert_false(holds("call it my thing", &a, "my-thing"));
}

static void test_check(void **state)
{
	static const struct option port = {.name = "--port"};
	static const struct argument argument = {.name = "port"};
	static const char *const good[] = {"80", "81"};
	struct meaning_item items[2] = {{&port, NULL, 0, NULL, 1}, {&port, &argument, 2, good, 3}};
	struct meaning m = {NULL, 2, items};
	const struct meaning_item *item;
	const char *request = "on 80 and 81";

	(void)state;
	assert_null(ground_check(request, strlen(request), &m, &item));
	request = "on 80 and 82";
	assert_string_equal(ground_check(request, strlen(request), &m, &item), "81");
	assert_ptr_equal(item, &items[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literal),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_listed),
		cmocka_unit_test(test_check),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
