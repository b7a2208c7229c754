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

/* Sums over the rows of a stripe of d, times x * inv where there is an x. */
static __global__ void column_stripes(float *part, const float *d, int ldd, const float *x, int ldx,
	const float *inv, int rows, int n_heads, int c)
{
	const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), stripe = (int)blockIdx.y;
	const int each = (rows + (int)gridDim.y - 1) / (int)gridDim.y;
	const int end = min((stripe + 1) * each, rows);
	float sum = 0.0f;

	if (j >= c)
		return;
	for (int i = stripe * each; i < end; i++) {
		const int row = i / n_heads, column = i % n_heads * c + j;
		float t = d[(size_t)row * ldd + column];

		sum += x ? t * x[(size_t)row * ldx + column] * inv[i] : t;
	}
	part[(size_t)stripe * c + j] = sum;
}

static __global__ void column_sum(float *to, const float *part, int stripes, int c)
{
	const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sum = 0.0f;

	if (j >= c)
		return;
	for (int s = 0; s < stripes; s++)
		sum += part[(size_t)s * c + j];
	to[j] += sum;
}

bool cuda_add_columns(float *to, const float *d, int ldd, const float *x, int ldx, const float *inv,
	int rows, int n_heads, int c, const char *operation)
{
	const int stripes = rows < STRIPES ? rows : (int)STRIPES;
	const unsigned columns = cuda_blocks(c, BLOCK);
	float *part = (float *)cuda_scratch((size_t)stripes * c * sizeof *part, operation);

	if (!part)
		return false;
	LAUNCH(column_stripes, dim3(columns, (unsigned)stripes), BLOCK, 0, cuda.stream, part, d,
		ldd, x, ldx, inv, rows, n_heads, c);
	LAUNCH(column_sum, columns, BLOCK, 0, cuda.stream, to, part, stripes, c);
	return true;
}

void cuda_rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
	const float *inv, const float *gain, int n, int c)
{
	if (n <= 0 || !cuda_add_columns(dgain, dy, c, x, c, inv, n, 1, c, "rmsnorm_backward"))
		return;
	LAUNCH(norm_rows, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, dx, dy, x, inv, gain, n, c);
	cuda_launched("rmsnorm_backward");
}
