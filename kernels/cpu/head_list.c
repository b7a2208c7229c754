/*
 * head_list.c - products with few rows of the output matrix: those of the tokens
 * that a row may predict.
 */
#include "kernels/cpu/head.h"
#include "kernels/cpu/vec.h"

static inline vec load_some(const float *p, int n)
{
	return n >= VEC ? vec_load(p) : vec_load_part(p, n);
}

/* Sums each of VEC vectors: lane i of the result is that of t[i]. */
static inline __attribute__((always_inline)) vec sums_of(vec *t)
{
	vec_transpose(t);
#pragma GCC unroll 4
	for (int s = VEC / 2; s > 0; s /= 2)
#pragma GCC unroll 8
		for (int i = 0; i < s; i++)
			t[i] += t[i + s];
	return t[0];
}

void head_dot_list(
	float *y, const struct head_list *l, const float *x, const float *w, int h, float scale)
{
	for (int k = 0; k < l->n; k += VEC) {
		int n = l->n - k < VEC ? l->n - k : VEC;
		const float *row[VEC];
		vec sum[VEC];

		/* Behind the end of the list, its last token again. */
		for (int i = 0; i < VEC; i++) {
			row[i] = w + (size_t)l->ids[i < n ? k + i : k + n - 1] * h;
			sum[i] = (vec){0};
		}
		for (int j = 0; j < h; j += VEC) {
			vec a = load_some(x + j, h - j);

#pragma GCC unroll 16
			for (int i = 0; i < VEC; i++)
				sum[i] += a * load_some(row[i] + j, h - j);
		}
		sum[0] = sums_of(sum) * vec_all(scale);
		if (n == VEC)
			vec_store(y + k, sum[0]);
		else
			vec_store_part(y + k, sum[0], n);
	}
}

void head_sum_list(
	float *y, const struct head_list *l, const float *g, const float *w, int h, float scale)
{
	enum {
		WIDE = 4
	};
	int j = 0;

	for (; j + WIDE * VEC <= h; j += WIDE * VEC) {
		vec sum[WIDE] = {0};

		for (int k = 0; k < l->n; k++) {
			const float *row = w + (size_t)l->ids[k] * h + j;

#pragma GCC unroll 4
			for (int i = 0; i < WIDE; i++)
				sum[i] += vec_all(g[k]) * vec_load(row + i * VEC);
		}
		for (int i = 0; i < WIDE; i++)
			vec_store(y + j + i * VEC, sum[i] * vec_all(scale));
	}
	for (; j < h; j += VEC) {
		vec sum = {0};

		for (int k = 0; k < l->n; k++)
			sum += vec_all(g[k]) * load_some(w + (size_t)l->ids[k] * h + j, h - j);
		if (h - j >= VEC)
			vec_store(y + j, sum * vec_all(scale));
		else
			vec_store_part(y + j, sum * vec_all(scale), h - j);
	}
}

/* Columns from .. to of all the rows: each sum has its terms in the order of the rows,
 * whatever the threads. */
static void add_columns(const void *context, int from, int to)
{
	const struct head_chunk *c = context;
	const int h = c->s->hidden;

	for (int i = 0; i < c->n; i++) {
		const struct head_list l = head_list(c->s, c->row[i]);
		const float *g = c->scratch + (size_t)i * c->s->vocab;
		const float *x = c->hidden + (size_t)c->row[i] * h;

		for (int k = 0; k < l.n; k++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
			float *y = c->dw + (size_t)l.ids[k] * h;
			vec a = vec_all(c->scale * g[k]);
			int j = from;

			for (; j + VEC <= to; j += VEC)
				vec_store(y + j, vec_load(y + j) + a * vec_load(x + j));
			if (j < to)
				vec_store_part(y + j,
					vec_load_part(y + j, to - j) +
						a * vec_load_part(x + j, to - j),
					to - j);
		}
	}
}

void head_add_lists(const struct head_chunk *c)
{
	cpu_for(c->s->hidden, VEC, c->work, add_columns, c);
}
