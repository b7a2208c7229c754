/* 0210-verify.c - verdicts, canonical form and matching on the langgraph CLI. */
#include "verify_lines.h"

static void spellings(void **state)
{
	(void)state;
	expect("langgraph up", "langgraph up");
	expect("langgraph up -p 8000", "langgraph up --port 8000");
	expect("langgraph up -p8000", "langgraph up --port 8000");
	expect("langgraph up --port=8_000", "langgraph up --port 8000");
	expect("langgraph up --port -1 --wait --wait", "langgraph up --wait --port -1");
	expect("langgraph up -p abc -p 1", "langgraph up --port 1");
	expect("langgraph up --pull --no-pull", "langgraph up --no-pull");
	expect("langgraph up --no-pull --pull", "langgraph up --pull");
	expect("langgraph up --config ''", "langgraph up --config ''");
	expect("langgraph up --config=a=b", "langgraph up --config a=b");
	expect("langgraph up -c=x", "langgraph up --config =x");
	expect("langgraph up --image --wait", "langgraph up --image --wait");
	expect("langgraph dockerfile --base-image b out -c x",
		"langgraph dockerfile --base-image b --config x out");
	expect("langgraph dockerfile -- -c", "langgraph dockerfile -- -c");
	expect("langgraph -- up --wait", "langgraph up --wait");
}

static void faults(void **state)
{
	(void)state;
	expect("", "empty@0");
	expect("lang up", "wrong-program@0");
	expect("langgraph", "missing-command@1");
	expect("langgraph deploy listeners", "missing-command@3");
	expect("langgraph upp", "unknown-command@1");
	expect("langgraph deploy lst", "unknown-command@2");
	expect("langgraph up --prot 1", "unknown-option@2");
	expect("langgraph up --por 1", "unknown-option@2");
	expect("langgraph up -x", "unknown-option@2");
	expect("langgraph up --port", "missing-value@3");
	expect("langgraph up --wait=yes", "unexpected-value@2");
	expect("langgraph up --port 80.5", "bad-type@3");
	expect("langgraph up --port ''", "bad-type@3");
	expect("langgraph up --engine-runtime-mode fast", "not-accepted@3");
	expect("langgraph build", "missing-required@2");
	expect("langgraph dockerfile", "missing-required@2");
	expect("langgraph new a b", "too-many@3");
	expect("langgraph dev --ssl-certfile a", "requires@2");
	expect("langgraph dev --ssl-certfile a --ssl-keyfile b --tunnel", "conflict@6");
	expect("langgraph deploy logs", "one-of@3");
	expect("langgraph deploy --listener-id a", "requires@2");
	expect("langgraph deploy --image-uri nginx", "bad-pattern@3");
	expect("langgraph build -t x --build-command a;b", "bad-pattern@5");
	expect("langgraph up --tag\x01", "bad-text@2");
	expect("langgraph up \xff", "bad-text@2");
}

static void passthrough(void **state)
{
	(void)state;
	expect("langgraph build -t x --no-cache", "langgraph build --tag x -- --no-cache");
	expect("langgraph build a -t x b", "langgraph build --tag x a b");
	expect("langgraph build -qt x", "langgraph build --tag x -- -q");
	expect("langgraph build -t x -- -c y", "langgraph build --tag x -- -c y");
	expect("langgraph build -t x --tga=1", "langgraph build --tag x -- --tga=1");
	expect("langgraph deploy --squash list", "langgraph deploy -- --squash list");
	expect("langgraph deploy --name x list", "langgraph deploy --name x list");
	expect("langgraph deploy -- --name x", "langgraph deploy -- --name x");
}

static void eager(void **state)
{
	(void)state;
	expect("langgraph --help", "langgraph --help");
	expect("langgraph up --port abc --help", "langgraph up --help");
	expect("langgraph up --bogus --help", "unknown-option@2");
	expect("langgraph up --help extra", "langgraph up --help");
	expect("langgraph --version nonsense", "langgraph --version");
	expect("langgraph deploy --deployment-type x list --help", "not-accepted@3");
	expect("langgraph -- --version", "langgraph --version");
	expect("langgraph up --image --help", "langgraph up --image --help");
}

static int match(const char *a, const char *b)
{
	const char **x, **y;
	struct meaning m, n;
	struct verdict v;
	int argc = words(a, &x);

	assert_int_equal(verify(spec, argc, x, &arena, &m, &v), VERDICT_OK);
	argc = words(b, &y);
	assert_int_equal(verify(spec, argc, y, &arena, &n, &v), VERDICT_OK);
	return meaning_match(&m, &n);
}

static void matching(void **state)
{
	(void)state;
	assert_true(match("langgraph up -p 8123", "langgraph up"));
	assert_true(match("langgraph up --pull --no-recreate", "langgraph up"));
	assert_true(match("langgraph up -p +8000 --wait", "langgraph up --wait --port 8000"));
	assert_true(match("langgraph deploy logs --name a --level error",
		"langgraph deploy logs --name a --level ERROR"));
	assert_false(match("langgraph up --no-pull", "langgraph up"));
	assert_false(match("langgraph dev --port 8123", "langgraph dev"));
	assert_false(match("langgraph dev", "langgraph up"));
	assert_false(match("langgraph new a", "langgraph new b"));
	assert_false(match("langgraph up --wait", "langgraph up --watch"));
	assert_false(match("langgraph deploy --no-remote", "langgraph deploy"));
	assert_true(match(
		"langgraph deploy --push-to r --image-pull-secret a --image-pull-secret b",
		"langgraph deploy --image-pull-secret a --push-to r --image-pull-secret b"));
	assert_false(match(
		"langgraph deploy --push-to r --image-pull-secret a --image-pull-secret b",
		"langgraph deploy --image-pull-secret b --push-to r --image-pull-secret a"));
}

static void canonical(void **state)
{
	static const char *const yes[] = {"langgraph up --port 8000",
		"langgraph build --tag x -- --no-cache", "langgraph deploy revisions list id",
		NULL};
	static const char *const no[] = {"langgraph up -p 8000", "langgraph up --port=8000",
		"langgraph up --port 08000", "langgraph up --port 1 --wait", "langgraph upp",
		"langgraph build --tag x --no-cache", NULL};
	const char **argv;

	(void)state;
	for (int i = 0; yes[i]; i++) {
		int argc = words(yes[i], &argv);

		assert_true(argv_is_canonical(spec, argc, argv, &arena));
	}
	for (int i = 0; no[i]; i++) {
		int argc = words(no[i], &argv);

		assert_false(argv_is_canonical(spec, argc, argv, &arena));
	}
}

static void message_names(const char *line, const char *part)
{
	const char **argv;
	struct verdict v;
	int argc = words(line, &argv);

	assert_int_not_equal(verify(spec, argc, argv, &arena, NULL, &v), VERDICT_OK);
	if (!strstr(v.message, part))
		print_message("# %s: %s\n", line, v.message);
	assert_non_null(strstr(v.message, part));
}

static void messages(void **state)
{
	struct verdict v = {VERDICT_BAD_TYPE, 3, "x"};
	json_t *json = verdict_json(&v);

	(void)state;
	message_names("langgraph up --prot 1", "--port");
	message_names("langgraph depoly", "deploy");
	message_names("langgraph deploy --deployment-type serverles", "serverless");
	message_names("langgraph deploy --k8s-namespace a", "--push-to, --image-uri");
	message_names("langgraph build", "--tag");
	assert_string_equal(json_string_value(json_object_get(json, "code")), "bad-type");
	assert_true(json_is_false(json_object_get(json, "ok")));
	assert_int_equal(json_integer_value(json_object_get(json, "at")), 3);
	json_decref(json);
	for (int c = 0; c < VERDICT_COUNT; c++)
		assert_non_null(verdict_name((enum verdict_code)c));
}

static int setup(void **state)
{
	struct error err;

	(void)state;
	spec = spec_load("seeds/langgraph/cli.json", &err);
	if (!spec)
		print_message("# %s\n", err.message);
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
		cmocka_unit_test(spellings),
		cmocka_unit_test(faults),
		cmocka_unit_test(passthrough),
		cmocka_unit_test(eager),
		cmocka_unit_test(matching),
		cmocka_unit_test(canonical),
		cmocka_unit_test(messages),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
