/* norm.c - RMSNorm (Zhang and Sennrich 2019) with the residual addition before it. */
#include "kernels/cpu/cpu.h"

#include <math.h>

void cpu_add_rmsnorm(float *sum, float *y, float *inv, const float *x, const float *delta,
	const float *gain, float eps, int n, int c)
{
#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel((int64_t)n * c))
	for (int i = 0; i < n; i++) {
		const float *a = x + (size_t)i * c;
		float *out = y + (size_t)i * c;
		float squares = 0.0f, r;

		if (delta) {
			const float *b = delta + (size_t)i * c;
			float *s = sum + (size_t)i * c;

#pragma omp simd reduction(+ : squares)
			for (int j = 0; j < c; j++) {
				float t = a[j] + b[j];

				s[j] = t;
				squares += t * t;
			}
			a = s;
		} else {
#pragma omp simd reduction(+ : squares)
			for (int j = 0; j < c; j++)
				squares += a[j] * a[j];
		}
		r = 1.0f / sqrtf(squares / (float)c + eps);
		inv[i] = r;
#pragma omp simd
		for (int j = 0; j < c; j++)
			out[j] = a[j] * r * gain[j];
	}
}

/* With t = dy * gain and xn = x * inv: dx = inv * (t - xn * mean(t * xn)). */
static void backward_rows(float *dx, const float *dy, const float *x, const float *inv,
	const float *gain, int n, int c)
{
#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel((int64_t)n * c))
	for (int i = 0; i < n; i++) {
		const float *a = x + (size_t)i * c, *d = dy + (size_t)i * c;
		float *to = dx + (size_t)i * c;
		float dot = 0.0f, r = inv[i];

#pragma omp simd reduction(+ : dot)
		for (int j = 0; j < c; j++)
			dot += d[j] * gain[j] * a[j];
		dot *= r * r * r / (float)c;
#pragma omp simd
		for (int j = 0; j < c; j++)
			to[j] += d[j] * gain[j] * r - a[j] * dot;
	}
}

/* Columns are cut over threads: each sums its own over all rows in order. */
static void backward_gain(
	float *dgain, const float *dy, const float *x, const float *inv, int n, int c)
{
	enum {
		STRIP = 32
	};

#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel((int64_t)n * c))
	for (int j0 = 0; j0 < c; j0 += STRIP) {
		int len = c - j0 < STRIP ? c - j0 : STRIP;
		float total[STRIP] = {0};

		for (int i = 0; i < n; i++) {
			const float *a = x + (size_t)i * c + j0, *d = dy + (size_t)i * c + j0;
			float r = inv[i];

#pragma omp simd
			for (int j = 0; j < len; j++)
				total[j] += d[j] * a[j] * r;
		}
		for (int j = 0; j < len; j++)
			dgain[j0 + j] += total[j];
	}
}

void cpu_rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
	const float *inv, const float *gain, int n, int c)
{
	backward_gain(dgain, dy, x, inv, n, c);
	backward_rows(dx, dy, x, inv, gain, n, c);
}
