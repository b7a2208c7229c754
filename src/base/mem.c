#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		die(EXIT_INTERNAL, "out of memory (%zu bytes)", size);
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		die(EXIT_INTERNAL, "out of memory (%zu x %zu bytes)", count, size);
	return p;
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		die(EXIT_INTERNAL, "out of memory (%zu bytes)", size);
	return p;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		die(EXIT_INTERNAL, "out of memory (%zu x %zu bytes)", count, size);
	return xrealloc(old, count * size);
}

char *xstrndup(const char *s, size_t len)
{
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

void *array_grow(void *array, size_t *cap, size_t len, size_t element_size)
{
	if (len < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 8;
	return xreallocarray(array, *cap, element_size);
}

void buf_reserve(struct buf *b, size_t more)
{
	size_t need = b->len + more + 1;

	if (need < more)
		die(EXIT_INTERNAL, "out of memory (%zu bytes)", more);
	if (need <= b->cap)
		return;
	if (need < b->cap * 2)
		need = b->cap * 2;
	if (need < 64)
		need = 64;
	b->data = xrealloc(b->data, need);
	b->cap = need;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	buf_reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		die(EXIT_INTERNAL, "cannot format '%s'", fmt);
	buf_reserve(b, (size_t)n);
	va_start(args, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, args);
	va_end(args);
	b->len += (size_t)n;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

char *buf_detach(struct buf *b)
{
	char *data = b->data ? b->data : xstrdup("");

	*b = (struct buf){0};
	return data;
}

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) char data[];
};

enum {
	ARENA_BLOCK = 16384
};

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	void *p;

	if (size > SIZE_MAX / 2)
		die(EXIT_INTERNAL, "out of memory (%zu bytes)", size);
	size = (size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < size) {
		size_t want = size > ARENA_BLOCK ? size : ARENA_BLOCK;

		b = xmalloc(sizeof *b + want);
		*b = (struct arena_block){.next = a->blocks, .size = want};
		a->blocks = b;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

void *arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

void arena_clear(struct arena *a)
{
	while (a->blocks && a->blocks->next) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	if (a->blocks)
		a->blocks->used = 0;
}

void arena_release(struct arena *a)
{
	arena_clear(a);
	free(a->blocks);
	a->blocks = NULL;
}

/* VmHWM first: getrusage() counts what the process was before exec, too. */
uint64_t memory_peak(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	struct rusage usage;
	char line[256];

	while (status && !kib && fgets(line, sizeof line, status))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtoull(line + 6, NULL, 10);
	if (status)
		fclose(status);
	if (!kib && getrusage(RUSAGE_SELF, &usage) == 0)
		kib = (unsigned long long)usage.ru_maxrss;
	return kib * 1024;
}
