/*
 * attention_backward.c - gradients of tree attention.
 *
 * With p = exp(score - lse) and delta = sum(dout * out) (Dao et al. 2022):
 * dv += p dout, ds = p (dout . v - delta) scale, dq += ds k, dk += ds q.
 * The gradients of a block of keys are gathered beside it and added to theirs
 * when all rows of a segment have passed.  Key heads are cut over threads, so each
 * sum has one owner and one order.
 */
#include "kernels/cpu/attention.h"

enum {
	ROWS = 4
}; /* of queries taken at once over a block of keys */

struct gradients {
	const struct attention_shape *s;
	float *dq, *dk, *dv;
	const float *dout, *out, *lse, *q, *k, *v;
	float *delta;
	int ldq, ldkv;
};

/* A block of keys and values, as rows and as columns, and their gradients. */
struct block {
	_Alignas(64) float k[KEY_BLOCK * MAX_HEAD_DIM], kt[KEY_BLOCK * MAX_HEAD_DIM];
	float v[KEY_BLOCK * MAX_HEAD_DIM], vt[KEY_BLOCK * MAX_HEAD_DIM];
	float dk[KEY_BLOCK * MAX_HEAD_DIM], dv[KEY_BLOCK * MAX_HEAD_DIM];
};

/* Some query rows of one head: their vectors, filled up, and their weights. */
struct queries {
	_Alignas(64) float q[ROWS * MAX_HEAD_DIM], dout[ROWS * MAX_HEAD_DIM];
	float p[ROWS * KEY_BLOCK], ds[ROWS * KEY_BLOCK];
};

static inline __attribute__((always_inline)) void block_load(const struct gradients *t,
	struct block *b, int kv, const int32_t *key, int n, const int hd, const int pad)
{
	gather_keys(b->k, t->k + kv * hd, t->ldkv, key, n, hd, pad);
	gather_keys(b->v, t->v + kv * hd, t->ldkv, key, n, hd, pad);
	transpose_keys(b->kt, b->k, n, pad);
	transpose_keys(b->vt, b->v, n, pad);
	memset(b->dk, 0, (size_t)(n * pad) * sizeof *b->dk);
	memset(b->dv, 0, (size_t)(n * pad) * sizeof *b->dv);
}

static inline __attribute__((always_inline)) void add_row(float *to, const float *from, int hd)
{
	int d = 0;

	for (; d + VEC <= hd; d += VEC)
		vec_store(to + d, vec_load(to + d) + vec_load(from + d));
	if (d < hd)
		vec_store_part(to + d, vec_load_part(to + d, hd - d) + vec_load(from + d), hd - d);
}

/* p and ds of one row for `visible` keys but for the first `hidden`; 0 for the others of
 * `tiles` tiles. */
static inline __attribute__((always_inline)) void weights(const struct queries *x,
	const struct block *b, int r, float *p, float *ds, int hidden, int visible, int tiles,
	float scale, float lse, float delta, int hd, int pad)
{
	int used = tiles_of(visible);

	dots(p, x->q + r * pad, b->kt, used, hd, pad);
	dots(ds, x->dout + r * pad, b->vt, used, hd, pad);
	for (int i = 0; i < used; i++) {
		vec_int mask = vec_below(visible - i * VEC);
		vec w = vec_exp(vec_load(p + i * VEC) * vec_all(scale) - vec_all(lse));

		w = vec_select(mask, w, (vec){0});
		if (hidden > i * VEC)
			w = vec_select(vec_below(hidden - i * VEC), (vec){0}, w);
		vec_store(p + i * VEC, w);
		vec_store(ds + i * VEC,
			w * (vec_load(ds + i * VEC) - vec_all(delta)) * vec_all(scale));
	}
	for (int i = used; i < tiles; i++) {
		vec_store(p + i * VEC, (vec){0});
		vec_store(ds + i * VEC, (vec){0});
	}
}

/* The gradients that `rows` rows (a constant) give to n keys and get from them. */
static inline __attribute__((always_inline)) void spread(const struct queries *x, struct block *b,
	float *const *dq, const int rows, int n, int hd, int pad)
{
	for (int c = 0; c < pad; c += VEC) {
		vec q[ROWS], dout[ROWS], sum[ROWS];
		float *dk = b->dk + c, *dv = b->dv + c;
		const float *k = b->k + c;

#pragma GCC unroll 4
		for (int r = 0; r < rows; r++) {
			q[r] = vec_load(x->q + r * pad + c);
			dout[r] = vec_load(x->dout + r * pad + c);
			sum[r] = (vec){0};
		}
		for (int j = 0; j < n; j++, dk += pad, dv += pad, k += pad) {
			vec key = vec_load(k), to_k = vec_load(dk), to_v = vec_load(dv);

#pragma GCC unroll 4
			for (int r = 0; r < rows; r++) {
				vec p = vec_all(x->p[r * KEY_BLOCK + j]);
				vec ds = vec_all(x->ds[r * KEY_BLOCK + j]);

				to_v += p * dout[r];
				to_k += ds * q[r];
				sum[r] += ds * key;
			}
			vec_store(dk, to_k);
			vec_store(dv, to_v);
		}
#pragma GCC unroll 4
		for (int r = 0; r < rows; r++) {
			float *to = dq[r] + c;

			if (hd - c >= VEC)
				vec_store(to, vec_load(to) + sum[r]);
			else
				vec_store_part(to, vec_load_part(to, hd - c) + sum[r], hd - c);
		}
	}
}

/* Rows i .. i + rows - 1 of a segment, head h, over the block's n keys, which
 * `before` others precede. */
static inline __attribute__((always_inline)) void pass(const struct gradients *t,
	const struct attention_segment *g, struct block *b, int h, int i, const int rows, int n,
	int before, int ancestors, const int hd, const int pad)
{
	struct queries x;
	float *dq[ROWS];
	int last = ancestors + i + rows - before;
	int seen = last < n ? last : n, tiles = tiles_of(seen);

	if (seen <= 0 || hidden_keys(t->s->window, ancestors + i, before) >= n)
		return;
	for (int r = 0; r < rows; r++) {
		size_t row = (size_t)g->query + (size_t)(i + r), at = row * t->s->n_heads + h;
		int visible = ancestors + i + r + 1 - before;

		copy_row(x.q + r * pad, t->q + row * t->ldq + h * hd, hd, pad);
		copy_row(x.dout + r * pad, t->dout + at * hd, hd, pad);
		dq[r] = t->dq + row * t->ldq + h * hd;
		weights(&x, b, r, x.p + r * KEY_BLOCK, x.ds + r * KEY_BLOCK,
			hidden_keys(t->s->window, ancestors + i + r, before),
			visible > n   ? n
			: visible > 0 ? visible
				      : 0,
			tiles, t->s->scale, t->lse[at], t->delta[at], hd, pad);
	}
	spread(&x, b, dq, rows, seen, hd, pad);
}

static inline __attribute__((always_inline)) void segment_backward(const struct gradients *t,
	const struct attention_segment *g, int kv, const int hd, const int pad)
{
	const int group = t->s->n_heads / t->s->n_kv_heads;
	const int ancestors = key_count(t->s, g);
	struct key_walk walk = key_walk_start(t->s, g);
	struct block b;
	int32_t key[KEY_BLOCK];

	for (int n, before = 0; (n = key_walk_next(&walk, key)) > 0; before += n) {
		block_load(t, &b, kv, key, n, hd, pad);
		for (int h = kv * group; h < (kv + 1) * group; h++) {
			int i = 0;

			for (; i + ROWS <= g->n_queries; i += ROWS)
				pass(t, g, &b, h, i, ROWS, n, before, ancestors, hd, pad);
			for (; i < g->n_queries; i++)
				pass(t, g, &b, h, i, 1, n, before, ancestors, hd, pad);
		}
		for (int j = 0; j < n; j++) {
			size_t at = (size_t)key[j] * t->ldkv + kv * hd;

			add_row(t->dk + at, b.dk + j * pad, hd);
			add_row(t->dv + at, b.dv + j * pad, hd);
		}
	}
}

/* Zero gradients and delta of one key head and its query heads. */
static void begin_head(const struct gradients *t, int kv)
{
	const int hd = t->s->head_dim, nh = t->s->n_heads, group = nh / t->s->n_kv_heads;

	for (int r = 0; r < t->s->n_queries; r++) {
		memset(t->dq + (size_t)r * t->ldq + kv * group * hd, 0,
			(size_t)(group * hd) * sizeof *t->dq);
		memset(t->dk + (size_t)r * t->ldkv + kv * hd, 0, (size_t)hd * sizeof *t->dk);
		memset(t->dv + (size_t)r * t->ldkv + kv * hd, 0, (size_t)hd * sizeof *t->dv);
		for (int h = kv * group; h < (kv + 1) * group; h++) {
			size_t at = (size_t)r * nh + h;
			const float *a = t->dout + at * hd, *b = t->out + at * hd;
			float sum = 0.0f;

#pragma omp simd reduction(+ : sum)
			for (int d = 0; d < hd; d++)
				sum += a[d] * b[d];
			t->delta[at] = sum;
		}
	}
}

static void heads_part(const void *context, int from, int to)
{
	const struct gradients *t = context;

	for (int kv = from; kv < to; kv++) {
		begin_head(t, kv);
		for (int b = 0; b < t->s->n_segments; b++)
			WITH_HEAD_DIM(t->s->head_dim, segment_backward, t, &t->s->segments[b], kv);
	}
}

void cpu_attention_backward(const struct attention_shape *s, float *dq, float *dk, float *dv,
	const float *dout, const float *out, const float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv, float *delta)
{
	const struct gradients t = {s, dq, dk, dv, dout, out, lse, q, k, v, delta, ldq, ldkv};

	cpu_for(s->n_kv_heads, 1, (int64_t)s->n_queries * s->n_heads * s->head_dim * 16, heads_part,
		&t);
}
