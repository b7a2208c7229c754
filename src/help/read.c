/* read.c - from entries to a command, and which parser printed them. */
#include "help/read.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "help/entry.h"
#include "help/infer.h"
#include "help/term.h"
#include "help/usage.h"

/* Marks that tell whose layout it is: where a text is found, and how much it weighs. */
static const struct layout_mark {
	const char *text;
	int left; /* in the left column (1), in the description (0), a title (2), or at the
		     beginning of the description (3), or the end of the left column (4) */
	enum dialect dialect;
	int weight;
} layout_marks[] = {
	{"--install-completion", 1, DIALECT_CLICK, 5},
	{"INTEGER RANGE", 1, DIALECT_CLICK, 5},
	{" TEXT", 1, DIALECT_CLICK, 2},
	{" INTEGER", 1, DIALECT_CLICK, 2},
	{" / --no-", 1, DIALECT_CLICK, 3},
	{"Show this message and exit.", 0, DIALECT_CLICK, 10},
	{"show this help message and exit", 0, DIALECT_ARGPARSE, 6},
	{"show program's version number and exit", 0, DIALECT_ARGPARSE, 4},
	{"Show help.", 0, DIALECT_OPTPARSE, 3},
	{"optional arguments", 2, DIALECT_ARGPARSE, 2},
	{"positional arguments", 2, DIALECT_ARGPARSE, 2},
	{"Available Commands", 2, DIALECT_COBRA, 2},
	{"Global Flags", 2, DIALECT_COBRA, 2},
	{"Flags", 2, DIALECT_COBRA, 1},
	{"help for ", 3, DIALECT_COBRA, 8},
	{"Print help", 0, DIALECT_CLAP, 8},
	{"Print version", 0, DIALECT_CLAP, 1},
	{" stringArray", 4, DIALECT_COBRA, 2},
	{" string", 4, DIALECT_COBRA, 2},
	{" duration", 4, DIALECT_COBRA, 2},
	{" strings", 4, DIALECT_COBRA, 2},
	{" list", 4, DIALECT_COBRA, 2},
	{"[command] --help\" for more information", 0, DIALECT_COBRA, 8},
	{"COMMAND --help' for more information", 0, DIALECT_COBRA, 8},
	{"[possible values:", 0, DIALECT_CLAP, 3},
	{"[env: ", 0, DIALECT_CLAP, 2},
	{"Help Options", 2, DIALECT_GOPTION, 8},
	{"Application Options", 2, DIALECT_GOPTION, 4},
	{"output version information and exit", 0, DIALECT_GETOPT_LONG, 3},
};

static void votes_count(struct help_command *c, const struct help_entry *e)
{
	for (size_t i = 0; i < sizeof layout_marks / sizeof *layout_marks; i++) {
		const struct layout_mark *m = &layout_marks[i];
		const char *where = m->left == 2   ? e->title
				    : m->left == 1 ? e->left
						   : e->description;

		if (m->left == 4) {
			size_t len = strlen(e->left), n = strlen(m->text);

			if (e->gap && len > n && !strcmp(e->left + len - n, m->text))
				c->votes[m->dialect] += m->weight;
		} else if (m->left == 3 ? !strncmp(where, m->text, strlen(m->text))
					: strstr(where, m->text) != NULL)
			c->votes[m->dialect] += m->weight;
	}
	if (e->kind == HELP_OPTION && e->left[0] == '-' && e->left[1] != '-' && e->left[1] &&
		e->left[2] && !strchr(" ,[|/=<", e->left[2]))
		c->votes[DIALECT_DASH] += 3;
	if (e->kind == HELP_OPTION && strstr(e->left, "--")) {
		c->votes[DIALECT_GETOPT_LONG]++;
		c->votes[DIALECT_DASH] -= 3;
	} else if (e->kind == HELP_OPTION) {
		c->votes[DIALECT_GETOPT]++;
	}
	if (e->kind == HELP_USAGE && !strncmp(e->left, "Usage", 5))
		c->votes[DIALECT_CLICK]++;
}

enum dialect help_dialect(const struct help_command *root)
{
	int sums[DIALECT_COUNT] = {0}, best = DIALECT_GETOPT_LONG;

	for (int d = 0; d < DIALECT_COUNT; d++) {
		sums[d] = root->votes[d] * 4;
		for (size_t i = 0; i < root->n_children; i++)
			sums[d] += root->children[i]->votes[d];
	}
	/* These two are what is left where no layout is known by its words. */
	sums[DIALECT_GETOPT_LONG] = sums[DIALECT_GETOPT_LONG] > 0 ? 2 : 1;
	sums[DIALECT_GETOPT] = sums[DIALECT_GETOPT_LONG] == 2 ? 0
			       : sums[DIALECT_GETOPT] > 0     ? 2
							      : 0;
	for (int d = 0; d < DIALECT_COUNT; d++)
		if (sums[d] > sums[best])
			best = d;
	return (enum dialect)best;
}

static void option_read(struct help_command *c, const struct help_entry *e, struct arena *arena)
{
	struct help_option o = {.description = e->description,
		.group = e->title,
		.line = e->line,
		.required = e->required,
		.flag_default = -1,
		.sure = 0.95};
	struct help_option *known;
	const char *rest;

	if (help_term_option(e->left, e->gap, arena, &o, &rest) < 0) {
		help_unread_add(c, e->line, e->left);
		return;
	}
	if (rest) {
		struct buf text = {0};

		buf_adds(&text, rest);
		if (*e->description)
			buf_addf(&text, " %s", e->description);
		o.description = arena_strdup(arena, text.data);
		o.sure = 0.7;
		buf_release(&text);
	}
	help_infer_option(&o, arena);
	known = help_option_find(c, o.names[0]);
	if (!known)
		help_option_add(c, &o);
	else if (known->from_usage)
		*known = o;
}

/* A name that a person types: letters, digits, dashes. */
static size_t command_name_length(const char *s)
{
	size_t n = 0;

	if (!isalnum((unsigned char)s[0]) && s[0] != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || (s[n] && strchr("-_.:+@", s[n])))
		n++;
	while (n > 0 && strchr(".:", s[n - 1]))
		n--;
	return n <= 64 && (!s[n] || strchr(" ,*:|()", s[n])) ? n : 0;
}

/* argparse lists an alias among the choices too: it is no command of its own. */
static void alias_merge(struct help_command *parent, const char *alias)
{
	for (size_t i = 0; i < parent->n_children; i++) {
		struct help_command *c = parent->children[i];

		if (strcmp(c->name, alias) != 0 || *c->description)
			continue;
		help_command_release(c);
		memmove(&parent->children[i], &parent->children[i + 1],
			(parent->n_children - i - 1) * sizeof c);
		parent->n_children--;
		return;
	}
}

/* "build, b", "build (b)", "get [FILE]", "clone  ..." */
static int child_read(struct help_command *c, const struct help_entry *e, struct arena *arena)
{
	const char *s = e->left, *aliases[HELP_NAMES_MAX];
	size_t n = command_name_length(s), n_aliases = 0;
	struct help_command *child;

	if (n == 0)
		return 0;
	child = help_command_add(arena, c, arena_strndup(arena, s, n));
	if (!child)
		return 0;
	if (*e->description)
		child->description = e->description;
	child->line = e->line;
	child->sure = e->section == HELP_SECTION_COMMANDS ? 0.95 : 0.8;
	for (s += n; n_aliases < HELP_NAMES_MAX; s += n) {
		size_t gap = strspn(s, " ,|(");

		if (!gap || (!strchr(",|(", *s) && s[1] != '('))
			break;
		s += gap;
		n = command_name_length(s);
		if (n == 0)
			break;
		aliases[n_aliases] = arena_strndup(arena, s, n);
		if (strcmp(aliases[n_aliases], child->name) != 0)
			alias_merge(c, aliases[n_aliases++]);
	}
	if (*s == ' ' && (strchr("[<{", s[1]) || isupper((unsigned char)s[1])) && s[1]) {
		struct buf usage = {0};

		buf_addf(&usage, "- %s%s", child->name, s);
		child->usage = arena_strdup(arena, usage.data);
		buf_release(&usage);
	}
	child->aliases = arena_alloc(arena, (n_aliases + 1) * sizeof *aliases);
	memcpy(child->aliases, aliases, n_aliases * sizeof *aliases);
	child->n_aliases = n_aliases;
	return 1;
}

static void argument_read(struct help_command *c, const struct help_entry *e, struct arena *arena)
{
	struct help_argument a = {.description = e->description, .line = e->line, .sure = 0.8};
	int repeated;

	help_term_value(e->left, strlen(e->left), arena, &a.value, &repeated);
	if (repeated)
		a.value.max = -1;
	if (e->required)
		a.value.min = 1;
	help_infer_argument(&a, arena);
	help_argument_add(c, &a);
}

/* State of reading one text. */
struct reading {
	struct help_command *command;
	struct arena *arena;
	const struct help_entries *entries;
	size_t choice; /* the entry that lists subcommands as {a,b}, + 1; 0: none */
	int commands;  /* a usage line has a place for one */
};

/* argparse's list of subcommands: {a,b}, its names in the entries below. */
static int is_command_choice(const struct reading *r, size_t i)
{
	const struct help_entry *e = &r->entries->list[i];

	if (e->left[0] == '{' && r->commands)
		return 1;
	return i + 1 < r->entries->n && e[1].kind == HELP_ITEM && e[1].indent > e->indent &&
	       e[1].section == e->section && r->commands;
}

static void choice_children(struct reading *r, const struct help_entry *e)
{
	struct help_value v;
	int repeated;

	help_term_value(e->left, strlen(e->left), r->arena, &v, &repeated);
	for (size_t i = 0; i < v.n_choices; i++) {
		struct help_command *c = help_command_add(r->arena, r->command, v.choices[i]);

		if (c) {
			c->line = e->line;
			c->sure = 0.9;
		}
	}
}

static void item_read(struct reading *r, size_t i)
{
	const struct help_entry *e = &r->entries->list[i];
	const struct help_entry *choice = r->choice ? &r->entries->list[r->choice - 1] : NULL;

	if (is_command_choice(r, i) && e->section != HELP_SECTION_COMMANDS) {
		r->choice = i + 1;
		choice_children(r, e);
		return;
	}
	if (choice && e->title == choice->title && e->indent > choice->indent) {
		child_read(r->command, e, r->arena);
		return;
	}
	if (e->section == HELP_SECTION_COMMANDS && e->left[0] == '{') {
		choice_children(r, e);
		r->choice = i + 1;
	} else if (e->section == HELP_SECTION_ARGUMENTS) {
		argument_read(r->command, e, r->arena);
	} else if (e->section == HELP_SECTION_COMMANDS ||
		   (e->section == HELP_SECTION_OTHER && r->commands)) {
		if (!child_read(r->command, e, r->arena))
			help_unread_add(r->command, e->line, e->left);
	} else {
		help_unread_add(r->command, e->line, e->left);
	}
}

/* Whether usage lines, read for nothing else, have a place for a subcommand. */
static int usage_has_commands(const struct help_entries *entries)
{
	static const char *const words[] = {"COMMAND", "command", "<cmd>", "} ...", "SUBCOMMAND",
		"{COMMAND", "subcommand", NULL};

	/* argparse prints "..." behind the choice, no bracket around it. */
	for (size_t i = 0; i < entries->n; i++) {
		const char *left = entries->list[i].left;
		size_t len = strlen(left);

		if (entries->list[i].kind == HELP_USAGE && len > 4 &&
			!strcmp(left + len - 4, " ..."))
			return 1;
	}
	for (size_t i = 0; i < entries->n; i++)
		for (size_t k = 0; words[k] && entries->list[i].kind == HELP_USAGE; k++)
			if (strstr(entries->list[i].left, words[k]))
				return 1;
	return 0;
}

static void entries_copy(struct help_entries *entries, struct arena *arena)
{
	for (size_t i = 0; i < entries->n; i++) {
		struct help_entry *e = &entries->list[i];

		e->left = arena_strdup(arena, e->left);
		e->description = arena_strdup(arena, e->description);
		e->title = i > 0 && e->section == e[-1].section && !strcmp(e[-1].title, e->title)
				   ? e[-1].title
				   : arena_strdup(arena, e->title);
	}
}

/* The first paragraph that stands in no section describes the command. */
static void prose_read(struct reading *r, const struct help_entry *e)
{
	struct help_command *c = r->command;

	if (e->section == HELP_SECTION_NONE && !*c->description && strlen(e->description) > 2)
		c->description = e->description;
	else if (e->section == HELP_SECTION_OPTIONS || e->section == HELP_SECTION_ARGUMENTS ||
		 e->section == HELP_SECTION_COMMANDS)
		help_unread_add(c, e->line, e->description);
}

/* A tool without a usage or an option has printed something else. */
static void usages_read(struct reading *r)
{
	struct help_usage usage = {0};
	int seen = 0;

	for (size_t i = 0; i < r->entries->n; i++) {
		const struct help_entry *e = &r->entries->list[i];

		if (e->kind != HELP_USAGE)
			continue;
		if (!seen)
			help_usage_read(r->command, e->left, e->line, r->arena, &usage);
		else if (strcasestr(e->left, "[command]"))
			usage.commands = 1;
		seen = 1;
	}
	/* Those of the list that no usage line has are told by their names only. */
	if (!seen || r->command->n_children > 0)
		r->command->runnable = r->command->n_children == 0 || usage.commands == 1;
}

void help_read_listed(struct help_command *c, struct arena *arena)
{
	struct help_usage usage = {0};

	if (!c->read && c->usage && c->n_children == 0)
		help_usage_read(c, c->usage, c->line, arena, &usage);
	for (size_t i = 0; i < c->n_children; i++)
		help_read_listed(c->children[i], arena);
}

void help_read(struct help_command *c, const char *data, size_t len, struct arena *arena)
{
	struct help_entries entries;
	struct help_text text;
	struct reading r = {.command = c, .arena = arena, .entries = &entries};

	help_text_read(&text, data, len);
	help_entries_read(&entries, &text);
	entries_copy(&entries, arena);
	r.commands = usage_has_commands(&entries);
	if (text.cut)
		help_unread_add(c, text.n_lines, "the rest: the help is too long");
	for (size_t i = 0; i < entries.n; i++) {
		const struct help_entry *e = &entries.list[i];

		votes_count(c, e);
		if (e->kind == HELP_OPTION && e->section != HELP_SECTION_IGNORED)
			option_read(c, e, arena);
		else if (e->kind == HELP_ITEM)
			item_read(&r, i);
		else if (e->kind == HELP_PROSE)
			prose_read(&r, e);
	}
	usages_read(&r);
	c->read = entries.n > 0;
	help_entries_release(&entries);
	help_text_release(&text);
}
