/*
 * front.h - the living branches of all requests at one step of sampling, and the pass
 * that takes them on.
 *
 * A branch is a set of samples that have the same tokens so far.  Its newest tokens -
 * the one drawn last and those that were certain behind it - are a run of rows of the
 * pass, and its next token is drawn from the last of them.
 */
#ifndef MODEL_FRONT_H
#define MODEL_FRONT_H

#include "model/pass.h"

struct branch {
	int32_t request, depth;		 /* tokens of the completion so far */
	int32_t state;			 /* of the request's guide, behind them */
	int32_t run, row;		 /* in the pass: of its last token */
	int32_t slots_end;		 /* of those reserved behind its run */
	int32_t first_sample, n_samples; /* in the list of samples */
};

struct front {
	struct branch *branches; /* in the order of their rows */
	int32_t n, n_samples;
	int32_t *samples; /* index of a sample within its request */
	struct pass pass;
};

void front_init(struct front *f, size_t max_samples);
void front_clear(struct front *f);
void front_free(struct front *f);
/* Adds a branch like *b with the n_samples samples given. */
struct branch *front_add(struct front *f, const struct branch *b, const int32_t *samples);

/* Draws sorted by the token drawn: group g holds the draws draw[first[g]] ..
 * draw[first[g + 1] - 1], in their order; groups in order of first appearance. */
struct groups {
	int32_t n;
	int32_t *first, *draw;
	int32_t *of_token; /* [vocab], -1 between calls */
	int32_t *of_draw;
};

void groups_init(struct groups *g, size_t max_draws, int32_t vocab);
void groups_free(struct groups *g);
/* apart: every draw is a group of its own. */
void groups_make(struct groups *g, const int32_t *drawn, int32_t n, int apart);

#endif
