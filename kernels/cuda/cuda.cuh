/*
 * cuda.cuh - what every file of the CUDA device includes: nvcc's runtime, or the
 * simulator of t/cudasim/ where another compiler compiles the kernels; the state that
 * the operations share; sums and maxima over a warp or block.
 */
#ifndef KERNELS_CUDA_CUDA_CUH
#define KERNELS_CUDA_CUDA_CUH

#ifdef __CUDACC__
#include <cublas_v2.h>
#include <cuda_runtime.h>
#define LAUNCH(kernel, grid, block, smem, stream, ...)                                             \
	kernel<<<(grid), (block), (smem), (stream)>>>(__VA_ARGS__)
#define SHARED(T, name, ...) __shared__ T name __VA_ARGS__
#define SHARED_DYN(T, name)                                                                        \
	extern __shared__ __align__(16) unsigned char cuda_dynamic[];                              \
	T *name = reinterpret_cast<T *>(cuda_dynamic)
#define DEVICE_FN static __device__ __forceinline__
#else
#include "t/cudasim/cudasim.h"
#endif

#include <math.h>

extern "C" {
#include "kernels/device.h"
}

/* Queued work in order; the first fault stays until it has been told. */
struct cuda_state {
	cudaStream_t stream;
	cublasHandle_t blas;
	int processors;
	char fault[256];
};
extern struct cuda_state cuda;

enum {
	WARP = 32,
	BLOCK = 256,	 /* threads of most kernels */
	MAX_GRID = 65535 /* blocks in a loop over elements */
};

/* Remembers what went wrong in an operation, unless something did before. */
void cuda_check(cudaError_t status, const char *operation);
/* The same for the launch just made. */
void cuda_launched(const char *operation);
/* Scratch of the device, valid until the next call, in the order of the stream; NULL
 * where there is not enough memory, which has then been remembered. */
void *cuda_scratch(size_t bytes, const char *operation);
/* to[j] += the sums over rows and heads of d, times x * inv where x is not NULL, in one
 * order; c columns a head, inv[rows] by row and head.  false: no memory. */
bool cuda_add_columns(float *to, const float *d, int ldd, const float *x, int ldx, const float *inv,
	int rows, int n_heads, int c, const char *operation);

/* Blocks of `threads` for n elements, each thread looping over what is left. */
static inline unsigned cuda_blocks(int64_t n, int threads)
{
	int64_t blocks = (n + threads - 1) / threads;

	return (unsigned)(blocks < MAX_GRID ? blocks : (int64_t)MAX_GRID);
}

/* The sum over a warp, in the same order whatever happens; every lane gets it. */
template <class T> DEVICE_FN T warp_sum(T x)
{
	for (int d = WARP / 2; d > 0; d /= 2)
		x += __shfl_xor_sync(0xffffffffu, x, d);
	return x;
}

/* The maximum over a warp; a NaN is passed over. */
DEVICE_FN float warp_max(float x)
{
	for (int d = WARP / 2; d > 0; d /= 2)
		x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
	return x;
}

/* The sum over a block of whole warps; every thread gets it. */
template <class T> DEVICE_FN T block_sum(T x)
{
	SHARED(T, part, [WARP]);
	const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
	const int warps = (int)blockDim.x / WARP;

	x = warp_sum(x);
	__syncthreads(); /* whoever reads the previous call's parts has done so */
	if (lane == 0)
		part[warp] = x;
	__syncthreads();
	return warp_sum(lane < warps ? part[lane] : T(0));
}

DEVICE_FN float block_max(float x)
{
	SHARED(float, part, [WARP]);
	const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
	const int warps = (int)blockDim.x / WARP;

	x = warp_max(x);
	__syncthreads();
	if (lane == 0)
		part[warp] = x;
	__syncthreads();
	return warp_max(lane < warps ? part[lane] : -INFINITY);
}

void cuda_matmul(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

void cuda_gather_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c);
void cuda_scatter_rows(
	float *y, int ldy, const float *x, int ldx, const int32_t *index, int n, int c);
void cuda_scatter_add_rows(float *y, const float *x, const int32_t *target, const int32_t *start,
	const int32_t *order, int n, int c);

void cuda_add_rmsnorm(float *sum, float *y, float *inv, const float *x, const float *delta,
	const float *gain, float eps, int n, int c);
void cuda_rmsnorm_backward(float *dx, float *dgain, const float *dy, const float *x,
	const float *inv, const float *gain, int n, int c);

void cuda_head_rmsnorm(float *y, int ldy, float *inv, const float *x, int ldx, const float *gain,
	float eps, int n, int n_heads, int head_dim);
void cuda_head_rmsnorm_backward(float *d, int ldd, float *dgain, const float *x, int ldx,
	const float *inv, const float *gain, int n, int n_heads, int head_dim);
void cuda_add_bias(float *x, int ldx, const float *bias, int n, int c);
void cuda_bias_backward(float *dbias, const float *dx, int ldx, int n, int c);

void cuda_rope(float *x, int ldx, const int32_t *positions, const float *cos_sin, int n,
	int n_heads, int head_dim, int backward);

void cuda_swiglu(float *y, const float *gate_up, int n, int f);
void cuda_swiglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f);

void cuda_geglu(float *y, const float *gate_up, int n, int f);
void cuda_geglu_backward(float *dgate_up, const float *dy, const float *gate_up, int n, int f);

void cuda_attention(const struct attention_shape *s, float *out, float *lse, const float *q,
	int ldq, const float *k, const float *v, int ldkv);
void cuda_attention_backward(const struct attention_shape *s, float *dq, float *dk, float *dv,
	const float *dout, const float *out, const float *lse, const float *q, int ldq,
	const float *k, const float *v, int ldkv, float *delta);

void cuda_head_forward(const struct head_shape *s, float *lse, float *logprob, float *entropy,
	const float *hidden, const float *w, float *scratch);
void cuda_head_backward(const struct head_shape *s, float *dhidden, float *dw,
	const float *coefficient, const float *hidden, const float *w, const float *lse,
	float *scratch);
void cuda_head_sample(const struct head_shape *s, int32_t *token, float *logprob,
	const double *uniform, const float *hidden, const float *w, float *scratch);

void cuda_axpby(float *y, const float *x, int64_t n, float alpha, float beta);
void cuda_sum_squares(double *result, const float *x, int64_t n);
void cuda_find_nonfinite(int64_t *index, const float *x, int64_t n);
void cuda_adamw(float *param, const float *grad, float *m, float *v, int64_t n,
	const struct adamw_args *args);
void cuda_muon_momentum(
	float *update, float *momentum, const float *grad, int64_t n, float mu, float grad_scale);
void cuda_divide_by_norm(
	float *y, const float *x, int64_t n, const double *sum_of_squares, float eps);

#endif
