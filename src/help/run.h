/* run.h - one program in bubblewrap: read-only, without network, home, input, for a
 * bounded time, its output read up to a bound. */
#ifndef HELP_RUN_H
#define HELP_RUN_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

enum {
	HELP_OUTPUT_MAX = 11 << 20 /* bytes of one output that are read */
};

/* Runs program (a path) with the words behind it; argv NULL-terminated, its own name
 * left out.  What it prints on both streams is appended to *out.  0: it ended by itself,
 * *status as of waitpid(2); 1: it was stopped (time, output); -1: it could not be run. */
int help_run(const char *bwrap, const char *program, const char *const *argv, int timeout,
	struct buf *out, int *status, struct error *err);

#endif
