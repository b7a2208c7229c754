/* The output head: log-probabilities, entropies, gradients, draws. */
#include "t/model_test.h"

#include "kernels/cpu/cpu.h"

struct problem {
	int n, h, v, n_edges;
	float temperature;
	int32_t *start, *token;
	float *x, *w, *coefficient, *scratch;
};

static void problem_init(struct problem *p, struct rng *r, int n, int h, int v)
{
	*p = (struct problem){.n = n, .h = h, .v = v, .temperature = 0.8f};
	p->start = xcalloc((size_t)n + 1, sizeof *p->start);
	p->token = xcalloc((size_t)n * 3 + 1, sizeof *p->token);
	for (int i = 0; i < n; i++) {
		/* One to three edges, different tokens where there are enough. */
		int edges = 1 + (int)rng_below(r, v < 3 ? 1 : 3),
		    first = (int)rng_below(r, (uint32_t)v);

		for (int e = 0; e < edges; e++)
			p->token[p->n_edges++] = (first + e) % v;
		p->start[i + 1] = p->n_edges;
	}
	p->x = random_floats(r, (size_t)(n * h), 1.0);
	p->w = random_floats(r, (size_t)(v * h), 2.0 / sqrt(h));
	p->coefficient = random_floats(r, (size_t)p->n_edges, 1.0);
	p->scratch = xcalloc((size_t)(HEAD_CHUNK * v), sizeof *p->scratch);
}

static void problem_release(struct problem *p)
{
	free(p->start), free(p->token), free(p->x), free(p->w), free(p->coefficient);
	free(p->scratch);
}

static struct head_shape shape_of(const struct problem *p)
{
	return (struct head_shape){.n_rows = p->n,
		.hidden = p->h,
		.vocab = p->v,
		.inverse_temperature = 1.0f / p->temperature,
		.start = p->start,
		.token = p->token};
}

/* Log-probabilities of a row's whole vocabulary, in double; returns the entropy. */
static double reference_row(const struct problem *p, const double *x, const double *w, double *logp)
{
	double max = -INFINITY, sum = 0.0, entropy = 0.0;

	for (int j = 0; j < p->v; j++) {
		logp[j] = 0.0;
		for (int d = 0; d < p->h; d++)
			logp[j] += x[d] * w[j * p->h + d];
		logp[j] /= (double)p->temperature;
		max = logp[j] > max ? logp[j] : max;
	}
	for (int j = 0; j < p->v; j++)
		sum += exp(logp[j] - max);
	for (int j = 0; j < p->v; j++) {
		logp[j] -= max + log(sum);
		entropy -= exp(logp[j]) * logp[j];
	}
	return entropy;
}

static double reference_loss(
	const struct problem *p, const double *x, const double *w, int from, int to)
{
	double *logp = xcalloc((size_t)p->v, sizeof *logp), loss = 0.0;

	for (int r = from; r < to; r++) {
		reference_row(p, x + r * p->h, w, logp);
		for (int e = p->start[r]; e < p->start[r + 1]; e++)
			loss += (double)p->coefficient[e] * logp[p->token[e]];
	}
	free(logp);
	return loss;
}

static double *doubles(const float *x, size_t n)
{
	double *y = xcalloc(n, sizeof *y);

	for (size_t i = 0; i < n; i++)
		y[i] = (double)x[i];
	return y;
}

static void check_gradients(
	const struct problem *p, double *x, double *w, const float *dx, const float *dw)
{
	const double step = 1e-5;

	for (int i = 0; i < p->n * p->h; i += 1 + p->n * p->h / 200) {
		double at = x[i], high, low;
		int row = i / p->h;

		x[i] = at + step;
		high = reference_loss(p, x, w, row, row + 1);
		x[i] = at - step;
		low = reference_loss(p, x, w, row, row + 1);
		x[i] = at;
		assert_true(fabs((double)dx[i] - (high - low) / (2 * step)) < 1e-5);
	}
	for (int i = 0; i < p->v * p->h; i += 1 + p->v * p->h / 50) {
		double at = w[i], high, low;

		w[i] = at + step;
		high = reference_loss(p, x, w, 0, p->n);
		w[i] = at - step;
		low = reference_loss(p, x, w, 0, p->n);
		w[i] = at;
		/* It adds to what was there, 2. */
		assert_true(fabs((double)dw[i] - 2.0 - (high - low) / (2 * step)) < 5e-5);
	}
}

static void check(int n, int h, int v)
{
	struct problem p;
	struct rng r;
	float *lse, *logprob, *entropy, *dx, *dw;
	double *x, *w, *logp = xcalloc((size_t)v, sizeof *logp);
	struct head_shape s;

	rng_init(&r, 20, RNG_TEST, (uint64_t)n, (uint32_t)v);
	problem_init(&p, &r, n, h, v);
	s = shape_of(&p);
	lse = guarded((size_t)n), logprob = guarded((size_t)p.n_edges);
	entropy = guarded((size_t)p.n_edges);
	dx = guarded((size_t)(n * h)), dw = guarded((size_t)(v * h));
	x = doubles(p.x, (size_t)(n * h)), w = doubles(p.w, (size_t)(v * h));
	cpu_device.head_forward(&s, lse, logprob, entropy, p.x, p.w, p.scratch);
	for (int i = 0; i < n; i++) {
		double want = reference_row(&p, x + i * h, w, logp);

		for (int e = p.start[i]; e < p.start[i + 1]; e++) {
			assert_true(fabs((double)logprob[e] - logp[p.token[e]]) < 1e-5);
			assert_true(fabs((double)entropy[e] - want) < 1e-5);
		}
	}
	for (int i = 0; i < v * h; i++)
		dw[i] = 2.0f;
	cpu_device.head_backward(&s, dx, dw, p.coefficient, p.x, p.w, lse, p.scratch);
	check_gradients(&p, x, w, dx, dw);
	cpu_device.head_forward(&s, lse, entropy, NULL, p.x, p.w, p.scratch);
	for (int e = 0; e < p.n_edges; e++)
		assert_true(fabsf(entropy[e] - logprob[e]) < 2e-6f);
	guarded_free(lse, (size_t)n);
	guarded_free(logprob, (size_t)p.n_edges);
	guarded_free(entropy, (size_t)p.n_edges);
	guarded_free(dx, (size_t)(n * h));
	guarded_free(dw, (size_t)(v * h));
	free(x), free(w), free(logp);
	problem_release(&p);
}

static void test_edges(void **state)
{
	(void)state;
	check(1, 1, 1);
	check(3, 31, 33);
	check(33, 8, 129);
	check(HEAD_CHUNK + 5, 6, 70);
}

/* Every uniform leads to the token in whose stretch of the distribution it lies. */
static void test_draws(void **state)
{
	enum {
		N = 5,
		H = 7,
		V = 200,
		DRAWS = 64
	};
	struct problem p;
	struct rng r;
	int32_t start[N + 1], token[N * DRAWS];
	double uniform[N * DRAWS], *x, *w, logp[V];
	float logprob[N * DRAWS];
	struct head_shape s;

	(void)state;
	rng_init(&r, 21, RNG_TEST, 0, 0);
	problem_init(&p, &r, N, H, V);
	for (int i = 0; i <= N; i++)
		start[i] = i * DRAWS;
	for (int i = 0; i < N * DRAWS; i++)
		uniform[i] = i % DRAWS == 0 ? 0.0 : i % DRAWS == 1 ? 1.0 - 0x1p-53 : rng_double(&r);
	s = shape_of(&p);
	s.start = start;
	s.token = NULL;
	x = doubles(p.x, N * H), w = doubles(p.w, V * H);
	cpu_device.head_sample(&s, token, logprob, uniform, p.x, p.w, p.scratch);
	for (int i = 0; i < N * DRAWS; i++) {
		double below = 0.0;

		reference_row(&p, x + i / DRAWS * H, w, logp);
		assert_in_range(token[i], 0, V - 1);
		for (int j = 0; j < token[i]; j++)
			below += exp(logp[j]);
		assert_true(uniform[i] > below - 1e-5);
		assert_true(uniform[i] < below + exp(logp[token[i]]) + 1e-5);
		assert_true(fabs((double)logprob[i] - logp[token[i]]) < 1e-5);
	}
	/* Greedy. */
	s.inverse_temperature = 0.0f;
	p.temperature = 1.0f;
	cpu_device.head_sample(&s, token, logprob, uniform, p.x, p.w, p.scratch);
	for (int i = 0; i < N * DRAWS; i++) {
		reference_row(&p, x + i / DRAWS * H, w, logp);
		for (int j = 0; j < V; j++)
			assert_true(logp[j] <= logp[token[i]]);
		assert_true(fabs((double)logprob[i] - logp[token[i]]) < 1e-5);
	}
	p.x[2 * H] = NAN;
	cpu_device.head_sample(&s, token, logprob, uniform, p.x, p.w, p.scratch);
	assert_int_equal(token[2 * DRAWS], -1);
	assert_int_not_equal(token[DRAWS], -1);
	free(x), free(w);
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_edges, one_thread),
		cmocka_unit_test_setup(test_edges, two_threads),
		cmocka_unit_test_setup(test_draws, one_thread),
		cmocka_unit_test_setup(test_draws, two_threads)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
