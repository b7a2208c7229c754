/* Kernels against plain double-precision code: products, rows, norms, vectors. */
#include "t/model_test.h"

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/exp.h"
#include "kernels/cpu/vec.h"

static const int sizes[] = {1, 3, 31, 33, 64, 97, 300};
enum {
	N_SIZES = sizeof sizes / sizeof sizes[0]
};

static void test_exp(void **state)
{
	(void)state;
	for (double x = -86.9; x < 88.0; x += 0.00317) {
		float in = (float)x, lane[VEC];
		double want = exp((double)in);

		vec_store(lane, vec_exp(vec_all(in)));
		assert_true(fabs((double)exp_fast(in) - want) < 1.5e-7 * want);
		assert_true(fabs((double)lane[0] - want) < 1.5e-7 * want);
	}
	assert_true(isnan(exp_fast(NAN)));
	assert_true(exp_fast(-INFINITY) < 2e-38f);
	assert_true(exp_fast(0.0f) == 1.0f);
}

static void reference_product(enum transpose ta, enum transpose tb, int m, int n, int k,
	double alpha, const float *a, int lda, const float *b, int ldb, double beta, const float *c,
	int ldc, float *out)
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0.0;

			for (int p = 0; p < k; p++)
				sum += (double)(ta == PLAIN ? a[i * lda + p] : a[p * lda + i]) *
				       (double)(tb == PLAIN ? b[p * ldb + j] : b[j * ldb + p]);
			out[i * n + j] =
				(float)(alpha * sum +
					(beta != 0.0 ? beta * (double)c[i * ldc + j] : 0.0));
		}
}

static void check_product(struct rng *r, int form, int m, int n, int k, float beta)
{
	const struct device *d = &cpu_device;
	enum transpose ta = form & 1 ? TRANSPOSED : PLAIN, tb = form & 2 ? TRANSPOSED : PLAIN;
	int lda = (ta == PLAIN ? k : m) + 3, ldb = (tb == PLAIN ? n : k) + 1, ldc = n + 2;
	float *a = random_floats(r, (size_t)(lda * (ta == PLAIN ? m : k)), 1.0);
	float *b = random_floats(r, (size_t)(ldb * (tb == PLAIN ? k : n)), 1.0);
	size_t size = (size_t)(ldc * m);
	float *c = guarded(size), *want = xcalloc((size_t)(m * n), sizeof *want);
	double gap;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < ldc; j++)
			if (j >= n || beta != 0.0f)
				c[i * ldc + j] = j < n ? (float)rng_normal(r) : sentinel;
	reference_product(ta, tb, m, n, k, 1.3, a, lda, b, ldb, (double)beta, c, ldc, want);
	d->matmul(ta, tb, m, n, k, 1.3f, a, lda, b, ldb, beta, c, ldc);
	for (int i = 0; i < m; i++) {
		/* fp32 sums of k terms of size 1. */
		for (int j = 0; j < n; j++) {
			gap = fabs((double)c[i * ldc + j] - (double)want[i * n + j]);
			if (!(gap < 4e-6 * sqrt(k)))
				fail_msg("form %d, %d x %d x %d at %d, %d: %g", form, m, n, k, i, j,
					gap);
		}
		assert_true(c[i * ldc + n] == sentinel && c[i * ldc + n + 1] == sentinel);
	}
	free(a);
	free(b);
	free(want);
	guarded_free(c, size);
}

static void test_matmul(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 1, RNG_TEST, 0, 0);
	for (int i = 0; i < N_SIZES; i++)
		for (int j = 0; j < N_SIZES; j++)
			for (int form = 0; form < 4; form++)
				check_product(&r, form, sizes[i], sizes[j],
					sizes[(i + 2 * j + form) % N_SIZES],
					form % 3 == 0 ? 0.0f : 0.7f);
	check_product(&r, 2, 40, 600, 600, 1.0f); /* beyond the small ones on any CPU */
}

static void test_rows(void **state)
{
	enum {
		N = 5,
		C = 19,
		TABLE = 9
	};
	const struct device *d = &cpu_device;
	const int32_t index[N] = {8, 0, 3, 8, 1}, spread[N] = {4, 0, 2, 7, 1};
	const int32_t target[3] = {8, 0, 3}, start[4] = {0, 2, 3, 5}, order[N] = {0, 3, 1, 2, 4};
	struct rng r;
	float *x, *y = guarded(TABLE * C), *sum;

	(void)state;
	rng_init(&r, 2, RNG_TEST, 0, 0);
	x = random_floats(&r, TABLE * C, 1.0);
	d->gather_rows(y, C, x, C, index, N, C);
	for (int i = 0; i < N; i++)
		assert_memory_equal(y + i * C, x + index[i] * C, C * sizeof *x);
	for (int i = 0; i < TABLE * C; i++)
		y[i] = 5.0f;
	d->scatter_rows(y, C, x, C, spread, N, C - 1);
	for (int i = 0; i < N; i++) {
		assert_memory_equal(y + spread[i] * C, x + i * C, (C - 1) * sizeof *x);
		assert_true(y[spread[i] * C + C - 1] == 5.0f);
	}
	assert_true(y[3 * C] == 5.0f);
	guarded_free(y, TABLE * C);
	sum = guarded(TABLE * C);
	d->zero(sum, TABLE * C * sizeof *sum);
	d->scatter_add_rows(sum, x, target, start, order, 3, C);
	for (int j = 0; j < C; j++) {
		assert_true(sum[8 * C + j] == x[j] + x[3 * C + j]);
		assert_true(sum[j] == x[C + j]);
		assert_true(sum[3 * C + j] == x[2 * C + j] + x[4 * C + j]);
		assert_true(sum[C + j] == 0.0f);
	}
	guarded_free(sum, TABLE * C);
	free(x);
}

/* y and the loss sum(weight * y) of one row, in double. */
static double norm_row(
	const double *x, const float *gain, double eps, int c, const float *weight, double *y)
{
	double squares = 0.0, loss = 0.0;

	for (int j = 0; j < c; j++)
		squares += x[j] * x[j];
	for (int j = 0; j < c; j++) {
		double out = x[j] / sqrt(squares / c + eps) * (double)gain[j];

		if (y)
			y[j] = out;
		loss += (double)weight[j] * out;
	}
	return loss;
}

static void check_norm(struct rng *r, int n, int c)
{
	const struct device *d = &cpu_device;
	const double eps = 1e-5, step = 1e-5;
	size_t size = (size_t)(n * c);
	float *x = random_floats(r, size, 1.0), *delta = random_floats(r, size, 0.5);
	float *gain = random_floats(r, (size_t)c, 1.0), *dy = random_floats(r, size, 1.0);
	float *sum = guarded(size), *y = guarded(size), *inv = guarded((size_t)n);
	float *dx = guarded(size), *dgain = guarded((size_t)c);
	float *want = xcalloc(size, sizeof *want), *want_gain = xcalloc((size_t)c, sizeof *want);
	double *row = xcalloc((size_t)c, sizeof *row), *out = xcalloc((size_t)c, sizeof *out);

	d->add_rmsnorm(sum, y, inv, x, delta, gain, (float)eps, n, c);
	d->zero(dx, size * sizeof *dx);
	d->zero(dgain, (size_t)c * sizeof *dgain);
	d->rmsnorm_backward(dx, dgain, dy, sum, inv, gain, n, c);
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < c; j++)
			row[j] = (double)x[i * c + j] + (double)delta[i * c + j];
		norm_row(row, gain, eps, c, dy + i * c, out);
		for (int j = 0; j < c; j++) {
			double at = row[j], high, low;

			assert_true(fabs((double)sum[i * c + j] - at) < 1e-6);
			assert_true(fabs((double)y[i * c + j] - out[j]) < 1e-5);
			want_gain[j] += (float)((double)dy[i * c + j] * out[j] / (double)gain[j]);
			row[j] = at + step;
			high = norm_row(row, gain, eps, c, dy + i * c, NULL);
			row[j] = at - step;
			low = norm_row(row, gain, eps, c, dy + i * c, NULL);
			row[j] = at;
			want[i * c + j] = (float)((high - low) / (2.0 * step));
		}
	}
	/* fp32 against central differences in double. */
	for (size_t i = 0; i < size; i++)
		assert_true(fabsf(dx[i] - want[i]) < 2e-5f);
	assert_close(dgain, want_gain, (size_t)c, 1e-5);
	/* It adds, and the sum may be absent. */
	d->rmsnorm_backward(dx, dgain, dy, sum, inv, gain, n, c);
	for (size_t i = 0; i < size; i++)
		assert_true(fabsf(dx[i] - 2.0f * want[i]) < 4e-5f);
	d->add_rmsnorm(NULL, dx, inv, sum, NULL, gain, (float)eps, n, c);
	assert_memory_equal(dx, y, size * sizeof *y);
	guarded_free(sum, size);
	guarded_free(y, size);
	guarded_free(inv, (size_t)n);
	guarded_free(dx, size);
	guarded_free(dgain, (size_t)c);
	free(x), free(delta), free(gain), free(dy), free(want), free(want_gain), free(row),
		free(out);
}

static void test_norm(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 3, RNG_TEST, 0, 0);
	check_norm(&r, 1, 1);
	check_norm(&r, 5, 31);
	check_norm(&r, 33, 64);
	check_norm(&r, 17, 100);
}

static void test_rope(void **state)
{
	enum {
		N = 7,
		HEADS = 3,
		HD = 20,
		LD = HEADS * HD + 5,
		HALF = HD / 2
	};
	const struct device *d = &cpu_device;
	const int32_t positions[N] = {0, 5, 1, 1, 9, 3, 7};
	float table[10 * HD], *x, *y;
	struct rng r;

	(void)state;
	rng_init(&r, 4, RNG_TEST, 0, 0);
	for (int p = 0; p < 10; p++)
		for (int i = 0; i < HALF; i++) {
			table[p * HD + i] = (float)cos(p * pow(100.0, -2.0 * i / HD));
			table[p * HD + HALF + i] = (float)sin(p * pow(100.0, -2.0 * i / HD));
		}
	x = random_floats(&r, N * LD, 1.0);
	y = guarded(N * LD);
	memcpy(y, x, N * LD * sizeof *x);
	d->rope(y, LD, positions, table, N, HEADS, HD, 0);
	for (int i = 0; i < N; i++) {
		for (int h = 0; h < HEADS; h++)
			for (int j = 0; j < HALF; j++) {
				const float *a = x + i * LD + h * HD, *b = y + i * LD + h * HD;
				double angle = positions[i] * pow(100.0, -2.0 * j / HD);
				double c = cos(angle), s = sin(angle);

				assert_true(fabs((double)b[j] -
						    ((double)a[j] * c - (double)a[j + HALF] * s)) <
					    1e-6);
				assert_true(fabs((double)b[j + HALF] -
						    ((double)a[j + HALF] * c + (double)a[j] * s)) <
					    1e-6);
			}
		assert_memory_equal(
			y + i * LD + HEADS * HD, x + i * LD + HEADS * HD, 5 * sizeof *x);
	}
	/* A rotation's transpose, which the gradient needs, is its inverse. */
	d->rope(y, LD, positions, table, N, HEADS, HD, 1);
	assert_close(y, x, N * LD, 1e-6);
	guarded_free(y, N * LD);
	free(x);
}

static double silu_up(double gate, double up)
{
	return gate / (1.0 + exp(-gate)) * up;
}

static void test_swiglu(void **state)
{
	const struct device *d = &cpu_device;
	const double step = 1e-6;
	struct rng r;

	(void)state;
	rng_init(&r, 5, RNG_TEST, 0, 0);
	for (int k = 0; k < 4; k++) {
		int n = 3 + k, f = sizes[k];
		size_t size = (size_t)(n * f);
		float *x = random_floats(&r, 2 * size, 3.0), *dy = random_floats(&r, size, 1.0);
		float *y = guarded(size), *dx = guarded(2 * size);

		x[0] = -60.0f;
		d->swiglu(y, x, n, f);
		d->swiglu_backward(dx, dy, x, n, f);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < f; j++) {
				double g = (double)x[i * 2 * f + j], t = (double)dy[i * f + j];
				double u = (double)x[i * 2 * f + f + j], want = silu_up(g, u);
				double dg =
					(silu_up(g + step, u) - silu_up(g - step, u)) / (2 * step);

				assert_true(fabs((double)y[i * f + j] - want) <
					    1e-6 * (1.0 + fabs(want)));
				assert_true(fabs((double)dx[i * 2 * f + j] - t * dg) <
					    3e-6 * (1.0 + fabs(t * dg)));
				assert_true(
					fabs((double)dx[i * 2 * f + f + j] - t * silu_up(g, 1.0)) <
					3e-6 * (1.0 + fabs(t * g)));
			}
		d->swiglu_backward(x, dy, x, n, f); /* in place */
		assert_memory_equal(x, dx, 2 * size * sizeof *x);
		guarded_free(y, size);
		guarded_free(dx, 2 * size);
		free(x), free(dy);
	}
}

static void test_vectors(void **state)
{
	enum {
		N = 1037
	};
	const struct device *d = &cpu_device;
	const struct adamw_args args = {.lr = 0.01f,
		.beta1 = 0.9f,
		.beta2 = 0.99f,
		.eps = 1e-8f,
		.weight_decay = 0.1f,
		.correction1 = 0.19f,
		.correction2 = 0.0199f,
		.grad_scale = 0.5f};
	struct rng r;
	float *p, *g, *m, *v, *p0, *m0, *v0, *u = guarded(N);
	double sum, want = 0.0;
	int64_t index;

	(void)state;
	rng_init(&r, 6, RNG_TEST, 0, 0);
	p = random_floats(&r, N, 1.0), g = random_floats(&r, N, 1.0);
	m = random_floats(&r, N, 1.0), v = random_floats(&r, N, 1.0);
	p0 = xcalloc(N, sizeof *p), m0 = xcalloc(N, sizeof *p), v0 = xcalloc(N, sizeof *p);
	for (int i = 0; i < N; i++) {
		v[i] *= v[i];
		p0[i] = p[i], m0[i] = m[i], v0[i] = v[i];
		want += (double)g[i] * (double)g[i];
	}
	d->sum_squares(&sum, g, N);
	assert_true(fabs(sum - want) < 1e-12 * want);
	d->divide_by_norm(u, g, N, &sum, 1e-7f);
	assert_true(fabs((double)u[5] - (double)g[5] / sqrt(want)) < 1e-7);
	d->adamw(p, g, m, v, N, &args);
	for (int i = 0; i < N; i++) {
		double gs = 0.5 * (double)g[i], m1 = 0.9 * (double)m0[i] + 0.1 * gs;
		double v1 = 0.99 * (double)v0[i] + 0.01 * gs * gs;
		double step = m1 / 0.19 / (sqrt(v1 / 0.0199) + 1e-8);

		assert_true(fabs((double)m[i] - m1) < 1e-6 && fabs((double)v[i] - v1) < 1e-6);
		assert_true(fabs((double)p[i] -
				    ((double)p0[i] - 0.01 * (0.1 * (double)p0[i] + step))) < 2e-6);
	}
	memcpy(m0, m, N * sizeof *m);
	d->muon_momentum(u, m, g, N, 0.95f, 2.0f);
	for (int i = 0; i < N; i++) {
		double b = 0.95 * (double)m0[i] + 2.0 * (double)g[i];

		assert_true(fabs((double)m[i] - b) < 2e-6);
		assert_true(fabs((double)u[i] - (2.0 * (double)g[i] + 0.95 * b)) < 4e-6);
	}
	d->axpby(u, g, N, 2.0f, 0.0f);
	d->axpby(u, g, N, 1.0f, -0.5f);
	for (int i = 0; i < N; i++)
		assert_true(u[i] == 0.0f);
	d->find_nonfinite(&index, g, N);
	assert_int_equal(index, -1);
	g[N - 1] = INFINITY;
	d->find_nonfinite(&index, g, N);
	assert_int_equal(index, N - 1);
	g[517] = NAN;
	d->find_nonfinite(&index, g, N);
	assert_int_equal(index, 517);
	d->sum_squares(&sum, g, N);
	assert_true(isnan(sum));
	guarded_free(u, N);
	free(p), free(g), free(m), free(v), free(p0), free(m0), free(v0);
}

/* Two threads share every operation, however small. */
static int two_threads(void **state)
{
	(void)state;
	test_device(2);
	cpu_grain = 0;
	return 0;
}

static int one_thread(void **state)
{
	(void)state;
	test_device(1);
	return 0;
}

#define ON_BOTH(test)                                                                              \
	cmocka_unit_test_setup(test, one_thread), cmocka_unit_test_setup(test, two_threads)

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_exp), ON_BOTH(test_matmul),
		ON_BOTH(test_rows), ON_BOTH(test_norm), ON_BOTH(test_rope), ON_BOTH(test_swiglu),
		ON_BOTH(test_vectors)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
