/*
 * attention.h - what the two directions of attention share: blocks of keys, laid
 * out so that scores are computed for a vector of keys at a time.
 */
#ifndef KERNELS_CPU_ATTENTION_H
#define KERNELS_CPU_ATTENTION_H

#include <string.h>
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/vec.h"

enum {
	KEY_BLOCK = 64, /* keys laid out at once; a multiple of every VEC */
	MAX_HEAD_DIM = 256,
	TILES_AT_ONCE = 4 /* of VEC keys, in registers */
};

/* Walks over the keys of a segment: its ranges, then its own rows. */
struct key_walk {
	const struct key_range *range, *end;
	struct key_range own;
	int32_t at; /* within the current range */
	int on_own;
};

static inline struct key_walk key_walk_start(
	const struct attention_shape *s, const struct attention_segment *g)
{
	return (struct key_walk){
		.range = s->ranges + g->first_range,
		.end = s->ranges + g->first_range + g->n_ranges,
		.own = {g->own, g->n_queries},
	};
}

/* Up to KEY_BLOCK further keys; 0 at the end. */
static inline int key_walk_next(struct key_walk *w, int32_t key[KEY_BLOCK])
{
	int n = 0;

	while (n < KEY_BLOCK) {
		struct key_range r = w->range < w->end ? *w->range : w->own;

		if (w->at == r.len) {
			if (w->range == w->end)
				break;
			w->range++;
			w->at = 0;
			continue;
		}
		key[n++] = r.start + w->at++;
	}
	return n;
}

/* Keys that the ranges of a segment hold. */
static inline int key_count(const struct attention_shape *s, const struct attention_segment *g)
{
	int n = 0;

	for (int i = 0; i < g->n_ranges; i++)
		n += s->ranges[g->first_range + i].len;
	return n;
}

/* How many keys of a block that `before` others precede lie before the window of the row
 * whose own key is number `own`. */
static inline int hidden_keys(int window, int own, int before)
{
	int hidden = own + 1 - window - before;

	return window && hidden > 0 ? hidden : 0;
}

/* Floats of a row that is filled up to whole vectors. */
static inline int padded(int head_dim)
{
	return (head_dim + VEC - 1) / VEC * VEC;
}

static inline int tiles_of(int keys)
{
	return (keys + VEC - 1) / VEC;
}

static inline __attribute__((always_inline)) void copy_row(
	float *to, const float *from, int hd, int pad)
{
	int d = 0;

	for (; d + VEC <= hd; d += VEC)
		vec_store(to + d, vec_load(from + d));
	if (d < pad)
		vec_store(to + d, vec_load_part(from + d, hd - d));
}

/* rows[tiles * VEC, pad] = x[key[j], hd], zeros beside and below. */
static inline void gather_keys(
	float *rows, const float *x, int ld, const int32_t *key, int n, int hd, int pad)
{
	int all = tiles_of(n) * VEC;

	for (int j = 0; j < n; j++)
		copy_row(rows + j * pad, x + (size_t)key[j] * ld, hd, pad);
	memset(rows + n * pad, 0, (size_t)((all - n) * pad) * sizeof *rows);
}

/* columns[tile, pad, VEC]: element d of the keys of a tile, side by side. */
static inline void transpose_keys(float *columns, const float *rows, int n, int pad)
{
	for (int t = 0; t < tiles_of(n); t++)
		for (int d = 0; d < pad; d += VEC) {
			vec square[VEC];

			for (int i = 0; i < VEC; i++)
				square[i] = vec_load(rows + (t * VEC + i) * pad + d);
			vec_transpose(square);
			for (int i = 0; i < VEC; i++)
				vec_store(columns + (t * pad + d + i) * VEC, square[i]);
		}
}

static inline __attribute__((always_inline)) void dots_at_once(
	float *out, const float *x, const float *columns, const int tiles, int hd, int pad)
{
	vec sum[TILES_AT_ONCE];

#pragma GCC unroll 4
	for (int t = 0; t < tiles; t++)
		sum[t] = (vec){0};
	for (int d = 0; d < hd; d++) {
		vec q = vec_all(x[d]);

#pragma GCC unroll 4
		for (int t = 0; t < tiles; t++)
			sum[t] += q * vec_load(columns + (t * pad + d) * VEC);
	}
#pragma GCC unroll 4
	for (int t = 0; t < tiles; t++)
		vec_store(out + t * VEC, sum[t]);
}

/* out[tiles * VEC] = x . key for every key of the tiles. */
static inline __attribute__((always_inline)) void dots(
	float *out, const float *x, const float *columns, int tiles, int hd, int pad)
{
	for (; tiles >= 4; tiles -= 4, out += 4 * VEC, columns += 4 * pad * VEC)
		dots_at_once(out, x, columns, 4, hd, pad);
	if (tiles == 3)
		dots_at_once(out, x, columns, 3, hd, pad);
	else if (tiles == 2)
		dots_at_once(out, x, columns, 2, hd, pad);
	else if (tiles == 1)
		dots_at_once(out, x, columns, 1, hd, pad);
}

/* Calls f(..., hd, pad) with both constants where the width is a usual one. */
#define WITH_HEAD_DIM(hd, f, ...)                                                                  \
	do {                                                                                       \
		switch (hd) {                                                                      \
		case 16:                                                                           \
			f(__VA_ARGS__, 16, (16 + VEC - 1) / VEC * VEC);                            \
			break;                                                                     \
		case 24:                                                                           \
			f(__VA_ARGS__, 24, (24 + VEC - 1) / VEC * VEC);                            \
			break;                                                                     \
		case 32:                                                                           \
			f(__VA_ARGS__, 32, 32);                                                    \
			break;                                                                     \
		case 64:                                                                           \
			f(__VA_ARGS__, 64, 64);                                                    \
			break;                                                                     \
		default:                                                                           \
			f(__VA_ARGS__, hd, padded(hd));                                            \
		}                                                                                  \
	} while (0)

#endif
