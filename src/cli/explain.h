/*
 * explain.h - says in the spec's words what each word of a valid argv does.
 *
 * One line a word: the program and commands by their description, an option by its
 * description (a flag that turns another off says so), a value by the option or
 * argument it belongs to, a list or cluster by all it states, "--" as the end of
 * options.  Text comes from the spec: escape it before it goes to a terminal.
 */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/verify.h"

/* Fills *lines with argc strings (and NULL), all in arena memory.  0; or -1 with
 * the verdict where argv is not valid.  err may be NULL. */
int explain_words(const struct spec *spec, int argc, const char *const *argv, struct arena *arena,
	const char *const **lines, struct error *err);

#endif
