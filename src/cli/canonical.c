/* canonical.c - one spelling for each meaning, and meanings compared. */
#include <string.h>
#include "cli/dialect.h"
#include "cli/spec_private.h"
#include "cli/verify.h"

struct writer {
	const struct spec *spec;
	struct arena *arena;
	const char **argv;
	int argc;
	int open; /* the last option could take the next word too */
};

static char *join(struct arena *arena, const char *a, const char *between, const char *b)
{
	size_t n = strlen(a), m = strlen(between), k = strlen(b);
	char *out = arena_alloc(arena, n + m + k + 1);

	memcpy(out, a, n);
	memcpy(out + n, between, m);
	memcpy(out + n + m, b, k + 1);
	return out;
}

/* The values of a list option in one word. */
static const char *list_word(struct arena *arena, const struct meaning_item *item, char separator)
{
	size_t size = 1;
	char *out, *end;

	for (size_t i = 0; i < item->n_values; i++)
		size += strlen(item->values[i]) + 1;
	out = end = arena_alloc(arena, size);
	for (size_t i = 0; i < item->n_values; i++) {
		if (i)
			*end++ = separator;
		end = stpcpy(end, item->values[i]);
	}
	*end = '\0';
	return out;
}

/* Whether the value must be written into the word of the option. */
static int must_attach(const struct writer *w, const struct option *o, const char *value)
{
	const struct dialect_traits *t = &dialect_traits[w->spec->dialect];

	if (!o->argument || o->attached)
		return 1; /* a flag: Go's --flag=false */
	if (o->argument->min_count == 0 && !t->optional_separate)
		return 1;
	return value[0] == '-' && value[1] && (!t->dash_values || o->argument->min_count == 0);
}

static const char *attached_word(const struct writer *w, const struct option *o, const char *value)
{
	const struct dialect_traits *t = &dialect_traits[w->spec->dialect];
	int is_long = o->name[1] == '-' || t->one_dash_long || o->name[2];

	return join(w->arena, o->name, is_long || t->short_equals ? "=" : "", value);
}

static void word_put(struct writer *w, const char *word)
{
	w->argv[w->argc++] = word;
}

static void option_put(struct writer *w, const struct meaning_item *item)
{
	const struct option *o = item->option;
	size_t group = 1, n = item->n_values;
	const char *const *values = item->values;
	const char *list[1];

	/* A next word is only taken where the dialect looks at it: "git diff --stat -- x"
	 * would be another command than "git diff --stat x". */
	w->open = o->argument && n == 0 && !o->attached &&
		  dialect_traits[w->spec->dialect].optional_separate;
	if (n == 0) {
		word_put(w, o->name);
		return;
	}
	if (o->separator) {
		list[0] = list_word(w->arena, item, o->separator);
		values = list;
		n = 1;
	}
	if (o->argument && o->argument->max_count != 1) {
		group = o->argument->max_count < 0 ? n : (size_t)o->argument->max_count;
		w->open = o->argument->min_count != o->argument->max_count;
	}
	for (size_t i = 0; i < n; i += group) {
		if (group == 1 && must_attach(w, o, values[i])) {
			word_put(w, attached_word(w, o, values[i]));
			w->open = 0;
			continue;
		}
		word_put(w, o->name);
		for (size_t k = i; k < n && k < i + group; k++)
			word_put(w, values[k]);
	}
}

/* 1 where the option is written behind the command c of the chain ending in leaf. */
static int belongs(const struct option *o, const struct command *c, const struct command *leaf)
{
	int own = o->index < c->n_own && c->options[o->index] == o;

	if (!o->recursive)
		return own;
	return c == leaf;
}

static size_t words_bound(const struct meaning *m)
{
	size_t n = m->command->depth + 3;

	for (size_t i = 0; i < m->n_items; i++)
		n += 2 + 2 * m->items[i].n_values;
	return n;
}

static void operands_put(struct writer *w, const struct meaning *m)
{
	int dash = w->open, any = 0;

	for (size_t i = 0; i < m->n_items; i++)
		for (size_t k = 0; !m->items[i].option && k < m->items[i].n_values; k++) {
			dash |= m->items[i].values[k][0] == '-';
			any = 1;
		}
	if (any && dash)
		word_put(w, "--");
	for (size_t i = 0; i < m->n_items; i++)
		for (size_t k = 0; !m->items[i].option && k < m->items[i].n_values; k++)
			word_put(w, m->items[i].values[k]);
}

int meaning_argv(
	const struct spec *spec, const struct meaning *m, struct arena *arena, const char ***argv)
{
	const struct command *chain[SPEC_DEPTH_MAX + 2], *leaf = m->command, *at = leaf;
	struct writer w = {spec, arena, NULL, 0, 0};
	int late = dialect_traits[spec->dialect].late_options;

	w.argv = arena_alloc(arena, words_bound(m) * sizeof(*w.argv));
	do
		chain[at->depth] = at;
	while ((at = at->parent));
	for (size_t d = 0; d <= leaf->depth; d++) {
		if (w.open)
			word_put(&w, "--");
		w.open = 0;
		/* cppcheck-suppress uninitvar ; all up to the leaf's depth are set */
		word_put(&w, d == 0 ? spec->name : chain[d]->name);
		for (size_t i = 0; i < m->n_items && !(late && d < leaf->depth); i++)
			if (m->items[i].option && belongs(m->items[i].option, chain[d], leaf))
				option_put(&w, &m->items[i]);
	}
	operands_put(&w, m);
	w.argv[w.argc] = NULL;
	*argv = w.argv;
	return w.argc;
}

/* Whether an item says only what holds without it. */
static int states_default(const struct meaning_item *item)
{
	const struct option *o = item->option;
	int on = item->n_values == 0;

	if (item->argument)
		return item->argument->default_value && item->n_values == 1 &&
		       !strcmp(item->values[0], item->argument->default_value);
	if (o->repeatable)
		return 0;
	if (o->negates) /* its flag off: the default where that is off */
		return on ? o->negates->flag_default == 0 : o->negates->flag_default == 1;
	return on ? o->flag_default == 1 : o->flag_default != 1;
}

void meaning_drop_defaults(struct meaning *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_items; i++)
		if (!states_default(&m->items[i]))
			m->items[n++] = m->items[i];
	m->n_items = n;
}

static int items_equal(const struct meaning_item *a, const struct meaning_item *b)
{
	if (a->option != b->option || a->argument != b->argument || a->n_values != b->n_values)
		return 0;
	for (size_t i = 0; i < a->n_values; i++)
		if (strcmp(a->values[i], b->values[i]) != 0)
			return 0;
	return 1;
}

static const struct meaning_item *item_next(const struct meaning *m, size_t *i)
{
	while (*i < m->n_items && states_default(&m->items[*i]))
		(*i)++;
	return *i < m->n_items ? &m->items[(*i)++] : NULL;
}

int meaning_match(const struct meaning *a, const struct meaning *b)
{
	size_t i = 0, k = 0;

	if (a->command != b->command)
		return 0;
	for (;;) {
		const struct meaning_item *x = item_next(a, &i), *y = item_next(b, &k);

		if (!x || !y)
			return x == y;
		if (!items_equal(x, y))
			return 0;
	}
}

int argv_is_canonical(
	const struct spec *spec, int argc, const char *const *argv, struct arena *arena)
{
	struct verdict v;
	struct meaning m;
	const char **canonical;

	if (verify(spec, argc, argv, arena, &m, &v) != VERDICT_OK)
		return 0;
	if (meaning_argv(spec, &m, arena, &canonical) != argc)
		return 0;
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], canonical[i]) != 0)
			return 0;
	return 1;
}
