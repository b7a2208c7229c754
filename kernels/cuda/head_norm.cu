/* head_norm.cu - RMSNorm of each head of queries or keys, and biases of projections. */
#include "kernels/cuda/cuda.cuh"

enum {
	HEADS = BLOCK / WARP /* of a block, a warp each */
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

void cuda_head_rmsnorm_backward(float *d, int ldd, float *dgain, const float *x, int ldx,
	const float *inv, const float *gain, int n, int n_heads, int head_dim)
{
	/* The gain first, for it needs d as it came. */
	if (n <= 0 || !cuda_add_columns(dgain, d, ldd, x, ldx, inv, n * n_heads, n_heads, head_dim,
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
	(void)cuda_add_columns(dbias, dx, ldx, NULL, 0, NULL, n, 1, c, "bias_backward");
	cuda_launched("bias_backward");
}
