/*
 * number_text.h - how each dialect reads a number, a truth value or a duration.
 *
 * Each function returns 1 where the text is read and 0 where it is refused; text
 * is valid UTF-8 without control characters.  *canonical is set on success: one
 * spelling for each value, in memory of the arena where it differs from text.
 */
#ifndef CLI_NUMBER_TEXT_H
#define CLI_NUMBER_TEXT_H

#include "cli/spec.h"

/* click, argparse: Python's int(); optparse: with 0x, 0b and octal prefixes; cobra:
 * strconv.ParseInt(s, 0, 64); clap: i64; goption: strtol base 0; others: decimal. */
int integer_text(
	enum dialect dialect, const char *text, struct arena *arena, const char **canonical);

/* Python's float() or C's strtod() without hexadecimal, in the numeric locale C;
 * canonical is the shortest text that reads back as the same double. */
int number_text(
	enum dialect dialect, const char *text, struct arena *arena, const char **canonical);

/* click's BOOL, Go's strconv.ParseBool or the words true and false. */
int boolean_text(enum dialect dialect, const char *text, const char **canonical);

/* cobra: time.ParseDuration; elsewhere tools differ, so any text is read. */
int duration_text(enum dialect dialect, const char *text);

#endif
