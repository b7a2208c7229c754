/*
 * dataset.h - the records that a model is trained on, kept as their lines: a
 * parsed record is a hundred times larger.  Order is by permutations that are
 * keyed by (seed, epoch), so the items of any batch can be told directly.
 */
#ifndef RL_DATASET_H
#define RL_DATASET_H

#include "stream/jsonl.h"

enum split {
	SPLIT_TRAIN,
	SPLIT_VALID,
	SPLIT_TEST,
	SPLIT_ALL
};
extern const char *const split_names[]; /* NULL-terminated */

struct dataset;

struct dataset *dataset_new(void);
void dataset_free(struct dataset *d);

/* 1 where a record belongs to the split; one without `split` belongs to train. */
int record_in_split(const struct record *r, enum split split);

/* Keeps a copy of the record's line. */
void dataset_add(struct dataset *d, const struct record *r);
size_t dataset_count(const struct dataset *d);
/* Parses record i again.  It must be good: it was one when it was added. */
void dataset_get(const struct dataset *d, size_t i, struct record *r);

/* The at-th item of the endless sequence of shuffled epochs.  Not to be called
 * by several threads: it remembers the last epoch's permutation. */
size_t dataset_shuffled(struct dataset *d, uint64_t seed, uint64_t at);

#endif
