/*
 * head.h - what the files of the output head share: chunks of rows whose logits
 * exist at the same time, and the lists of what rows may predict.
 */
#ifndef KERNELS_CPU_HEAD_H
#define KERNELS_CPU_HEAD_H

#include "kernels/cpu/cpu.h"

/* What a row may predict, ascending; ids NULL: the tokens 0 .. n - 1. */
struct head_list {
	const int32_t *ids;
	int n;
};

static inline struct head_list head_list(const struct head_shape *s, int row)
{
	int from, to;

	if (!s->choice_start)
		return (struct head_list){NULL, s->vocab};
	from = s->choice_start[row];
	to = s->choice_end ? s->choice_end[row] : s->choice_start[row + 1];
	if (from == to)
		return (struct head_list){NULL, s->vocab};
	return (struct head_list){s->choice + from, to - from};
}

/* Whether the logits of a list are computed one by one: above that share of the
 * vocabulary, a product with all of the matrix is faster. */
static inline int head_is_sparse(const struct head_list *l, int vocab)
{
	return l->ids && l->n <= vocab / 4;
}

/* The place of a token in a list; -1: it has none. */
static inline int head_find(const struct head_list *l, int32_t token)
{
	int low = 0, high = l->n;

	if (!l->ids)
		return token;
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (l->ids[middle] < token)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n && l->ids[low] == token ? low : -1;
}

/* Rows that are computed together: either with the whole matrix or by lists. */
struct head_chunk {
	const struct head_shape *s;
	const float *hidden, *w;
	/* Of row i of the chunk: scratch + i * vocab.  Behind them the hidden states
	 * of the rows, where they are not neighbours (gathered). */
	float *scratch;
	float scale; /* of logits */
	int sparse;
	int n;
	int64_t work;
	float *gathered; /* NULL: the rows are neighbours */
	int32_t row[HEAD_CHUNK];
	/* What the operations read and write. */
	float *lse, *logprob, *entropy, *dhidden, *dw;
	const float *coefficient;
	const double *uniform;
	int32_t *token;
};

/* Takes the next rows from `from` on that are sparse (or not) as the chunk says and
 * computes what they share; the row to go on from, or -1 where there are none left. */
int head_chunk_next(struct head_chunk *c, int from);

/* The logits of row i of the chunk, in the order of its list. */
float *head_row_logits(const struct head_chunk *c, int i, const struct head_list *l);

/* Log-sum-exp of n logits; with entropy not NULL, also that of their distribution. */
float head_row_lse(const float *logits, int n, float *entropy);

/* y[k] = scale * (w[ids[k]] . x), k < n. */
void head_dot_list(
	float *y, const struct head_list *l, const float *x, const float *w, int h, float scale);
/* y[h] = scale * sum over k of g[k] w[ids[k]]. */
void head_sum_list(
	float *y, const struct head_list *l, const float *g, const float *w, int h, float scale);
/* Adds to dw[ids[k]] scale * g[k] * hidden, for all rows of a sparse chunk in order, g
 * being what scratch holds. */
void head_add_lists(const struct head_chunk *c);

#endif
