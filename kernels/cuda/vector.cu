/* vector.cu - operations over flat ranges: sums, checks, optimiser updates. */
#include "kernels/cuda/cuda.cuh"

/* for (i = this thread's first; i < n; i += all threads) */
#define EACH(i, n)                                                                                 \
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                                \
	i < (n);                                                                                   \
	i += (int64_t)gridDim.x * blockDim.x

static __global__ void axpby(float *y, const float *x, int64_t n, float alpha, float beta)
{
	for (EACH(i, n))
		y[i] = beta == 0.0f ? alpha * x[i] : alpha * x[i] + beta * y[i];
}

void cuda_axpby(float *y, const float *x, int64_t n, float alpha, float beta)
{
	if (n <= 0)
		return;
	LAUNCH(axpby, cuda_blocks(n, BLOCK), BLOCK, 0, cuda.stream, y, x, n, alpha, beta);
	cuda_launched("axpby");
}

enum {
	PARTS = 1024 /* of a sum: always the same, whatever the device */
};

static __global__ void sum_squares_parts(double *part, const float *x, int64_t n)
{
	double sum = 0.0;

	for (EACH(i, n))
		sum += (double)x[i] * (double)x[i];
	sum = block_sum(sum);
	if (threadIdx.x == 0)
		part[blockIdx.x] = sum;
}

static __global__ void sum_parts(double *result, const double *part, int n)
{
	double sum = 0.0;

	for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
		sum += part[i];
	sum = block_sum(sum);
	if (threadIdx.x == 0)
		*result = sum;
}

void cuda_sum_squares(double *result, const float *x, int64_t n)
{
	const int64_t wanted = (n + BLOCK - 1) / BLOCK;
	const int parts = (int)(wanted < 1 ? 1 : wanted < PARTS ? wanted : (int64_t)PARTS);
	double *part = (double *)cuda_scratch(PARTS * sizeof *part, "sum_squares");

	if (!part)
		return;
	LAUNCH(sum_squares_parts, parts, BLOCK, 0, cuda.stream, part, x, n);
	LAUNCH(sum_parts, 1, BLOCK, 0, cuda.stream, result, part, parts);
	cuda_launched("sum_squares");
}

/* -1, as an unsigned number, is above every index. */
static __global__ void find_nonfinite(unsigned long long *index, const float *x, int64_t n)
{
	for (EACH(i, n))
		if (!isfinite(x[i])) {
			atomicMin(index, (unsigned long long)i);
			return; /* its later ones come later */
		}
}

void cuda_find_nonfinite(int64_t *index, const float *x, int64_t n)
{
	cuda_check(cudaMemsetAsync(index, 0xff, sizeof *index, cuda.stream), "find_nonfinite");
	if (n <= 0)
		return;
	LAUNCH(find_nonfinite, cuda_blocks(n, BLOCK), BLOCK, 0, cuda.stream,
		(unsigned long long *)index, x, n);
	cuda_launched("find_nonfinite");
}

static __global__ void adamw(
	float *param, const float *grad, float *m, float *v, int64_t n, struct adamw_args a)
{
	const float decay = 1.0f - a.lr * a.weight_decay, rate = a.lr / a.correction1;
	const float inv2 = 1.0f / a.correction2;

	for (EACH(i, n)) {
		float g = a.grad_scale * grad[i];
		float m1 = a.beta1 * m[i] + (1.0f - a.beta1) * g;
		float v1 = a.beta2 * v[i] + (1.0f - a.beta2) * g * g;

		m[i] = m1;
		v[i] = v1;
		param[i] = param[i] * decay - rate * m1 / (sqrtf(v1 * inv2) + a.eps);
	}
}

void cuda_adamw(float *param, const float *grad, float *m, float *v, int64_t n,
	const struct adamw_args *args)
{
	if (n <= 0)
		return;
	LAUNCH(adamw, cuda_blocks(n, BLOCK), BLOCK, 0, cuda.stream, param, grad, m, v, n, *args);
	cuda_launched("adamw");
}

static __global__ void muon_momentum(
	float *update, float *momentum, const float *grad, int64_t n, float mu, float grad_scale)
{
	for (EACH(i, n)) {
		float g = grad_scale * grad[i], b = mu * momentum[i] + g;

		momentum[i] = b;
		update[i] = g + mu * b;
	}
}

void cuda_muon_momentum(
	float *update, float *momentum, const float *grad, int64_t n, float mu, float grad_scale)
{
	if (n <= 0)
		return;
	LAUNCH(muon_momentum, cuda_blocks(n, BLOCK), BLOCK, 0, cuda.stream, update, momentum, grad,
		n, mu, grad_scale);
	cuda_launched("muon_momentum");
}

static __global__ void divide_by_norm(
	float *y, const float *x, int64_t n, const double *sum_of_squares, float eps)
{
	const float factor = (float)(1.0 / (sqrt(*sum_of_squares) + (double)eps));

	for (EACH(i, n))
		y[i] = x[i] * factor;
}

void cuda_divide_by_norm(
	float *y, const float *x, int64_t n, const double *sum_of_squares, float eps)
{
	if (n <= 0)
		return;
	LAUNCH(divide_by_norm, cuda_blocks(n, BLOCK), BLOCK, 0, cuda.stream, y, x, n,
		sum_of_squares, eps);
	cuda_launched("divide_by_norm");
}
