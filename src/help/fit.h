/* fit.h - values that the tool's own words state must be such as its parser takes. */
#ifndef HELP_FIT_H
#define HELP_FIT_H

#include "help/model.h"

/* Of the command and those below: where a stated default or accepted value does not
 * fit the type that was inferred, the type is given up, then the default. */
void help_fit(struct help_command *root, enum dialect dialect);

#endif
