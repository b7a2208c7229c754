/*
 * 0260-dialects.c - the documented rules of parsers that are not at hand here: cobra
 * (pflag), clap, GOption, docopt, Go's flag.
 */
#include "verify_lines.h"

#define OPTIONS                                                                                    \
	"{\"name\":\"--verbose\",\"aliases\":[\"-v\"]},{\"name\":\"--all\",\"aliases\":[\"-a\"]}," \
	"{\"name\":\"--output\",\"aliases\":[\"-o\"],\"arguments\":[{\"name\":\"file\"}]},"        \
	"{\"name\":\"--count\",\"aliases\":[\"-n\"],\"arguments\":[{\"name\":\"n\",\"metadata\":[" \
	"{"                                                                                        \
	"\"name\":\"type\",\"value\":\"integer\"}]}]},"                                            \
	"{\"name\":\"--color\",\"aliases\":[\"-c\"],\"arguments\":[{\"name\":\"when\","            \
	"\"required\":"                                                                            \
	"false}]}"
#define FILES ",\"arguments\":[{\"name\":\"files\",\"arity\":{\"minimum\":0}}]"
#define HEAD(dialect)                                                                              \
	"{\"opencli\":\"0.1\",\"info\":{\"title\":\"t\",\"version\":\"1\"},\"metadata\":[{"        \
	"\"name\":"                                                                                \
	"\"dialect\",\"value\":\"" dialect "\"}],"
#define PLAIN(dialect) HEAD(dialect) "\"options\":[" OPTIONS "]" FILES "}"

static void use(const char *text)
{
	struct error err;

	spec_free(spec);
	spec = spec_parse(text, strlen(text), "inline", &err);
	if (!spec)
		print_message("# %s\n", err.message);
	assert_non_null(spec);
}

static void pflag_words(void **state)
{
	(void)state;
	use(PLAIN("cobra"));
	expect("t -o=x", "t --output x");
	expect("t -o=", "t --output =");
	expect("t -ox", "t --output x");
	expect("t --output=", "t --output ''");
	expect("t --output -v", "t --output -v");
	expect("t -avo x", "t --verbose --all --output x");
	expect("t -avox y", "t --verbose --all --output x y");
	expect("t a -v b", "t --verbose a b");
	expect("t a -- -v", "t -- a -v");
	expect("t --verbose=false", "t --verbose=false");
	expect("t --verbose=F -a=1", "t --verbose=false --all");
	expect("t -v=true", "t --verbose");
	expect("t -av=0", "t --verbose=false --all");
	expect("t --verbose=yes", "bad-type@1");
	expect("t --verbose false", "t --verbose false");
	expect("t --color", "t --color");
	expect("t --color red", "t --color red");
	expect("t --color=red", "t --color=red");
	expect("t -cv", "t --verbose --color");
	expect("t -c=red", "t --color=red");
	expect("t -n 0x1F -o y", "t --output y --count 31");
	expect("t -n 1_000", "t --count 1000");
	expect("t -n 1__0", "bad-type@2");
	expect("t -n 0x1_0", "t --count 16");
	expect("t -n 010", "t --count 8");
	expect("t -n 08", "bad-type@2");
	expect("t -n 9223372036854775807", "t --count 9223372036854775807");
	expect("t -n 9223372036854775808", "bad-type@2");
	expect("t -n -9223372036854775808", "t --count -9223372036854775808");
	expect("t -n x -n 1", "bad-type@2");
	expect("t -n 1 -n 2", "t --count 2");
	expect("t --verb", "unknown-option@1");
	expect("t -z", "unknown-option@1");
	expect("t --=x", "unknown-option@1");
	expect("t ---v", "unknown-option@1");
	expect("t -v=", "unknown-option@1");
	expect("t --output", "missing-value@2");
}

static void cobra_commands(void **state)
{
	(void)state;
	use(HEAD("cobra") "\"options\":[{\"name\":\"--local\"},{\"name\":\"--config\",\"aliases\":["
			  "\"-c\"],"
			  "\"recursive\":true,\"arguments\":[{\"name\":\"f\"}]},{\"name\":\"--"
			  "help\",\"aliases\":"
			  "[\"-h\"],\"recursive\":true,\"metadata\":[{\"name\":\"eager\",\"value\":"
			  "true}]}],"
			  "\"commands\":[{\"name\":\"get\",\"options\":[{\"name\":\"--tags\","
			  "\"metadata\":["
			  "{\"name\":\"separator\",\"value\":\",\"},{\"name\":\"repeatable\","
			  "\"value\":true}],"
			  "\"arguments\":[{\"name\":\"t\"}]},{\"name\":\"--wait\",\"arguments\":[{"
			  "\"name\":\"d\","
			  "\"metadata\":[{\"name\":\"type\",\"value\":\"duration\"}]}]}],"
			  "\"arguments\":[{\"name\":\"id\"}]},"
			  "{\"name\":\"set\",\"commands\":[{\"name\":\"name\"}]}]}");
	expect("t get x", "t get x");
	expect("t --config a get x", "t get --config a x");
	expect("t get -c a x", "t get --config a x");
	expect("t -c get get x", "t get --config get x");
	expect("t get x --config=a", "t get --config a x");
	expect("t x get", "unknown-command@1");
	expect("t --local get x", "unknown-option@1");
	expect("t --tags a get x", "t get --tags a x");
	expect("t get x --tags a --tags b,c", "t get --tags a,b,c x");
	expect("t get x --wait 1h30m", "t get --wait 1h30m x");
	expect("t get x --wait 1.5s", "t get --wait 1.5s x");
	expect("t get x --wait 5", "bad-type@4");
	expect("t get x --wait 5d", "bad-type@4");
	expect("t set name", "t set name");
	expect("t set --config a name", "t set name --config a");
	expect("t set", "missing-command@2");
	expect("t set nome", "unknown-command@2");
	expect("t", "missing-command@1");
	expect("t get", "missing-required@2");
	expect("t get --help", "t get --help");
	expect("t --help get", "t get --help");
	expect("t get --help --wait 5", "bad-type@4");
	expect("t get --help --zzz", "unknown-option@3");
	expect("t - get", "t get -- -");
	expect("t set - name", "too-many@2");
}

static void clap_words(void **state)
{
	(void)state;
	use(PLAIN("clap"));
	expect("t -o=x", "t --output x");
	expect("t -ox", "t --output x");
	expect("t --output=-v", "t --output=-v");
	expect("t --output -v", "missing-value@2");
	expect("t -av x", "t --verbose --all x");
	expect("t -v -v", "repeated@2");
	expect("t -o a -o b", "repeated@3");
	expect("t --verbose=true", "unexpected-value@1");
	expect("t --color red", "t --color red");
	expect("t --color -v", "t --verbose --color");
	expect("t -v --color -- x", "t --verbose --color -- x");
	expect("t --verb", "unknown-option@1");
	expect("t -n +5", "t --count 5");
	expect("t -n 5_0", "bad-type@2");
}

static void goption_words(void **state)
{
	(void)state;
	use(PLAIN("goption"));
	expect("t --output=x", "t --output x");
	expect("t -o x", "t --output x");
	expect("t -ox", "missing-value@1");
	expect("t -va x", "t --verbose --all x");
	expect("t --verb", "unknown-option@1");
	expect("t --verbose=1", "unexpected-value@1");
	expect("t -n 0x10", "t --count 16");
	expect("t x -v", "t --verbose x");
}

static void docopt_words(void **state)
{
	(void)state;
	use(PLAIN("docopt"));
	expect("t --verb", "t --verbose");
	expect("t --out x", "t --output x");
	expect("t --co x", "ambiguous-option@1");
	expect("t -ox", "t --output x");
	expect("t -o=x", "t --output =x");
	expect("t --verbose --verbose", "repeated@2");
	expect("t x --all", "t --all x");
}

static void dash_words(void **state)
{
	(void)state;
	use(HEAD("dash") "\"options\":[{\"name\":\"-port\",\"arguments\":[{\"name\":\"n\","
			 "\"metadata\":["
			 "{\"name\":\"type\",\"value\":\"integer\"}]}]},{\"name\":\"-v\"},{"
			 "\"name\":\"-race\"}]" FILES "}");
	expect("t -port 80", "t -port 80");
	expect("t --port=80", "t -port 80");
	expect("t -port=80 -v x", "t -port 80 -v x");
	expect("t -v=false", "t -v=false");
	expect("t -race x -v", "t -race -- x -v");
	expect("t x -v", "t -- x -v");
	expect("t -vx", "unknown-option@1");
	expect("t -rac", "unknown-option@1");
	expect("t -port", "missing-value@2");
	expect("t -port x", "bad-type@2");
}

static void positionals(void **state)
{
	(void)state;
	use(HEAD("getopt_long") "\"options\":[{\"name\":\"--point\",\"aliases\":[\"-p\"],"
				"\"arguments\":[{"
				"\"name\":\"xy\",\"arity\":{\"minimum\":2,\"maximum\":2}}]},{"
				"\"name\":\"--only\","
				"\"arguments\":[{\"name\":\"v\"}],\"metadata\":[{\"name\":"
				"\"attached\","
				"\"value\":true}]},{\"name\":\"-x\"}],\"arguments\":[{\"name\":"
				"\"from\"},{\"name\":"
				"\"more\",\"arity\":{\"minimum\":0}},{\"name\":\"to\"}]}");
	expect("t a b", "t a b");
	expect("t a", "missing-required@2");
	expect("t a b c d", "t a b c d");
	expect("t -p 1 2 a b", "t --point 1 2 a b");
	expect("t -p1 2 a b", "t --point 1 2 a b");
	expect("t a b -p 1", "missing-value@5");
	expect("t a b --only=v", "t --only=v a b");
	expect("t a b --only v", "missing-value@3");
	expect("t a b --on=-v", "t --only=-v a b");
	expect("t -x a b", "t -x a b");
}

/* Longer command lines than a system runs are refused, quickly. */
static void long_lines(void **state)
{
	size_t n = 200000;
	const char **argv = xcalloc(n, sizeof(*argv));
	char *word = xcalloc(n + 1, 1);
	struct verdict v;
	struct meaning m;

	(void)state;
	use(PLAIN("cobra"));
	argv[0] = "t";
	for (size_t i = 1; i < n; i++)
		argv[i] = "-v";
	assert_int_equal(verify(spec, (int)n, argv, &arena, &m, &v), VERDICT_TOO_MANY);
	assert_int_equal(verify(spec, 4096, argv, &arena, &m, &v), VERDICT_OK);
	memset(word, 'v', n);
	word[0] = '-';
	argv[1] = word;
	assert_int_equal(verify(spec, 2, argv, &arena, &m, &v), VERDICT_TOO_MANY);
	word[100000] = '\0';
	assert_int_equal(verify(spec, 2, argv, &arena, &m, &v), VERDICT_TOO_MANY);
	word[4097] = '\0';
	assert_int_equal(verify(spec, 2, argv, &arena, &m, &v), VERDICT_OK);
	free(argv);
	free(word);
}

/* Lists and repeats of the greatest size keep time and memory in bounds. */
static void long_lists(void **state)
{
	const char *argv[2 * 2000 + 1] = {"t"}, **canonical;
	char *list = xcalloc(512, 1);
	struct verdict v;
	struct meaning m;

	(void)state;
	use(HEAD(
		"cobra") "\"options\":[{\"name\":\"--tags\",\"metadata\":[{\"name\":"
			 "\"separator\",\"value\":\",\"},{\"name\":\"repeatable\",\"value\":true}],"
			 "\"arguments\":[{\"name\":\"t\"}]}]}");
	for (int i = 0; i < 511; i++)
		list[i] = i % 2 ? ',' : 'a';
	for (int i = 0; i < 2000; i++) {
		argv[1 + 2 * i] = "--tags";
		argv[2 + 2 * i] = list;
	}
	assert_int_equal(verify(spec, 4001, argv, &arena, &m, &v), VERDICT_OK);
	assert_int_equal(m.items[0].n_values, 2000 * 256);
	assert_int_equal(meaning_argv(spec, &m, &arena, &canonical), 3);
	assert_int_equal(strlen(canonical[2]), 2000 * 512 - 1);
	free(list);
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
		cmocka_unit_test(pflag_words),
		cmocka_unit_test(cobra_commands),
		cmocka_unit_test(clap_words),
		cmocka_unit_test(goption_words),
		cmocka_unit_test(docopt_words),
		cmocka_unit_test(dash_words),
		cmocka_unit_test(positionals),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(long_lists),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, teardown);
}
