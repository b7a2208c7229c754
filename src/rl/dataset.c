/* dataset.c - records kept as lines, and their shuffled epochs. */
#include "rl/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

const char *const split_names[] = {"train", "valid", "test", "all", NULL};

struct line {
	size_t from, len;
	long number;
	size_t file; /* index of its input's name */
};

struct dataset {
	struct buf text;
	struct line *lines;
	size_t n, cap;
	char **files;
	size_t n_files, cap_files;
	uint32_t *order; /* of the epoch below */
	uint64_t seed, epoch;
};

struct dataset *dataset_new(void)
{
	return xcalloc(1, sizeof(struct dataset));
}

void dataset_free(struct dataset *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_files; i++)
		free(d->files[i]);
	free(d->files);
	free(d->lines);
	free(d->order);
	buf_release(&d->text);
	free(d);
}

int record_in_split(const struct record *r, enum split split)
{
	const json_t *value = json_object_get(r->json, "split");
	const char *name = json_is_string(value) ? json_string_value(value) : "train";

	return split == SPLIT_ALL || strcmp(name, split_names[split]) == 0;
}

void dataset_add(struct dataset *d, const struct record *r)
{
	const char *file = r->file ? r->file : "-";

	if (!d->n_files || strcmp(d->files[d->n_files - 1], file) != 0) {
		d->files = array_grow(d->files, &d->cap_files, d->n_files, sizeof *d->files);
		d->files[d->n_files++] = xstrdup(file);
	}
	d->lines = array_grow(d->lines, &d->cap, d->n, sizeof *d->lines);
	d->lines[d->n].from = d->text.len;
	d->lines[d->n].number = r->line;
	d->lines[d->n].file = d->n_files - 1;
	record_print(r, &d->text);
	d->lines[d->n].len = d->text.len - d->lines[d->n].from;
	d->n++;
	free(d->order);
	d->order = NULL;
}

size_t dataset_count(const struct dataset *d)
{
	return d->n;
}

void dataset_get(const struct dataset *d, size_t i, struct record *r)
{
	const struct line *line = &d->lines[i];
	struct error err;

	if (record_parse(r, d->text.data + line->from, line->len, &err) != 0)
		die(EXIT_INTERNAL, "a record that was good is not any more: %s", err.message);
	r->line = line->number;
	r->file = d->files[line->file];
}

size_t dataset_shuffled(struct dataset *d, uint64_t seed, uint64_t at)
{
	uint64_t epoch = at / d->n;

	if (!d->order || d->epoch != epoch || d->seed != seed) {
		struct rng rng;

		if (!d->order)
			d->order = xcalloc(d->n, sizeof *d->order);
		for (size_t i = 0; i < d->n; i++)
			d->order[i] = (uint32_t)i;
		rng_init(&rng, seed, RNG_SHUFFLE, epoch, 0);
		rng_shuffle(&rng, d->order, d->n);
		d->epoch = epoch;
		d->seed = seed;
	}
	return d->order[at % d->n];
}
