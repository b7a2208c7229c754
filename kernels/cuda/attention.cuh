/*
 * attention.cuh - what the two directions of attention share: tiles of pairs (query
 * row, head) and the walk over the keys of a segment.
 */
#ifndef KERNELS_CUDA_ATTENTION_CUH
#define KERNELS_CUDA_ATTENTION_CUH

#include "kernels/cuda/cuda.cuh"

enum {
	WARPS = 4,
	THREADS = WARPS * WARP,
	OWN = 4,	    /* pairs (or keys) that a warp owns ... */
	TILE = WARPS * OWN, /* ... and a block */
	MAX_TILES = 256	    /* of a segment, taken by different blocks */
};

/* Where a position among a segment's keys lies; positions asked for only ascend. */
struct key_cursor {
	const struct key_range *range, *end;
	int base; /* position of the current range's first key */
	int own;
};

DEVICE_FN struct key_cursor key_cursor_start(
	const struct key_range *ranges, const struct attention_segment *g)
{
	struct key_cursor c;

	c.range = ranges + g->first_range;
	c.end = c.range + g->n_ranges;
	c.base = 0;
	c.own = g->own;
	return c;
}

DEVICE_FN int32_t key_at(struct key_cursor *c, int position)
{
	while (c->range < c->end && position >= c->base + c->range->len)
		c->base += c->range++->len;
	return (c->range < c->end ? c->range->start : c->own) + position - c->base;
}

/* Keys that the ranges of a segment hold. */
DEVICE_FN int key_count(const struct key_range *range, int n_ranges)
{
	int n = 0;

	for (int i = 0; i < n_ranges; i++)
		n += range[i].len;
	return n;
}

/* Index of a segment's pair in [n_queries, n_heads]. */
DEVICE_FN size_t pair_at(
	const struct attention_segment *g, int pair, int kv, int group, int n_heads)
{
	return (size_t)(g->query + pair / group) * n_heads + kv * group + pair % group;
}

/* to[n, stride] = the vectors of the pairs first .. first + n - 1, from rows of ld. */
DEVICE_FN void load_pairs(float *to, int stride, const float *x, int ld,
	const struct attention_segment *g, int kv, int group, int first, int n, int hd)
{
	for (int i = (int)threadIdx.x; i < n * hd; i += THREADS) {
		const int p = first + i / hd, d = i % hd;

		to[i / hd * stride + d] =
			x[(size_t)(g->query + p / group) * ld + (kv * group + p % group) * hd + d];
	}
}

/* to[n, stride] = the rows key[0 .. n - 1]. */
DEVICE_FN void load_keys(
	float *to, int stride, const float *x, int ld, const int32_t *key, int n, int hd)
{
	for (int i = (int)threadIdx.x; i < n * hd; i += THREADS)
		to[i / hd * stride + i % hd] = x[(size_t)key[i / hd] * ld + i % hd];
}

/* Keys of a block that `before` others precede which lie before the window of the row
 * whose own key is number `own`. */
DEVICE_FN int hidden_keys(int window, int own, int before)
{
	return window ? max(0, own + 1 - window - before) : 0;
}

DEVICE_FN float dot(const float *a, const float *b, int n)
{
	float sum = 0.0f;

	for (int d = 0; d < n; d++)
		sum += a[d] * b[d];
	return sum;
}

/* acc = old * acc + the sum over lanes first .. n - 1 of their weight times row. */
template <int NJ>
DEVICE_FN void add_weighted(float (&acc)[NJ], float old, float weight, const float *rows,
	int stride, int n, int lane, int hd, int first = 0)
{
	for (int j = 0; j < NJ; j++)
		acc[j] *= old;
	for (int i = first; i < n; i++) {
		const float w = __shfl_sync(0xffffffffu, weight, i);

#pragma unroll
		for (int j = 0; j < NJ; j++)
			if (lane + j * WARP < hd)
				acc[j] += w * rows[i * stride + lane + j * WARP];
	}
}

/* (segment, key head, tile): how many tiles a segment has, only the device knows. */
static inline dim3 attention_grid(const struct attention_shape *s)
{
	const int64_t pairs = (int64_t)s->n_queries * (s->n_heads / s->n_kv_heads);
	const int64_t tiles = (pairs + TILE - 1) / TILE;

	return dim3((unsigned)s->n_segments, (unsigned)s->n_kv_heads,
		(unsigned)(tiles < MAX_TILES ? tiles : (int64_t)MAX_TILES));
}

#endif
