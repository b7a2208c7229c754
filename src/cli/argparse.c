/*
 * argparse.c - Python's argparse, whose reading of a word depends on all others.
 *
 * First every word is put into a class: 'O' an option, 'A' an argument, '-' the
 * first "--" (after which all are arguments).  Then options take as many A's as
 * their nargs allow, and positionals take runs of A's between them, as many
 * positionals at a time as the run can satisfy (CPython 3.11, argparse.py).
 */
#include <string.h>
#include "cli/parse.h"

struct word {
	char class;
	const struct option *option; /* of an 'O'; NULL: unknown */
	const char *spelling;	     /* by which it was found */
	const char *attached;	     /* its value, or the rest of a cluster */
	int explicit_long;	     /* found by --name=value */
};

struct argparse {
	struct parse *p;
	struct word *words; /* by index in argv */
};

static int is_negative_number(const char *s)
{
	size_t whole, part = 0;

	if (*s++ != '-')
		return 0;
	whole = strspn(s, "0123456789");
	s += whole;
	if (*s == '.') {
		part = strspn(s + 1, "0123456789");
		return part > 0 && s[1 + part] == '\0';
	}
	return whole > 0 && *s == '\0';
}

static int has_negative_options(const struct command *c)
{
	for (size_t i = 0; i < c->n_options; i++) {
		if (is_negative_number(c->options[i]->name))
			return 1;
		for (const char *const *a = c->options[i]->aliases; *a; a++)
			if (is_negative_number(*a))
				return 1;
	}
	return 0;
}

/* One candidate of _get_option_tuples(); two are ambiguous. */
static int candidate(struct parse *p, struct word *w, const struct option *o, const char *spelling,
	const char *attached, int at)
{
	if (w->option)
		return parse_fail(p, VERDICT_AMBIGUOUS_OPTION, at, "'%.80s' may mean '%s' or '%s'",
			p->argv[at], w->spelling, spelling);
	w->option = o;
	w->spelling = spelling;
	w->attached = attached;
	return 0;
}

/* Names that a word begins or abbreviates. */
static int candidates_find(struct parse *p, struct word *w, int at)
{
	const char *text = p->argv[at], *equals = strchr(text, '=');
	int is_long = text[1] == '-';
	size_t len = is_long && equals ? (size_t)(equals - text) : strlen(text);
	size_t letter = 2;

	while (((unsigned char)text[letter] & 0xc0) == 0x80)
		letter++; /* a short name may be any character */
	for (size_t i = 0; i < p->command->n_options; i++) {
		const struct option *o = p->command->options[i];
		const char *name = o->name;

		for (const char *const *a = o->aliases; name; name = *a++) {
			int rc = 0;

			if (!is_long && strlen(name) == letter && !strncmp(name, text, letter))
				rc = candidate(p, w, o, name, text + letter, at);
			else if (!strncmp(name, text, len))
				rc = candidate(
					p, w, o, name, is_long && equals ? equals + 1 : NULL, at);
			if (rc < 0)
				return -1;
		}
	}
	return w->option != NULL;
}

/* _parse_optional() */
static int word_classify(struct argparse *s, int at, int negative_options)
{
	struct parse *p = s->p;
	struct word *w = &s->words[at];
	const char *text = p->argv[at], *equals = strchr(text, '=');
	int rc;

	w->class = 'A';
	if (text[0] != '-')
		return 0;
	w->option = lookup_option(p->command, text, strlen(text));
	w->spelling = text;
	if (w->option || text[1] == '\0') {
		w->class = w->option ? 'O' : 'A';
		return 0;
	}
	if (equals) {
		w->option = lookup_option(p->command, text, (size_t)(equals - text));
		w->attached = equals + 1;
		w->spelling = w->option ? w->option->name : text;
		if (w->option) {
			w->class = 'O';
			return 0;
		}
		w->attached = NULL;
	}
	rc = candidates_find(p, w, at);
	if (rc < 0)
		return -1;
	if (rc == 1) {
		w->class = 'O';
		return 0;
	}
	if (is_negative_number(text) && !negative_options)
		return 0;
	if (!strchr(text, ' '))
		w->class = 'O';
	return 0;
}

static int words_classify(struct argparse *s)
{
	struct parse *p = s->p;
	int negative_options = has_negative_options(p->command), ended = 0;

	s->words = arena_zalloc(p->arena, (size_t)p->argc * sizeof(*s->words));
	for (int i = p->next; i < p->argc; i++) {
		if (ended) {
			s->words[i].class = 'A';
		} else if (!strcmp(p->argv[i], "--")) {
			s->words[i].class = '-';
			ended = 1;
		} else if (word_classify(s, i, negative_options) < 0) {
			return -1;
		}
	}
	return 0;
}

/* Flags before the last letter of a cluster; *w becomes what the last letter says. */
static int cluster_read(struct argparse *s, struct word *w, int at)
{
	struct parse *p = s->p;

	while (w->attached && *w->attached && !w->option->argument) {
		char spelling[8] = "-";
		size_t size = 1;

		if (w->spelling[1] == '-')
			break;
		while (((unsigned char)w->attached[size] & 0xc0) == 0x80)
			size++;
		if (occurrence_add(p, w->option, 0, NULL, at, at) < 0)
			return -1;
		if (w->option->eager)
			return 1;
		memcpy(spelling + 1, w->attached, size);
		w->option = lookup_option(p->command, spelling, size + 1);
		if (!w->option)
			return parse_fail(p, VERDICT_UNEXPECTED_VALUE, at,
				"in '%.80s', '%s' is neither an option nor a value", p->argv[at],
				spelling);
		w->spelling = "-x"; /* found by its letter */
		w->attached = w->attached[size] ? w->attached + size : NULL;
	}
	return 0;
}

/* consume_optional(): returns 0, and p->next behind the option and its values. */
static int optional_consume(struct argparse *s)
{
	struct parse *p = s->p;
	int at = p->next++, rc;
	struct word w = s->words[at];
	const struct argument *a;
	const char **values;
	size_t n = 0, most;

	if (!w.option)
		return unknown_option(p, p->argv[at], strcspn(p->argv[at], "="), at);
	rc = cluster_read(s, &w, at);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	a = w.option->argument;
	if (!a) {
		if (w.attached)
			return parse_fail(p, VERDICT_UNEXPECTED_VALUE, at, "'%s' takes no value",
				w.option->name);
		return occurrence_add(p, w.option, 0, NULL, at, at);
	}
	most = a->max_count < 0 ? (size_t)p->argc : (size_t)a->max_count;
	values = arena_alloc(
		p->arena, (most < (size_t)p->argc ? most : (size_t)p->argc) * sizeof(*values));
	if (w.attached) {
		if (a->min_count > 1)
			return parse_fail(p, VERDICT_MISSING_VALUE, at, "'%s' needs %d values",
				w.option->name, a->min_count);
		values[0] = w.attached;
		return occurrence_add(p, w.option, 1, values, at, at);
	}
	while (n < most && p->next < p->argc && s->words[p->next].class == 'A' &&
		!(w.option->attached))
		values[n++] = p->argv[p->next++];
	if (n < (size_t)a->min_count)
		return parse_fail(p, VERDICT_MISSING_VALUE, p->next, "'%s' needs %s",
			w.option->name, a->min_count > 1 ? "more values" : "a value");
	return occurrence_add(p, w.option, n, values, at, at + 1);
}

/* Length of the run of arguments that begins at `from`, "--" not counted. */
static size_t run_length(const struct argparse *s, int from)
{
	size_t n = 0;

	for (int i = from; i < s->p->argc && s->words[i].class != 'O'; i++)
		n += s->words[i].class == 'A';
	return n;
}

/*
 * consume_positionals(): as many of the positionals that are left as this run can
 * satisfy take their words; what they leave is too many.  *first is the next
 * positional.  Words are gathered as operands: how they are shared out among the
 * positionals of one run is what operands_settle() does for all, and since a
 * positional never takes words of two runs, a run that serves the last one ends it.
 */
static int positionals_consume(struct argparse *s, size_t *first)
{
	struct parse *p = s->p;
	const struct command *c = p->command;
	size_t run = run_length(s, p->next), least = 0, most = 0, last = *first;

	while (last < c->n_arguments && least + (size_t)c->arguments[last]->min_count <= run) {
		least += (size_t)c->arguments[last]->min_count;
		most = c->arguments[last]->max_count < 0 || most > (size_t)p->argc
			       ? (size_t)p->argc + 1
			       : most + (size_t)c->arguments[last]->max_count;
		last++;
	}
	*first = last;
	for (; p->next < p->argc && s->words[p->next].class != 'O'; p->next++) {
		if (s->words[p->next].class == '-')
			continue;
		if (most == 0)
			return parse_fail(p, VERDICT_TOO_MANY, p->next,
				"'%s' has no place for '%.80s' here", c->name, p->argv[p->next]);
		operand_add(p, p->argv[p->next], p->next);
		most--;
	}
	return 0;
}

/* A group: the first argument that no option takes names the subcommand. */
static int group_rest(struct argparse *s)
{
	struct parse *p = s->p;

	for (; p->next < p->argc; p->next++)
		if (s->words[p->next].class != '-')
			operand_add(p, p->argv[p->next], p->next);
	return 0;
}

int argparse_read(struct parse *p)
{
	struct argparse s = {.p = p};
	size_t first = 0;

	if (words_classify(&s) < 0)
		return -1;
	while (p->next < p->argc) {
		int rc;

		if (s.words[p->next].class == 'O')
			rc = optional_consume(&s);
		else if (p->command->n_commands > 0)
			return group_rest(&s);
		else
			rc = positionals_consume(&s, &first);
		if (rc < 0)
			return -1;
		if (p->n_occurrences > 0 && p->occurrences[p->n_occurrences - 1].option->eager)
			return 0;
	}
	return 0;
}
