/*
 * value_prefix.h - can this text still become a value that fits?
 *
 * The byte by byte side of value_check(): what a constrained decoder asks when values
 * are spelled out freely.
 */
#ifndef CLI_VALUE_PREFIX_H
#define CLI_VALUE_PREFIX_H

#include "cli/value.h"

/* 1 where some value that begins with text (valid UTF-8, or cut within its last
 * character) passes value_check() and is its own canonical spelling; 0 where none does.
 * Exact for accepted values, whole numbers with their range, truth values and free
 * text; for other numbers, durations and patterns it is never 0 wrongly. */
int value_prefix(enum dialect dialect, const struct argument *a, const char *text, size_t len,
	struct arena *arena);

/* 1 where text itself passes value_check() and is its own canonical spelling. */
int value_is_canonical(
	enum dialect dialect, const struct argument *a, const char *text, struct arena *arena);

#endif
