/* rope.c - rotary positions (Su et al. 2021) in transformers' rotate-half form. */
#include "kernels/cpu/cpu.h"

void cpu_rope(float *x, int ldx, const int32_t *positions, const float *cos_sin, int n, int n_heads,
	int head_dim, int backward)
{
	int half = head_dim / 2;
	float sign = backward ? -1.0f : 1.0f;

#pragma omp parallel for schedule(static)                                                          \
	num_threads(cpu_threads) if (cpu_parallel((int64_t)n * n_heads * head_dim))
	for (int i = 0; i < n; i++) {
		const float *cosine = cos_sin + (size_t)positions[i] * head_dim;
		const float *sine = cosine + half;
		float *row = x + (size_t)i * ldx;

		for (int h = 0; h < n_heads; h++) {
			float *lo = row + h * head_dim, *hi = lo + half;

#pragma omp simd
			for (int d = 0; d < half; d++) {
				float a = lo[d], b = hi[d], s = sign * sine[d];

				lo[d] = a * cosine[d] - b * s;
				hi[d] = b * cosine[d] + a * s;
			}
		}
	}
}
