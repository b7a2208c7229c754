/* rows.cu - rows by index, rotary positions, gated activations: one pass over memory each. */
#include "kernels/cuda/cuda.cuh"

static __global__ void gather_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x) {
		const float *from = x + (size_t)index[i] * ldx;

		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x)
			y[(size_t)i * ldy + j] = from[j];
	}
}

void cuda_gather_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c)
{
	if (n <= 0)
		return;
	LAUNCH(gather_rows, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, y, ldy, x, ldx, index, n, c);
	cuda_launched("gather_rows");
}

static __global__ void scatter_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x) {
		float *to = y + (size_t)index[i] * ldy;

		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x)
			to[j] = x[(size_t)i * ldx + j];
	}
}

void cuda_scatter_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c)
{
	if (n <= 0)
		return;
	LAUNCH(scatter_rows, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, y, ldy, x, ldx, index, n, c);
	cuda_launched("scatter_rows");
}

/* A thread owns a column of a target: its terms come in their order, without atomics. */
static __global__ void scatter_add_rows(float *y, const float *x, const int32_t *target,
	const int32_t *start, const int32_t *order, int n, int c)
{
	for (int u = (int)blockIdx.x; u < n; u += (int)gridDim.x)
		for (int j = (int)threadIdx.x; j < c; j += (int)blockDim.x) {
			float *to = y + (size_t)target[u] * c + j, sum = *to;

			for (int i = start[u]; i < start[u + 1]; i++)
				sum += x[(size_t)order[i] * c + j];
			*to = sum;
		}
}

void cuda_scatter_add_rows(float *y, const float *x, const int32_t *target, const int32_t *start,
	const int32_t *order, int n, int c)
{
	if (n <= 0)
		return;
	LAUNCH(scatter_add_rows, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, y, x, target, start,
		order, n, c);
	cuda_launched("scatter_add_rows");
}

static __global__ void rope(float *x, int ldx, const int32_t *positions, const float *cos_sin,
	int n, int n_heads, int head_dim, float sign)
{
	const int half = head_dim / 2;

	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x) {
		const float *cosine = cos_sin + (size_t)positions[i] * head_dim;

		for (int p = (int)threadIdx.x; p < n_heads * half; p += (int)blockDim.x) {
			const int d = p % half;
			float *lo = x + (size_t)i * ldx + p / half * head_dim + d, *hi = lo + half;
			float a = *lo, b = *hi, s = sign * cosine[half + d];

			*lo = a * cosine[d] - b * s;
			*hi = b * cosine[d] + a * s;
		}
	}
}

void cuda_rope(float *x, int ldx, const int32_t *positions, const float *cos_sin, int n,
	int n_heads, int head_dim, int backward)
{
	if (n <= 0)
		return;
	LAUNCH(rope, cuda_blocks(n, 1), BLOCK, 0, cuda.stream, x, ldx, positions, cos_sin, n,
		n_heads, head_dim, backward ? -1.0f : 1.0f);
	cuda_launched("rope");
}

/* 1 / (1 + exp(-z)): z is the gate itself, or the polynomial of GELU's approximation by
 * tanh, for (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)). */
static constexpr float LINEAR = 1.5957691216057308f; /* 2 sqrt(2 / pi) */
static constexpr float CUBIC = 0.044715f;

template <bool GELU> DEVICE_FN float sigmoid_of(float g)
{
	return 1.0f / (1.0f + expf(-(GELU ? LINEAR * (g + CUBIC * g * g * g) : g)));
}

template <bool GELU> static __global__ void gated(float *y, const float *gate_up, int n, int f)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x)
		for (int j = (int)threadIdx.x; j < f; j += (int)blockDim.x) {
			const float *at = gate_up + (size_t)i * 2 * f + j;

			y[(size_t)i * f + j] = at[0] * sigmoid_of<GELU>(at[0]) * at[f];
		}
}

/* d (g s(z)) = s + g s (1 - s) z'. */
template <bool GELU>
static __global__ void gated_backward(
	float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
	for (int i = (int)blockIdx.x; i < n; i += (int)gridDim.x)
		for (int j = (int)threadIdx.x; j < f; j += (int)blockDim.x) {
			const size_t at = (size_t)i * 2 * f + j;
			float g = gate_up[at], u = gate_up[at + f], t = dy[(size_t)i * f + j];
			float s = sigmoid_of<GELU>(g);
			float slope = GELU ? g * LINEAR * (1.0f + 3.0f * CUBIC * g * g) : g;

			dgate_up[at] = t * u * (s + slope * s * (1.0f - s));
			dgate_up[at + f] = t * g * s;
		}
}

void cuda_swiglu(float *y, const float *gate_up, int n, int f)
{
	if (n <= 0)
		return;
	LAUNCH((gated<false>), cuda_blocks(n, 1), BLOCK, 0, cuda.stream, y, gate_up, n, f);
	cuda_launched("swiglu");
}

void cuda_swiglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
	if (n <= 0)
		return;
	LAUNCH((gated_backward<false>), cuda_blocks(n, 1), BLOCK, 0, cuda.stream, dgate_up, dy,
		gate_up, n, f);
	cuda_launched("swiglu_backward");
}

void cuda_geglu(float *y, const float *gate_up, int n, int f)
{
	if (n <= 0)
		return;
	LAUNCH((gated<true>), cuda_blocks(n, 1), BLOCK, 0, cuda.stream, y, gate_up, n, f);
	cuda_launched("geglu");
}

void cuda_geglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f)
{
	if (n <= 0)
		return;
	LAUNCH((gated_backward<true>), cuda_blocks(n, 1), BLOCK, 0, cuda.stream, dgate_up, dy,
		gate_up, n, f);
	cuda_launched("geglu_backward");
}
