/*
 * fuzz.h - what fuzz targets share.
 *
 * A target is one file t/fuzz/NAME.c that defines LLVMFuzzerTestOneInput() and is
 * found by its place.  A line " * seeds: PATH..." in its head comment names files, and
 * folders of them, to start from, besides those in testdata/fuzz/NAME/, which are also
 * tests: found inputs go there.  `make fuzz T=60` runs all targets, FUZZ=NAME one of them.
 *
 * A target checks what must hold with fuzz_assert(), not only that nothing crashes.
 */
#ifndef T_FUZZ_H
#define T_FUZZ_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define fuzz_assert(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* A file in memory, for parsers that want a path. */
struct fuzz_file {
	int fd;
	char path[64];
};

static inline void fuzz_file_set(struct fuzz_file *f, const void *data, size_t size)
{
	if (!f->path[0]) {
		f->fd = memfd_create("fuzz", 0);
		snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
	}
	fuzz_assert(f->fd >= 0 && ftruncate(f->fd, 0) == 0);
	fuzz_assert(pwrite(f->fd, data, size, 0) == (ssize_t)size);
}

/* The next part of an input of several parts with a NUL between them; it ends with a
 * NUL (outside *len) and is on the heap, so that a step beyond it is seen.  "" where
 * there are no more.  The caller frees it. */
struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

static inline char *fuzz_part(struct fuzz_input *in, size_t *len)
{
	const uint8_t *end = in->size ? memchr(in->data, 0, in->size) : NULL;
	size_t n = end ? (size_t)(end - in->data) : in->size;
	char *part = xmalloc(n + 1);

	if (n)
		memcpy(part, in->data, n);
	part[n] = '\0';
	in->data += end ? n + 1 : n;
	in->size -= end ? n + 1 : n;
	*len = n;
	return part;
}

/* Everything that is left, likewise. */
static inline char *fuzz_rest(struct fuzz_input *in, size_t *len)
{
	char *part = xmalloc(in->size + 1);

	if (in->size)
		memcpy(part, in->data, in->size);
	part[in->size] = '\0';
	*len = in->size;
	in->size = 0;
	return part;
}

#endif
