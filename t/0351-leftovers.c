/* Template leftovers in requests (synth/leftovers.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "synth/leftovers.h"

static void expect(const char *request, const char *found, const char *word)
{
	const char *argv[] = {"tool", word};
	const char *what;
	size_t len = 0;
	const char *hit = leftover_find(request, strlen(request), word ? 2 : 1, argv, &len, &what);

	if (!found && hit)
		fail_msg("'%s': found '%.*s' (%s)", request, (int)len, hit, what);
	if (found && (!hit || len != strlen(found) || memcmp(hit, found, len) != 0))
		fail_msg("'%s': expected '%s', found '%.*s'", request, found, hit ? (int)len : 0,
			hit ? hit : "");
}

static void test_found(void **state)
{
	static const char *const cases[][2] = {{"run on {port}", "{port}"}, {"run on {}", "{}"},
		{"run on <port> now", "<port>"}, {"run %s now", "%s"}, {"run %(x)s now", "%(x)s"},
		{"run  it", "  "}, {"run it ", " "}, {" run it", " "}, {"run , it", " ,"},
		{"run ,, it", " ,"}, {"run,, it", ",,"}, {"run it,.", ",."},
		{"call it \"\" now", "\"\""}, {"call it ()", "()"}, {"run the the tool", "the the"},
		{"Run run it", "Run run"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(cases[i][0], cases[i][1], NULL);
}

static void test_not_found(void **state)
{
	static const char *const cases[] = {"run it", "", "with {\"a\": 1} as config",
		"if a < b and c > d", "at 100% speed", "50%solved", "see ./x .. or ...",
		"it is that that I want", "very very fast", "look at .env and ./x", "a f() call",
		"port 80 80", "what's this?", "the theme", "pip install -e .", "do `npm run run`"};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(cases[i], NULL, NULL);
}

static void test_argv_excuses(void **state)
{
	(void)state;
	expect("name it {name}", NULL, "x-{name}");
	expect("name it <a>", NULL, "<a>");
	expect("the project project", NULL, "project");
	expect("the project Project", NULL, "project");
	expect("set it to \"\"", "\"\"", "");
	expect("set it to {a} or {b}", "{b}", "{a}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_argv_excuses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
