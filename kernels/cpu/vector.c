/* vector.c - operations over flat ranges: sums, checks, optimiser updates. */
#include "kernels/cpu/cpu.h"

#include <math.h>
#include <string.h>

/* Flat ranges may be longer than an int counts: loops run over blocks. */
enum {
	BLOCK = 4096
};

static int blocks_of(int64_t n)
{
	return (int)((n + BLOCK - 1) / BLOCK);
}

static int64_t end_of(int block, int64_t n)
{
	int64_t end = (int64_t)(block + 1) * BLOCK;

	return end < n ? end : n;
}

struct axpby {
	float *y;
	const float *x;
	int64_t n;
	float alpha, beta;
};

static void axpby_part(const void *context, int from, int to)
{
	const struct axpby *a = context;
	const float alpha = a->alpha, beta = a->beta, *x = a->x;
	const int64_t end = end_of(to - 1, a->n);
	float *y = a->y;

	if (beta == 0.0f) {
#pragma omp simd
		for (int64_t i = (int64_t)from * BLOCK; i < end; i++)
			y[i] = alpha * x[i];
		return;
	}
#pragma omp simd
	for (int64_t i = (int64_t)from * BLOCK; i < end; i++)
		y[i] = alpha * x[i] + beta * y[i];
}

void cpu_axpby(float *y, const float *x, int64_t n, float alpha, float beta)
{
	const struct axpby a = {y, x, n, alpha, beta};

	cpu_for(blocks_of(n), 1, n, axpby_part, &a);
}

enum {
	PARTS = 64
};

struct squares {
	const float *x;
	int64_t n;
	double *part; /* [PARTS] */
};

static void squares_part(const void *context, int from, int to)
{
	const struct squares *s = context;
	const int64_t step = (s->n + PARTS - 1) / PARTS;

	for (int p = from; p < to; p++) {
		int64_t end = (p + 1) * step < s->n ? (p + 1) * step : s->n;
		double sum = 0.0;

#pragma omp simd reduction(+ : sum)
		for (int64_t i = p * step; i < end; i++)
			sum += (double)s->x[i] * (double)s->x[i];
		s->part[p] = sum;
	}
}

/* Always the same parts, whatever the number of threads. */
void cpu_sum_squares(double *result, const float *x, int64_t n)
{
	double part[PARTS], total = 0.0;
	const struct squares s = {x, n, part};

	cpu_for(PARTS, 1, n, squares_part, &s);
	for (int p = 0; p < PARTS; p++)
		total += part[p];
	*result = total;
}

static int is_nonfinite(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (bits & 0x7f800000u) == 0x7f800000u;
}

void cpu_find_nonfinite(int64_t *index, const float *x, int64_t n)
{
	*index = -1;
	for (int64_t i0 = 0; i0 < n; i0 += BLOCK) {
		int64_t to = i0 + BLOCK < n ? i0 + BLOCK : n;
		int bad = 0;

#pragma omp simd reduction(| : bad)
		for (int64_t i = i0; i < to; i++)
			bad |= is_nonfinite(x[i]);
		for (int64_t i = i0; bad && i < to; i++) {
			if (is_nonfinite(x[i])) {
				*index = i;
				return;
			}
		}
	}
}

struct adamw {
	float *param, *m, *v;
	const float *grad;
	int64_t n;
	const struct adamw_args *args;
};

static void adamw_part(const void *context, int from, int to)
{
	const struct adamw *a = context;
	const float beta1 = a->args->beta1, beta2 = a->args->beta2, eps = a->args->eps;
	const float scale = a->args->grad_scale;
	const float decay = 1.0f - a->args->lr * a->args->weight_decay;
	const float rate = a->args->lr / a->args->correction1;
	const float inv2 = 1.0f / a->args->correction2, *grad = a->grad;
	const int64_t end = end_of(to - 1, a->n);
	float *param = a->param, *m = a->m, *v = a->v;

#pragma omp simd
	for (int64_t i = (int64_t)from * BLOCK; i < end; i++) {
		float g = scale * grad[i];
		float m1 = beta1 * m[i] + (1.0f - beta1) * g;
		float v1 = beta2 * v[i] + (1.0f - beta2) * g * g;

		m[i] = m1;
		v[i] = v1;
		param[i] = param[i] * decay - rate * m1 / (sqrtf(v1 * inv2) + eps);
	}
}

void cpu_adamw(float *param, const float *grad, float *m, float *v, int64_t n,
	const struct adamw_args *args)
{
	const struct adamw a = {param, m, v, grad, n, args};

	cpu_for(blocks_of(n), 1, n, adamw_part, &a);
}

struct momentum {
	float *update, *momentum;
	const float *grad;
	int64_t n;
	float mu, grad_scale;
};

static void momentum_part(const void *context, int from, int to)
{
	const struct momentum *a = context;
	const float mu = a->mu, scale = a->grad_scale, *grad = a->grad;
	const int64_t end = end_of(to - 1, a->n);
	float *update = a->update, *momentum = a->momentum;

#pragma omp simd
	for (int64_t i = (int64_t)from * BLOCK; i < end; i++) {
		float g = scale * grad[i];
		float b = mu * momentum[i] + g;

		momentum[i] = b;
		update[i] = g + mu * b;
	}
}

void cpu_muon_momentum(
	float *update, float *momentum, const float *grad, int64_t n, float mu, float grad_scale)
{
	const struct momentum a = {update, momentum, grad, n, mu, grad_scale};

	cpu_for(blocks_of(n), 1, n, momentum_part, &a);
}

void cpu_divide_by_norm(
	float *y, const float *x, int64_t n, const double *sum_of_squares, float eps)
{
	cpu_axpby(y, x, n, (float)(1.0 / (sqrt(*sum_of_squares) + (double)eps)), 0.0f);
}
