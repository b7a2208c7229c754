/*
 * head.c - the output head: log-probabilities of edges and their gradients.
 * Logits exist for HEAD_CHUNK rows at a time only; the backward pass computes
 * them anew, which costs less than the memory traffic of keeping them.
 *
 * Rows that may predict but few tokens are computed by themselves (head_list.c).
 * The others take part in products with the whole matrix; where they have a list
 * all the same, what is not in it is dropped from the result.
 */
#include "kernels/cpu/head.h"
#include "kernels/cpu/exp.h"
#include "kernels/cpu/vec.h"

#include <math.h>
#include <string.h>

static inline vec load_some(const float *p, int n)
{
	return n >= VEC ? vec_load(p) : vec_load_part(p, n);
}

/* The entropy is log Z - sum(p t), t being the logits below their maximum. */
float head_row_lse(const float *logits, int n, float *entropy)
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

static int64_t row_work(const struct head_chunk *c, const struct head_list *l)
{
	return c->sparse ? (int64_t)l->n * c->s->hidden : c->s->vocab;
}

/* Rows of the chunk.  Those that are not neighbours are gathered behind the logits,
 * which leaves room for fewer; where for none, the chunk ends before the gap. */
static int choose_rows(struct head_chunk *c, int from)
{
	const struct head_shape *s = c->s;
	const int64_t room = (int64_t)HEAD_CHUNK * s->vocab / (s->vocab + s->hidden);
	int r = from, gaps = 0;

	c->n = 0;
	c->work = 0;
	for (; r < s->n_rows && c->n < HEAD_CHUNK; r++) {
		const struct head_list l = head_list(s, r);

		if (head_is_sparse(&l, s->vocab) != c->sparse)
			continue;
		if (!c->sparse && c->n) {
			int gap = gaps || r != c->row[c->n - 1] + 1;

			if (gap && c->n >= room)
				break;
			gaps = gap;
		}
		c->row[c->n++] = r;
		c->work += row_work(c, &l);
	}
	c->gathered = gaps ? c->scratch + (size_t)c->n * s->vocab : NULL;
	return r;
}

int head_chunk_next(struct head_chunk *c, int from)
{
	const struct head_shape *s = c->s;
	const int h = s->hidden, v = s->vocab;
	const float *x;

	from = choose_rows(c, from);
	if (c->n == 0)
		return -1;
	if (c->sparse)
		return from;
	x = c->hidden + (size_t)c->row[0] * h;
	if (c->gathered) {
		cpu_gather_rows(c->gathered, h, c->hidden, h, c->row, c->n, h);
		x = c->gathered;
	}
	cpu_matmul(PLAIN, TRANSPOSED, c->n, v, h, c->scale, x, h, c->w, h, 0.0f, c->scratch, v);
	return from;
}

/* From the order of the vocabulary to that of the list, in place: the k-th token is k
 * or more, so nothing is read once written. */
static void gather(float *x, const struct head_list *l)
{
#pragma omp simd
	for (int k = 0; k < l->n; k++)
		x[k] = x[l->ids[k]];
}

/* Back again, from the end; zeros between. */
static void spread(float *x, const struct head_list *l, int vocab)
{
	int end = vocab;

	for (int k = l->n - 1; k >= 0; k--) {
		const float value = x[k];

		while (--end > l->ids[k])
			x[end] = 0.0f;
		x[end] = value;
	}
	while (--end >= 0)
		x[end] = 0.0f;
}

float *head_row_logits(const struct head_chunk *c, int i, const struct head_list *l)
{
	const int h = c->s->hidden;
	float *logits = c->scratch + (size_t)i * c->s->vocab;

	if (c->sparse)
		head_dot_list(logits, l, c->hidden + (size_t)c->row[i] * h, c->w, h, c->scale);
	else if (l->ids)
		gather(logits, l);
	return logits;
}

static void forward_part(const void *context, int from, int to)
{
	const struct head_chunk *c = context;
	const struct head_shape *s = c->s;

	for (int i = from; i < to; i++) {
		const int r = c->row[i];
		const struct head_list l = head_list(s, r);
		const float *logits = head_row_logits(c, i, &l);
		float h, z = head_row_lse(logits, l.n, c->entropy ? &h : NULL);

		c->lse[r] = z;
		for (int e = s->start[r]; e < s->start[r + 1]; e++) {
			int at = head_find(&l, s->token[e]);

			c->logprob[e] = at < 0 ? -INFINITY : logits[at] - z;
			if (c->entropy)
				c->entropy[e] = h;
		}
	}
}

void cpu_head_forward(const struct head_shape *s, float *lse, float *logprob, float *entropy,
	const float *hidden, const float *w, float *scratch)
{
	struct head_chunk c = {.s = s,
		.hidden = hidden,
		.w = w,
		.scratch = scratch,
		.scale = s->inverse_temperature,
		.lse = lse,
		.logprob = logprob,
		.entropy = entropy};

	for (; c.sparse < 2; c.sparse++)
		for (int r = 0; (r = head_chunk_next(&c, r)) >= 0;)
			cpu_for(c.n, 1, c.work, forward_part, &c);
}

/* d/dlogits of sum c_e logprob_e: the c_e at the tokens, minus (sum c) p. */
static void backward_part(const void *context, int from, int to)
{
	const struct head_chunk *c = context;
	const struct head_shape *s = c->s;

	for (int i = from; i < to; i++) {
		const int r = c->row[i];
		const struct head_list l = head_list(s, r);
		float *logits = head_row_logits(c, i, &l);
		float sum = 0.0f, lse = c->lse[r];

		for (int e = s->start[r]; e < s->start[r + 1]; e++)
			sum += head_find(&l, s->token[e]) < 0 ? 0.0f : c->coefficient[e];
#pragma omp simd
		for (int j = 0; j < l.n; j++)
			logits[j] = -sum * exp_fast(logits[j] - lse);
		for (int e = s->start[r]; e < s->start[r + 1]; e++) {
			int at = head_find(&l, s->token[e]);

			if (at >= 0)
				logits[at] += c->coefficient[e];
		}
		if (c->sparse)
			head_sum_list(c->dhidden + (size_t)r * s->hidden, &l, logits, c->w,
				s->hidden, c->scale);
		else if (l.ids)
			spread(logits, &l, s->vocab);
	}
}

/* Gradients of a chunk with the whole matrix; the hidden states are read before their
 * gradients take their place. */
static void backward_products(const struct head_chunk *c)
{
	const int h = c->s->hidden, v = c->s->vocab;
	const float *x = c->gathered ? c->gathered : c->hidden + (size_t)c->row[0] * h;
	float *dx = c->gathered ? c->gathered : c->dhidden + (size_t)c->row[0] * h;

	cpu_matmul(TRANSPOSED, PLAIN, v, h, c->n, c->scale, c->scratch, v, x, h, 1.0f, c->dw, h);
	cpu_matmul(PLAIN, PLAIN, c->n, h, v, c->scale, c->scratch, v, c->w, h, 0.0f, dx, h);
	if (c->gathered)
		cpu_scatter_rows(c->dhidden, h, c->gathered, h, c->row, c->n, h);
}

void cpu_head_backward(const struct head_shape *s, float *dhidden, float *dw,
	const float *coefficient, const float *hidden, const float *w, const float *lse,
	float *scratch)
{
	struct head_chunk c = {.s = s,
		.hidden = hidden,
		.w = w,
		.scratch = scratch,
		.scale = s->inverse_temperature,
		.lse = (float *)lse,
		.dhidden = dhidden,
		.dw = dw,
		.coefficient = coefficient};

	for (; c.sparse < 2; c.sparse++)
		for (int r = 0; (r = head_chunk_next(&c, r)) >= 0;) {
			cpu_for(c.n, 1, c.work, backward_part, &c);
			if (c.sparse)
				head_add_lists(&c);
			else
				backward_products(&c);
		}
}
