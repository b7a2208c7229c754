/* term.h - the left column of an entry: spellings and metavariables. */
#ifndef HELP_TERM_H
#define HELP_TERM_H

#include "help/model.h"

/* Reads "-o, --output=FILE" into names, value and arity.  What follows a metavariable
 * as running text goes to *rest (NULL: nothing).  alone: there is no such text, as the
 * description stands apart.  -1: no option. */
int help_term_option(const char *left, int alone, struct arena *arena, struct help_option *option,
	const char **rest);

/* Reads one metavariable, "[FILE...]", "{a,b}", "INTEGER RANGE [x>=1]": name, arity,
 * type, accepted values.  *repeated: "..." behind it. */
void help_term_value(
	const char *text, size_t len, struct arena *arena, struct help_value *value, int *repeated);

#endif
