/*
 * head.c - the output head: log-probabilities of edges and their gradients.
 * Logits exist for HEAD_CHUNK rows at a time only; the backward pass computes
 * them anew, which costs less than the memory traffic of keeping them.
 */
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/exp.h"
#include "kernels/cpu/vec.h"

#include <math.h>
#include <string.h>

static void logits_of(const struct head_shape *s, float *logits, const float *hidden,
	const float *w, int from, int rows, float scale)
{
	cpu_matmul(PLAIN, TRANSPOSED, rows, s->vocab, s->hidden, scale,
		hidden + (size_t)from * s->hidden, s->hidden, w, s->hidden, 0.0f, logits, s->vocab);
}

static inline vec load_some(const float *p, int n)
{
	return n >= VEC ? vec_load(p) : vec_load_part(p, n);
}

/* Log-sum-exp of a row; with entropy not NULL, also that of its distribution:
 * log Z - sum(p t), t being the logits below their maximum. */
static float row_lse(const float *logits, int n, float *entropy)
{
	vec high = vec_all(-INFINITY), sum = {0}, weighted = {0};
	float max, z;

	for (int j = 0; j < n; j += VEC)
		high = vec_max(
			vec_select(vec_below(n - j), load_some(logits + j, n - j), high), high);
	max = vec_highest(high);
	/* A NaN is no maximum, but makes the sum one. */
	for (int j = 0; j < n; j += VEC) {
		vec t = load_some(logits + j, n - j) - vec_all(max);
		vec e = vec_select(vec_below(n - j), vec_exp(t), (vec){0});

		sum += e;
		weighted += vec_select(vec_below(n - j), e * t, (vec){0});
	}
	z = vec_sum(sum);
	if (entropy)
		*entropy = logf(z) - vec_sum(weighted) / z;
	return max + logf(z);
}

/* A chunk of rows whose logits are in scratch; the first is row `first`. */
struct chunk {
	const struct head_shape *s;
	float *scratch;
	int first;
	float *lse, *logprob, *entropy;
	const float *coefficient;
	const double *uniform;
	int32_t *token;
};

static int chunk_rows(const struct head_shape *s, int from)
{
	return s->n_rows - from < HEAD_CHUNK ? s->n_rows - from : HEAD_CHUNK;
}

static void forward_part(const void *context, int from, int to)
{
	const struct chunk *c = context;
	const struct head_shape *s = c->s;

	for (int i = from; i < to; i++) {
		const float *logits = c->scratch + (size_t)i * s->vocab;
		int r = c->first + i;
		float h, z = row_lse(logits, s->vocab, c->entropy ? &h : NULL);

		c->lse[r] = z;
		for (int e = s->start[r]; e < s->start[r + 1]; e++) {
			c->logprob[e] = logits[s->token[e]] - z;
			if (c->entropy)
				c->entropy[e] = h;
		}
	}
}

void cpu_head_forward(const struct head_shape *s, float *lse, float *logprob, float *entropy,
	const float *hidden, const float *w, float *scratch)
{
	struct chunk c = {
		.s = s, .scratch = scratch, .lse = lse, .logprob = logprob, .entropy = entropy};

	for (; c.first < s->n_rows; c.first += HEAD_CHUNK) {
		int rows = chunk_rows(s, c.first);

		logits_of(s, scratch, hidden, w, c.first, rows, s->inverse_temperature);
		cpu_for(rows, 1, (int64_t)rows * s->vocab, forward_part, &c);
	}
}

/* d/dlogits of sum c_e logprob_e: the c_e at the tokens, minus (sum c) p. */
static void backward_part(const void *context, int from, int to)
{
	const struct chunk *c = context;
	const struct head_shape *s = c->s;

	for (int i = from; i < to; i++) {
		float *logits = c->scratch + (size_t)i * s->vocab;
		int r = c->first + i;
		float sum = 0.0f, lse = c->lse[r];

		for (int e = s->start[r]; e < s->start[r + 1]; e++)
			sum += c->coefficient[e];
#pragma omp simd
		for (int j = 0; j < s->vocab; j++)
			logits[j] = -sum * exp_fast(logits[j] - lse);
		for (int e = s->start[r]; e < s->start[r + 1]; e++)
			logits[s->token[e]] += c->coefficient[e];
	}
}

void cpu_head_backward(const struct head_shape *s, float *dhidden, float *dw,
	const float *coefficient, const float *hidden, const float *w, const float *lse,
	float *scratch)
{
	struct chunk c = {
		.s = s, .scratch = scratch, .lse = (float *)lse, .coefficient = coefficient};
	const float scale = s->inverse_temperature;
	const int h = s->hidden, v = s->vocab;

	for (; c.first < s->n_rows; c.first += HEAD_CHUNK) {
		int rows = chunk_rows(s, c.first);
		const size_t at = (size_t)c.first * h;

		logits_of(s, scratch, hidden, w, c.first, rows, scale);
		cpu_for(rows, 1, (int64_t)rows * v, backward_part, &c);
		cpu_matmul(
			PLAIN, PLAIN, rows, h, v, scale, scratch, v, w, h, 0.0f, dhidden + at, h);
		cpu_matmul(TRANSPOSED, PLAIN, v, h, rows, scale, scratch, v, hidden + at, h, 1.0f,
			dw, h);
	}
}

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

static void sample_row(const struct head_shape *s, float *logits, int32_t *token, float *logprob,
	const double *uniform, int r)
{
	const int n = s->vocab;
	int block = n > SAMPLE_BLOCK * SAMPLE_BLOCKS ? (n + SAMPLE_BLOCKS - 1) / SAMPLE_BLOCKS
						     : SAMPLE_BLOCK;
	int n_blocks = (n + block - 1) / block;
	double end[SAMPLE_BLOCKS], total = 0.0;
	float lse = row_lse(logits, n, NULL);

	if (!isfinite(lse)) {
		for (int d = s->start[r]; d < s->start[r + 1]; d++) {
			token[d] = -1;
			logprob[d] = lse;
		}
		return;
	}
	if (s->inverse_temperature == 0.0f) {
		int best = 0;

		for (int j = 1; j < n; j++)
			best = logits[j] > logits[best] ? j : best;
		for (int d = s->start[r]; d < s->start[r + 1]; d++) {
			token[d] = best;
			logprob[d] = logits[best] - lse;
		}
		return;
	}
	for (int b = 0; b < n_blocks; b++) {
		int to = (b + 1) * block < n ? (b + 1) * block : n;
		float sum = 0.0f;

#pragma omp simd reduction(+ : sum)
		for (int j = b * block; j < to; j++) {
			logits[j] = exp_fast(logits[j] - lse);
			sum += logits[j];
		}
		total += (double)sum;
		end[b] = total;
	}
	for (int d = s->start[r]; d < s->start[r + 1]; d++) {
		token[d] = draw(logits, end, n_blocks, block, n, uniform[d] * total);
		logprob[d] = logf(logits[token[d]]);
	}
}

static void sample_part(const void *context, int from, int to)
{
	const struct chunk *c = context;

	for (int i = from; i < to; i++)
		sample_row(c->s, c->scratch + (size_t)i * c->s->vocab, c->token, c->logprob,
			c->uniform, c->first + i);
}

void cpu_head_sample(const struct head_shape *s, int32_t *token, float *logprob,
	const double *uniform, const float *hidden, const float *w, float *scratch)
{
	struct chunk c = {
		.s = s, .scratch = scratch, .token = token, .logprob = logprob, .uniform = uniform};
	const float scale = s->inverse_temperature == 0.0f ? 1.0f : s->inverse_temperature;

	for (; c.first < s->n_rows; c.first += HEAD_CHUNK) {
		int rows = chunk_rows(s, c.first);

		logits_of(s, scratch, hidden, w, c.first, rows, scale);
		cpu_for(rows, 1, (int64_t)rows * s->vocab, sample_part, &c);
	}
}
