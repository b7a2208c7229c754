/*
 * matmul.c - matrix products in fp32.
 *
 * The products of a small model have one short side (64 to 400): what a general
 * BLAS spends on packing both factors for its caches is a large part of them, and
 * a BLAS older than the CPU uses half its vectors.  So those products are done
 * here: a panel of the right factor, a few vectors wide, is laid out in order,
 * and blocks of rows of the left factor pass over it, read where they lie.  Large
 * products, and machines without wide vectors, take CBLAS, on one thread.
 *
 * The rows (or, where there are few, the columns) of the result are cut over
 * threads; the order of each sum does not depend on the cut.
 */
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/vec.h"

#include <cblas.h>
#include <string.h>

/* Which kernels OpenBLAS takes is its own choice or OPENBLAS_CORETYPE's. */
void cpu_blas_prepare(void)
{
	openblas_set_num_threads(1);
}

struct factor {
	const float *at;
	ptrdiff_t row, col; /* distance in elements */
};

struct product {
	enum transpose ta, tb;
	int m, n, k;
	float alpha, beta;
	const float *a, *b;
	float *c;
	int lda, ldb, ldc;
};

static void by_blas(const struct product *p)
{
	cblas_sgemm(CblasRowMajor, p->ta == PLAIN ? CblasNoTrans : CblasTrans,
		p->tb == PLAIN ? CblasNoTrans : CblasTrans, p->m, p->n, p->k, p->alpha, p->a,
		p->lda, p->b, p->ldb, p->beta, p->c, p->ldc);
}

enum {
	ROWS = VEC == 16 ? 12 : VEC == 8 ? 6 : 4, /* of the result, held in registers ... */
	COLS = 2 * VEC,				  /* ... by this many columns */
	DEPTH = 256 /* of a panel: DEPTH * COLS floats stay in the L1 cache */
};

/* panel[depth, COLS] = b[p0 .. , j0 .. j0 + cols), zeros right of cols. */
static void pack_plain(float *panel, const float *b, int ldb, int depth, int cols)
{
	for (int p = 0; p < depth; p++, panel += COLS, b += ldb) {
		if (cols == COLS) {
			vec_store(panel, vec_load(b));
			vec_store(panel + VEC, vec_load(b + VEC));
			continue;
		}
		memset(panel, 0, COLS * sizeof *panel);
		memcpy(panel, b, (size_t)cols * sizeof *panel);
	}
}

static void pack_transposed(float *panel, const float *b, int ldb, int depth, int cols)
{
	for (int j0 = 0; j0 < COLS; j0 += VEC) {
		int p = 0, width = cols - j0 < VEC ? cols - j0 : VEC;

		for (; p + VEC <= depth && width == VEC; p += VEC) {
			vec tile[VEC];

			for (int j = 0; j < VEC; j++)
				tile[j] = vec_load(b + (ptrdiff_t)(j0 + j) * ldb + p);
			vec_transpose(tile);
			for (int i = 0; i < VEC; i++)
				vec_store(panel + (p + i) * COLS + j0, tile[i]);
		}
		for (; p < depth; p++)
			for (int j = 0; j < VEC; j++)
				panel[p * COLS + j0 + j] =
					j < width ? b[(ptrdiff_t)(j0 + j) * ldb + p] : 0.0f;
	}
}

static inline void store_part(float *c, vec y, float beta, int n)
{
	if (n == VEC) {
		vec_store(c, beta != 0.0f ? y + vec_all(beta) * vec_load(c) : y);
		return;
	}
	if (beta != 0.0f)
		y += vec_all(beta) * vec_load_part(c, n);
	vec_store_part(c, y, n);
}

/* c[rows, cols] = alpha * a[rows, depth] panel + beta * c, rows <= ROWS a constant. */
static inline __attribute__((always_inline)) void tile(const int rows, struct factor a, int depth,
	const float *panel, const struct product *p, float beta, float *c, int cols)
{
	vec sum[ROWS][2];

#pragma GCC unroll 12
	for (int i = 0; i < rows; i++)
		sum[i][0] = sum[i][1] = (vec){0};
	for (int d = 0; d < depth; d++, panel += COLS, a.at += a.col) {
		vec b0 = vec_load(panel), b1 = vec_load(panel + VEC);

#pragma GCC unroll 12
		for (int i = 0; i < rows; i++) {
			vec x = vec_all(a.at[i * a.row]);

			sum[i][0] += x * b0;
			sum[i][1] += x * b1;
		}
	}
#pragma GCC unroll 12
	for (int i = 0; i < rows; i++, c += p->ldc) {
		vec y0 = sum[i][0] * vec_all(p->alpha), y1 = sum[i][1] * vec_all(p->alpha);

		if (cols == COLS) {
			if (beta != 0.0f) {
				y0 += vec_all(beta) * vec_load(c);
				y1 += vec_all(beta) * vec_load(c + VEC);
			}
			vec_store(c, y0);
			vec_store(c + VEC, y1);
		} else {
			store_part(c, y0, beta, cols < VEC ? cols : VEC);
			if (cols > VEC)
				store_part(c + VEC, y1, beta, cols - VEC);
		}
	}
}

/* All rows over one panel; what is left over the last full block goes by threes
 * and ones. */
static void pass(const struct product *p, struct factor a, int depth, const float *panel,
	float beta, float *c, int cols)
{
	int i = 0;

	for (; i + ROWS <= p->m; i += ROWS, a.at += ROWS * a.row, c += (size_t)ROWS * p->ldc)
		tile(ROWS, a, depth, panel, p, beta, c, cols);
	for (; i + 3 <= p->m; i += 3, a.at += 3 * a.row, c += (size_t)3 * p->ldc)
		tile(3, a, depth, panel, p, beta, c, cols);
	for (; i < p->m; i++, a.at += a.row, c += p->ldc)
		tile(1, a, depth, panel, p, beta, c, cols);
}

static void by_panels(const struct product *p)
{
	_Alignas(64) float panel[DEPTH * COLS];
	const struct factor whole = {
		p->a, p->ta == PLAIN ? p->lda : 1, p->ta == PLAIN ? 1 : p->lda};

	for (int j = 0; j < p->n; j += COLS) {
		int cols = p->n - j < COLS ? p->n - j : COLS;

		/* At least once: an empty sum still scales c. */
		for (int d = 0; d < p->k || d == 0; d += DEPTH) {
			int depth = p->k - d < DEPTH ? p->k - d : DEPTH;
			struct factor a = whole;

			if (p->tb == PLAIN)
				pack_plain(
					panel, p->b + (size_t)d * p->ldb + j, p->ldb, depth, cols);
			else
				pack_transposed(
					panel, p->b + (size_t)j * p->ldb + d, p->ldb, depth, cols);
			a.at += d * a.col;
			pass(p, a, depth, panel, d ? 1.0f : p->beta, p->c + j, cols);
		}
	}
}

/* Where panels are as fast as a BLAS of the same width, or faster; by the shape of
 * the whole product, so that threads do not change the method. */
static int is_small(int n, int k)
{
	return VEC == 16 || (int64_t)n * k <= 1 << 18;
}

static void run(const struct product *p, int small)
{
	if (small)
		by_panels(p);
	else
		by_blas(p);
}

static struct product part_of(const struct product *p, int by_rows, int from, int len)
{
	struct product part = *p;

	if (by_rows) {
		part.m = len;
		part.a += p->ta == PLAIN ? (size_t)from * p->lda : (size_t)from;
		part.c += (size_t)from * p->ldc;
	} else {
		part.n = len;
		part.b += p->tb == PLAIN ? (size_t)from : (size_t)from * p->ldb;
		part.c += from;
	}
	return part;
}

struct cut {
	struct product whole;
	int by_rows, small;
};

static void matmul_part(const void *context, int from, int to)
{
	const struct cut *c = context;
	struct product part = part_of(&c->whole, c->by_rows, from, to - from);

	run(&part, c->small);
}

void cpu_matmul(enum transpose ta, enum transpose tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
	const struct cut cut = {
		.whole = {ta, tb, m, n, k, alpha, beta, a, b, c, lda, ldb, ldc},
		.by_rows = m >= n / 2,
		.small = is_small(n, k),
	};

	/* Parts are whole blocks of rows or columns. */
	if (m > 0 && n > 0)
		cpu_for(cut.by_rows ? m : n, cut.by_rows ? ROWS : COLS, (int64_t)m * n * k,
			matmul_part, &cut);
}
