/* rl_reference.h - reads testdata/rl: lines of "name count", then count numbers. */
#ifndef T_RL_REFERENCE_H
#define T_RL_REFERENCE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct reference {
	struct reference_item {
		char name[128];
		size_t n;
		double *values;
	} * items;
	size_t n, cap;
};

static inline void reference_read(struct reference *r, const char *path)
{
	FILE *f = fopen(path, "r");
	struct reference_item item;

	if (!f)
		die_errno(EXIT_NOINPUT, "%s", path);
	while (fscanf(f, "%127s %zu", item.name, &item.n) == 2) {
		item.values = xcalloc(item.n, sizeof *item.values);
		for (size_t i = 0; i < item.n; i++)
			if (fscanf(f, "%lf", &item.values[i]) != 1)
				die(EXIT_DATA, "%s: %s: a number is missing", path, item.name);
		r->items = array_grow(r->items, &r->cap, r->n, sizeof *r->items);
		r->items[r->n++] = item;
	}
	fclose(f);
}

static inline const double *reference_get(const struct reference *r, const char *name, size_t *n)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->items[i].name, name) == 0) {
			*n = r->items[i].n;
			return r->items[i].values;
		}
	die(EXIT_DATA, "no reference value '%s'", name);
}

static inline void reference_release(struct reference *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].values);
	free(r->items);
}

#endif
