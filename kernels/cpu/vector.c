/* vector.c - operations over flat ranges: sums, checks, optimiser updates. */
#include "kernels/cpu/cpu.h"

#include <math.h>
#include <string.h>

void cpu_axpby(float *y, const float *x, int64_t n, float alpha, float beta)
{
	if (beta == 0.0f) {
#pragma omp parallel for simd schedule(static) num_threads(cpu_threads) if (parallel               \
									    : cpu_parallel(n))
		for (int64_t i = 0; i < n; i++)
			y[i] = alpha * x[i];
		return;
	}
#pragma omp parallel for simd schedule(static) num_threads(cpu_threads) if (parallel               \
									    : cpu_parallel(n))
	for (int64_t i = 0; i < n; i++)
		y[i] = alpha * x[i] + beta * y[i];
}

/* Always the same 64 parts, whatever the number of threads. */
void cpu_sum_squares(double *result, const float *x, int64_t n)
{
	enum {
		PARTS = 64
	};
	double part[PARTS], total = 0.0;
	int64_t step = (n + PARTS - 1) / PARTS;

#pragma omp parallel for schedule(static) num_threads(cpu_threads) if (cpu_parallel(n))
	for (int p = 0; p < PARTS; p++) {
		int64_t to = (p + 1) * step < n ? (p + 1) * step : n;
		double sum = 0.0;

#pragma omp simd reduction(+ : sum)
		for (int64_t i = p * step; i < to; i++)
			sum += (double)x[i] * (double)x[i];
		part[p] = sum;
	}
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
	enum {
		BLOCK = 1024
	};

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

void cpu_adamw(float *param, const float *grad, float *m, float *v, int64_t n,
	const struct adamw_args *args)
{
	const float beta1 = args->beta1, beta2 = args->beta2, eps = args->eps;
	const float scale = args->grad_scale, decay = 1.0f - args->lr * args->weight_decay;
	const float rate = args->lr / args->correction1, inv2 = 1.0f / args->correction2;

#pragma omp parallel for simd schedule(static) num_threads(cpu_threads) if (parallel               \
									    : cpu_parallel(n))
	for (int64_t i = 0; i < n; i++) {
		float g = scale * grad[i];
		float m1 = beta1 * m[i] + (1.0f - beta1) * g;
		float v1 = beta2 * v[i] + (1.0f - beta2) * g * g;

		m[i] = m1;
		v[i] = v1;
		param[i] = param[i] * decay - rate * m1 / (sqrtf(v1 * inv2) + eps);
	}
}

void cpu_muon_momentum(
	float *update, float *momentum, const float *grad, int64_t n, float mu, float grad_scale)
{
#pragma omp parallel for simd schedule(static) num_threads(cpu_threads) if (parallel               \
									    : cpu_parallel(n))
	for (int64_t i = 0; i < n; i++) {
		float g = grad_scale * grad[i];
		float b = mu * momentum[i] + g;

		momentum[i] = b;
		update[i] = g + mu * b;
	}
}

void cpu_divide_by_norm(
	float *y, const float *x, int64_t n, const double *sum_of_squares, float eps)
{
	cpu_axpby(y, x, n, (float)(1.0 / (sqrt(*sum_of_squares) + (double)eps)), 0.0f);
}
