/*
 * model.h - what was read of one command's help, before it becomes a spec.
 *
 * Everything lives in the arena of the tree it belongs to; strings are never NULL
 * unless said.  Each item has the line it came from and how sure it is: 0 to 1.
 */
#ifndef HELP_MODEL_H
#define HELP_MODEL_H

#include <stddef.h>
#include "base/mem.h"
#include "cli/spec.h"

enum {
	HELP_NAMES_MAX = 16,
	HELP_OPTIONS_MAX = 1000,
	HELP_ARGUMENTS_MAX = 32,
	HELP_CHOICES_MAX = 512,
	HELP_CHILDREN_MAX = 2000 /* named by one command */
};

struct help_value {
	const char *name; /* metavariable, in lower case */
	enum value_type type;
	int min, max; /* how many words; max -1: any number */
	const char **choices;
	size_t n_choices;
	const char *default_value; /* NULL: none stated */
	int has_minimum, has_maximum;
	double minimum, maximum;
	int ignore_case;
	const char *unit; /* what its bare numbers count, as in cli/unit.h; NULL: not stated */
	double sure;
};

struct help_option {
	const char *names[HELP_NAMES_MAX];
	size_t n_names;
	const char *negative[HELP_NAMES_MAX]; /* --no-x, -X */
	size_t n_negative;
	int takes_value;
	int attached; /* the value only behind a "=" */
	struct help_value value;
	int required, repeatable, from_usage;
	int flag_default;	 /* -1: not stated */
	const char *environment; /* NULL: none */
	const char *description, *group;
	size_t line;
	double sure;
};

struct help_argument {
	struct help_value value;
	int hidden_in_usage;
	const char *description;
	size_t line;
	double sure;
};

/* Options of which the usage shows one at most. */
struct help_exclusive {
	const char *names[HELP_NAMES_MAX];
	size_t n;
	int needed; /* and one at least */
};

struct help_unread {
	size_t line;
	const char *text;
};

struct help_command {
	const char *name;
	const char **aliases;
	size_t n_aliases;
	const char *description; /* of the parent's list, else its own first paragraph */
	const char *usage;	 /* what its parent lists behind its name; NULL */
	struct help_command *parent;
	struct help_command **children;
	size_t n_children, cap_children;
	struct help_option *options;
	size_t n_options, cap_options;
	struct help_argument *arguments;
	size_t n_arguments, cap_arguments;
	struct help_exclusive *exclusive;
	size_t n_exclusive, cap_exclusive;
	struct help_unread *unread;
	size_t n_unread, cap_unread;
	int votes[DIALECT_COUNT]; /* for each dialect, what speaks for it */
	int runnable;		  /* usage shows it without a subcommand */
	int read;		  /* its own help was read */
	size_t line;		  /* where the parent lists it */
	double sure;
};

/* A new command below parent (NULL: the root).  Names that are there already give
 * that one; NULL where there are too many. */
struct help_command *help_command_add(
	struct arena *arena, struct help_command *parent, const char *name);
/* Appends a copy. */
void help_option_add(struct help_command *c, const struct help_option *o);
void help_argument_add(struct help_command *c, const struct help_argument *a);
void help_exclusive_add(struct help_command *c, const struct help_exclusive *e);
void help_unread_add(struct help_command *c, size_t line, const char *text);
/* The option of that spelling; NULL: none. */
struct help_option *help_option_find(struct help_command *c, const char *name);
/* Frees the lists of the command and of those below. */
void help_command_release(struct help_command *c);

#endif
