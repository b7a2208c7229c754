/* 0240-getopt.c - the verifier against glibc's own getopt_long() and getopt(). */
#define option getopt_option
#include <getopt.h>
#undef option
#include "tap.h"
#include "argv_random.h"
#include "base/error.h"
#include "cli/verify.h"

enum {
	FIRST = 1000,
	ROUNDS = 30000
};

static struct spec *spec;
static struct buf shorts;
static struct getopt_option *longs; /* val: FIRST + place in the spec */

/* Gives each option its letters and long names as getopt_long() wants them. */
static void tables_make(const char *mode)
{
	const struct command *c = spec->root;
	size_t n = 0;

	buf_clear(&shorts);
	buf_adds(&shorts, mode);
	longs = xcalloc(4 * c->n_options + 1, sizeof(*longs));
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option *o = c->options[i];
		const char *name = o->name;
		int kind = !o->argument			 ? no_argument
			   : o->argument->min_count == 0 ? optional_argument
							 : required_argument;

		for (const char *const *a = o->aliases; name; name = *a++) {
			if (name[1] == '-') {
				longs[n++] = (struct getopt_option){
					name + 2, kind, NULL, FIRST + (int)i};
				continue;
			}
			buf_addc(&shorts, name[1]);
			buf_adds(&shorts, kind == no_argument	      ? ""
					  : kind == required_argument ? ":"
								      : "::");
		}
	}
}

static size_t place_of(int found)
{
	char spelling[3] = {'-', (char)found, '\0'};

	return found >= FIRST ? (size_t)(found - FIRST) : option_find(spec->root, spelling)->index;
}

/* What one reading of an argv says: the last (or all) values by option. */
struct reading {
	struct buf options[32];
	struct buf operands;
};

static void reading_release(struct reading *r)
{
	for (int i = 0; i < 32; i++)
		buf_release(&r->options[i]);
	buf_release(&r->operands);
}

static void value_add(struct buf *b, const char *value)
{
	buf_addf(b, "<%s>", value ? value : "");
}

/* The real parser: 1 and its reading, or 0. */
static int real_read(int n, const char *const *words, struct reading *r)
{
	char **argv = xcalloc((size_t)n + 1, sizeof(*argv));
	int found, ok = 1;

	memcpy(argv, words, (size_t)n * sizeof(*argv));
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while (ok) {
		const struct option *o;
		struct buf *b;

		found = spec->dialect == DIALECT_GETOPT
				? getopt(n, argv, shorts.data)
				: getopt_long(n, argv, shorts.data, longs, NULL);
		ok = found != '?';
		if (!ok || found == -1)
			break;
		o = spec->root->options[place_of(found)];
		b = &r->options[o->index];
		if (o->negates)
			buf_clear(&r->options[o->negates->index]);
		if (o->negated_by)
			buf_clear(&r->options[o->negated_by->index]);
		if (!o->repeatable)
			buf_clear(b);
		buf_adds(b, "given");
		if (optarg)
			value_add(b, optarg);
	}
	for (int i = optind; ok && i < n; i++)
		value_add(&r->operands, argv[i]);
	free(argv);
	return ok;
}

static void our_reading(const struct meaning *m, struct reading *r)
{
	for (size_t i = 0; i < m->n_items; i++) {
		const struct meaning_item *item = &m->items[i];
		struct buf *b = item->option ? &r->options[item->option->index] : &r->operands;

		if (item->option && item->n_values == 0)
			buf_adds(b, "given");
		for (size_t k = 0; k < item->n_values; k++) {
			buf_adds(b, item->option ? "given" : "");
			value_add(b, item->values[k]);
		}
	}
}

static int equal(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (a->len == 0 || !memcmp(a->data, b->data, a->len));
}

static int readings_equal(const struct reading *a, const struct reading *b)
{
	for (int i = 0; i < 32; i++)
		if (!equal(&a->options[i], &b->options[i]))
			return 0;
	return equal(&a->operands, &b->operands);
}

static void argv_print(int n, const char *const *words)
{
	print_message("#");
	for (int i = 0; i < n; i++)
		print_message(" [%s]", words[i]);
	print_message("\n");
}

/* One argv, then its canonical form, through both. */
static int round_agrees(struct argv_random *r, int *accepted)
{
	struct reading real = {0}, ours = {0}, again = {0};
	struct meaning m;
	struct verdict v;
	const char **canonical;
	int ok, n, agree;

	ok = real_read(r->n, r->words, &real);
	verify(spec, r->n, r->words, &r->arena, &m, &v);
	agree = ok == (v.code == VERDICT_OK);
	*accepted += ok;
	if (agree && ok) {
		our_reading(&m, &ours);
		n = meaning_argv(spec, &m, &r->arena, &canonical);
		agree = readings_equal(&real, &ours) && real_read(n, canonical, &again) &&
			readings_equal(&real, &again) &&
			argv_is_canonical(spec, n, canonical, &r->arena);
	}
	if (!agree) {
		argv_print(r->n, r->words);
		print_message("# getopt %s, we say %s\n", ok ? "accepts" : "refuses",
			verdict_name(v.code));
	}
	reading_release(&real);
	reading_release(&ours);
	reading_release(&again);
	return agree;
}

static void compare(const char *file, const char *mode)
{
	static struct argv_random r;
	struct error err;
	int accepted = 0, wrong = 0;

	spec = spec_load(file, &err);
	assert_non_null(spec);
	assert_true(spec->root->n_options <= 32);
	tables_make(mode);
	r.spec = spec;
	for (int i = 0; i < ROUNDS && wrong < 10; i++) {
		argv_random(&r, 3, (uint64_t)i, i % 2);
		wrong += !round_agrees(&r, &accepted);
	}
	assert_int_equal(wrong, 0);
	assert_true(accepted > ROUNDS / 5 && accepted < ROUNDS * 19 / 20);
	arena_release(&r.arena);
	buf_release(&shorts);
	free(longs);
	spec_free(spec);
}

static void gnu(void **state)
{
	(void)state;
	compare("testdata/cli/getopt_long.json", "");
}

static void posix(void **state)
{
	(void)state;
	compare("testdata/cli/getopt.json", "+");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gnu),
		cmocka_unit_test(posix),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
