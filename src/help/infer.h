/* infer.h - what the words around an option say of its value. */
#ifndef HELP_INFER_H
#define HELP_INFER_H

#include "help/model.h"

/* Type by the metavariable as it was written; VALUE_STRING where it tells nothing. */
enum value_type help_type_of(const char *metavar);
/* Default, accepted values, range, environment, required, repeatable: from the
 * description, into the option. */
void help_infer_option(struct help_option *option, struct arena *arena);
void help_infer_argument(struct help_argument *argument, struct arena *arena);
/* "1<=x<=5", "x>=1", "1-65535": 1 and the range, or 0. */
int help_range_read(const char *text, struct help_value *value);
/* Gives the value a type that its default and accepted values all fit. */
void help_value_settle(struct help_value *value);

#endif
