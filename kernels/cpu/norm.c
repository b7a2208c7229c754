/* norm.c - RMSNorm (Zhang and Sennrich 2019) with the residual addition before it. */
#include "kernels/cpu/cpu.h"

#include <math.h>

struct forward {
	float *sum, *y, *inv;
	const float *x, *delta, *gain;
	float eps;
	int c;
};

/* x + delta, and the sum of its squares; x itself where there is no delta. */
static float add(float *sum, const float *x, const float *delta, int c)
{
	float squares = 0.0f;

	if (!delta) {
#pragma omp simd reduction(+ : squares)
		for (int j = 0; j < c; j++)
			squares += x[j] * x[j];
		return squares;
	}
#pragma omp simd reduction(+ : squares)
	for (int j = 0; j < c; j++) {
		float t = x[j] + delta[j];

		sum[j] = t;
		squares += t * t;
	}
	return squares;
}

static void forward_part(const void *context, int from, int to)
{
	const struct forward *f = context;
	const int c = f->c;

	for (int i = from; i < to; i++) {
		const size_t at = (size_t)i * c;
		const float *x = f->delta ? f->sum + at : f->x + at, *gain = f->gain;
		float squares = add(f->delta ? f->sum + at : NULL, f->x + at,
			f->delta ? f->delta + at : NULL, c);
		float r = 1.0f / sqrtf(squares / (float)c + f->eps), *y = f->y + at;

		f->inv[i] = r;
#pragma omp simd
		for (int j = 0; j < c; j++)
			y[j] = x[j] * r * gain[j];
	}
}

void cpu_add_rmsnorm(float *sum, float *y, float *inv, const float *x, const float *delta,
	const float *gain, float eps, int n, int c)
{
	const struct forward f = {sum, y, inv, x, delta, gain, eps, c};

	cpu_for(n, 1, (int64_t)n * c, forward_part, &f);
}

struct backward {
	float *dx, *dgain;
	const float *dy, *x, *inv, *gain;
	int n, c;
};

/* With t = dy * gain and xn = x * inv: dx = inv * (t - xn * mean(t * xn)). */
static void rows_part(const void *context, int from, int to)
{
	const struct backward *b = context;
	const float *gain = b->gain;
	const int c = b->c;

	for (int i = from; i < to; i++) {
		const float *x = b->x + (size_t)i * c, *dy = b->dy + (size_t)i * c;
		float *dx = b->dx + (size_t)i * c;
		float dot = 0.0f, r = b->inv[i];

#pragma omp simd reduction(+ : dot)
		for (int j = 0; j < c; j++)
			dot += dy[j] * gain[j] * x[j];
		dot *= r * r * r / (float)c;
#pragma omp simd
		for (int j = 0; j < c; j++)
			dx[j] += dy[j] * gain[j] * r - x[j] * dot;
	}
}

/* Of columns: each is summed over all rows in order. */
static void gain_part(const void *context, int from, int to)
{
	enum {
		STRIP = 32
	};
	const struct backward *b = context;

	for (int j0 = from; j0 < to; j0 += STRIP) {
		int len = to - j0 < STRIP ? to - j0 : STRIP;
		float total[STRIP] = {0};

		for (int i = 0; i < b->n; i++) {
			const float *x = b->x + (size_t)i * b->c + j0;
			const float *dy = b->dy + (size_t)i * b->c + j0;
			float r = b->inv[i];

#pragma omp simd
			for (int j = 0; j < len; j++)
				total[j] += dy[j] * x[j] * r;
		}
		for (int j = 0; j < len; j++)
			b->dgain[j0 + j] += total[j];
	}
}

void cpu_rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
	const float *inv, const float *gain, int n, int c)
{
	const struct backward b = {dx, dgain, dy, x, inv, gain, n, c};

	cpu_for(c, 32, (int64_t)n * c, gain_part, &b);
	cpu_for(n, 1, (int64_t)n * c, rows_part, &b);
}
