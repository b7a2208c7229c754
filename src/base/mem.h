/*
 * mem.h - memory that is there or the program ends, growable byte buffers, and
 * an arena whose contents are freed at once.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

/* Allocate or end the program with exit 70.  Counts that overflow end it too. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);

/* Makes room in a growing array for one more element: if *cap == len the array
 * is doubled.  Returns the (moved) array. */
void *array_grow(void *array, size_t *cap, size_t len, size_t element_size);

/* A byte buffer.  Zero-initialised is empty and valid; data is always followed
 * by a NUL that len does not count (once anything was added). */
struct buf {
	char *data;
	size_t len, cap;
};

void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...) ATTR_PRINTF(2, 3);
void buf_clear(struct buf *b);	 /* empties, keeps the memory */
void buf_release(struct buf *b); /* frees; the buffer is empty again */
char *buf_detach(struct buf *b); /* the string, now the caller's; buffer empty */

/* A region allocator for what lives as long as one record or one document.
 * Zero-initialised is empty and valid.  Memory is 16-byte aligned. */
struct arena {
	struct arena_block *blocks;
};

void *arena_alloc(struct arena *a, size_t size); /* not cleared */
void *arena_zalloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);
void arena_clear(struct arena *a);   /* forgets contents, keeps one block */
void arena_release(struct arena *a); /* frees all */

/* Resident set size high-water mark of this process, in bytes (0: unknown). */
uint64_t memory_peak(void);

#endif
