/*
 * verify.h - the one verifier: does the real tool's parser accept this argv, what
 * does it mean, and how is that spelled canonically?
 *
 * Three users: the filter of synthetic data, the reward, and the gate in front of
 * a person.  Nothing is executed and no file is looked at: a path that the tool
 * wants to exist ("exists") is not checked.  The environment counts as empty, so an
 * option that a variable could give as well is missing where argv lacks it.
 * Stricter than the tools: control characters are refused in every word, and so is
 * a command line longer than systems run (4096 words, 128 KiB a word, 2 MiB).
 * An eager option (--help) is the whole meaning of its command.
 */
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "cli/spec.h"

/* Stable names (verdict_name): they are part of the record format. */
enum verdict_code {
	VERDICT_OK,
	VERDICT_EMPTY,	       /* no words at all */
	VERDICT_WRONG_PROGRAM, /* argv[0] is not this CLI */
	VERDICT_BAD_TEXT,      /* NUL, control character or invalid UTF-8 in a word */
	VERDICT_MISSING_COMMAND,
	VERDICT_UNKNOWN_COMMAND,
	VERDICT_UNKNOWN_OPTION,
	VERDICT_AMBIGUOUS_OPTION,
	VERDICT_MISSING_VALUE,
	VERDICT_UNEXPECTED_VALUE,
	VERDICT_BAD_TYPE,
	VERDICT_OUT_OF_RANGE,
	VERDICT_BAD_PATTERN,
	VERDICT_NOT_ACCEPTED,
	VERDICT_MISSING_REQUIRED,
	VERDICT_CONFLICT,
	VERDICT_REQUIRES,
	VERDICT_ONE_OF,
	VERDICT_REPEATED,      /* a single option twice, where the dialect rejects that */
	VERDICT_TOO_MANY,      /* positional arguments, or words or bytes at all */
	VERDICT_NOT_CANONICAL, /* only from those who demand canonical form */
	VERDICT_COUNT
};

const char *verdict_name(enum verdict_code code); /* "unknown-option" */

struct verdict {
	enum verdict_code code;
	int at;		   /* index of the offending word; argc where one is missing */
	char message[512]; /* says what is wrong and names the nearest right spelling */
};

/* One thing that the argv states: an option (flag: n_values 0; several values:
 * repeated or separated) or a positional argument (option NULL). */
struct meaning_item {
	const struct option *option;	 /* its negation is an item of the negating option */
	const struct argument *argument; /* of the option or the positional; NULL: flag */
	size_t n_values;
	const char *const *values;
	int at; /* index of its (last) word in argv */
};

/* What a valid argv says, in canonical order. */
struct meaning {
	const struct command *command;
	size_t n_items;
	struct meaning_item *items;
};

/* Verifies argc words.  On VERDICT_OK and meaning != NULL, *meaning is filled
 * with memory of the arena (its values may point into argv).  Returns v->code. */
enum verdict_code verify(const struct spec *spec, int argc, const char *const *argv,
	struct arena *arena, struct meaning *meaning, struct verdict *v);

/* Canonical argv of a meaning: argc words (and NULL) in arena memory. */
int meaning_argv(
	const struct spec *spec, const struct meaning *m, struct arena *arena, const char ***argv);

/* Removes items that state their own default (in place). */
void meaning_drop_defaults(struct meaning *m);

/* 1 where both mean the same, defaults left out; 0 otherwise. */
int meaning_match(const struct meaning *a, const struct meaning *b);

/* verify + canonical form: 1 where argv already is spelled canonically. */
int argv_is_canonical(
	const struct spec *spec, int argc, const char *const *argv, struct arena *arena);

/* {"ok","code","at","message"}; a new reference. */
json_t *verdict_json(const struct verdict *v);

#endif
