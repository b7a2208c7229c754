/*
 * environment.h - the environment of the command: made from nothing, by a list of
 * what may pass.
 */
#ifndef EXEC_ENVIRONMENT_H
#define EXEC_ENVIRONMENT_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

/* "NAME=value" strings and a NULL in arena memory: PATH (fixed: path), and of ours
 * HOME, LANG, TERM, USER and the n names in pass, where they are set.  A name in
 * pass that is no name, is PATH or steers the dynamic loader (LD_*) is an error. */
int environment_make(const char *path, const char *const *pass, size_t n, struct arena *arena,
	char ***environment, size_t *count, struct error *err);

#endif
