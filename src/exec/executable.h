/*
 * executable.h - from the name of a program to an open descriptor of the file that
 * will be executed, and proof that it still is that file.
 *
 * A script is executed by its interpreter (the #! line), which is found, checked
 * and opened in the same way.
 */
#ifndef EXEC_EXECUTABLE_H
#define EXEC_EXECUTABLE_H

#include <stddef.h>
#include <sys/types.h>
#include "base/error.h"
#include "base/mem.h"

/* What makes a file that file. */
struct identity {
	unsigned long long device, inode, size;
	long long mtime, mtime_ns;
	char hash[65]; /* SHA-256 of the content */
};

struct executable {
	const char *path;      /* absolute, as found in the directory list */
	const char *real_path; /* symbolic links resolved */
	int fd;
	struct identity identity;
	const char *interpreter;	  /* absolute path from the #! line; NULL: no script */
	const char *interpreter_argument; /* the rest of that line; NULL: none */
	int interpreter_fd;		  /* -1: no script */
	struct identity interpreter_identity;
};

/* Identity of an open regular file. */
int identity_take(int fd, struct identity *identity, struct error *err);

/* Finds name in the n directories (absolute ones only), in order, as execvp would,
 * but in no other place.  Refused (126): a name with a slash; a file, or a
 * directory on the way to it, that someone else than its owner could change, or
 * that belongs to neither root nor us.  Not found: 127.  Strings are arena memory;
 * release with executable_close(). */
int executable_find(const char *name, const char *const *directories, size_t n, struct arena *arena,
	struct executable *exe, struct error *err);

/* The file at this path, which is absolute, in the same way. */
int executable_open(
	const char *path, struct arena *arena, struct executable *exe, struct error *err);

/* The paths still lead to the files that are open: 0, or -1 (126). */
int executable_unmoved(const struct executable *exe, struct error *err);

void executable_close(struct executable *exe);

/* Refuses (126) a file or directory that others could have written. */
int path_trusted(const char *path, struct error *err);

#endif
