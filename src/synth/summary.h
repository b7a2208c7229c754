/*
 * summary.h - what a run of synvalidate did: how many records each check
 * rejected, and what each split holds.  Memory: 11 bytes or less for each
 * distinct phrasing and shape.
 */
#ifndef SYNTH_SUMMARY_H
#define SYNTH_SUMMARY_H

#include "synth/check.h"
#include "synth/hash_set.h"
#include "synth/split.h"

struct summary {
	long long inputs, accepted, rejected[CHECK_COUNT];
	long long split[SIDE_COUNT];
	struct hash_set phrasings[SIDE_COUNT], shapes[SIDE_COUNT];
};

void summary_accept(struct summary *s, enum side split, const struct split_parts *parts);
/* The tables as text.  checks: those that were made; with_splits: that table, too. */
void summary_print(const struct summary *s, unsigned checks, int with_splits, struct buf *out);
void summary_release(struct summary *s);

#endif
