/* head_norm.c - RMSNorm of each head of queries or keys, and biases of projections. */
#include "kernels/cpu/cpu.h"

#include <math.h>

struct heads {
	float *y, *inv_out, *d;
	const float *x, *inv, *gain;
	float eps;
	int ldy, ldx, ldd, n_heads, head_dim;
};

static void forward_part(const void *context, int from, int to)
{
	const struct heads *s = context;
	const int c = s->head_dim;
	const float *gain = s->gain;

	for (int i = from; i < to; i++)
		for (int h = 0; h < s->n_heads; h++) {
			const float *x = s->x + (size_t)i * s->ldx + h * c;
			float *y = s->y + (size_t)i * s->ldy + h * c, squares = 0.0f, r;

#pragma omp simd reduction(+ : squares)
			for (int j = 0; j < c; j++)
				squares += x[j] * x[j];
			r = 1.0f / sqrtf(squares / (float)c + s->eps);
			s->inv_out[(size_t)i * s->n_heads + h] = r;
#pragma omp simd
			for (int j = 0; j < c; j++)
				y[j] = x[j] * r * gain[j];
		}
}

void cpu_head_rmsnorm(float *y, int ldy, float *inv, const float *x, int ldx, const float *gain,
	float eps, int n, int n_heads, int head_dim)
{
	const struct heads s = {.y = y,
		.ldy = ldy,
		.inv_out = inv,
		.x = x,
		.ldx = ldx,
		.gain = gain,
		.eps = eps,
		.n_heads = n_heads,
		.head_dim = head_dim};

	cpu_for(n, 1, (int64_t)n * n_heads * head_dim, forward_part, &s);
}

/* As in norm.c: dx = inv * (t - xn * mean(t * xn)) with t = dy * gain, xn = x * inv. */
static void backward_part(const void *context, int from, int to)
{
	const struct heads *s = context;
	const int c = s->head_dim;
	const float *gain = s->gain;

	for (int i = from; i < to; i++)
		for (int h = 0; h < s->n_heads; h++) {
			const float *x = s->x + (size_t)i * s->ldx + h * c;
			float *d = s->d + (size_t)i * s->ldd + h * c, dot = 0.0f;
			float r = s->inv[(size_t)i * s->n_heads + h];

#pragma omp simd reduction(+ : dot)
			for (int j = 0; j < c; j++)
				dot += d[j] * gain[j] * x[j];
			dot *= r * r * r / (float)c;
#pragma omp simd
			for (int j = 0; j < c; j++)
				d[j] = d[j] * gain[j] * r - x[j] * dot;
		}
}

void cpu_head_rmsnorm_backward(float *d, int ldd, float *dgain, const float *x, int ldx,
	const float *inv, const float *gain, int n, int n_heads, int head_dim)
{
	const struct heads s = {.d = d,
		.ldd = ldd,
		.x = x,
		.ldx = ldx,
		.inv = inv,
		.gain = gain,
		.n_heads = n_heads,
		.head_dim = head_dim};

	/* The gain first, for it needs d as it came; one sum in one order. */
	for (int i = 0; i < n; i++)
		for (int h = 0; h < n_heads; h++) {
			const float *at = x + (size_t)i * ldx + h * head_dim;
			const float *dy = d + (size_t)i * ldd + h * head_dim;
			float r = inv[(size_t)i * n_heads + h];

#pragma omp simd
			for (int j = 0; j < head_dim; j++)
				dgain[j] += dy[j] * at[j] * r;
		}
	cpu_for(n, 1, (int64_t)n * n_heads * head_dim, backward_part, &s);
}

void cpu_add_bias(float *x, int ldx, const float *bias, int n, int c)
{
	for (int i = 0; i < n; i++, x += ldx) {
#pragma omp simd
		for (int j = 0; j < c; j++)
			x[j] += bias[j];
	}
}

void cpu_bias_backward(float *dbias, const float *dx, int ldx, int n, int c)
{
	for (int i = 0; i < n; i++, dx += ldx) {
#pragma omp simd
		for (int j = 0; j < c; j++)
			dbias[j] += dx[j];
	}
}
