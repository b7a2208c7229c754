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

void cpu_scatter_add_rows(float *y, const float *x, const int32_t *target, const int32_t *start,
	const int32_t *order, int n, int c)
{
#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel((int64_t)n * c))
	for (int u = 0; u < n; u++) {
		float *to = y + (size_t)target[u] * c;

		for (int i = start[u]; i < start[u + 1]; i++) {
			const float *from = x + (size_t)order[i] * c;

#pragma omp simd
			for (int j = 0; j < c; j++)
				to[j] += from[j];
		}
	}
}
