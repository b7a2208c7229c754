/* device.cu - the CUDA table: opening a device, its memory, matrix products, faults. */
#include "kernels/cuda/cuda.cuh"

extern "C" {
#include "kernels/cuda/plugin.h"
}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_state cuda;

enum {
	OLDEST_COMPUTE = 80, /* compute capability 8.0: bf16 tensor cores */
	STAGES = 4
};

static const size_t STAGE = (size_t)1 << 20;

/* Pinned memory that uploads pass through, so that the caller's may change at once. */
static struct {
	char *memory;
	cudaEvent_t done[STAGES];
	int next;
} staging;

static struct {
	void *memory;
	size_t bytes;
} scratch;

void cuda_check(cudaError_t status, const char *operation)
{
	if (status != cudaSuccess && !cuda.fault[0])
		snprintf(cuda.fault, sizeof cuda.fault, "%s: %s", operation,
			cudaGetErrorString(status));
}

void cuda_launched(const char *operation)
{
	cuda_check(cudaGetLastError(), operation);
}

void *cuda_scratch(size_t bytes, const char *operation)
{
	if (bytes <= scratch.bytes)
		return scratch.memory;
	cuda_check(cudaStreamSynchronize(cuda.stream), operation);
	cuda_check(cudaFree(scratch.memory), operation);
	scratch.memory = NULL;
	scratch.bytes = 0;
	cudaError_t status = cudaMalloc(&scratch.memory, bytes);
	cuda_check(status, operation);
	if (status != cudaSuccess)
		return scratch.memory = NULL;
	scratch.bytes = bytes;
	return scratch.memory;
}

static void *memory_alloc(size_t bytes, struct error *err)
{
	void *p = NULL;
	size_t room = 0, total = 0;

	if (cudaMalloc(&p, bytes ? bytes : 1) == cudaSuccess)
		return p;
	(void)cudaGetLastError(); /* it has been told here */
	(void)cudaMemGetInfo(&room, &total);
	error_set(err, EXIT_UNAVAILABLE,
		"not enough device memory: %zu bytes wanted, %zu of %zu free; use a smaller batch",
		bytes, room, total);
	return NULL;
}

static void memory_free(void *p)
{
	cuda_check(cudaFree(p), "free");
}

static void memory_upload(void *dst, const void *host_src, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += STAGE) {
		const size_t n = bytes - at < STAGE ? bytes - at : STAGE;
		const int i = staging.next++ % STAGES;
		char *stage = staging.memory + (size_t)i * STAGE;

		cuda_check(cudaEventSynchronize(staging.done[i]), "upload");
		memcpy(stage, (const char *)host_src + at, n);
		cuda_check(cudaMemcpyAsync(
				   (char *)dst + at, stage, n, cudaMemcpyHostToDevice, cuda.stream),
			"upload");
		cuda_check(cudaEventRecord(staging.done[i], cuda.stream), "upload");
	}
}

/* After a fault there is nothing to read: NaNs, and no index; sync() tells. */
static void memory_download(void *host_dst, const void *src, size_t bytes)
{
	if (!bytes)
		return;
	if (!cuda.fault[0]) {
		cuda_check(
			cudaMemcpyAsync(host_dst, src, bytes, cudaMemcpyDeviceToHost, cuda.stream),
			"download");
		cuda_check(cudaStreamSynchronize(cuda.stream), "download");
	}
	if (cuda.fault[0])
		memset(host_dst, 0xff, bytes);
}

static void memory_zero(void *dst, size_t bytes)
{
	if (bytes)
		cuda_check(cudaMemsetAsync(dst, 0, bytes, cuda.stream), "zero");
}

static void memory_copy(void *dst, const void *src, size_t bytes)
{
	if (bytes)
		cuda_check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, cuda.stream),
			"copy");
}

static int device_sync(struct error *err)
{
	cuda_check(cudaStreamSynchronize(cuda.stream), "sync");
	if (cuda.fault[0])
		return error_set(err, EXIT_UNAVAILABLE, "the CUDA device failed in %s", cuda.fault);
	return 0;
}

/* cuBLAS counts by columns: it computes the transpose of the result. */
void cuda_matmul(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
	static int exact = -1;

	if (m <= 0 || n <= 0)
		return;
	if (exact < 0)
		exact = getenv("CUDA_MATMUL_FP32") != NULL;
	if (cublasGemmEx(cuda.blas, tb == PLAIN ? CUBLAS_OP_N : CUBLAS_OP_T,
		    ta == PLAIN ? CUBLAS_OP_N : CUBLAS_OP_T, n, m, k, &alpha, b, CUDA_R_32F, ldb, a,
		    CUDA_R_32F, lda, &beta, c, CUDA_R_32F, ldc,
		    exact ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_16BF,
		    CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS &&
		!cuda.fault[0])
		snprintf(cuda.fault, sizeof cuda.fault, "matmul of %d x %d x %d", m, n, k);
}

static const struct device *table(void)
{
	static struct device d;

	d.name = "cuda";
	d.alloc = memory_alloc;
	d.free = memory_free;
	d.upload = memory_upload;
	d.download = memory_download;
	d.zero = memory_zero;
	d.copy = memory_copy;
	d.sync = device_sync;
	d.matmul = cuda_matmul;
	d.gather_rows = cuda_gather_rows;
	d.scatter_rows = cuda_scatter_rows;
	d.scatter_add_rows = cuda_scatter_add_rows;
	d.add_rmsnorm = cuda_add_rmsnorm;
	d.rmsnorm_backward = cuda_rmsnorm_backward;
	d.head_rmsnorm = cuda_head_rmsnorm;
	d.head_rmsnorm_backward = cuda_head_rmsnorm_backward;
	d.add_bias = cuda_add_bias;
	d.bias_backward = cuda_bias_backward;
	d.geglu = cuda_geglu;
	d.geglu_backward = cuda_geglu_backward;
	d.rope = cuda_rope;
	d.swiglu = cuda_swiglu;
	d.swiglu_backward = cuda_swiglu_backward;
	d.attention = cuda_attention;
	d.attention_backward = cuda_attention_backward;
	d.head_forward = cuda_head_forward;
	d.head_backward = cuda_head_backward;
	d.head_sample = cuda_head_sample;
	d.axpby = cuda_axpby;
	d.sum_squares = cuda_sum_squares;
	d.find_nonfinite = cuda_find_nonfinite;
	d.adamw = cuda_adamw;
	d.muon_momentum = cuda_muon_momentum;
	d.divide_by_norm = cuda_divide_by_norm;
	return &d;
}

/* The driver, the device and its kind, before anything is made on it. */
static int check_machine(int ordinal, cudaDeviceProp *p, struct error *err)
{
	int driver = 0, count = 0;

	if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
		return error_set(err, EXIT_UNAVAILABLE,
			"no NVIDIA driver here; CUDA %d.%d needs one; use --device cpu",
			CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
	if (driver / 1000 < CUDART_VERSION / 1000)
		return error_set(err, EXIT_UNAVAILABLE,
			"the NVIDIA driver is for CUDA %d.%d, CUDA %d.%d is needed; update it or "
			"use --device cpu",
			driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
			CUDART_VERSION % 1000 / 10);
	if (cudaGetDeviceCount(&count) != cudaSuccess || ordinal >= count)
		return error_set(err, EXIT_UNAVAILABLE,
			"CUDA device %d wanted, %d here; use --device cpu", ordinal, count);
	if (cudaSetDevice(ordinal) != cudaSuccess ||
		cudaGetDeviceProperties(p, ordinal) != cudaSuccess)
		return error_set(err, EXIT_UNAVAILABLE, "CUDA device %d cannot be opened: %s",
			ordinal, cudaGetErrorString(cudaGetLastError()));
	if (p->major * 10 + p->minor < OLDEST_COMPUTE)
		return error_set(err, EXIT_UNAVAILABLE,
			"%s has compute capability %d.%d, 8.0 is needed; use --device cpu", p->name,
			p->major, p->minor);
	return 0;
}

static const struct device *plugin_open(
	int ordinal, char *said, size_t said_size, struct error *err)
{
	cudaDeviceProp p;
	bool ok;

	if (check_machine(ordinal, &p, err) != 0)
		return NULL;
	cuda.processors = p.multiProcessorCount;
	ok = cudaStreamCreateWithFlags(&cuda.stream, cudaStreamNonBlocking) == cudaSuccess &&
	     cublasCreate(&cuda.blas) == CUBLAS_STATUS_SUCCESS &&
	     cublasSetStream(cuda.blas, cuda.stream) == CUBLAS_STATUS_SUCCESS &&
	     cudaMallocHost((void **)&staging.memory, STAGES * STAGE) == cudaSuccess;
	for (int i = 0; ok && i < STAGES; i++)
		ok = cudaEventCreateWithFlags(&staging.done[i], cudaEventDisableTiming) ==
		     cudaSuccess;
	if (!ok) {
		error_set(err, EXIT_UNAVAILABLE, "%s cannot be used: %s", p.name,
			cudaGetErrorString(cudaGetLastError()));
		return NULL;
	}
	snprintf(said, said_size, "%s, %.1f GiB", p.name,
		(double)p.totalGlobalMem / (double)(1 << 30));
	return table();
}

extern "C" __attribute__((visibility("default"))) const struct device_plugin device_plugin = {
	DEVICE_PLUGIN_VERSION, sizeof(struct device), plugin_open};
