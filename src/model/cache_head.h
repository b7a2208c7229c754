/*
 * cache_head.h - what is asked of rows that went through the layers: draws of the next
 * token, or log-probabilities of all that it may be.
 */
#ifndef MODEL_CACHE_HEAD_H
#define MODEL_CACHE_HEAD_H

#include "model/choices.h"
#include "model/layout.h"

/* Draws after a pass: head i draws from row rows[i] the draws start[i] ..
 * start[i + 1] - 1; start[0] is 0.  n may be 0. */
struct cache_draws {
	int n;
	const int32_t *rows, *start;
	const double *uniform;
	float inverse_temperature; /* 0: greedy */
	/* Of row i, NULL: the whole vocabulary; the array NULL: of all rows. */
	const struct choices *const *choices;
	int32_t *token; /* out */
	float *logprob; /* out */
};

/* Log-probabilities after a pass, at temperature 1: head i gives those of all tokens of
 * choices[i] (not NULL), in their order, behind one another in logprob. */
struct cache_scores {
	int n;
	const int32_t *rows;
	const struct choices *const *choices;
	float *logprob; /* out: the sum of all choices[i]->n */
};

/* Buffers, device memory but for the lists. */
struct cache_head {
	int max_heads; /* rows at once, and draws */
	float *x, *lse, *scratch;
	int32_t *rows, *start, *drawn;
	float *logprob;
	double *uniform;
	int32_t *choice_start, *choice_end; /* of a row, in choice */
	int32_t *choice;		    /* [cap_choices], as score */
	float *score;
	size_t cap_choices;
	int32_t *host_start, *host_end; /* [max_heads + 1] */
	struct choice_lists lists;
	int32_t *host_choice; /* [cap_host_choices] */
	size_t cap_host_choices;
};

/* Adds the bytes of device memory to *bytes, also those that the calls below come to
 * need. */
int cache_head_alloc(struct cache_head *h, const struct model *m, int max_heads, uint64_t *bytes,
	struct error *err);
void cache_head_free(struct cache_head *h, const struct device *d);

/* y[*, hidden] are the final states of all rows, device memory.  A token -1 was drawn,
 * a score is not finite where the model is not. */
int cache_head_draw(struct cache_head *h, const struct model *m, const float *y,
	const struct cache_draws *draws, uint64_t *bytes, struct error *err);
int cache_head_score(struct cache_head *h, const struct model *m, const float *y,
	const struct cache_scores *scores, uint64_t *bytes, struct error *err);

#endif
