/*
 * matmul.c - matrix products by CBLAS.  OpenBLAS runs single-threaded; the rows
 * (or, where there are few, the columns) of the result are cut over our threads.
 */
#include "kernels/cpu/cpu.h"

#include <cblas.h>

/* Which kernels OpenBLAS takes is its own choice or OPENBLAS_CORETYPE's. */
void cpu_blas_prepare(void)
{
	openblas_set_num_threads(1);
}

static void product(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
	cblas_sgemm(CblasRowMajor, ta == PLAIN ? CblasNoTrans : CblasTrans,
		tb == PLAIN ? CblasNoTrans : CblasTrans, m, n, k, alpha, a, lda, b, ldb, beta, c,
		ldc);
}

void cpu_matmul(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
	int parts = cpu_parallel((int64_t)m * n * k) ? cpu_threads : 1;
	int by_rows = m >= n / 2;
	/* Whole multiples of 16 keep every part on the kernels' fast path. */
	int step = ((by_rows ? m : n) + parts * 16 - 1) / (parts * 16) * 16;

	if (m <= 0 || n <= 0)
		return;
	if (parts == 1) {
		product(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
		return;
	}
#pragma omp parallel for schedule(static) num_threads(parts)
	for (int p = 0; p < parts; p++) {
		int from = p * step, total = by_rows ? m : n;
		int len = total - from < step ? total - from : step;

		if (len <= 0)
			continue;
		if (by_rows)
			product(ta, tb, len, n, k, alpha,
				a + (ta == PLAIN ? (size_t)from * lda : (size_t)from), lda, b, ldb,
				beta, c + (size_t)from * ldc, ldc);
		else
			product(ta, tb, m, len, k, alpha, a, lda,
				b + (tb == PLAIN ? (size_t)from : (size_t)from * ldb), ldb, beta,
				c + from, ldc);
	}
}
