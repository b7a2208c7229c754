/* preview.h - a pair of request and argv for people's eyes. */
#ifndef SYNTH_PREVIEW_H
#define SYNTH_PREVIEW_H

#include "base/mem.h"

/* Appends argv as a line that a shell would read back, control characters made
 * visible; argc < 0: that the request is declined. */
void preview_argv(int argc, const char *const *argv, struct buf *out);
/* Appends text with control characters made visible. */
void preview_text(const char *text, struct buf *out);

#endif
