/*
 * environment.h - the environment of the command: made from nothing, by a list of
 * what may pass.
 */
#ifndef EXEC_ENVIRONMENT_H
#define EXEC_ENVIRONMENT_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

/* "NAME=value" strings and a NULL in arena memory: PATH (fixed: path), and of ours the
 * n names in pass, where they are set.  An error (64): a name that is none, or of a
 * variable that makes programs execute or load what it says (PATH, IFS, BASH_ENV,
 * LD_*, PYTHON*, GIT_* and others). */
int environment_make(const char *path, const char *const *pass, size_t n, struct arena *arena,
	char ***environment, size_t *count, struct error *err);

#endif
