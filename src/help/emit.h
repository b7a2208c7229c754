/* emit.h - a tree of commands as an OpenCLI document. */
#ifndef HELP_EMIT_H
#define HELP_EMIT_H

#include <jansson.h>
#include "help/model.h"

/* The document that spec_parse() reads; each item has the metadata "confidence" (0 to
 * 1) and "source" (line of the help of its command; of the list above, for a command),
 * and the document "unread": the lines that were not understood.  version: "" for
 * none.  A new reference. */
json_t *help_emit(const struct help_command *root, enum dialect dialect, const char *version);

#endif
