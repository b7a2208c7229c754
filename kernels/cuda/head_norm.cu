/* head_norm.cu - RMSNorm of each head of queries or keys, and biases of projections. */
#include "kernels/cuda/cuda.cuh"

enum {
	HEADS = BLOCK / WARP, /* of a block, a warp each */
	STRIPES = 64	      /* of rows, whose sums for a column are added in order */
};

static __global__ void head_norm(float *y, int ldy, float *inv, const float *x, int ldx,
	const float *gain, float eps, int n, int n_heads, int c)
{
	const int lane = (int)threadIdx.x % WARP;

	for (int i = (int)(blockIdx.x * HEADS + threadIdx.x / WARP); i < n * n_heads;
		i += (int)gridDim.x * HEADS) {
		const float *from = x + (size_t)(i / n_heads) * ldx + i % n_heads * c;
		float *to = y + (size_t)(i / n_heads) * ldy + i % n_heads * c;
		float squares = 0.0f, r;

		for (int j = lane; j < c; j += WARP)
			squares += from[j] * from[j];
		r = 1.0f / sqrtf(warp_sum(squares) / (float)c + eps);
		if (lane == 0)
			inv[i] = r;
		for (int j = lane; j < c; j += WARP)
			to[j] = from[j] * r * gain[j];
	}
}

void cuda_head_rmsnorm(float *y, int ldy, float *inv, const float *x, int ldx, const float *gain,
	float eps, int n, int n_heads, int head_dim)
{
	if (n <= 0)
		return;
	LAUNCH(head_norm, cuda_blocks((int64_t)n * n_heads, HEADS), BLOCK, 0, cuda.stream, y, ldy,
		inv, x, ldx, gain, eps, n, n_heads, head_dim);
	cuda_launched("head_rmsnorm");
}

/* With t = d * gain and xn = x * inv: inv * (t - xn * mean(t * xn)), in place. */
static __global__ void head_norm_rows(float *d, int ldd, const float *x, int ldx, const float *inv,
	const float *gain, int n, int n_heads, int c)
{
	const int lane = (int)threadIdx.x % WARP;

	for (int i = (int)(blockIdx.x * HEADS + threadIdx.x / WARP); i < n * n_heads;
		i += (int)gridDim.x * HEADS) {
		const float *at = x + (size_t)(i / n_heads) * ldx + i % n_heads * c;
		const float r = inv[i];
		float *to = d + (size_t)(i / n_heads) * ldd + i % n_heads * c, dot = 0.0f;

		for (int j = lane; j < c; j += WARP)
			dot += to[j] * gain[j] * at[j];
		dot = warp_sum(dot) * r * r * r / (float)c;
		for (int j = lane; j < c; j += WARP)
			to[j] = to[j] * gain[j] * r - at[j] * dot;
	}
}

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

static bool add_columns(float *to, const float *d, int ldd, const float *x, int ldx,
	const float *inv, int rows, int n_heads, int c, const char *operation)
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

void cuda_head_rmsnorm_backward(float *d, int ldd, float *dgain, const float *x, int ldx,
	const float *inv, const float *gain, int n, int n_heads, int head_dim)
{
	/* The gain first, for it needs d as it came. */
	if (n <= 0 || !add_columns(dgain, d, ldd, x, ldx, inv, n * n_heads, n_heads, head_dim,
			      "head_rmsnorm_backward"))
		return;
	LAUNCH(head_norm_rows, cuda_blocks((int64_t)n * n_heads, HEADS), BLOCK, 0, cuda.stream, d,
		ldd, x, ldx, inv, gain, n, n_heads, head_dim);
	cuda_launched("head_rmsnorm_backward");
}

static __global__ void add_bias(float *x, int ldx, const float *bias, int n, int c)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x)
		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x)
			x[(size_t)i * ldx + j] += bias[j];
}

void cuda_add_bias(float *x, int ldx, const float *bias, int n, int c)
{
	if (n <= 0)
		return;
	LAUNCH(add_bias, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, x, ldx, bias, n, c);
	cuda_launched("add_bias");
}

void cuda_bias_backward(float *dbias, const float *dx, int ldx, int n, int c)
{
	if (n <= 0)
		return;
	(void)add_columns(dbias, dx, ldx, NULL, 0, NULL, n, 1, c, "bias_backward");
	cuda_launched("bias_backward");
}
