/*
 * source.h - where help comes from: a folder of saved texts, or the program itself,
 * run in a sandbox with nothing but a request for help.
 */
#ifndef HELP_SOURCE_H
#define HELP_SOURCE_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

struct help_source {
	const char *directory; /* saved texts: NAME.txt, NAME-SUB.txt; NULL: run it */
	const char *program;   /* path of the executable */
	int timeout;	       /* seconds for one run */
	int short_help;	       /* the root lists -h: subcommands may be asked with it too */
	const char *bwrap;     /* its path; set by help_source_open() */
};

/* Checks the folder, or finds the program and bubblewrap: 0, or -1 (66, 69). */
int help_source_open(
	struct help_source *s, const char *name, struct arena *arena, struct error *err);
/* The help of the command whose words are path[0..n-1], the program's name first.
 * Appends to *text, which is bounded; 1 got some, 0 there is none, -1 failed. */
int help_source_get(const struct help_source *s, const char *const *path, size_t n,
	struct buf *text, struct error *err);

#endif
