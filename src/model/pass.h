/*
 * pass.h - runs of tokens that go through the model together, over keys and values of
 * earlier ones, and what is asked of some of their rows.  A pass may be of any size: it
 * is cut to what the cache takes at once, which changes nothing in its results.
 *
 * Zero-initialised is empty and valid.
 */
#ifndef MODEL_PASS_H
#define MODEL_PASS_H

#include "model/cache.h"

struct pass {
	/* Row i: a token, its position in its sequence, the slot of its key and value. */
	int32_t n_rows;
	int32_t *tokens, *positions, *slots;
	/* Runs of consecutive rows, in order; .own is a run's first slot. */
	int32_t n_runs;
	struct attention_segment *runs;
	struct key_range *ranges; /* their pasts */
	size_t n_ranges;
	/* Rows of the head, ascending, and their choices; draws start[i] .. start[i + 1] - 1
	 * belong to head i. */
	int32_t n_heads, n_draws;
	int32_t *rows, *start;
	const struct choices **choices;
	double *uniform;
	int32_t *drawn; /* results of pass_draw() */
	float *logprob;
	size_t cap_rows, cap_runs, cap_ranges, cap_heads, cap_draws;
	int32_t *part_rows, *part_start; /* [cap_heads + 1] of a part of the pass */
};

void pass_clear(struct pass *p); /* empties, keeps the memory */
void pass_free(struct pass *p);
uint64_t pass_bytes(const struct pass *p);

/* Adds a run of n tokens whose first has that position and that slot; the others
 * follow.  Its past is empty; pass_add_past() adds to that of the last run.  The
 * index of the run. */
int32_t pass_add_run(
	struct pass *p, const int32_t *tokens, int32_t n, int32_t position, int32_t slot);
void pass_add_past(struct pass *p, struct key_range range);
/* What lies behind a row of a run of another pass is the past of the last run of p:
 * the past of that run and its rows up to this one. */
void pass_add_past_of(struct pass *p, const struct pass *from, int32_t run, int32_t row);
/* A run for each node of a tree.  Row i of the tree is row i of the pass (which must be
 * empty) and gets slot i; nodes are runs. */
void pass_add_tree(struct pass *p, const struct tree *t);

/* Asks for the choices of a row (NULL: the whole vocabulary); rows come in ascending
 * order.  Draws are added to the last head. */
void pass_add_head(struct pass *p, int32_t row, const struct choices *choices);
void pass_add_draw(struct pass *p, double uniform);

/* Runs all rows and makes the draws: into p->drawn and p->logprob.  Slots must have
 * been reserved. */
int pass_draw(struct pass *p, struct cache *c, float inverse_temperature, struct error *err);
/* Runs all rows and gives log-probabilities of all choices, as cache_score() does. */
int pass_score(struct pass *p, struct cache *c, float *logprob, struct error *err);

#endif
