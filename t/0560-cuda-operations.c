/*
 * The CUDA table, run by the simulator, against the CPU's (which 0500 to 0503 hold against
 * double precision): awkward sizes, outputs full of NaNs, sentinels around each buffer,
 * everything twice for the same bytes.  CUDASIM_SCHED and others choose the schedule.
 */
#include "t/model_test.h"

#include "kernels/cpu/cpu.h"
#include "model/segments.h"

#include <unistd.h>

static const struct device *cuda;

enum {
	MOST = 1 << 20, /* numbers that a case yields */
	BUFFERS = 64
};

/* Buffers of one case, on the device it runs on, and what it has yielded. */
struct run {
	const struct device *d;
	struct rng r;
	struct {
		float *device;
		size_t n;
	} buffer[BUFFERS];
	int n_buffers;
	float *out;
	size_t n_out;
};

/* n floats between sentinels: those of x, or NaNs. */
static float *put(struct run *t, const float *x, size_t n)
{
	size_t bytes = (n + 2 * GUARD) * sizeof *x;
	float *host = guarded(n), *device;
	struct error err;

	if (x && n)
		memcpy(host, x, n * sizeof *x);
	if (!(device = t->d->alloc(bytes, &err)))
		fail_msg("%s", err.message);
	t->d->upload(device, host - GUARD, bytes);
	guarded_free(host, n);
	assert_in_range(t->n_buffers, 0, BUFFERS - 1);
	t->buffer[t->n_buffers].device = device;
	t->buffer[t->n_buffers++].n = n;
	return device + GUARD;
}

static float *put_random(struct run *t, size_t n, double scale)
{
	float *x = random_floats(&t->r, n, scale), *device = put(t, x, n);

	free(x);
	return device;
}

static int32_t *put_ints(struct run *t, const int32_t *x, size_t n)
{
	return (int32_t *)put(t, (const float *)x, n);
}

/* Adds what a buffer holds to the results. */
static void yield(struct run *t, const float *device, size_t n)
{
	assert_true(t->n_out + n <= MOST);
	t->d->download(t->out + t->n_out, device, n * sizeof *device);
	t->n_out += n;
}

static void run_end(struct run *t)
{
	struct error err;

	assert_ok(t->d->sync(&err), err);
	for (int i = 0; i < t->n_buffers; i++) {
		size_t n = t->buffer[i].n;
		float *host = guarded(n);

		t->d->download(host - GUARD, t->buffer[i].device, (n + 2 * GUARD) * sizeof *host);
		guarded_free(host, n);
		t->d->free(t->buffer[i].device);
	}
}

typedef void (*operation)(struct run *t, int a, int b, int c);

static size_t run(const struct device *d, operation op, int a, int b, int c, float *out)
{
	struct run t = {.d = d, .out = out};

	rng_init(&t.r, 40, RNG_TEST, (uint64_t)a * 1000 + (uint64_t)b, (uint32_t)c);
	op(&t, a, b, c);
	run_end(&t);
	return t.n_out;
}

/* tolerance: of the largest result. */
static void check(const char *name, operation op, int a, int b, int c, double tolerance)
{
	static float want[MOST], got[MOST], again[MOST];
	size_t n = run(&cpu_device, op, a, b, c, want);
	double gap;

	assert_true(n > 0);
	assert_int_equal(run(cuda, op, a, b, c, got), n);
	assert_int_equal(run(cuda, op, a, b, c, again), n);
	gap = relative_gap(got, want, n);
	if (!(gap <= tolerance))
		fail_msg("%s %d %d %d: relative error %g", name, a, b, c, gap);
	if (memcmp(got, again, n * sizeof *got) != 0)
		fail_msg("%s %d %d %d: other bytes the second time", name, a, b, c);
}

static void product(struct run *t, int m, int n, int k)
{
	for (int form = 0; form < 4; form++) {
		enum transpose ta = form & 1 ? TRANSPOSED : PLAIN;
		enum transpose tb = form & 2 ? TRANSPOSED : PLAIN;
		int lda = (ta == PLAIN ? k : m) + 3, ldb = (tb == PLAIN ? n : k) + 1, ldc = n;
		float *a = put_random(t, (size_t)(lda * (ta == PLAIN ? m : k)), 1.0);
		float *b = put_random(t, (size_t)(ldb * (tb == PLAIN ? k : n)), 1.0);
		float *c =
			form ? put_random(t, (size_t)(m * n), 1.0) : put(t, NULL, (size_t)(m * n));

		t->d->matmul(ta, tb, m, n, k, 1.3f, a, lda, b, ldb, form ? 0.7f : 0.0f, c, ldc);
		yield(t, c, (size_t)(m * n));
	}
}

static const int sizes[] = {1, 31, 33, 257};

#define EACH_SIZE(i)                                                                               \
	int i = 0;                                                                                 \
	i < 4;                                                                                     \
	i++

/* fp32 sums of k terms in another order. */
static void test_matmul(void **state)
{
	(void)state;
	setenv("CUDA_MATMUL_FP32", "1", 1);
	for (EACH_SIZE(i))
		for (EACH_SIZE(j))
			check("matmul", product, sizes[i], 33, sizes[j], 1e-6);
}

static void rows(struct run *t, int n, int c, int unused)
{
	int32_t index[300], order[300], start[4] = {0, n / 3, n / 2, n}, target[3] = {2, 0, 3};
	float *x = put_random(t, (size_t)(n * c), 1.0), *y = put(t, NULL, (size_t)(n * (c + 2)));
	float *sum = put_random(t, (size_t)(4 * c), 1.0);
	float *back = put_random(t, (size_t)(n * c), 1.0);

	(void)unused;
	for (int i = 0; i < n; i++) {
		index[i] = (int)rng_below(&t->r, (uint32_t)n);
		order[i] = n - 1 - i;
	}
	t->d->gather_rows(y, c + 2, x, c, put_ints(t, index, (size_t)n), n, c);
	for (int i = 0; i < n; i++)
		yield(t, y + i * (c + 2), (size_t)c);
	t->d->scatter_rows(back, c, x, c, put_ints(t, order, (size_t)n), n, c);
	yield(t, back, (size_t)(n * c));
	t->d->scatter_add_rows(sum, x, put_ints(t, target, 3), put_ints(t, start, 4),
		put_ints(t, order, (size_t)n), 3, c);
	yield(t, sum, (size_t)(4 * c));
}

static void norm(struct run *t, int n, int c, int delta)
{
	size_t size = (size_t)(n * c);
	float *x = put_random(t, size, 1.0), *sum = delta ? put(t, NULL, size) : NULL;
	float *y = put(t, NULL, size), *inv = put(t, NULL, (size_t)n);
	float *gain = put_random(t, (size_t)c, 1.0), *dx = put_random(t, size, 1.0);
	float *dgain = put_random(t, (size_t)c, 1.0), *dy = put_random(t, size, 1.0);

	t->d->add_rmsnorm(
		sum, y, inv, x, delta ? put_random(t, size, 0.5) : NULL, gain, 1e-5f, n, c);
	t->d->rmsnorm_backward(dx, dgain, dy, delta ? sum : x, inv, gain, n, c);
	yield(t, y, size);
	yield(t, inv, (size_t)n);
	yield(t, dx, size);
	yield(t, dgain, (size_t)c);
}

static void rope(struct run *t, int n, int hd, int backward)
{
	enum {
		HEADS = 3
	};
	int ld = HEADS * hd + 5;
	int32_t position[300];
	float *x = put_random(t, (size_t)(n * ld), 1.0),
	      *table = put_random(t, (size_t)(9 * hd), 1.0);

	for (int i = 0; i < n; i++)
		position[i] = (int)rng_below(&t->r, 9);
	t->d->rope(x, ld, put_ints(t, position, (size_t)n), table, n, HEADS, hd, backward);
	yield(t, x, (size_t)(n * ld));
}

static void swiglu(struct run *t, int n, int f, int unused)
{
	size_t size = (size_t)(n * f);
	float *x = put_random(t, 2 * size, 3.0), *y = put(t, NULL, size);
	float *dy = put_random(t, size, 1.0), *dx = put(t, NULL, 2 * size);

	(void)unused;
	t->d->swiglu(y, x, n, f);
	t->d->swiglu_backward(dx, dy, x, n, f);
	yield(t, y, size);
	yield(t, dx, 2 * size);
	t->d->swiglu_backward(x, dy, x, n, f);
	yield(t, x, 2 * size);
	x = put_random(t, 2 * size, 3.0);
	t->d->geglu(y, x, n, f);
	t->d->geglu_backward(dx, dy, x, n, f);
	yield(t, y, size);
	yield(t, dx, 2 * size);
}

static void heads(struct run *t, int n, int hd, int n_heads)
{
	const int ld = n_heads * hd + 7;
	const size_t size = (size_t)(n * ld);
	float *x = put_random(t, size, 1.0), *y = put_random(t, size, 1.0);
	float *inv = put(t, NULL, (size_t)(n * n_heads)), *d = put_random(t, size, 1.0);
	float *gain = put_random(t, (size_t)hd, 1.0), *dgain = put_random(t, (size_t)hd, 1.0);
	float *bias = put_random(t, (size_t)ld, 1.0);

	t->d->head_rmsnorm(y, ld, inv, x, ld, gain, 1e-5f, n, n_heads, hd);
	t->d->head_rmsnorm_backward(d, ld, dgain, x, ld, inv, gain, n, n_heads, hd);
	t->d->add_bias(y, ld, bias, n, ld - 5);
	t->d->bias_backward(bias, x, ld, n, ld - 5);
	yield(t, y, size), yield(t, d, size), yield(t, dgain, (size_t)hd);
	yield(t, bias, (size_t)ld);
}

/* One pass over each element: rounding only. */
static void test_rows(void **state)
{
	(void)state;
	for (EACH_SIZE(i))
		for (EACH_SIZE(j)) {
			check("rows", rows, sizes[i], sizes[j], 0, 1e-6);
			check("norm", norm, sizes[i], sizes[j], j % 2, 4e-6);
			check("swiglu", swiglu, sizes[i], sizes[j], 0, 2e-6);
		}
	check("heads", heads, 33, 64, 3, 4e-6);
	check("heads", heads, 257, 20, 2, 4e-6);
	check("heads", heads, 1, 256, 1, 4e-6);
	check("rope", rope, 33, 64, 0, 1e-6);
	check("rope", rope, 257, 80, 1, 1e-6);
	check("rope", rope, 1, 256, 1, 1e-6);
}

/* Paths of a tree: depth levels of one to five tokens, two children each. */
static void grow(struct run *t, struct tree *tree, int depth, int longest)
{
	int32_t tokens[256];

	for (int s = 0; s < 1 << (depth - 1); s++) {
		int n = 0;

		for (int level = 0; level < depth; level++) {
			int way = level ? s >> (level - 1) & 1 : 0;
			int len = 1 + (level * 7 + way * 3) % longest;

			for (int i = 0; i < len; i++)
				tokens[n++] = 2 * level + way;
		}
		tree_add(tree, tokens, n, n);
	}
	(void)t;
	tree_pack(tree, 0);
}

static int window; /* of the next cases of attention */

static void tree_attention(struct run *t, int n_heads, int hd, int depth)
{
	const int kv_heads = n_heads % 2 ? 1 : n_heads / 2, width = n_heads * hd;
	const int ld = (n_heads + 2 * kv_heads) * hd;
	struct tree *tree = tree_new();
	struct segments segments;
	uint64_t bytes = 0;
	struct error err;
	struct attention_shape s = {.n_heads = n_heads,
		.n_kv_heads = kv_heads,
		.head_dim = hd,
		.scale = 1.3f / sqrtf((float)hd)};
	float *qkv, *out, *lse, *dqkv, *delta, *dout;
	int n;

	s.window = window;
	grow(t, tree, depth, depth == 1 ? 90 : 5);
	n = tree->n_rows;
	assert_ok(segments_alloc(&segments, t->d, n, &bytes, &err), err);
	assert_ok(segments_load(&segments, t->d, tree, &err), err);
	s.n_queries = n;
	s.n_segments = tree->n_nodes;
	s.segments = segments.segments;
	s.ranges = segments.ranges;
	qkv = put_random(t, (size_t)(n * ld), 1.0);
	dout = put_random(t, (size_t)(n * width), 1.0);
	out = put(t, NULL, (size_t)(n * width)), lse = put(t, NULL, (size_t)(n * n_heads));
	dqkv = put(t, NULL, (size_t)(n * ld)), delta = put(t, NULL, (size_t)(n * n_heads));
	t->d->attention(&s, out, lse, qkv, ld, qkv + width, qkv + width + kv_heads * hd, ld);
	t->d->attention_backward(&s, dqkv, dqkv + width, dqkv + width + kv_heads * hd, dout, out,
		lse, qkv, ld, qkv + width, qkv + width + kv_heads * hd, ld, delta);
	yield(t, out, (size_t)(n * width));
	yield(t, lse, (size_t)(n * n_heads));
	yield(t, dqkv, (size_t)(n * ld));
	segments_free(&segments, t->d);
	tree_free(tree);
}

/* Decoding: rows of one token, keys in chains of ranges of a cache, some ranges empty, one
 * segment without queries. */
static void decode_attention(struct run *t, int rows_, int hd, int ranges)
{
	enum {
		HEADS = 4,
		KV = 2,
		KEYS = 300
	};
	struct attention_segment segment[40];
	struct key_range range[400];
	struct attention_shape s = {.n_heads = HEADS,
		.n_kv_heads = KV,
		.head_dim = hd,
		.scale = 0.2f,
		.window = window,
		.n_queries = rows_,
		.n_segments = rows_ + 1};
	float *q = put_random(t, (size_t)(rows_ * HEADS * hd), 1.0), *lse, *out;
	float *k = put_random(t, (size_t)(KEYS * KV * hd), 1.0);
	float *v = put_random(t, (size_t)(KEYS * KV * hd), 1.0);

	for (int i = 0; i <= rows_; i++) {
		segment[i] = (struct attention_segment){i, i < rows_, 7 * i, i * ranges, ranges, 0};
		for (int j = 0; j < ranges; j++)
			range[i * ranges + j] = (struct key_range){(int)rng_below(&t->r, KEYS - 40),
				(int)rng_below(&t->r, 40) * (j % 3)};
	}
	s.segments = (struct attention_segment *)put_ints(
		t, (int32_t *)segment, 6 * (size_t)(rows_ + 1));
	s.ranges = (struct key_range *)put_ints(
		t, (int32_t *)range, 2 * (size_t)((rows_ + 1) * ranges));
	out = put(t, NULL, (size_t)(rows_ * HEADS * hd));
	lse = put(t, NULL, (size_t)(rows_ * HEADS));
	t->d->attention(&s, out, lse, q, HEADS * hd, k, v, KV * hd);
	yield(t, out, (size_t)(rows_ * HEADS * hd));
	yield(t, lse, (size_t)(rows_ * HEADS));
}

/* fp32 exponentials and sums in another order. */
static void test_attention(void **state)
{
	static const int head_sizes[] = {2, 20, 64, 80, 128, 256};

	(void)state;
	for (window = 0; window <= 40; window += window ? 37 : 3) {
		for (int depth = 1; depth <= 6; depth++)
			check("tree", tree_attention, depth % 2 ? 4 : 3, head_sizes[depth - 1],
				7 - depth, 1e-5);
		for (int i = 0; i < 6; i++)
			check("decode", decode_attention, i == 0 ? 33 : 3, head_sizes[i], 1 + 2 * i,
				1e-5);
	}
}

/* Lists of none, one, some, nearly all of the vocabulary. */
static void head(struct run *t, int n, int h, int v)
{
	int32_t *start = xcalloc((size_t)n + 1, sizeof *start);
	int32_t *token = xcalloc((size_t)n * 3, sizeof *token);
	int32_t *first = xcalloc((size_t)n + 1, sizeof *first);
	int32_t *choice = xcalloc((size_t)(n * v), sizeof *choice);
	int edges = 0, choices = 0;
	struct head_shape s = {.n_rows = n, .hidden = h, .vocab = v, .inverse_temperature = 1.25f};
	float *x = put_random(t, (size_t)(n * h), 1.0), *w = put_random(t, (size_t)(v * h), 0.5);
	float *scratch = put(t, NULL, (size_t)HEAD_CHUNK * (size_t)v), *lse, *logprob, *entropy;
	float *dx = put(t, NULL, (size_t)(n * h)), *dw = put_random(t, (size_t)(v * h), 1.0);
	float *coefficient;

	for (int i = 0; i < n; i++) {
		int skip = i % 4 == 0 ? v : i % 4 == 1 ? v - 1 : i % 4 == 2 ? 3 : 1;

		for (int j = skip == v ? v : skip == 1 ? 1 : 0; j < v; j += skip)
			choice[choices++] = j;
		first[i + 1] = choices;
		for (int e = 0; e < i % 4; e++)
			token[edges++] = (int)rng_below(&t->r, (uint32_t)v);
		start[i + 1] = edges;
	}
	s.start = put_ints(t, start, (size_t)n + 1);
	s.token = put_ints(t, token, (size_t)edges);
	s.choice_start = put_ints(t, first, (size_t)n + 1);
	s.choice = put_ints(t, choice, (size_t)choices);
	coefficient = put_random(t, (size_t)edges, 1.0);
	lse = put(t, NULL, (size_t)n);
	logprob = put(t, NULL, (size_t)edges), entropy = put(t, NULL, (size_t)edges);
	t->d->head_forward(&s, lse, logprob, entropy, x, w, scratch);
	t->d->head_backward(&s, dx, dw, coefficient, x, w, lse, scratch);
	yield(t, lse, (size_t)n);
	yield(t, logprob, (size_t)edges);
	for (size_t i = t->n_out - (size_t)edges; i < t->n_out; i++)
		t->out[i] = t->out[i] == -INFINITY ? -1e3f : t->out[i];
	yield(t, entropy, (size_t)edges);
	yield(t, dx, (size_t)(n * h));
	yield(t, dw, (size_t)(v * h));
	free(start), free(token), free(first), free(choice);
}

/* Draws: the tokens themselves, whose boundaries no uniform of these comes near. */
static void draws(struct run *t, int n, int v, int greedy)
{
	enum {
		H = 9,
		DRAWS = 12
	};
	int32_t start[40], end[40], *choice = xcalloc((size_t)v, sizeof *choice);
	int32_t first[40], token[40 * DRAWS];
	double uniform[40 * DRAWS];
	struct head_shape s = {
		.n_rows = n, .hidden = H, .vocab = v, .inverse_temperature = greedy ? 0.0f : 0.7f};
	float *x = put_random(t, (size_t)(n * H), 1.0), *w = put_random(t, (size_t)(v * H), 0.5);
	float *scratch = put(t, NULL, (size_t)HEAD_CHUNK * (size_t)v);
	float *drawn, *logprob = put(t, NULL, (size_t)(n * DRAWS));

	for (int i = 0; i < v; i++)
		choice[i] = i;
	for (int i = 0; i <= n; i++) {
		start[i] = i * DRAWS;
		first[i] = i % 2 ? v / 2 : 0;
		end[i] = i % 3 == 0 ? first[i] : v;
	}
	for (int i = 0; i < n * DRAWS; i++)
		uniform[i] = i % DRAWS == 0   ? 0.0
			     : i % DRAWS == 1 ? 1.0 - 0x1p-53
					      : rng_double(&t->r);
	s.start = put_ints(t, start, (size_t)n + 1);
	s.choice_start = put_ints(t, first, (size_t)n + 1);
	s.choice_end = put_ints(t, end, (size_t)n + 1);
	s.choice = put_ints(t, choice, (size_t)v);
	drawn = put(t, NULL, (size_t)(n * DRAWS));
	t->d->head_sample(&s, (int32_t *)drawn, logprob,
		(double *)put(t, (float *)uniform, 2 * (size_t)(n * DRAWS)), x, w, scratch);
	t->d->download(token, drawn, (size_t)(n * DRAWS) * sizeof *token);
	for (int i = 0; i < n * DRAWS; i++)
		t->out[t->n_out++] = (float)token[i];
	yield(t, logprob, (size_t)(n * DRAWS));
	free(choice);
}

static void test_head(void **state)
{
	(void)state;
	setenv("CUDA_MATMUL_FP32", "1", 1);
	check("head", head, 1, 31, 33, 1e-5);
	check("head", head, 33, 8, 257, 1e-5);
	check("head", head, HEAD_CHUNK + 33, 31, 31, 1e-5);
	check("draws", draws, 31, 257, 0, 1e-5);
	check("draws", draws, 3, 2100, 0, 1e-5);
	check("draws", draws, 33, 257, 1, 1e-5);
	check("draws", draws, 1, 2, 1, 1e-5);
}

static void vectors(struct run *t, int n, int unused, int nonfinite)
{
	const struct adamw_args args = {0.01f, 0.9f, 0.99f, 1e-8f, 0.1f, 0.19f, 0.0199f, 0.5f};
	size_t size = (size_t)n;
	float *p = put_random(t, size, 1.0), *g = put_random(t, size, 1.0), bad = INFINITY;
	float *m = put_random(t, size, 1.0), *v = put(t, NULL, size), *u = put(t, NULL, size);
	double *sum = (double *)put(t, NULL, 2);
	int64_t index[2], *where = (int64_t *)put(t, NULL, 2);
	double host;

	(void)unused;
	t->d->axpby(v, g, n, 0.3f, 0.0f);
	t->d->zero(v, size * sizeof *v);
	t->d->axpby(v, p, n, 0.2f, 0.5f);
	t->d->sum_squares(sum, g, n);
	t->d->download(&host, sum, sizeof host);
	t->out[t->n_out++] = (float)host;
	t->d->divide_by_norm(u, g, n, sum, 1e-7f);
	yield(t, u, size);
	t->d->zero(v, size * sizeof *v);
	t->d->adamw(p, g, m, v, n, &args);
	yield(t, p, size), yield(t, m, size), yield(t, v, size);
	t->d->muon_momentum(u, m, g, n, 0.95f, 2.0f);
	yield(t, u, size), yield(t, m, size);
	t->d->copy(u, p, size * sizeof *u);
	t->d->find_nonfinite(where, u, n);
	t->d->download(&index[0], where, sizeof *index);
	t->d->upload(u + nonfinite, &bad, sizeof bad);
	t->d->upload(u + n - 1, &bad, sizeof bad);
	t->d->find_nonfinite(where, u, n);
	t->d->download(&index[1], where, sizeof *index);
	assert_int_equal(index[0], -1);
	assert_int_equal(index[1], nonfinite);
}

static void test_vectors(void **state)
{
	(void)state;
	for (EACH_SIZE(i))
		check("vectors", vectors, sizes[i], 0, sizes[i] / 2, 2e-6);
	check("vectors", vectors, 20011, 0, 12345, 2e-6);
}

static int open_device(void **state)
{
	char program[4096], plugin[4200];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	struct error err;

	(void)state;
	assert_true(n > 0);
	program[n] = '\0';
	*strrchr(program, '/') = '\0';
	snprintf(plugin, sizeof plugin, "%s/../cudasim/device-cuda.so", program);
	setenv("CUDA_PLUGIN", plugin, 0);
	setenv("CUDA_MATMUL_FP32", "1", 1);
	test_device(1);
	if (!(cuda = device_open("cuda", 0, &err)))
		fail_msg("%s", err.message);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_attention),
		cmocka_unit_test(test_head), cmocka_unit_test(test_vectors)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_device, NULL);
}
