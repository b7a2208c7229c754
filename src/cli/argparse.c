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
		w->spelling = text;
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

int argparse_is_argument(const struct spec *spec, const struct command *c, const char *word)
{
	struct verdict v = {.code = VERDICT_OK};
	struct word result = {0};
	struct parse p = {.spec = spec, .command = c, .argc = 1, .argv = &word, .verdict = &v};
	struct argparse s = {&p, &result};

	if (!strcmp(word, "--"))
		return 0;
	return word_classify(&s, 0, has_negative_options(c)) == 0 && result.class == 'A';
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

/* argparse complains of words that nothing took only when all else is done, and not
 * at all where --help comes in between: keeps the first such fault for later. */
static void late_fault(struct parse *p)
{
	if (!p->late) {
		p->late = arena_alloc(p->arena, sizeof(*p->late));
		*p->late = *p->verdict;
	}
	p->verdict->code = VERDICT_OK;
	p->verdict->at = 0;
	p->verdict->message[0] = '\0';
}

int argparse_finish(struct parse *p)
{
	if (!p->late)
		return 0;
	*p->verdict = *p->late;
	return -1;
}

/* Takes the values of an option with an argument: attached, or a run of 'A's. */
static int values_consume(struct argparse *s, const struct word *w, int at, const char **values,
	size_t most, size_t *n)
{
	struct parse *p = s->p;
	const struct argument *a = w->option->argument;

	*n = 0;
	if (w->attached) {
		if (a->min_count > 1)
			return parse_fail(p, VERDICT_MISSING_VALUE, at, "'%s' needs %d values",
				w->option->name, a->min_count);
		values[(*n)++] = w->attached;
		return 0;
	}
	while (*n < most && p->next < p->argc && s->words[p->next].class == 'A' &&
		!w->option->attached)
		values[(*n)++] = p->argv[p->next++];
	if (*n < (size_t)a->min_count)
		return parse_fail(p, VERDICT_MISSING_VALUE, p->next, "'%s' needs %s",
			w->option->name, a->min_count > 1 ? "more values" : "a value");
	return 0;
}

static int eager_since(const struct parse *p, size_t first)
{
	for (size_t i = first; i < p->n_occurrences; i++)
		if (p->occurrences[i].option->eager)
			return 1;
	return 0;
}

/* consume_optional(): p->next ends behind the option and its values.  1: an eager
 * option was among them; 0; -1.  The options of a cluster act once all of it has
 * been read, so that a value behind an eager one is not looked at. */
static int optional_consume(struct argparse *s)
{
	struct parse *p = s->p;
	int at = p->next++;
	struct word w = s->words[at];
	size_t before = p->n_occurrences, most, n;
	const char **values;

	if (!w.option) {
		unknown_option(p, p->argv[at], strcspn(p->argv[at], "="), at);
		late_fault(p);
		return 0;
	}
	if (cluster_read(s, &w, at) < 0)
		return -1;
	if (!w.option->argument) {
		if (w.attached)
			return parse_fail(p, VERDICT_UNEXPECTED_VALUE, at, "'%s' takes no value",
				w.option->name);
		if (occurrence_add(p, w.option, 0, NULL, at, at) < 0)
			return -1;
		return eager_since(p, before);
	}
	most = w.option->argument->max_count < 0 ? (size_t)p->argc
						 : (size_t)w.option->argument->max_count;
	values = arena_alloc(
		p->arena, (most < (size_t)p->argc ? most : (size_t)p->argc) * sizeof(*values));
	if (values_consume(s, &w, at, values, most, &n) < 0)
		return -1;
	if (eager_since(p, before))
		return 1;
	return occurrence_add(p, w.option, n, values, at, w.attached ? at : at + 1);
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
 * satisfy take their words, "--" among them; what they leave is too many.  *first
 * is the next positional.  Words are gathered as operands: how those of one run are
 * shared out is what operands_settle() does for all, and no positional takes words
 * of two runs.
 */
static void positionals_consume(struct argparse *s, size_t *first)
{
	struct parse *p = s->p;
	const struct command *c = p->command;
	size_t run = run_length(s, p->next), least = 0, most = 0, last = *first;
	int taken;

	while (last < c->n_arguments && least + (size_t)c->arguments[last]->min_count <= run) {
		least += (size_t)c->arguments[last]->min_count;
		most = c->arguments[last]->max_count < 0 || most > (size_t)p->argc
			       ? (size_t)p->argc + 1
			       : most + (size_t)c->arguments[last]->max_count;
		last++;
	}
	taken = last > *first;
	*first = last;
	for (; p->next < p->argc && s->words[p->next].class != 'O'; p->next++) {
		if (s->words[p->next].class == '-' && taken)
			continue;
		if (most > 0) {
			operand_add(p, p->argv[p->next], p->next);
			most--;
			continue;
		}
		parse_fail(p, VERDICT_TOO_MANY, p->next, "'%s' has no place for '%.80s' here",
			c->name, p->argv[p->next]);
		late_fault(p);
	}
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
	int rc;

	if (words_classify(&s) < 0)
		return -1;
	while (p->next < p->argc) {
		if (s.words[p->next].class != 'O' && p->command->n_commands > 0)
			return group_rest(&s);
		if (s.words[p->next].class != 'O') {
			positionals_consume(&s, &first);
			continue;
		}
		rc = optional_consume(&s);
		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		/* The positionals so far have been converted by now. */
		p->n_arguments = first;
		return operands_settle(p);
	}
	return 0;
}
