/*
 * attention_backward.c - gradients of tree attention.
 *
 * With p = exp(score - lse) and delta = sum(dout * out) (Dao et al. 2022):
 * dv += p dout, ds = p (dout . v - delta) scale, dq += ds k, dk += ds q.
 * Key heads are cut over threads, so each sum has one owner and one order.
 */
#include "kernels/cpu/attention.h"
#include "kernels/cpu/exp.h"

#include <string.h>

struct gradients {
	const struct attention_shape *s;
	float *dq, *dk, *dv;
	const float *dout, *out, *lse, *q, *k, *v;
	float *delta;
	int ldq, ldkv;
};

static inline void backward_row(
	const struct gradients *t, const struct attention_segment *g, int i, int h, int hd)
{
	const struct attention_shape *s = t->s;
	const int kv = h / (s->n_heads / s->n_kv_heads) * hd;
	const size_t row = (size_t)(g->query + i), at = row * s->n_heads + h;
	const float *q = t->q + row * t->ldq + h * hd, *dout = t->dout + at * hd;
	float *dq = t->dq + row * t->ldq + h * hd;
	float delta = dot(dout, t->out + at * hd, hd), lse = t->lse[at];

	t->delta[at] = delta;
	for (int a = 0; a <= g->n_ranges; a++) {
		struct key_range range = a < g->n_ranges ? s->ranges[g->first_range + a]
							 : (struct key_range){g->own, i + 1};

		for (int j = 0; j < range.len; j++) {
			size_t key = (size_t)(range.start + j) * t->ldkv + kv;
			const float *k = t->k + key, *v = t->v + key;
			float *dk = t->dk + key, *dv = t->dv + key;
			float p = exp_fast(s->scale * dot(q, k, hd) - lse);
			float ds = p * (dot(dout, v, hd) - delta) * s->scale;

#pragma omp simd
			for (int d = 0; d < hd; d++) {
				dv[d] += p * dout[d];
				dq[d] += ds * k[d];
				dk[d] += ds * q[d];
			}
		}
	}
}

void cpu_attention_backward(const struct attention_shape *s, float *dq, float *dk, float *dv,
	const float *dout, const float *out, const float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv, float *delta)
{
	const struct gradients t = {s, dq, dk, dv, dout, out, lse, q, k, v, delta, ldq, ldkv};
	const int hd = s->head_dim, group = s->n_heads / s->n_kv_heads;

#pragma omp parallel for schedule(static)                                                          \
	num_threads(cpu_threads) if (cpu_parallel((int64_t)s->n_queries * s->n_heads * hd * 16))
	for (int kv = 0; kv < s->n_kv_heads; kv++) {
		for (int r = 0; r < s->n_queries; r++) {
			memset(dq + (size_t)r * ldq + kv * group * hd, 0,
				(size_t)(group * hd) * sizeof *dq);
			memset(dk + (size_t)r * ldkv + kv * hd, 0, (size_t)hd * sizeof *dk);
			memset(dv + (size_t)r * ldkv + kv * hd, 0, (size_t)hd * sizeof *dv);
		}
		for (int b = 0; b < s->n_segments; b++) {
			const struct attention_segment *g = &s->segments[b];

			for (int i = 0; i < g->n_queries; i++)
				for (int h = kv * group; h < (kv + 1) * group; h++)
					backward_row(&t, g, i, h, hd);
		}
	}
}
