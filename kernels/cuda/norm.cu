/* norm.cu - RMSNorm (Zhang and Sennrich 2019) with the residual addition before it. */
#include "kernels/cuda/cuda.cuh"

/* One block a row.  Each thread reads again only what it wrote itself. */
static __global__ void add_rmsnorm(float *sum, float *y, float *inv, const float *x,
	const float *delta, const float *gain, float eps, int n, int c)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x) {
		const size_t at = (size_t)i * c;
		const float *row = delta ? sum + at : x + at;
		float squares = 0.0f, r;

		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x) {
			float t = x[at + j];

			if (delta) {
				t += delta[at + j];
				sum[at + j] = t;
			}
			squares += t * t;
		}
		r = 1.0f / sqrtf(block_sum(squares) / (float)c + eps);
		if (threadIdx.x == 0)
			inv[i] = r;
		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x)
			y[at + j] = row[j] * r * gain[j];
	}
}

void cuda_add_rmsnorm(float *sum, float *y, float *inv, const float *x, const float *delta,
	const float *gain, float eps, int n, int c)
{
	if (n <= 0)
		return;
	LAUNCH(add_rmsnorm, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, sum, y, inv, x, delta, gain,
		eps, n, c);
	cuda_launched("add_rmsnorm");
}

/* With t = dy * gain and xn = x * inv: dx = inv * (t - xn * mean(t * xn)). */
static __global__ void norm_rows(float *dx, const float *dy, const float *x, const float *inv,
	const float *gain, int n, int c)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x) {
		const size_t at = (size_t)i * c;
		const float r = inv[i];
		float dot = 0.0f;

		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x)
			dot += dy[at + j] * gain[j] * x[at + j];
		dot = block_sum(dot) * r * r * r / (float)c;
		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x)
			dx[at + j] += dy[at + j] * gain[j] * r - x[at + j] * dot;
	}
}

enum {
	STRIPES = 64 /* of rows, whose sums for a column are added in order */
};

static __global__ void gain_stripes(
	float *part, const float *dy, const float *x, const float *inv, int n, int c)
{
	const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), stripe = (int)blockIdx.y;
	const int rows = (n + (int)gridDim.y - 1) / (int)gridDim.y;
	const int end = (stripe + 1) * rows < n ? (stripe + 1) * rows : n;
	float sum = 0.0f;

	if (j >= c)
		return;
	for (int i = stripe * rows; i < end; i++)
		sum += dy[(size_t)i * c + j] * x[(size_t)i * c + j] * inv[i];
	part[(size_t)stripe * c + j] = sum;
}

static __global__ void gain_sum(float *dgain, const float *part, int stripes, int c)
{
	const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sum = 0.0f;

	if (j >= c)
		return;
	for (int s = 0; s < stripes; s++)
		sum += part[(size_t)s * c + j];
	dgain[j] += sum;
}

void cuda_rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
	const float *inv, const float *gain, int n, int c)
{
	const int stripes = n < STRIPES ? n : STRIPES;
	const unsigned columns = cuda_blocks(c, BLOCK);
	float *part;

	if (n <= 0 || !(part = (float *)cuda_scratch(
				(size_t)stripes * c * sizeof *part, "rmsnorm_backward")))
		return;
	LAUNCH(gain_stripes, dim3(columns, (unsigned)stripes), BLOCK, 0, cuda.stream, part, dy, x,
		inv, n, c);
	LAUNCH(gain_sum, columns, BLOCK, 0, cuda.stream, dgain, part, stripes, c);
	LAUNCH(norm_rows, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, dx, dy, x, inv, gain, n, c);
	cuda_launched("rmsnorm_backward");
}
