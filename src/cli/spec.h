/*
 * spec.h - the description of a command-line tool: an OpenCLI 0.1 document with
 * our metadata, loaded, resolved and checked.
 *
 * Metadata names that mean something (any other is carried, not rejected):
 *   document  dialect, topics (words that requests of other tools must not have to
 *             be out of scope: a request about a branch may well be for git),
 *             verbs-avoided (that do not fit what this tool acts on: nobody
 *             bootstraps a tag)
 *   command   danger, says, runnable (true: may be invoked without a subcommand),
 *             requires, requires-any, conflicts, one-of (each a list of names of
 *             options or arguments, or a list of such lists)
 *   option    attached, separator, negates, repeatable, danger, says, default (of a
 *             flag: true or false), eager (--help: acts alone), action (its phrases stand
 *             for the command's), secret, environment
 *   argument  type, minimum, maximum, pattern, default, exists, values, ignore-case,
 *             unit (what a number counts, unit.h), passthrough (true, or "options": only
 *             where the first such word begins
 *             with a dash), says (phrases; or an object of phrases by accepted value)
 *
 * Everything a spec points to lives in its arena until spec_free().  Strings are
 * UTF-8 and NUL-terminated; lists of strings end with NULL.
 */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include <jansson.h>
#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"
#include "cli/unit.h"

/* Whose parsing rules hold.  See dialect.h for what each one allows. */
enum dialect {
	DIALECT_CLICK,
	DIALECT_ARGPARSE,
	DIALECT_OPTPARSE,
	DIALECT_GETOPT_LONG, /* GNU: abbreviations, interspersing */
	DIALECT_GETOPT,	     /* POSIX: short options only, before operands */
	DIALECT_COBRA,
	DIALECT_CLAP,
	DIALECT_GOPTION,
	DIALECT_DOCOPT,
	DIALECT_DASH, /* one-dash long options: find, java, gcc, Go's flag */
	DIALECT_COUNT
};

enum value_type {
	VALUE_STRING,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_BOOLEAN,
	VALUE_PATH,
	VALUE_URL,
	VALUE_HOST,
	VALUE_PORT,
	VALUE_DURATION,
	VALUE_SIZE,
	VALUE_IMAGE,
	VALUE_IDENTIFIER,
	VALUE_OTHER, /* a name that we do not know: carried, treated as a string */
	VALUE_TYPE_COUNT
};

extern const char *const dialect_names[];    /* NULL-terminated, by enum dialect */
extern const char *const value_type_names[]; /* NULL-terminated, by enum value_type */

/* One accepted value of an argument, with the phrases by which people ask for it. */
struct accepted_value {
	const char *value;
	const char *const *says; /* NULL-terminated, maybe empty */
};

/* Whether a positional takes words as they are, unknown options included. */
enum passthrough {
	PASSTHROUGH_NO,
	PASSTHROUGH_YES,
	/* Of a command with subcommands: only where the first such word begins with
	 * a dash; otherwise that word names the subcommand. */
	PASSTHROUGH_OPTIONS
};

/* The value that an option takes, or a positional argument. */
struct argument {
	const char *name;
	const char *description; /* "" where there is none */
	enum value_type type;
	const char *type_name;
	int required;
	int min_count, max_count;	       /* arity; max_count -1: any number */
	const struct accepted_value *accepted; /* n_accepted of them; 0: any value */
	size_t n_accepted;
	int has_minimum, has_maximum;
	double minimum, maximum;
	const char *pattern;	   /* PCRE2, whole value; NULL: none */
	void *pattern_code;	   /* compiled, private to cli/ */
	const char *default_value; /* NULL: none */
	const char *exists;	   /* "file", "dir" or "any": the tool checks; NULL: no */
	const char *const *values; /* examples to draw from */
	const char *const *says;   /* phrases for a positional */
	enum passthrough passthrough;
	int hidden;
	int ignore_case;		 /* accepted values in any case; canonical: the spec's */
	const struct unit_suffix *units; /* n_units of them: what its numbers count; unit.h */
	size_t n_units;
};

struct option {
	const char *name;	    /* primary long name with its dashes: "--port" */
	const char *const *aliases; /* other spellings with dashes: "-p" */
	const char *description;
	const struct argument *argument; /* NULL: a flag */
	int optional_value;		 /* arity 0..1 */
	int required, repeatable, hidden, recursive, attached;
	char separator;		      /* a list within one value; 0: none */
	const struct option *negates; /* the option whose flag this one turns off */
	const struct option *negated_by;
	const char *danger; /* why a person should look twice; NULL */
	const char *const *says;
	size_t index;	  /* position in the spec: canonical order */
	int flag_default; /* of a flag: 0 off, 1 on, -1 not stated */
	int eager;	  /* --help, --version: acts alone, the rest is ignored */
	int secret;	  /* the value does not belong into logs */
	int action;	  /* what is asked for, not how: tar --extract, git branch --delete */
	const char *environment; /* variable that gives the value too; NULL */
};

enum rule_kind {
	RULE_REQUIRES,
	RULE_CONFLICTS,
	RULE_ONE_OF,
	RULE_REQUIRES_ANY
};

/* requires: if options[0] is given, all others must be; requires-any: at least one
 * of the others; conflicts: at most one of them; one-of: at least one is needed.
 * A member is an option or a positional argument (the other one is NULL). */
struct rule {
	enum rule_kind kind;
	size_t n;
	const struct option *const *options;
	const struct argument *const *arguments;
};

struct command {
	const char *name; /* primary; the root's is the program's name */
	const char *const *aliases;
	const char *description;
	const struct command *parent;	 /* NULL: the root */
	struct command *const *commands; /* n_commands children */
	size_t n_commands;
	/* Options that may be written after this command: its own, in spec order.
	 * Those of ancestors marked recursive come after them (n_own counts its own). */
	const struct option *const *options;
	size_t n_options, n_own;
	const struct argument *const *arguments; /* positionals in order */
	size_t n_arguments;
	const struct rule *rules;
	size_t n_rules;
	const char *danger;
	const char *const *says;
	const char *const *examples;
	int hidden;
	int runnable;		     /* may be invoked itself (no subcommand is needed) */
	size_t depth;		     /* 0: the root */
	size_t index;		     /* position in spec->commands */
	const struct lookup *lookup; /* spellings and subcommands, private to cli/ */
};

struct spec {
	struct arena arena;
	json_t *document; /* as it was read, unknown metadata included */
	const char *name; /* of the CLI: info.title, argv[0] */
	const char *version;
	const char *summary;
	const char *const *topics; /* maybe empty */
	const char *const *verbs_avoided;
	char hash[65]; /* SHA-256 of the file's bytes */
	enum dialect dialect;
	struct command *root;
	struct command *const *commands; /* all, parents before children */
	size_t n_commands;
};

/* Loads and checks a spec.  NULL and a message "FILE: JSON path: fault" on
 * failure (exit code 65, or 66 where the file cannot be read). */
struct spec *spec_load(const char *path, struct error *err);
/* The same from text; name stands for the file in messages. */
struct spec *spec_parse(const char *text, size_t len, const char *name, struct error *err);
void spec_free(struct spec *spec);

/* Finds by exact name or alias; NULL where there is none. */
const struct command *command_find(const struct command *parent, const char *name);
const struct option *option_find(const struct command *command, const char *spelling);

#endif
