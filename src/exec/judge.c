#include "exec/judge.h"

#include <string.h>

#include "exec/value.h"

/* One piece of the command line: the command, or an option or argument with values. */
struct piece {
	const struct command *command;
	const struct meaning_item *item; /* NULL: the command itself */
	const char *directory;
};

static void command_path(const struct command *c, struct buf *out)
{
	if (c->parent) {
		command_path(c->parent, out);
		buf_addc(out, ' ');
	}
	buf_adds(out, c->name);
}

/* "*" is any; "NAME NAME *" also what is below; else exactly this one. */
static int command_fits(const char *wanted, const struct command *command)
{
	size_t len = strlen(wanted);
	struct buf path = {0};
	int fits;

	if (strcmp(wanted, "*") == 0)
		return 1;
	command_path(command, &path);
	if (len > 2 && strcmp(wanted + len - 2, " *") == 0)
		fits = path.len >= len - 2 && strncmp(path.data, wanted, len - 2) == 0 &&
		       (path.data[len - 2] == ' ' || path.data[len - 2] == '\0');
	else
		fits = strcmp(path.data, wanted) == 0;
	buf_release(&path);
	return fits;
}

static int name_fits(const char *wanted, const char *name)
{
	return wanted && (strcmp(wanted, "*") == 0 || strcmp(wanted, name) == 0);
}

static int names_piece(const struct rulebook_rule *r, const struct piece *p)
{
	if (!command_fits(r->command, p->command))
		return 0;
	if (!p->item)
		return !r->option && !r->argument;
	return p->item->option ? name_fits(r->option, p->item->option->name)
			       : name_fits(r->argument, p->item->argument->name);
}

/* A list of which one is to fit. */
static enum fit fits_one(const struct rulebook_rule *r, const char *const *list, const char *value,
	const char *directory)
{
	enum fit best = FIT_NO;

	for (size_t i = 0; list[i]; i++) {
		enum fit fit = list == r->below	  ? value_below(value, directory, list[i])
			       : list == r->hosts ? value_host(value, list[i])
			       : strcmp(value, list[i]) == 0 ? FIT_YES
							     : FIT_NO;

		if (fit == FIT_YES)
			return FIT_YES;
		if (fit == FIT_MAYBE)
			best = FIT_MAYBE;
	}
	return best;
}

/* All conditions of the rule on one value. */
static enum fit value_fits(const struct rulebook_rule *r, const char *value, const char *directory)
{
	const char *const *const lists[] = {r->below, r->hosts, r->is};
	enum fit worst = FIT_YES;

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		enum fit fit = lists[i] ? fits_one(r, lists[i], value, directory) : FIT_YES;

		if (fit == FIT_NO)
			return FIT_NO;
		if (fit == FIT_MAYBE)
			worst = FIT_MAYBE;
	}
	if (r->has_range) {
		enum fit fit = value_in_range(value, r->low, r->high);

		if (fit != FIT_YES)
			return fit == FIT_NO ? FIT_NO : FIT_MAYBE;
	}
	return worst;
}

static int holds(const struct rulebook_rule *r, const struct piece *p)
{
	int deny = r->decide == DECIDE_DENY;

	if (!r->below && !r->hosts && !r->is && !r->has_range)
		return 1;
	if (!p->item)
		return deny;
	for (size_t i = 0; i < p->item->n_values; i++) {
		enum fit fit = value_fits(r, p->item->values[i], p->directory);

		if (deny && fit != FIT_NO)
			return 1;
		if (!deny && fit != FIT_YES)
			return 0;
	}
	return !deny && p->item->n_values > 0;
}

/* The first rule that names the piece and holds; NULL: none. */
static const struct rulebook_rule *rule_of(const struct rulebook *book, const struct piece *p)
{
	for (size_t i = 0; i < book->n_rules; i++)
		if (names_piece(&book->rules[i], p) && holds(&book->rules[i], p))
			return &book->rules[i];
	return NULL;
}

static const char *explain(const struct rulebook *book, const struct piece *p,
	const struct rulebook_rule *r, struct arena *arena)
{
	struct buf text = {0};
	const char *why;

	if (p->item)
		buf_adds(&text, p->item->option ? p->item->option->name : p->item->argument->name);
	else
		command_path(p->command, &text);
	if (r)
		buf_addf(&text, ": rule %td", r - book->rules + 1);
	else
		buf_adds(&text, ": no rule, the default");
	if (r && r->reason)
		buf_addf(&text, ", %s", r->reason);
	why = arena_strdup(arena, text.data);
	buf_release(&text);
	return why;
}

void judge(const struct rulebook *book, const struct meaning *m, const char *directory,
	struct arena *arena, struct judgement *out)
{
	struct piece piece = {m->command, NULL, directory};

	*out = (struct judgement){DECIDE_AUTO, NULL, &book->settings};
	for (size_t i = 0; i <= m->n_items; i++) {
		const struct rulebook_rule *r;
		enum decision d;

		piece.item = i == 0 ? NULL : &m->items[i - 1];
		r = rule_of(book, &piece);
		d = r ? r->decide : book->fallback;
		if (i == 0 && r)
			out->settings = &r->settings;
		if (d > out->decision || !out->why) {
			out->decision = d;
			out->why = explain(book, &piece, r, arena);
		}
	}
}

/* The command of the rule without " *"; NULL where it is not there. */
static const struct command *command_named(const struct spec *spec, const char *wanted)
{
	size_t len = strlen(wanted);

	for (size_t i = 0; i < spec->n_commands; i++) {
		struct buf path = {0};
		int same;

		command_path(spec->commands[i], &path);
		same = strcmp(path.data, wanted) == 0 ||
		       (path.len + 2 == len && strncmp(wanted, path.data, path.len) == 0 &&
			       strcmp(wanted + path.len, " *") == 0);
		buf_release(&path);
		if (same)
			return spec->commands[i];
	}
	return NULL;
}

static int has_name(const struct command *c, const struct rulebook_rule *r)
{
	for (size_t i = 0; r->option && i < c->n_options; i++)
		if (name_fits(r->option, c->options[i]->name))
			return 1;
	for (size_t i = 0; r->argument && i < c->n_arguments; i++)
		if (name_fits(r->argument, c->arguments[i]->name))
			return 1;
	return !r->option && !r->argument;
}

static int known_below(const struct spec *spec, const struct rulebook_rule *r)
{
	for (size_t i = 0; i < spec->n_commands; i++)
		if (command_fits(r->command, spec->commands[i]) && has_name(spec->commands[i], r))
			return 1;
	return 0;
}

size_t judge_unknown_names(const struct rulebook *book, const struct spec *spec, struct buf *out)
{
	size_t n = 0, len = strlen(spec->name);

	for (size_t i = 0; i < book->n_rules; i++) {
		const struct rulebook_rule *r = &book->rules[i];
		const char *name = r->option ? r->option : r->argument;

		if (strcmp(r->command, "*") == 0 || strncmp(r->command, spec->name, len) != 0 ||
			(r->command[len] != ' ' && r->command[len] != '\0'))
			continue;
		if (!command_named(spec, r->command))
			buf_addf(out, "rule %zu: %s has no command '%s'\n", i + 1, spec->name,
				r->command);
		else if (!known_below(spec, r))
			buf_addf(out, "rule %zu: '%s' has no '%s' (by its first name)\n", i + 1,
				r->command, name);
		else
			continue;
		n++;
	}
	return n;
}
