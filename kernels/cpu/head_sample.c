/* head_sample.c - draws from the output head. */
#include "kernels/cpu/head.h"
#include "kernels/cpu/exp.h"

#include <math.h>

/* Sums of exp(logit - lse) over blocks, so that a draw need not add up the whole row. */
enum {
	SAMPLE_BLOCK = 64,
	SAMPLE_BLOCKS = 4096
};

static int32_t draw(
	const float *p, const double *block_end, int n_blocks, int block, int n, double target)
{
	double sum;
	int b = 0, last = n - 1;

	while (b + 1 < n_blocks && !(block_end[b] > target))
		b++;
	sum = b ? block_end[b - 1] : 0.0;
	for (int j = b * block; j < n && j < (b + 1) * block; j++) {
		sum += (double)p[j];
		if (sum > target)
			return j;
		if (p[j] > 0.0f)
			last = j;
	}
	/* Only rounding leads here: the last token that has any probability. */
	return last;
}

/* Draws of a row with n logits: places, not yet tokens. */
static void sample_row(const struct head_chunk *c, float *logits, int n, int r)
{
	const struct head_shape *s = c->s;
	const int from = s->start[r], to = s->start[r + 1];
	int block = n > SAMPLE_BLOCK * SAMPLE_BLOCKS ? (n + SAMPLE_BLOCKS - 1) / SAMPLE_BLOCKS
						     : SAMPLE_BLOCK;
	int n_blocks = (n + block - 1) / block;
	double end[SAMPLE_BLOCKS], total = 0.0;
	float lse = head_row_lse(logits, n, NULL);

	if (!isfinite(lse)) {
		for (int d = from; d < to; d++) {
			c->token[d] = -1;
			c->logprob[d] = lse;
		}
		return;
	}
	if (s->inverse_temperature == 0.0f) {
		int best = 0;

		for (int j = 1; j < n; j++)
			best = logits[j] > logits[best] ? j : best;
		for (int d = from; d < to; d++) {
			c->token[d] = best;
			c->logprob[d] = logits[best] - lse;
		}
		return;
	}
	for (int b = 0; b < n_blocks; b++) {
		int stop = (b + 1) * block < n ? (b + 1) * block : n;
		float sum = 0.0f;

#pragma omp simd reduction(+ : sum)
		for (int j = b * block; j < stop; j++) {
			logits[j] = exp_fast(logits[j] - lse);
			sum += logits[j];
		}
		total += (double)sum;
		end[b] = total;
	}
	for (int d = from; d < to; d++) {
		c->token[d] = draw(logits, end, n_blocks, block, n, c->uniform[d] * total);
		c->logprob[d] = logf(logits[c->token[d]]);
	}
}

static void sample_part(const void *context, int from, int to)
{
	const struct head_chunk *c = context;

	for (int i = from; i < to; i++) {
		const int r = c->row[i];
		const struct head_list l = head_list(c->s, r);

		sample_row(c, head_row_logits(c, i, &l), l.n, r);
		for (int d = c->s->start[r]; l.ids && d < c->s->start[r + 1]; d++)
			if (c->token[d] >= 0)
				c->token[d] = l.ids[c->token[d]];
	}
}

void cpu_head_sample(const struct head_shape *s, int32_t *token, float *logprob,
	const double *uniform, const float *hidden, const float *w, float *scratch)
{
	struct head_chunk c = {.s = s,
		.hidden = hidden,
		.w = w,
		.scratch = scratch,
		.scale = s->inverse_temperature == 0.0f ? 1.0f : s->inverse_temperature,
		.logprob = logprob,
		.uniform = uniform,
		.token = token};

	for (; c.sparse < 2; c.sparse++)
		for (int r = 0; (r = head_chunk_next(&c, r)) >= 0;)
			cpu_for(c.n, 1, c.work, sample_part, &c);
}
