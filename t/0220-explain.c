/* 0220-explain.c - one line of the spec's words for each word of an argv. */
#include "tap.h"
#include "cli/explain.h"

static struct spec *spec;
static struct arena arena;

static const char *const *explain(const char *const *argv)
{
	const char *const *lines;
	struct error err;
	int argc = 0;

	while (argv[argc])
		argc++;
	if (explain_words(spec, argc, argv, &arena, &lines, &err) < 0)
		return NULL;
	for (int i = 0; i < argc; i++)
		assert_true(lines[i] && *lines[i]);
	assert_null(lines[argc]);
	return lines;
}

#define EXPLAIN(...) explain((const char *const[]){__VA_ARGS__, NULL})
#define HAS(line, part) assert_non_null(strstr(line, part))

static void words(void **state)
{
	const char *const *l = EXPLAIN("langgraph", "up", "-p", "8123", "--no-pull");

	(void)state;
	HAS(l[0], "LangGraph");
	HAS(l[1], "Docker containers");
	HAS(l[1], "Careful: starts containers");
	HAS(l[2], "Port on which the API is offered.");
	HAS(l[2], "Careful: exposes a port.");
	HAS(l[3], "Value of --port, of type port (the default).");
	HAS(l[4], "on this machine already");
}

static void attached(void **state)
{
	const char *const *l =
		EXPLAIN("langgraph", "up", "--engine-runtime-mode=distributed", "-p80");

	(void)state;
	HAS(l[2], "one container or apart. Value of --engine-runtime-mode: a distributed setup.");
	HAS(l[3], "Port on which");
	HAS(l[3], "Value of --port");
}

static void operands(void **state)
{
	const char *const *l =
		EXPLAIN("langgraph", "build", "x", "-t", "a", "-t", "b", "--", "--no-cache");

	(void)state;
	HAS(l[2], "handed to docker build");
	HAS(l[3], "Replaced");
	HAS(l[4], "Replaced");
	HAS(l[5], "Name and tag");
	HAS(l[7], "Ends the options");
	HAS(l[8], "handed to docker build");
	l = EXPLAIN("langgraph", "deploy", "revisions", "list", "--limit", "3", "dep-1");
	HAS(l[2], "revisions");
	HAS(l[6], "Deployment whose revisions to list.");
}

static void eager(void **state)
{
	const char *const *l = EXPLAIN("langgraph", "up", "--wait", "--help");

	(void)state;
	HAS(l[2], "Not looked at");
	HAS(l[3], "Explain the command");
	assert_null(EXPLAIN("langgraph", "up", "--wat"));
}

static int setup(void **state)
{
	struct error err;

	(void)state;
	spec = spec_load("seeds/langgraph/cli.json", &err);
	return spec ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	spec_free(spec);
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(attached),
		cmocka_unit_test(operands),
		cmocka_unit_test(eager),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
