/*
 * parse.h - private to the verifier: an argv being taken apart.
 *
 * The tokenisers (tokens.c, argparse.c) turn the words of one command level into
 * occurrences of options and a list of operands; settle.c turns those into
 * meaning and checks what only the whole can show.
 */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "cli/dialect.h"
#include "cli/spec_private.h"
#include "cli/verify.h"

/* One time that an option was given. */
struct occurrence {
	const struct option *option;
	const char *const *values;
	size_t n_values;
	int at;	      /* index of the option's word */
	int value_at; /* of its (first) value */
	size_t level; /* depth of the command behind which it stood */
};

/* What became of the occurrences so far: one for each meaning. */
struct pending {
	struct meaning_item item;
	size_t cap_values;
	size_t level;
	unsigned rank; /* canonical order, set at the end */
};

struct operand {
	const char *text;
	int at;
};

enum {
	OCCURRENCES_INLINE = 24
};

/* No system runs longer command lines than that (Linux: 128 KiB a word, 2 MiB in all
 * by default), and work that grows with the square of a count stays small. */
enum {
	VERIFY_WORDS_MAX = 4096,
	VERIFY_OPTIONS_MAX = 4096,
	VERIFY_WORD_BYTES_MAX = 131071,
	VERIFY_BYTES_MAX = 2 << 20
};

struct parse {
	const struct spec *spec;
	const struct dialect_traits *traits;
	struct arena *arena;
	struct verdict *verdict;
	int argc;
	const char *const *argv;
	const unsigned char *taken; /* cobra: words that name commands; else NULL */
	int next;		    /* index of the next word to read */
	const struct command *command;
	struct occurrence inline_occurrences[OCCURRENCES_INLINE];
	struct occurrence *occurrences;
	size_t n_occurrences, cap_occurrences;
	size_t level_start; /* first occurrence of the present level */
	struct pending *pending;
	size_t n_pending, cap_pending;
	size_t n_arguments;   /* positionals of the command that may be filled by now */
	struct verdict *late; /* argparse: words that nothing took are a fault at the end only */
	struct operand *operands; /* of the present level; room for argc */
	size_t n_operands;
	int ended;			    /* "--" was seen on this level */
	int command_at[SPEC_DEPTH_MAX + 2]; /* word that names the command of each depth */
	const struct option *eager;	    /* the eager option that ended it all */
	int eager_at;
};

/* Sets the verdict; returns -1. */
int parse_fail(struct parse *p, enum verdict_code code, int at, const char *fmt, ...)
	ATTR_PRINTF(4, 5);

/* Adds an occurrence; checks its values at once where the dialect does so. */
int occurrence_add(struct parse *p, const struct option *o, size_t n_values,
	const char *const *values, int at, int value_at);
void operand_add(struct parse *p, const char *text, int at);

/* Looks up a long name, abbreviated where that is allowed.  1 found, 0 unknown,
 * -1 ambiguous (verdict set). */
int long_option_find(
	struct parse *p, const char *name, size_t len, int at, const struct option **option);
int unknown_option(struct parse *p, const char *word, size_t len, int at);

/* Reads a whole argv.  0: occurrences, operands and pending items are there;
 * 1: an eager option ended it; -1: verdict set. */
int parse_run(struct parse *p, const struct spec *spec, int argc, const char *const *argv,
	struct arena *arena, struct verdict *v);

/* Reads the words of p->command's level.  0 or -1. */
int tokens_read(struct parse *p);
int argparse_read(struct parse *p);
int argparse_finish(struct parse *p);
/* 1 where argparse reads the word behind this command as an argument, not as an option. */
int argparse_is_argument(const struct spec *spec, const struct command *c, const char *word);
/* Click reads an unknown "command" that looks like an option as one, once more. */
int tokens_reread(struct parse *p, int from);

/* What a level states as a whole: eager options, values, required options.
 * 1: an eager option ends it; 0; -1. */
int level_settle(struct parse *p);
/* The one pending item of an argv that an eager option ended.  0 or -1. */
int eager_settle(struct parse *p);
/* Operands to positional arguments, in pending items.  0 or -1. */
int operands_settle(struct parse *p);
/* Rules of the command.  0 or -1. */
int rules_settle(struct parse *p);
/* Pending items in canonical order; m may be NULL. */
void meaning_settle(struct parse *p, struct meaning *m);
int option_value_check(
	struct parse *p, const struct option *o, const char *value, int at, const char **canonical);

#endif
