/* measure.h - in which unit an option counts, by its metavariable and description. */
#ifndef HELP_MEASURE_H
#define HELP_MEASURE_H

#include "help/model.h"

/* Sets value->unit where the metavariable is one (SECONDS), or the description says so
 * ("in seconds", "number of bytes", "(ms)"); a value in such a metavariable is a number.
 * Sizes are in 1024s, as tools of this kind mostly count. */
void help_measure(struct help_value *value, const char *description);

#endif
