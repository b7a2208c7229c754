/*
 * walk.h - opens a file by a path that no stranger can bend: component by component,
 * each directory and link on the way examined through the descriptor by which the
 * next step is made, so that nothing is looked up twice.
 */
#ifndef EXEC_WALK_H
#define EXEC_WALK_H

#include <sys/stat.h>
#include "base/error.h"
#include "base/mem.h"

enum walk_flag {
	/* Also refuse what our own group may write (files that decide, not tools). */
	WALK_STRICT = 1
};

/* Opens the regular file at path for reading; the descriptor is close-on-exec and
 * the caller's.  *real (may be NULL): the path without links, arena memory.
 *
 * Refused (126): a component that belongs to neither root nor us, or that someone
 * else may write (a directory with the sticky bit is let through: what it holds is
 * examined itself).  A symbolic link is followed where both it and the directory that
 * holds it pass; the kernel never follows one for us, so links of /proc lead nowhere
 * that their text does not say.  Not there: 127. */
int walk_open(const char *path, unsigned flags, struct arena *arena, const char **real,
	struct error *err);

/* walk_open() and the whole content, at most max bytes.  0, or -1. */
int walk_read(const char *path, unsigned flags, size_t max, struct arena *arena, const char **real,
	struct buf *content, struct error *err);

#endif
