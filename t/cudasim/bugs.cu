/*
 * bugs.cu - planted bugs, and correct kernels that no check may complain about: `bugs
 * NAME` runs one.  Which build and schedule notices is what the self-test asks.
 */
#include "t/cudasim/cudasim.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define DEVICE_SUM(v)                                                                              \
	for (int k_ = 16; k_; k_ >>= 1)                                                            \
	v += __shfl_xor_sync(~0u, v, k_)
template <int BUG>
static __global__ void sum_rows(
	float *out, const float *x, int n) // 1: no RAW barrier, 2: no WAR barrier
{
	SHARED(float, part, [32]);
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, nw = blockDim.x >> 5;
	for (int r = 0; r < 2; r++) {
		float v = 0;
		for (int i = threadIdx.x; i < n; i += blockDim.x)
			v += x[r * n + i];
		DEVICE_SUM(v);
		if (lane == 0)
			part[warp] = v;
		if (BUG != 1)
			__syncthreads();
		float s = 0;
		for (int w = 0; w < nw; w++)
			s += part[w];
		if (BUG != 2)
			__syncthreads();
		if (threadIdx.x == 0)
			out[r] = s;
	}
}
static __global__ void shift_left(float *out,
	bool bug) // neighbours' values; with bug no barrier. Forward order hides half of it
{
	SHARED(float, s, [128]);
	s[threadIdx.x] = threadIdx.x;
	if (!bug)
		__syncthreads();
	out[threadIdx.x] = s[threadIdx.x ? threadIdx.x - 1 : 0]; // reads a lower thread's value
}
static __global__ void warp_race(float *out, bool bug)
{
	SHARED(float, s, [32]);
	s[threadIdx.x] = threadIdx.x;
	if (!bug)
		__syncwarp();
	out[threadIdx.x] = s[threadIdx.x ^ 1];
}
static __global__ void plain_add(float *w, const int *tok, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		w[tok[i]] += 1.0f;
}
static __global__ void fill(float *p, int n, int off)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i + off] = 1.0f;
}
static __global__ void add(float *y, const float *x, int n)
{
	int i = threadIdx.x;
	if (i < n)
		y[i] += x[i];
}
static __global__ void oob_static(float *out)
{
	SHARED(float, a, [64]);
	SHARED(float, b, [64]);
	a[threadIdx.x + 1] = 1.0f;
	b[threadIdx.x] = 2.0f;
	__syncthreads();
	out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
static __global__ void oob_dyn(float *out)
{
	SHARED_DYN(float, s);
	s[threadIdx.x + 1] = 1.0f;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];
}
static __global__ void div_two(float *out)
{
	if (threadIdx.x < 16)
		__syncthreads();
	else {
		out[threadIdx.x] = 1;
		__syncthreads();
	}
}
static __global__ void div_one(float *out)
{
	if (threadIdx.x < 16)
		__syncthreads();
	out[threadIdx.x] = 1;
}
static __global__ void div_loop(float *out)
{
	for (unsigned i = 0; i < threadIdx.x / 32 + 1; i++)
		__syncthreads();
	out[threadIdx.x] = 1;
}
static __global__ void early_return(float *out, int n)
{
	if ((int)threadIdx.x >= n)
		return;
	__syncthreads();
	out[threadIdx.x] = 1;
}
static __global__ void half_warp(float *out)
{
	float v = threadIdx.x;
	if (threadIdx.x < 16)
		v += __shfl_xor_sync(0xffffffffu, v, 1);
	out[threadIdx.x] = v;
}
static __global__ void shfl_outside(float *out)
{
	float v = threadIdx.x;
	if (threadIdx.x < 16)
		v += __shfl_xor_sync(0x0000ffffu, v, 16);
	out[threadIdx.x] = v;
}
static __global__ void misaligned(float *out, const float *x)
{
	float4 v = *reinterpret_cast<const float4 *>(x + 1 + threadIdx.x * 4);
	out[threadIdx.x] = v.x + v.w;
}
static __global__ void uninit_smem(float *out)
{
	SHARED(float, s, [64]);
	if (threadIdx.x < 63)
		s[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x] > 0 ? 1.0f : 2.0f;
}
static __global__ void uninit_gmem(float *out, const float *x)
{
	out[threadIdx.x] = x[threadIdx.x] > 0 ? 1.0f : 2.0f;
}
static __global__ void int_overflow(float *out, int rows, int cols)
{
	if (rows * cols > 0)
		out[threadIdx.x] = 1;
}
static __global__ void local_oob(float *out, int n)
{
	float a[8];
	for (int i = 0; i < n; i++)
		a[i] = i;
	out[threadIdx.x] = a[n / 2];
}
static __global__ void last_block(
	float *out, float *part, unsigned *count, bool bug) // threadfence reduction
{
	SHARED(int, last);
	if (threadIdx.x == 0) {
		part[blockIdx.x] = blockIdx.x + 1;
		if (!bug)
			__threadfence();
		last = atomicAdd(count, 1u) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		if (!bug)
			__threadfence();
		float s = 0;
		for (unsigned i = 0; i < gridDim.x; i++)
			s += part[i];
		out[0] = s;
	}
}
static int wrong(const float *d, const std::vector<float> &want)
{
	std::vector<float> h(want.size());
	cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost);
	for (size_t i = 0; i < h.size(); i++)
		if (h[i] != want[i]) {
			printf("wrong result: [%zu] = %g, want %g\n", i, h[i], want[i]);
			return 1;
		}
	return 0;
}

static const char *bug; // its name
static float *out, *x, *sm;
static std::vector<float> one(2048);

static bool is(const char *name)
{
	return !strcmp(bug, name);
}

/* Correct kernels, and races that make a result wrong.  Each group gives -1 where another bug
 * is asked for, or its run is over. */
static int results()
{
	if (is("good") || is("raw") || is("war")) {
		if (is("good"))
			LAUNCH((sum_rows<0>), 1, 128, 0, 0, out, x, 1024);
		if (is("raw"))
			LAUNCH((sum_rows<1>), 1, 128, 0, 0, out, x, 1024);
		if (is("war"))
			LAUNCH((sum_rows<2>), 1, 128, 0, 0, out, x, 1024);
		return wrong(out, {1024, 2048});
	}
	if (is("shift") || is("good_shift")) {
		LAUNCH(shift_left, 1, 128, 0, 0, out, is("shift"));
		std::vector<float> w(128);
		for (int i = 1; i < 128; i++)
			w[i] = i - 1;
		return wrong(out, w);
	}
	if (is("warp") || is("good_warp")) {
		LAUNCH(warp_race, 1, 32, 0, 0, out, is("warp"));
		std::vector<float> w(32);
		for (int i = 0; i < 32; i++)
			w[i] = i ^ 1;
		return wrong(out, w);
	}
	if (is("noatomic") ||
		is("noatomic_blocks")) { // duplicates inside a block, or only between blocks
		int *tok;
		cudaMalloc((void **)&tok, 64 * 4);
		std::vector<int> t(64);
		for (int i = 0; i < 64; i++)
			t[i] = is("noatomic") ? i / 2 : (i + 7 * (i / 32)) % 32;
		cudaMemcpy(tok, t.data(), 256, cudaMemcpyHostToDevice);
		LAUNCH(plain_add, 2, 32, 0, 0, sm, tok, 64);
		return wrong(sm, std::vector<float>(32, 2.0f));
	}
	if (is("good_last") || is("nofence")) {
		float *part;
		unsigned *cnt;
		cudaMalloc((void **)&part, 32), cudaMalloc((void **)&cnt, 4);
		cudaMemset(cnt, 0, 4);
		LAUNCH(last_block, 8, 32, 0, 0, out, part, cnt, is("nofence"));
		return wrong(out, {36});
	}
	return -1;
}

/* Beyond the end of memory. */
static int bounds()
{
	if (is("oob_write")) {
		LAUNCH(fill, 1, 128, 0, 0, sm, 100, 1);
		return wrong(out, {0});
	}
	if (is("oob_under")) {
		LAUNCH(fill, 1, 128, 0, 0, sm, 100, -1);
		return wrong(out, {0});
	}
	if (is("use_after_free")) {
		cudaFree(sm);
		LAUNCH(fill, 1, 128, 0, 0, sm, 100, 0);
		return 0;
	}
	if (is("oob_static")) {
		LAUNCH(oob_static, 1, 64, 0, 0, out);
		return 0 * wrong(out, {3});
	}
	if (is("oob_dyn")) {
		LAUNCH(oob_dyn, 1, 64, 64 * 4, 0, out);
		return 0 * wrong(out, {1});
	}
	return -1;
}

/* Barriers and shuffles that not all threads reach. */
static int divergence()
{
	if (is("div_two"))
		LAUNCH(div_two, 1, 64, 0, 0, out);
	if (is("div_one"))
		LAUNCH(div_one, 1, 64, 0, 0, out);
	if (is("div_loop"))
		LAUNCH(div_loop, 1, 64, 0, 0, out);
	if (is("early_return"))
		LAUNCH(early_return, 1, 64, 0, 0, out, 50);
	if (is("half_warp"))
		LAUNCH(half_warp, 1, 32, 0, 0, out);
	if (is("shfl_outside"))
		LAUNCH(shfl_outside, 1, 32, 0, 0, out);
	return -1;
}

/* Memory and arithmetic that a kernel may not use so. */
static int memory()
{
	if (is("misaligned"))
		LAUNCH(misaligned, 1, 32, 0, 0, out, x);
	if (is("uninit_smem")) {
		LAUNCH(uninit_smem, 1, 64, 0, 0, out);
		return wrong(out, std::vector<float>(64, 1.0f));
	}
	if (is("uninit_gmem")) {
		float *u;
		cudaMalloc((void **)&u, 256);
		cudaMemcpy(u, one.data(), 63 * 4, cudaMemcpyHostToDevice);
		LAUNCH(uninit_gmem, 1, 64, 0, 0, out, u);
		return wrong(out, std::vector<float>(64, 1.0f));
	}
	if (is("int_overflow"))
		LAUNCH(int_overflow, 1, 32, 0, 0, out, 65536, 65537);
	if (is("local_oob"))
		LAUNCH(local_oob, 1, 32, 0, 0, out, 9);
	return -1;
}

/* The host's own memory and copies. */
static int host()
{
	if (is("host_pointer"))
		LAUNCH(fill, 1, 32, 0, 0, one.data(), 32, 0);
	if (is("host_deref"))
		return out[3] != 0;
	if (is("copy_too_long"))
		cudaMemcpy(sm, one.data(), 101 * 4, cudaMemcpyHostToDevice);
	if (is("host_too_short"))
		cudaMemcpy(one.data() + 2048 - 99, sm, 100 * 4, cudaMemcpyDeviceToHost);
	if (is("gemm_ld")) {
		cublasHandle_t h;
		cublasCreate(&h);
		float al = 1, be = 0;
		cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 10, 11, 10, &al, x, CUDA_R_32F, 10, x,
			CUDA_R_32F, 10, &be, sm, CUDA_R_32F, 10, CUBLAS_COMPUTE_32F,
			CUBLAS_GEMM_DEFAULT);
	}
	return -1;
}

/* What is not ordered. */
static int streams()
{
	if (is("no_sync")) {
		cudaStream_t s;
		cudaStreamCreate(&s);
		float *pinned;
		cudaMallocHost((void **)&pinned, 400);
		LAUNCH(fill, 1, 128, 0, s, sm, 100, 0);
		cudaMemcpyAsync(pinned, sm, 400, cudaMemcpyDeviceToHost, s);
		if (pinned[5] != 1.0f) { // no cudaStreamSynchronize
			printf("wrong result: host read before synchronising\n");
			return 1;
		}
	}
	if (is("no_event")) { // producer and consumer on two streams, no event between them
		cudaStream_t s, t;
		cudaStreamCreate(&s), cudaStreamCreate(&t);
		LAUNCH(fill, 1, 128, 0, s, sm, 100, 0);
		LAUNCH(add, 1, 128, 0, t, out, sm, 100);
		cudaStreamSynchronize(t);
		return wrong(out, {1});
	}
	return -1;
}

int main(int, char **argv)
{
	bug = argv[1];
	cudaMalloc((void **)&out, 1024 * 4), cudaMalloc((void **)&x, 2048 * 4),
		cudaMalloc((void **)&sm, 100 * 4);
	cudaMemset(out, 0, 1024 * 4), cudaMemset(x, 0, 2048 * 4), cudaMemset(sm, 0, 400);
	for (int i = 0; i < 2048; i++)
		one[i] = i < 1024 ? 1 : 2;
	cudaMemcpy(x, one.data(), 2048 * 4, cudaMemcpyHostToDevice);
	for (auto group : {results, bounds, divergence, memory, host, streams}) {
		int result = group();
		if (result >= 0)
			return result;
	}
	return 0;
}
