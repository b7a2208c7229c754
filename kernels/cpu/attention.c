/*
 * attention.c - attention of runs of queries over lists of key ranges, forward.
 *
 * Keys are taken in blocks with a running maximum and sum (Milakov and
 * Gimelshein 2018), so that no buffer depends on the length of a sequence; a
 * sequence that fits one block gets the plain softmax.
 */
#include "kernels/cpu/attention.h"

#include <math.h>

enum {
	PAIRS = 32
}; /* of query row and head that share a block of keys */

/* What is known of a pair when some of its keys have gone by. */
struct running {
	float max[PAIRS], sum[PAIRS];
	_Alignas(64) float acc[PAIRS * MAX_HEAD_DIM]; /* [pair, pad] */
};

struct call {
	const struct attention_shape *s;
	float *out, *lse;
	const float *q, *k, *v;
	int ldq, ldkv, pad;
};

/* acc = old * acc + sum_j p[j] v[j], over n keys; several sums at once, for one
 * would wait for itself. */
static inline __attribute__((always_inline)) void weighted_sum(
	float *acc, float old, const float *p, const float *v, int n, int pad)
{
	for (int c = 0; c < pad; c += VEC) {
		vec a = vec_all(old) * vec_load(acc + c), b = {0}, e = {0}, f = {0};
		int j = 0;

		for (; j + 4 <= n; j += 4) {
			a += vec_all(p[j]) * vec_load(v + j * pad + c);
			b += vec_all(p[j + 1]) * vec_load(v + (j + 1) * pad + c);
			e += vec_all(p[j + 2]) * vec_load(v + (j + 2) * pad + c);
			f += vec_all(p[j + 3]) * vec_load(v + (j + 3) * pad + c);
		}
		for (; j < n; j++)
			a += vec_all(p[j]) * vec_load(v + j * pad + c);
		vec_store(acc + c, (a + b) + (e + f));
	}
}

/* Takes n keys into account but for the first `hidden`; the rest of their last tile is
 * not looked at. */
static inline __attribute__((always_inline)) void absorb(struct running *r, int pair,
	const float *q, const float *columns, const float *v, int hidden, int n, float scale,
	int hd, int pad)
{
	_Alignas(64) float p[KEY_BLOCK];
	const int skip = hidden / VEC * VEC;

	columns += skip * pad;
	v += skip * pad;
	n -= skip;
	hidden -= skip;

	const int tiles = tiles_of(n);
	const vec_int before = vec_below(hidden);
	const vec_int last = vec_below(n - (tiles - 1) * VEC);
	vec high = vec_all(-INFINITY), sum = {0};
	float max, old;

	dots(p, q, columns, tiles, hd, pad);
	for (int t = 0; t < tiles; t++) {
		vec x = vec_load(p + t * VEC) * vec_all(scale);

		if (t == tiles - 1)
			x = vec_select(last, x, vec_all(-INFINITY));
		if (hidden && t == 0)
			x = vec_select(before, vec_all(-INFINITY), x);
		vec_store(p + t * VEC, x);
		high = vec_max(x, high);
	}
	max = vec_highest(high);
	max = r->max[pair] > max ? r->max[pair] : max;
	/* A NaN score is no maximum, but makes the sum one. */
	for (int t = 0; t < tiles; t++) {
		vec x = vec_exp(vec_load(p + t * VEC) - vec_all(max));

		if (t == tiles - 1)
			x = vec_select(last, x, (vec){0});
		if (hidden && t == 0)
			x = vec_select(before, (vec){0}, x);
		vec_store(p + t * VEC, x);
		sum += x;
	}
	old = r->sum[pair] == 0.0f ? 0.0f : expf(r->max[pair] - max);
	r->sum[pair] = r->sum[pair] * old + vec_sum(sum);
	r->max[pair] = max;
	weighted_sum(r->acc + pair * pad, old, p, v, n, pad);
}

static inline __attribute__((always_inline)) void attend_block(const struct call *c,
	const struct attention_segment *g, int kv, int first, int pairs, const int32_t *key, int n,
	int before, int ancestors, struct running *r, const int hd, const int pad)
{
	const int nh = c->s->n_heads, group = nh / c->s->n_kv_heads;
	const int window = c->s->window;
	_Alignas(64) float rows[KEY_BLOCK * MAX_HEAD_DIM], columns[KEY_BLOCK * MAX_HEAD_DIM];

	if (hidden_keys(window, ancestors + first / group, before) >= n)
		return;
	gather_keys(rows, c->k + kv * hd, c->ldkv, key, n, hd, pad);
	transpose_keys(columns, rows, n, pad);
	gather_keys(rows, c->v + kv * hd, c->ldkv, key, n, hd, pad);
	for (int p = 0; p < pairs; p++) {
		int i = (first + p) / group, h = kv * group + (first + p) % group;
		int visible = ancestors + i + 1 - before;
		int hidden = hidden_keys(window, ancestors + i, before);

		if (visible > n)
			visible = n;
		if (visible > hidden)
			absorb(r, p, c->q + (size_t)(g->query + i) * c->ldq + h * hd, columns, rows,
				hidden, visible, c->s->scale, hd, pad);
	}
}

/* Pairs first .. first + pairs - 1 of a segment and key head, over all their keys. */
static void attend(
	const struct call *c, const struct attention_segment *g, int kv, int first, int pairs)
{
	const int nh = c->s->n_heads, group = nh / c->s->n_kv_heads, hd = c->s->head_dim;
	const int ancestors = key_count(c->s, g);
	struct key_walk walk = key_walk_start(c->s, g);
	struct running r;
	int32_t key[KEY_BLOCK];
	int n, before = 0;

	for (int p = 0; p < pairs; p++) {
		r.max[p] = -INFINITY;
		r.sum[p] = 0.0f;
		memset(r.acc + p * c->pad, 0, (size_t)c->pad * sizeof *r.acc);
	}
	for (; (n = key_walk_next(&walk, key)) > 0; before += n)
		WITH_HEAD_DIM(
			hd, attend_block, c, g, kv, first, pairs, key, n, before, ancestors, &r);
	for (int p = 0; p < pairs; p++) {
		size_t row = (size_t)g->query + (size_t)((first + p) / group);
		size_t at = row * nh + kv * group + (first + p) % group;
		float inverse = 1.0f / r.sum[p];

		for (int d = 0; d < hd; d++)
			c->out[at * hd + d] = r.acc[p * c->pad + d] * inverse;
		c->lse[at] = r.max[p] + logf(r.sum[p]);
	}
}

/* Segments are independent: who computes which does not matter. */
static void segments_part(const void *context, int from, int to)
{
	const struct call *c = context;
	const int group = c->s->n_heads / c->s->n_kv_heads;

	for (int b = from; b < to; b++) {
		const struct attention_segment *g = &c->s->segments[b];
		int all = g->n_queries * group;

		for (int kv = 0; kv < c->s->n_kv_heads; kv++)
			for (int first = 0; first < all; first += PAIRS)
				attend(c, g, kv, first, all - first < PAIRS ? all - first : PAIRS);
	}
}

void cpu_attention(const struct attention_shape *s, float *out, float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv)
{
	const struct call c = {s, out, lse, q, k, v, ldq, ldkv, padded(s->head_dim)};

	cpu_for(s->n_segments, 1, (int64_t)s->n_queries * s->n_heads * s->head_dim * 16,
		segments_part, &c);
}
