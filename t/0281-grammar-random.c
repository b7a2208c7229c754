/*
 * 0281-grammar-random.c - the grammar automaton and the verifier agree on random and
 * damaged argvs, and on random walks through the automaton, for the specs in seeds/ and
 * testdata/ in every dialect.
 */
#include <glob.h>

#include "tap.h"
#include "argv_random.h"
#include "grammar_walk.h"
#include "cli/value_prefix.h"

enum {
	ROUNDS = 1500,
	WALKS = 1500
};

static const char *const files[] = {"seeds/langgraph/cli.json", "testdata/cli/argparse.json",
	"testdata/cli/getopt_long.json", "testdata/cli/getopt.json", "testdata/cli/optparse.json",
	NULL};

/* The spec in a file, with another dialect unless that is NULL. */
static struct spec *spec_in(const char *file, const char *dialect)
{
	json_t *document = json_load_file(file, 0, NULL), *entry;
	struct spec *spec;
	struct error err;
	size_t i;
	char *text;

	assert_non_null(document);
	json_array_foreach(json_object_get(document, "metadata"), i, entry)
	{
		if (dialect &&
			!strcmp(json_string_value(json_object_get(entry, "name")), "dialect"))
			json_object_set_new(entry, "value", json_string(dialect));
	}
	text = json_dumps(document, 0);
	spec = spec_parse(text, strlen(text), file, &err);
	if (!spec)
		print_message("# %s\n", err.message);
	free(text);
	json_decref(document);
	return spec;
}

static void words_fail(const char *what, const struct spec *spec, int argc, const char *const *argv)
{
	print_message("# %s as %s: %s:", spec->name, dialect_names[spec->dialect], what);
	for (int i = 0; i < argc; i++)
		print_message(" [%s]", argv[i]);
	print_message("\n");
	fail();
}

static void agree(struct grammar *g, struct arena *arena, int argc, const char *const *argv)
{
	const struct spec *spec = grammar_spec(g);
	int canonical = argv_is_canonical(spec, argc, argv, arena);

	if (grammar_accepts(g, argc, argv) != canonical && grammar_is_exact(g))
		words_fail(canonical ? "is canonical, but not in the language"
				     : "is in the language, but not canonical",
			spec, argc, argv);
}

/* An argv, its canonical form, and that with one more fault. */
static void random_agree(struct grammar *g, struct argv_random *r, size_t *right)
{
	const char **argv;
	struct verdict v;
	struct meaning m;
	int argc;

	agree(g, &r->arena, r->n, r->words);
	if (verify(r->spec, r->n, r->words, &r->arena, &m, &v) != VERDICT_OK)
		return;
	argc = meaning_argv(r->spec, &m, &r->arena, &argv);
	agree(g, &r->arena, argc, argv);
	if (!argv_is_canonical(r->spec, argc, argv, &r->arena))
		return;
	++*right;
	if (argc >= WORDS_MAX)
		return;
	memcpy(r->words, argv, (size_t)argc * sizeof(*argv));
	r->n = argc;
	damage(r);
	r->words[r->n] = NULL;
	agree(g, &r->arena, r->n, r->words);
}

static void walks_agree(struct argv_random *r, struct grammar *g, size_t *ended)
{
	for (int i = 0; i < WALKS; i++) {
		const char **argv;
		const char *fault;
		int argc;

		rng_init(&r->rng, 12, RNG_TEST, (uint64_t)i, 0);
		arena_clear(&r->arena);
		argc = grammar_walk(r, g, &argv, &fault);
		if (fault)
			fail_msg("%s as %s: %s", r->spec->name, dialect_names[r->spec->dialect],
				fault);
		if (argc < 0)
			continue;
		++*ended;
		if (grammar_is_exact(g) && !argv_is_canonical(r->spec, argc, argv, &r->arena))
			words_fail("was walked to, but is not canonical", r->spec, argc, argv);
		if (!grammar_accepts(g, argc, argv))
			words_fail("was walked to, but is not accepted", r->spec, argc, argv);
	}
}

static void spec_agrees(const char *file, const char *dialect, size_t *right, size_t *walked)
{
	static struct argv_random r;
	struct spec *spec = spec_in(file, dialect);
	struct grammar *g;

	assert_non_null(spec);
	r.spec = spec;
	g = grammar_new(spec);
	walks_agree(&r, g, walked);
	for (int i = 0; i < ROUNDS; i++) {
		argv_random(&r, 11, (uint64_t)i, i % 3 == 0);
		random_agree(g, &r, right);
	}
	if (!grammar_is_exact(g))
		print_message("# %s as %s: not exact\n", spec->name, dialect_names[spec->dialect]);
	grammar_free(g);
	spec_free(spec);
	arena_release(&r.arena);
}

static void dialects_agree(void **state)
{
	(void)state;
	for (int d = 0; dialect_names[d]; d++) {
		size_t right = 0, walked = 0;

		for (int f = 0; files[f]; f++)
			if (strcmp(dialect_names[d], "getopt") != 0 ||
				strstr(files[f], "getopt.json"))
				spec_agrees(files[f], dialect_names[d], &right, &walked);
		print_message(
			"# %s: %zu canonical ones, %zu walks\n", dialect_names[d], right, walked);
		assert_true(right > ROUNDS / 3 && walked > WALKS / 3);
	}
}

static void seeds_agree(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("seeds/*/cli.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		size_t right = 0, walked = 0;

		spec_agrees(found.gl_pathv[i], NULL, &right, &walked);
		print_message(
			"# %s: %zu canonical ones, %zu walks\n", found.gl_pathv[i], right, walked);
		/* Of words drawn blindly few satisfy tar, whose options exclude each other. */
		assert_true(right > 10 && walked > WALKS / 3);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_agree), cmocka_unit_test(dialects_agree)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
