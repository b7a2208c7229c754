/*
 * matmul.c - matrix products by CBLAS.  OpenBLAS runs single-threaded; the rows
 * (or, where there are few, the columns) of the result are cut over our threads.
 */
#include "kernels/cpu/cpu.h"

#include <cblas.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* OpenBLAS does not know every CPU: one that is newer than the library falls
 * back to AVX2 kernels, at half the speed of the AVX-512 ones that it has.  The
 * choice is made when the library is loaded and is made again here, through the
 * library's own entry points, where they exist. */
void cpu_blas_prepare(void)
{
#ifdef __x86_64__
	void (*quit)(void) = NULL, (*init)(void) = NULL;
	void *symbol;
	const char *core = openblas_get_corename();

	if (!getenv("OPENBLAS_CORETYPE") &&
		(strcmp(core, "Haswell") == 0 || strcmp(core, "Zen") == 0) &&
		__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
		if ((symbol = dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit")))
			memcpy(&quit, &symbol, sizeof quit);
		if ((symbol = dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init")))
			memcpy(&init, &symbol, sizeof init);
		if (quit && init) {
			setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
			quit();
			init();
			unsetenv("OPENBLAS_CORETYPE");
		}
	}
#endif
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
