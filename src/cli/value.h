/*
 * value.h - does one word fit an argument's type, range, pattern and accepted
 * values, and how is that value spelled canonically?
 *
 * How numbers and truth values are read depends on the dialect: Python's int()
 * takes " 8_080", Go's ParseInt "0x1f90", strtol neither.
 */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include "cli/spec.h"
#include "cli/verify.h"

/* Compiles a->pattern into a->pattern_code (whole value, Unicode), in memory of the
 * arena.  0, or -1 with what PCRE2 says in message. */
int value_pattern_compile(struct argument *a, struct arena *arena, char *message, size_t size);

/* Checks text (valid UTF-8 without control characters).  On VERDICT_OK *canonical
 * is the canonical spelling: text itself, or memory of the arena.  Otherwise
 * message says what is wrong, naming neither the option nor the argument. */
enum verdict_code value_check(enum dialect dialect, const struct argument *a, const char *text,
	struct arena *arena, const char **canonical, char *message, size_t size);

/* 1 where the text is free of control characters and valid UTF-8. */
int value_is_clean(const char *text);

/* Number of single-byte insertions, deletions, replacements and swaps of neighbours
 * between two words; a value above limit is returned as limit + 1. */
size_t edit_distance(const char *a, const char *b, size_t limit);

/* The candidate nearest to word, remembered across calls of nearest_offer();
 * start with {0}.  Takes only candidates that are plausibly meant. */
struct nearest {
	const char *text;
	size_t distance;
};
void nearest_offer(struct nearest *n, const char *word, const char *candidate);

#endif
