/*
 * blas.cpp - the product of cuBLAS that the kernels' host code calls, over CBLAS.
 * FAST_16BF rounds both factors to bf16 first, as tensor cores read them; sums are fp32.
 */
#include "t/cudasim/cudasim.h"
#include "t/cudasim/internal.h"
#include <cblas.h>
#include <cstring>
#include <vector>

struct cublasContext {
	cudaStream_t stream = nullptr;
};

static float rounded(float x, bool narrow)
{
	uint32_t bits;

	if (!narrow || x != x)
		return x;
	memcpy(&bits, &x, sizeof bits);
	bits = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u; // to even
	memcpy(&x, &bits, sizeof x);
	return x;
}

static std::vector<float> taken(const float *x, int rows, int cols, int ld, bool narrow)
{
	std::vector<float> y((size_t)rows * cols + 1);

	for (int j = 0; j < cols; j++)
		for (int i = 0; i < rows; i++)
			y[(size_t)j * rows + i] = rounded(x[(size_t)j * ld + i], narrow);
	return y;
}

static size_t extent(int rows, int cols, int ld)
{
	return rows && cols ? ((size_t)ld * (cols - 1) + rows) * sizeof(float) : 0;
}

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t *h)
{
	*h = new cublasContext;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
	delete h;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s)
{
	h->stream = s;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
	int n, int k, const void *alpha, const void *a, cudaDataType_t, int lda, const void *b,
	cudaDataType_t, int ldb, const void *beta, void *c, cudaDataType_t, int ldc,
	cublasComputeType_t compute, cublasGemmAlgo_t)
{
	const int ar = ta == CUBLAS_OP_N ? m : k, ac = ta == CUBLAS_OP_N ? k : m;
	const int br = tb == CUBLAS_OP_N ? k : n, bc = tb == CUBLAS_OP_N ? n : k;
	const float al = *(const float *)alpha, be = *(const float *)beta;
	const bool narrow = compute == CUBLAS_COMPUTE_32F_FAST_16BF;

	if (m < 0 || n < 0 || k < 0 || lda < ar || ldb < br || ldc < m || lda < 1 || ldb < 1 ||
		ldc < 1)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	cudasim::check_range(a, extent(ar, ac, lda), "cuBLAS A");
	cudasim::check_range(b, extent(br, bc, ldb), "cuBLAS B");
	cudasim::check_range(c, extent(m, n, ldc), "cuBLAS C");
	cudasim::enqueue_work(h->stream, [=] {
		cudasim::hide_device_memory(false);
		auto x = taken((const float *)a, ar, ac, lda, narrow);
		auto y = taken((const float *)b, br, bc, ldb, narrow);

		cblas_sgemm(CblasColMajor, ta == CUBLAS_OP_N ? CblasNoTrans : CblasTrans,
			tb == CUBLAS_OP_N ? CblasNoTrans : CblasTrans, m, n, k, al, x.data(),
			ar > 0 ? ar : 1, y.data(), br > 0 ? br : 1, be, (float *)c, ldc);
		cudasim::hide_device_memory(true);
	});
	return CUBLAS_STATUS_SUCCESS;
}
}
