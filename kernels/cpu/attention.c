/*
 * attention.c - attention of runs of queries over lists of key ranges, forward.
 *
 * Keys are taken in blocks with a running maximum and sum (Milakov and
 * Gimelshein 2018), so that no buffer depends on the length of a sequence; a
 * sequence that fits one block gets the plain softmax.
 */
#include "kernels/cpu/attention.h"
#include "kernels/cpu/exp.h"

#include <math.h>

/* State of one query row and head while its keys go by. */
struct running {
	float max, sum;
	float *acc; /* [head_dim] */
};

static inline void absorb(struct running *r, const float *score, const int32_t *key, int n,
	const float *v, int ldkv, int hd)
{
	float p[KEY_BLOCK];
	float max = r->max, sum = 0.0f, old;

	for (int j = 0; j < n; j++)
		max = score[j] > max ? score[j] : max;
		/* A NaN score is no maximum, but makes the sum one. */
#pragma omp simd reduction(+ : sum)
	for (int j = 0; j < n; j++) {
		p[j] = exp_fast(score[j] - max);
		sum += p[j];
	}
	old = r->sum > 0.0f ? exp_fast(r->max - max) : 0.0f;
	r->sum = r->sum * old + sum;
	r->max = max;
	for (int d = 0; d < hd; d++)
		r->acc[d] *= old;
	for (int j = 0; j < n; j++) {
		const float *row = v + (size_t)key[j] * ldkv;

#pragma omp simd
		for (int d = 0; d < hd; d++)
			r->acc[d] += p[j] * row[d];
	}
}

static inline void attend_row(const struct attention_shape *s, const struct attention_segment *g,
	int i, float *out, float *lse, const float *q, const float *k, const float *v, int ldkv,
	int hd)
{
	struct running r = {.max = -INFINITY, .acc = out};
	float score[KEY_BLOCK];
	int32_t key[KEY_BLOCK];
	int n = 0;

	for (int d = 0; d < hd; d++)
		out[d] = 0.0f;
	for (int a = 0; a <= g->n_ranges; a++) {
		struct key_range range = a < g->n_ranges ? s->ranges[g->first_range + a]
							 : (struct key_range){g->own, i + 1};

		for (int j = 0; j < range.len; j++) {
			key[n] = range.start + j;
			score[n] = s->scale * dot(q, k + (size_t)key[n] * ldkv, hd);
			if (++n == KEY_BLOCK) {
				absorb(&r, score, key, n, v, ldkv, hd);
				n = 0;
			}
		}
	}
	if (n)
		absorb(&r, score, key, n, v, ldkv, hd);
	for (int d = 0; d < hd; d++)
		out[d] /= r.sum;
	*lse = r.max + logf(r.sum);
}

void cpu_attention(const struct attention_shape *s, float *out, float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv)
{
	const int hd = s->head_dim, nh = s->n_heads, group = nh / s->n_kv_heads;

	/* Segments are independent: who computes which does not matter. */
#pragma omp parallel for schedule(dynamic, 8)                                                      \
	num_threads(cpu_threads) if (cpu_parallel((int64_t)s->n_queries * nh * hd * 16))
	for (int b = 0; b < s->n_segments; b++) {
		const struct attention_segment *g = &s->segments[b];

		for (int i = 0; i < g->n_queries; i++) {
			size_t row = (size_t)(g->query + i);

			for (int h = 0; h < nh; h++)
				attend_row(s, g, i, out + (row * nh + h) * hd, lse + row * nh + h,
					q + row * ldq + h * hd, k + h / group * hd,
					v + h / group * hd, ldkv, hd);
		}
	}
}
