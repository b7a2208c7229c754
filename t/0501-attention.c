/* Tree attention against plain double-precision code and finite differences. */
#include "t/model_test.h"

#include "kernels/cpu/cpu.h"
#include "model/segments.h"

enum {
	MAX_HD = 64
};

struct problem {
	struct attention_shape shape;
	struct tree *tree;
	struct segments segments;
	int n, ld, width; /* rows; of q, k and v; of q */
	float *qkv, *dout;
};

/* Random sequences over two letters: they share many short beginnings. */
static void random_tree(struct rng *r, struct tree *t, int sequences, int longest)
{
	int32_t tokens[256];

	for (int s = 0; s < sequences; s++) {
		int len = 1 + (int)rng_below(r, (uint32_t)longest);

		for (int i = 0; i < len; i++)
			tokens[i] = i < longest / 3 ? 0 : (int32_t)rng_below(r, 2);
		tree_add(t, tokens, len, len);
	}
	tree_pack(t, 0);
}

static void problem_init(struct problem *p, struct rng *r, int heads, int kv_heads, int hd,
	int sequences, int longest)
{
	uint64_t bytes = 0;
	struct error err;

	p->tree = tree_new();
	random_tree(r, p->tree, sequences, longest);
	p->n = p->tree->n_rows;
	p->width = heads * hd;
	p->ld = (heads + 2 * kv_heads) * hd;
	assert_ok(segments_alloc(&p->segments, &cpu_device, p->n, &bytes, &err), err);
	assert_ok(segments_load(&p->segments, &cpu_device, p->tree, &err), err);
	p->qkv = random_floats(r, (size_t)(p->n * p->ld), 1.0);
	p->dout = random_floats(r, (size_t)(p->n * p->width), 1.0);
	p->shape = (struct attention_shape){.n_heads = heads,
		.n_kv_heads = kv_heads,
		.head_dim = hd,
		.scale = 1.3f / sqrtf((float)hd),
		.n_queries = p->n,
		.n_segments = p->tree->n_nodes,
		.segments = p->segments.segments,
		.ranges = p->segments.ranges};
}

static void problem_release(struct problem *p)
{
	segments_free(&p->segments, &cpu_device);
	tree_free(p->tree);
	free(p->qkv);
	free(p->dout);
}

/* Is row k the row of an ancestor of row q, or q itself?  By walking up. */
static int sees(const struct tree *t, int q, int k)
{
	int node = 0;

	while (node + 1 < t->n_nodes && t->nodes[node + 1].start <= q)
		node++;
	if (k > q)
		return 0;
	for (; node >= 0; node = t->nodes[node].parent)
		if (k >= t->nodes[node].start && k < t->nodes[node].start + t->nodes[node].len)
			return 1;
	return 0;
}

/* out of one row and head, and the log-sum-exp of its scores, in double. */
static double reference_row(const struct problem *p, const double *qkv, const char *visible,
	int row, int head, double *out)
{
	const int hd = p->shape.head_dim, kv = head / (p->shape.n_heads / p->shape.n_kv_heads);
	const double *q = qkv + row * p->ld + head * hd;
	double sum = 0.0;

	for (int d = 0; d < hd; d++)
		out[d] = 0.0;
	for (int j = 0; j < p->n; j++) {
		const double *k = qkv + j * p->ld + p->width + kv * hd;
		const double *v = k + p->shape.n_kv_heads * hd;
		double score = 0.0;

		if (!visible[row * p->n + j])
			continue;
		for (int d = 0; d < hd; d++)
			score += q[d] * k[d];
		score = exp((double)p->shape.scale * score);
		sum += score;
		for (int d = 0; d < hd; d++)
			out[d] += score * v[d];
	}
	for (int d = 0; d < hd; d++)
		out[d] /= sum;
	return log(sum);
}

/* sum(dout * out) over the rows that see `changed` (or are it). */
static double reference_loss(
	const struct problem *p, const double *qkv, const char *visible, int changed)
{
	const int hd = p->shape.head_dim;
	double out[MAX_HD], loss = 0.0;

	for (int i = 0; i < p->n; i++)
		for (int h = 0; h < p->shape.n_heads && visible[i * p->n + changed]; h++) {
			reference_row(p, qkv, visible, i, h, out);
			for (int d = 0; d < hd; d++)
				loss += (double)p->dout[i * p->width + h * hd + d] * out[d];
		}
	return loss;
}

static void check_forward(const struct problem *p, const double *qkv, const char *visible,
	const float *out, const float *lse)
{
	const int hd = p->shape.head_dim, nh = p->shape.n_heads;
	double want[MAX_HD];

	for (int i = 0; i < p->n; i++)
		for (int h = 0; h < nh; h++) {
			double z = reference_row(p, qkv, visible, i, h, want);

			assert_true(fabs((double)lse[i * nh + h] - z) < 3e-6);
			for (int d = 0; d < hd; d++)
				assert_true(
					fabs((double)out[(i * nh + h) * hd + d] - want[d]) < 3e-6);
		}
}

/* Every `stride`-th element of q, k and v by central differences. */
static void check_backward(
	const struct problem *p, double *qkv, const char *visible, const float *dqkv, int stride)
{
	const double step = 1e-5;

	for (int at = 0; at < p->n * p->ld; at += stride) {
		double x = qkv[at], high, low, want;

		qkv[at] = x + step;
		high = reference_loss(p, qkv, visible, at / p->ld);
		qkv[at] = x - step;
		low = reference_loss(p, qkv, visible, at / p->ld);
		qkv[at] = x;
		want = (high - low) / (2.0 * step);
		if (!(fabs((double)dqkv[at] - want) < 2e-5 * (1.0 + fabs(want))))
			fail_msg("row %d, element %d: %g instead of %g", at / p->ld, at % p->ld,
				(double)dqkv[at], want);
	}
}

static void check_window(
	int heads, int kv_heads, int hd, int sequences, int longest, int stride, int window)
{
	struct problem p;
	struct rng r;
	size_t size, size_out, size_lse;
	float *out, *lse, *dqkv, *delta;
	double *qkv;
	char *visible;

	rng_init(&r, 9, RNG_TEST, (uint64_t)(heads * 1000 + hd), (uint32_t)longest);
	problem_init(&p, &r, heads, kv_heads, hd, sequences, longest);
	p.shape.window = window;
	size = (size_t)(p.n * p.ld), size_out = (size_t)(p.n * p.width);
	size_lse = (size_t)(p.n * heads);
	out = guarded(size_out), lse = guarded(size_lse), dqkv = guarded(size);
	delta = guarded(size_lse);
	qkv = xcalloc(size, sizeof *qkv);
	visible = xcalloc((size_t)(p.n * p.n), 1);
	for (size_t i = 0; i < size; i++)
		qkv[i] = (double)p.qkv[i];
	for (int i = 0; i < p.n; i++)
		for (int j = 0; j < p.n; j++)
			visible[i * p.n + j] =
				(char)(sees(p.tree, i, j) &&
					(!window || p.tree->positions[i] - p.tree->positions[j] <
							    window));
	cpu_device.attention(&p.shape, out, lse, p.qkv, p.ld, p.qkv + p.width,
		p.qkv + p.width + kv_heads * hd, p.ld);
	check_forward(&p, qkv, visible, out, lse);
	cpu_device.attention_backward(&p.shape, dqkv, dqkv + p.width,
		dqkv + p.width + kv_heads * hd, p.dout, out, lse, p.qkv, p.ld, p.qkv + p.width,
		p.qkv + p.width + kv_heads * hd, p.ld, delta);
	for (size_t i = 0; i < size; i++)
		assert_true(isfinite(dqkv[i]));
	check_backward(&p, qkv, visible, dqkv, stride);
	guarded_free(out, size_out);
	guarded_free(lse, size_lse);
	guarded_free(dqkv, size);
	guarded_free(delta, size_lse);
	free(qkv);
	free(visible);
	problem_release(&p);
}

static void check(int heads, int kv_heads, int hd, int sequences, int longest, int stride)
{
	check_window(heads, kv_heads, hd, sequences, longest, stride, 0);
}

/* Smaller than a vector, a block, larger than one, and than every sequence. */
static void test_windows(void **state)
{
	static const int windows[] = {1, 2, 7, 16, 17, 64, 70, 150, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
		check_window(2, 1, 16, 5, 200, 1997, windows[i]);
		check_window(4, 2, 12, 8, 30, 499, windows[i]);
	}
	check_window(2, 2, 64, 3, 140, 2999, 33);
}

static void test_head_sizes(void **state)
{
	(void)state;
	check(4, 4, 8, 6, 6, 1);
	check(4, 2, 16, 6, 6, 3);
	check(3, 1, 20, 6, 7, 3);
	check(2, 2, 24, 6, 6, 3);
	check(1, 1, 2, 9, 7, 1);
	check(2, 1, 48, 4, 5, 5);
}

static void test_single_rows(void **state)
{
	(void)state;
	check(2, 1, 16, 1, 1, 1);
	check(4, 2, 12, 40, 2, 1); /* nodes of one token */
}

/* More keys than a block, more rows than a batch, forks in the middle. */
static void test_long(void **state)
{
	(void)state;
	check(2, 1, 16, 5, 200, 997);
	check(6, 2, 10, 7, 90, 499);
	check(2, 2, 64, 3, 140, 2999);
}

/* The rows of a NaN's descendants become NaNs, no other. */
static void test_isolation(void **state)
{
	struct problem p;
	struct rng r;
	float *out, *lse;
	int bad;

	(void)state;
	rng_init(&r, 10, RNG_TEST, 0, 0);
	problem_init(&p, &r, 2, 1, 16, 12, 9);
	out = guarded((size_t)(p.n * p.width)), lse = guarded((size_t)(p.n * 2));
	bad = p.n / 2;
	p.qkv[bad * p.ld + p.width + 3] = NAN;	    /* its key */
	p.qkv[bad * p.ld + p.width + 16 + 5] = NAN; /* its value */
	cpu_device.attention(
		&p.shape, out, lse, p.qkv, p.ld, p.qkv + p.width, p.qkv + p.width + 16, p.ld);
	for (int i = 0; i < p.n; i++)
		for (int j = 0; j < p.width; j++)
			assert_int_equal(isnan(out[i * p.width + j]) != 0, sees(p.tree, i, bad));
	guarded_free(out, (size_t)(p.n * p.width));
	guarded_free(lse, (size_t)(p.n * 2));
	problem_release(&p);
}

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
	const struct CMUnitTest tests[] = {ON_BOTH(test_head_sizes), ON_BOTH(test_single_rows),
		ON_BOTH(test_long), ON_BOTH(test_windows), ON_BOTH(test_isolation)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
