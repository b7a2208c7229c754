/* rope.c - rotary positions (Su et al. 2021) in transformers' rotate-half form. */
#include "kernels/cpu/cpu.h"

struct rope {
	float *x;
	const int32_t *positions;
	const float *cos_sin;
	int ldx, n_heads, head_dim;
	float sign;
};

static void rope_part(const void *context, int from, int to)
{
	const struct rope *r = context;
	const int half = r->head_dim / 2;

	for (int i = from; i < to; i++) {
		const float *cosine = r->cos_sin + (size_t)r->positions[i] * r->head_dim;
		const float *sine = cosine + half;

		for (int h = 0; h < r->n_heads; h++) {
			float *lo = r->x + (size_t)i * r->ldx + h * r->head_dim, *hi = lo + half;

#pragma omp simd
			for (int d = 0; d < half; d++) {
				float a = lo[d], b = hi[d], s = r->sign * sine[d];

				lo[d] = a * cosine[d] - b * s;
				hi[d] = b * cosine[d] + a * s;
			}
		}
	}
}

void cpu_rope(float *x, int ldx, const int32_t *positions, const float *cos_sin, int n, int n_heads,
	int head_dim, int backward)
{
	const struct rope r = {
		x, positions, cos_sin, ldx, n_heads, head_dim, backward ? -1.0f : 1.0f};

	cpu_for(n, 1, (int64_t)n * n_heads * head_dim, rope_part, &r);
}
