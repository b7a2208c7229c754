/* inspect.h - tells people what a policy amounts to, and drafts one. */
#ifndef EXEC_INSPECT_H
#define EXEC_INSPECT_H

#include "cli/spec.h"
#include "exec/rulebook.h"

/* Appends a report: programs as they are on the disk now, rules, and names that the
 * grammar (may be NULL) does not have.  The number of faults. */
size_t rulebook_inspect(const struct rulebook *book, const struct spec *spec, struct buf *out);

/* Appends a policy that names the program at this absolute path, its hash and its
 * interpreter's pinned, and allows nothing without asking.  0, or -1. */
int rulebook_draft(const char *path, struct buf *out, struct error *err);

#endif
