/* tap.h - what the C tests share: cmocka with TAP output, and a scratch directory. */
#ifndef T_TAP_H
#define T_TAP_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/file.h"

static char scratch[PATH_MAX / 2];

/* Group setup: makes the scratch directory and fills its name in. */
static inline int scratch_make(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	snprintf(scratch, sizeof scratch, "%s/cli-learn-test.XXXXXX", base ? base : P_tmpdir);
	return mkdtemp(scratch) ? 0 : -1;
}

static inline int scratch_remove(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(scratch, &err);
}

/* A path in the scratch directory; valid until the eighth call from now. */
static inline const char *scratch_path(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
	return path;
}

#endif
