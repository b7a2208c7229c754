/*
 * 0270-canonical.c - what must hold of any argv of any spec in any dialect: the
 * canonical form of a right one is right, canonical, and means the same; a wrong
 * one is refused with a message and a word that is there.
 */
#include "tap.h"
#include "argv_random.h"
#include "cli/explain.h"

enum {
	ROUNDS = 1500
};

static const char *const files[] = {"seeds/langgraph/cli.json", "testdata/cli/argparse.json",
	"testdata/cli/getopt_long.json", "testdata/cli/getopt.json", "testdata/cli/optparse.json",
	NULL};

/* The spec in a file, with another dialect; NULL where it does not fit that one. */
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
		if (!strcmp(json_string_value(json_object_get(entry, "name")), "dialect"))
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

static int same(const char *const *a, int n, const char *const *b, int m)
{
	if (n != m)
		return 0;
	for (int i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return 0;
	return 1;
}

static const char *right_holds(struct argv_random *r, struct meaning *m)
{
	const struct spec *spec = r->spec;
	struct arena *arena = &r->arena;
	const char **argv, **again, **bare;
	const char *const *lines;
	struct verdict v;
	struct meaning n, b;
	int argc = meaning_argv(spec, m, arena, &argv), k;

	if (verify(spec, argc, argv, arena, &n, &v) != VERDICT_OK)
		return "its canonical form is refused";
	if (!meaning_match(m, &n) || m->command != n.command || m->n_items != n.n_items)
		return "its canonical form means something else";
	k = meaning_argv(spec, &n, arena, &again);
	if (!same(argv, argc, again, k) || !argv_is_canonical(spec, argc, argv, arena))
		return "its canonical form is not canonical";
	meaning_drop_defaults(&n);
	if (!meaning_match(m, &n))
		return "defaults left out, it does not match";
	k = meaning_argv(spec, &n, arena, &bare);
	if (verify(spec, k, bare, arena, &b, &v) != VERDICT_OK || !meaning_match(m, &b))
		return "without its defaults it does not match";
	if (explain_words(spec, r->n, r->words, arena, &lines, NULL) < 0)
		return "it cannot be explained";
	for (int i = 0; i < r->n; i++)
		if (!lines[i] || !*lines[i])
			return "a word has no explanation";
	return NULL;
}

static const char *holds(struct argv_random *r, size_t *right)
{
	struct verdict v;
	struct meaning m;

	if (verify(r->spec, r->n, r->words, &r->arena, &m, &v) == VERDICT_OK) {
		(*right)++;
		return right_holds(r, &m);
	}
	if (v.at < 0 || v.at > r->n)
		return "the word is none of its words";
	if (!v.message[0])
		return "there is no message";
	return NULL;
}

static void dialect_holds(const char *dialect, size_t *right)
{
	static struct argv_random r;

	for (int f = 0; files[f]; f++) {
		/* A tool without long options is described by short ones. */
		if (!strcmp(dialect, "getopt") && !strstr(files[f], "getopt.json"))
			continue;
		r.spec = spec_in(files[f], dialect);
		assert_non_null(r.spec);
		for (int i = 0; i < ROUNDS; i++) {
			const char *fault;

			argv_random(&r, 11, (uint64_t)i, i % 3 == 0);
			fault = holds(&r, right);
			if (!fault)
				continue;
			print_message("# %s as %s: %s:", files[f], dialect, fault);
			for (int k = 0; k < r.n; k++)
				print_message(" [%s]", r.words[k]);
			fail();
		}
		spec_free((struct spec *)r.spec);
	}
	arena_release(&r.arena);
}

static void all_hold(void **state)
{
	(void)state;
	for (int d = 0; dialect_names[d]; d++) {
		size_t right = 0;

		dialect_holds(dialect_names[d], &right);
		print_message("# %s: %zu right ones\n", dialect_names[d], right);
		assert_true(right > ROUNDS / 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_hold)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
