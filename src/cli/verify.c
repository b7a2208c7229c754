/* verify.c - walks the command levels of an argv. */
#include <stddef.h>
#include <string.h>
#include "cli/parse.h"
#include "cli/value.h"

static int unknown_command(struct parse *p, const char *word, int at)
{
	const struct command *c = p->command;
	struct nearest nearest = {0};

	for (size_t i = 0; i < c->n_commands; i++)
		nearest_offer(&nearest, word, c->commands[i]->name);
	if (nearest.text)
		return parse_fail(p, VERDICT_UNKNOWN_COMMAND, at,
			"'%s' has no command '%.80s'; did you mean '%s'?", c->name, word,
			nearest.text);
	return parse_fail(
		p, VERDICT_UNKNOWN_COMMAND, at, "'%s' has no command '%.80s'", c->name, word);
}

static int words_check(struct parse *p)
{
	const char *name = p->spec->name;
	size_t bytes = 0;

	if (p->argc <= 0)
		return parse_fail(p, VERDICT_EMPTY, 0, "no words at all");
	if (p->argc > VERIFY_WORDS_MAX)
		return parse_fail(p, VERDICT_TOO_MANY, VERIFY_WORDS_MAX, "more than %d words",
			VERIFY_WORDS_MAX);
	for (int i = 0; i < p->argc; i++) {
		size_t n = strlen(p->argv[i]);

		bytes += n + 1;
		if (n > VERIFY_WORD_BYTES_MAX || bytes > VERIFY_BYTES_MAX)
			return parse_fail(
				p, VERDICT_TOO_MANY, i, "more bytes than a command line can have");
		if (!value_is_clean(p->argv[i]))
			return parse_fail(p, VERDICT_BAD_TEXT, i,
				"word %d holds a control character or is not UTF-8", i);
	}
	if (strcmp(p->argv[0], name) != 0)
		return parse_fail(p, VERDICT_WRONG_PROGRAM, 0, "the program is '%s', not '%.80s'",
			name, p->argv[0]);
	return 0;
}

/* Reads and settles the level of p->command. */
static int level_read(struct parse *p)
{
	int rc;

	p->n_operands = 0;
	p->n_arguments = p->command->n_arguments;
	rc = p->spec->dialect == DIALECT_ARGPARSE ? argparse_read(p) : tokens_read(p);
	return rc < 0 ? -1 : level_settle(p);
}

/* A group's first operand names a command.  1: went down; 0: stays here; 2: an
 * eager option ends it; -1. */
static int level_descend(struct parse *p)
{
	const struct command *c = p->command, *child;
	const struct operand *first = p->operands;
	int rc;

	if (c->n_commands == 0)
		return 0;
	if (p->n_operands == 0) {
		if (c->runnable)
			return 0;
		return parse_fail(p, VERDICT_MISSING_COMMAND, p->argc, "'%s' needs a command%s%s",
			c->name, c->n_commands == 1 ? ": " : "",
			c->n_commands == 1 ? c->commands[0]->name : "");
	}
	if (c->n_arguments > 0 && first->text[0] == '-')
		return 0;
	child = lookup_command(c, first->text);
	if (child) {
		p->next = first->at + 1;
		p->command = child;
		p->command_at[child->depth] = first->at;
		return 1;
	}
	if (p->spec->dialect == DIALECT_CLICK && first->text[0] == '-' && first->text[1]) {
		struct operand unknown = *first;

		if (tokens_reread(p, unknown.at) < 0)
			return -1;
		rc = level_settle(p);
		if (rc != 0)
			return rc < 0 ? -1 : 2;
		return unknown_command(p, unknown.text, unknown.at);
	}
	return unknown_command(p, first->text, first->at);
}

static int levels_walk(struct parse *p)
{
	int rc;

	do {
		rc = level_read(p);
		if (rc != 0)
			return rc;
		rc = level_descend(p);
	} while (rc == 1);
	return rc == 2 ? 1 : rc;
}

/* The first word that is neither an option nor, as far as c knows, an option's value;
 * -1 where there is none before "--".  An unknown option is taken to have a value. */
static int cobra_word(const struct parse *p, const struct command *c)
{
	for (int i = 1; i < p->argc; i++) {
		const char *word = p->argv[i];
		const struct option *o;

		if (p->taken[i] || !*word || !strcmp(word, "-"))
			continue;
		if (!strcmp(word, "--"))
			return -1;
		if (word[0] != '-')
			return i;
		if (strchr(word, '=') || (word[1] != '-' && word[2]))
			continue;
		o = lookup_option(c, word, strlen(word));
		if (o && (!o->argument || o->optional_value))
			continue;
		for (i++; i < p->argc && p->taken[i];)
			i++;
	}
	return -1;
}

/* Cobra looks for the command first, from the beginning again at each level;
 * options are then read by the command that was found. */
static void cobra_find(struct parse *p)
{
	unsigned char *taken = arena_zalloc(p->arena, (size_t)p->argc);
	const struct command *child;
	int at;

	p->taken = taken;
	while ((at = cobra_word(p, p->command)) >= 0) {
		child = lookup_command(p->command, p->argv[at]);
		if (!child)
			return;
		taken[at] = 1;
		p->command = child;
		p->command_at[child->depth] = at;
	}
}

static int cobra_walk(struct parse *p)
{
	const struct command *c;
	int rc;

	cobra_find(p);
	c = p->command;
	rc = level_read(p);
	if (rc != 0 || c->n_commands == 0)
		return rc;
	if (p->n_operands > 0 && c->n_arguments == 0)
		return unknown_command(p, p->operands[0].text, p->operands[0].at);
	if (!c->runnable)
		return parse_fail(
			p, VERDICT_MISSING_COMMAND, p->argc, "'%s' needs a command", c->name);
	return 0;
}

static void meaning_eager(struct parse *p, struct meaning *m)
{
	if (!m)
		return;
	m->command = p->command;
	m->n_items = 1;
	m->items = arena_zalloc(p->arena, sizeof(*m->items));
	m->items[0] = p->pending[0].item;
}

int parse_run(struct parse *p, const struct spec *spec, int argc, const char *const *argv,
	struct arena *arena, struct verdict *v)
{
	int rc;

	/* The room for occurrences needs no clearing, and is most of the struct. */
	memset(p, 0, offsetof(struct parse, inline_occurrences));
	memset((char *)p + offsetof(struct parse, occurrences), 0,
		sizeof(*p) - offsetof(struct parse, occurrences));
	p->spec = spec;
	p->traits = &dialect_traits[spec->dialect];
	p->arena = arena;
	p->verdict = v;
	p->argc = argc;
	p->argv = argv;
	p->next = 1;
	p->command = spec->root;
	p->occurrences = p->inline_occurrences;
	p->cap_occurrences = OCCURRENCES_INLINE;
	v->code = VERDICT_OK;
	v->at = 0;
	v->message[0] = '\0';
	if (words_check(p) < 0)
		return -1;
	/* A cluster may leave one operand of unknown letters: never more than words. */
	p->operands = arena_alloc(arena, (size_t)argc * sizeof(*p->operands));
	rc = p->traits->late_options ? cobra_walk(p) : levels_walk(p);
	if (rc == 0 && (operands_settle(p) < 0 || rules_settle(p) < 0 || argparse_finish(p) < 0))
		return -1;
	if (rc == 1 && eager_settle(p) < 0)
		return -1;
	return rc;
}

enum verdict_code verify(const struct spec *spec, int argc, const char *const *argv,
	struct arena *arena, struct meaning *meaning, struct verdict *v)
{
	struct parse p;
	int rc = parse_run(&p, spec, argc, argv, arena, v);

	if (rc == 0)
		meaning_settle(&p, meaning);
	else if (rc == 1)
		meaning_eager(&p, meaning);
	return v->code;
}
