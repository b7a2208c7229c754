/*
 * entry.h - the lines of a help text as usage, entries of two columns, and prose.
 */
#ifndef HELP_ENTRY_H
#define HELP_ENTRY_H

#include "help/text.h"

enum help_kind {
	HELP_USAGE,  /* left: one usage line, the program's name first */
	HELP_OPTION, /* left: spellings and metavariables */
	HELP_ITEM,   /* left: a command or a positional argument, maybe */
	HELP_PROSE   /* description: one paragraph */
};

/* What a section's title says its items are. */
enum help_section {
	HELP_SECTION_NONE, /* no title yet */
	HELP_SECTION_OTHER,
	HELP_SECTION_OPTIONS,
	HELP_SECTION_COMMANDS,
	HELP_SECTION_ARGUMENTS,
	HELP_SECTION_IGNORED /* examples, environment, exit status, see also */
};

struct help_entry {
	enum help_kind kind;
	enum help_section section;
	const char *title; /* of its section; "" */
	const char *left, *description;
	size_t line, indent;
	int boxed;
	int gap;      /* two blanks part its left side from the description */
	int required; /* a box's "*" column */
};

struct help_entries {
	struct arena arena;
	struct help_entry *list;
	size_t n, cap;
};

/* Reads the text; the entries live in their own arena. */
void help_entries_read(struct help_entries *entries, const struct help_text *text);
void help_entries_release(struct help_entries *entries);

/* s begins like an option: -x, --xyz, -?, --[no-]x. */
int help_is_option(const char *s);

#endif
