/* rows.c - copying and summing rows by index: embedding, caches, compaction. */
#include "kernels/cpu/cpu.h"

#include <string.h>

void cpu_gather_rows(float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c)
{
	for (int i = 0; i < n; i++)
		memcpy(y + (size_t)i * ldy, x + (size_t)index[i] * ldx, (size_t)c * sizeof *y);
}

void cpu_scatter_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c)
{
	for (int i = 0; i < n; i++)
		memcpy(y + (size_t)index[i] * ldy, x + (size_t)i * ldx, (size_t)c * sizeof *y);
}

struct scatter_add {
	float *y;
	const float *x;
	const int32_t *target, *start, *order;
	int c;
};

static void scatter_add_part(const void *context, int from, int to)
{
	const struct scatter_add *s = context;

	for (int u = from; u < to; u++) {
		float *sum = s->y + (size_t)s->target[u] * s->c;

		for (int i = s->start[u]; i < s->start[u + 1]; i++) {
			const float *row = s->x + (size_t)s->order[i] * s->c;

#pragma omp simd
			for (int j = 0; j < s->c; j++)
				sum[j] += row[j];
		}
	}
}

void cpu_scatter_add_rows(float *y, const float *x, const int32_t *target, const int32_t *start,
	const int32_t *order, int n, int c)
{
	const struct scatter_add s = {y, x, target, start, order, c};

	cpu_for(n, 1, (int64_t)n * c, scatter_add_part, &s);
}
