/* mapping.h - a model's file in memory, read-only. */
#ifndef MODEL_MAPPING_H
#define MODEL_MAPPING_H

#include <stddef.h>
#include "base/error.h"

/* Zero-initialised: none. */
struct mapping {
	unsigned char *data;
	size_t size;
};

/* Maps a regular file of at least `least` bytes (1 or more).  -1 and a message otherwise:
 * "not a `kind` file: `short_text`" where it has fewer; its path is not in it. */
int mapping_open(struct mapping *m, const char *path, const char *kind, size_t least,
	const char *short_text, struct error *err);
void mapping_close(struct mapping *m);

#endif
