/*
 * summary.h - what a run of synvalidate did: how many records each check
 * rejected, and what each split holds.  Memory: 11 bytes or less for each
 * distinct phrasing and shape.
 */
#ifndef SYNTH_SUMMARY_H
#define SYNTH_SUMMARY_H

#include "synth/check.h"
#include "synth/split.h"

/* A set of hashes (not 0); zero-initialised is empty and valid. */
struct hash_set {
	uint64_t *slots;
	size_t len, cap;
};

/* 1 where the hash is new. */
int hash_set_add(struct hash_set *s, uint64_t hash);
void hash_set_release(struct hash_set *s);

struct summary {
	long long inputs, accepted, rejected[CHECK_COUNT];
	long long split[SPLIT_COUNT];
	struct hash_set phrasings[SPLIT_COUNT], shapes[SPLIT_COUNT];
};

void summary_accept(struct summary *s, enum split split, const struct split_parts *parts);
/* The tables as text.  checks: those that were made; with_splits: that table, too. */
void summary_print(const struct summary *s, unsigned checks, int with_splits, struct buf *out);
void summary_release(struct summary *s);

#endif
