/*
 * The output head where rows may predict certain tokens only: against plain code in
 * double precision that drops the other logits, by finite differences, by counting.
 */
#include "t/model_test.h"

#include "kernels/cpu/cpu.h"

struct problem {
	int n, h, v, n_edges;
	float temperature;
	int32_t *start, *token, *choice_start, *choice;
	float *x, *w, *coefficient, *scratch;
};

/* A row's list: none, one token, a few, about a quarter (on both sides of it), all. */
static int list_length(struct rng *r, int v)
{
	const int lengths[] = {0, 1, 2, 3 + (int)rng_below(r, 20), v / 4, v / 4 + 1, v - 1, v};
	int n = lengths[rng_below(r, 8)];

	return n > v ? v : n;
}

/* n tokens of the vocabulary at random, ascending. */
static void choose(struct rng *r, int32_t *ids, int n, int v)
{
	for (int j = 0, left = n; j < v && left; j++)
		if ((int)rng_below(r, (uint32_t)(v - j)) < left)
			ids[n - left--] = j;
}

static void problem_init(struct problem *p, struct rng *r, int n, int h, int v)
{
	int32_t *lists = xcalloc((size_t)(n * v), sizeof *lists);

	*p = (struct problem){.n = n, .h = h, .v = v, .temperature = 0.8f};
	p->start = xcalloc((size_t)n + 1, sizeof *p->start);
	p->choice_start = xcalloc((size_t)n + 1, sizeof *p->choice_start);
	p->token = xcalloc((size_t)n * 3, sizeof *p->token);
	for (int i = 0; i < n; i++) {
		int32_t *ids = lists + p->choice_start[i];
		int len = list_length(r, v), edges = (int)rng_below(r, 4);

		choose(r, ids, len, v);
		p->choice_start[i + 1] = p->choice_start[i] + len;
		for (int e = 0; e < edges; e++)
			p->token[p->n_edges++] = len ? ids[rng_below(r, (uint32_t)len)]
						     : (int32_t)rng_below(r, (uint32_t)v);
		p->start[i + 1] = p->n_edges;
	}
	/* No byte more than is used: a sanitizer sees what is read behind it. */
	p->choice = xcalloc((size_t)p->choice_start[n], sizeof *p->choice);
	memcpy(p->choice, lists, (size_t)p->choice_start[n] * sizeof *lists);
	free(lists);
	p->x = random_floats(r, (size_t)(n * h), 1.0);
	p->w = random_floats(r, (size_t)(v * h), 2.0 / sqrt(h));
	p->coefficient = random_floats(r, (size_t)p->n_edges, 1.0);
	p->scratch = guarded((size_t)(HEAD_CHUNK * v));
}

static void problem_release(struct problem *p)
{
	guarded_free(p->scratch, (size_t)(HEAD_CHUNK * p->v));
	free(p->start), free(p->token), free(p->x), free(p->w), free(p->coefficient);
	free(p->choice_start), free(p->choice);
}

static struct head_shape shape_of(const struct problem *p)
{
	return (struct head_shape){.n_rows = p->n,
		.hidden = p->h,
		.vocab = p->v,
		.inverse_temperature = 1.0f / p->temperature,
		.start = p->start,
		.token = p->token,
		.choice_start = p->choice_start,
		.choice = p->choice};
}

static int is_listed(const struct problem *p, int row, int token)
{
	if (p->choice_start[row] == p->choice_start[row + 1])
		return 1;
	for (int k = p->choice_start[row]; k < p->choice_start[row + 1]; k++)
		if (p->choice[k] == token)
			return 1;
	return 0;
}

/* Log-probabilities of the vocabulary, -infinity where not listed; the entropy. */
static double reference_row(
	const struct problem *p, int row, const double *x, const double *w, double *logp)
{
	double sum = 0.0, entropy = 0.0;

	for (int j = 0; j < p->v; j++) {
		logp[j] = 0.0;
		for (int d = 0; d < p->h; d++)
			logp[j] += x[d] * w[j * p->h + d];
		logp[j] = is_listed(p, row, j) ? logp[j] / (double)p->temperature : -INFINITY;
		sum += exp(logp[j]);
	}
	for (int j = 0; j < p->v; j++) {
		logp[j] -= log(sum);
		entropy -= isinf(logp[j]) ? 0.0 : exp(logp[j]) * logp[j];
	}
	return entropy;
}

static double reference_loss(
	const struct problem *p, const double *x, const double *w, int from, int to)
{
	double *logp = xcalloc((size_t)p->v, sizeof *logp), loss = 0.0;

	for (int r = from; r < to; r++) {
		reference_row(p, r, x + r * p->h, w, logp);
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

static double slope(const struct problem *p, double *x, double *w, double *at, int from, int to)
{
	const double step = 1e-5, old = *at;
	double high, low;

	*at = old + step;
	high = reference_loss(p, x, w, from, to);
	*at = old - step;
	low = reference_loss(p, x, w, from, to);
	*at = old;
	return (high - low) / (2 * step);
}

static void check_gradients(
	const struct problem *p, double *x, double *w, const float *dx, const float *dw)
{
	for (int i = 0; i < p->n * p->h; i += 1 + p->n * p->h / 300) {
		double want = slope(p, x, w, x + i, i / p->h, i / p->h + 1);

		assert_true(fabs((double)dx[i] - want) < 2e-5);
	}
	for (int i = 0; i < p->v * p->h; i += 1 + p->v * p->h / 60) {
		/* It adds to what was there, 2. */
		double want = 2.0 + slope(p, x, w, w + i, 0, p->n);

		assert_true(fabs((double)dw[i] - want) < 1e-4);
	}
}

/* Tokens that no row with an edge may predict have a gradient of exactly 0. */
static int check_untouched(const struct problem *p, const float *dw)
{
	int n = 0;

	for (int j = 0; j < p->v; j++) {
		int listed = 0;

		for (int r = 0; r < p->n; r++)
			listed |= p->start[r] < p->start[r + 1] && is_listed(p, r, j);
		for (int d = 0; d < p->h && !listed; d++)
			assert_true(dw[j * p->h + d] == 2.0f);
		n += !listed;
	}
	return n;
}

static void check_forward(const struct problem *p, const double *x, const double *w,
	const float *logprob, const float *entropy)
{
	double *logp = xcalloc((size_t)p->v, sizeof *logp);

	for (int i = 0; i < p->n; i++) {
		double want = reference_row(p, i, x + i * p->h, w, logp);
		int alone = p->choice_start[i + 1] - p->choice_start[i] == 1;

		for (int e = p->start[i]; e < p->start[i + 1]; e++) {
			assert_true(fabs((double)logprob[e] - logp[p->token[e]]) < 1e-5);
			assert_true(fabs((double)entropy[e] - want) < 1e-5);
			if (alone)
				assert_true(logprob[e] == 0.0f && entropy[e] == 0.0f);
		}
	}
	free(logp);
}

static int check(int n, int h, int v, int seed)
{
	struct problem p;
	struct rng r;
	float *lse, *logprob, *entropy, *dx, *dw;
	double *x, *w;
	struct head_shape s;
	int untouched;

	rng_init(&r, 20, RNG_TEST, (uint64_t)(n * 1000 + seed), (uint32_t)v);
	problem_init(&p, &r, n, h, v);
	s = shape_of(&p);
	lse = guarded((size_t)n), logprob = guarded((size_t)p.n_edges);
	entropy = guarded((size_t)p.n_edges);
	dx = guarded((size_t)(n * h)), dw = guarded((size_t)(v * h));
	x = doubles(p.x, (size_t)(n * h)), w = doubles(p.w, (size_t)(v * h));
	cpu_device.head_forward(&s, lse, logprob, entropy, p.x, p.w, p.scratch);
	check_forward(&p, x, w, logprob, entropy);
	for (int i = 0; i < v * h; i++)
		dw[i] = 2.0f;
	cpu_device.head_backward(&s, dx, dw, p.coefficient, p.x, p.w, lse, p.scratch);
	check_gradients(&p, x, w, dx, dw);
	untouched = check_untouched(&p, dw);
	guarded_free(lse, (size_t)n);
	guarded_free(logprob, (size_t)p.n_edges);
	guarded_free(entropy, (size_t)p.n_edges);
	guarded_free(dx, (size_t)(n * h));
	guarded_free(dw, (size_t)(v * h));
	free(x), free(w);
	problem_release(&p);
	return untouched;
}

static void test_edges(void **state)
{
	int untouched = 0;

	(void)state;
	check(1, 1, 1, 0);
	for (int seed = 0; seed < 12; seed++) {
		untouched += check(1 + seed, 31, 33, seed);
		untouched += check(2, 100, 40 + seed, seed);
	}
	check(33, 8, 129, 0);
	check(HEAD_CHUNK + 40, 6, 70, 0);
	/* Hidden states wider than the vocabulary: no room to gather rows. */
	check(20, 65, 5, 0);
	check(60, 300, 2, 0);
	check(3 * HEAD_CHUNK, 17, 8, 0);
	assert_true(untouched > 100);
}

/* An edge to what its row may not predict: nothing else changes. */
static void test_outsiders(void **state)
{
	static const int32_t list[] = {1, 5, 6}, long_list[] = {0, 2, 3, 4, 5, 6, 8};
	static const int32_t start[] = {0, 2, 4}, token[] = {5, 4, 3, 7};
	static const int32_t choice_start[] = {0, 3, 10};
	const float coefficient[] = {1.0f, 7.0f, 1.0f, 7.0f}, without[] = {1.0f, 0.0f, 1.0f, 0.0f};
	enum {
		H = 3,
		V = 12
	};
	float lse[2], logprob[4], dx[2 * H], dx0[2 * H], dw[V * H] = {0}, dw0[V * H] = {0};
	float scratch[HEAD_CHUNK * V], *x, *w;
	int32_t choice[10];
	struct head_shape s = {2, H, V, 1.0f, start, token, choice_start, NULL, choice};
	struct rng r;

	(void)state;
	rng_init(&r, 22, RNG_TEST, 0, 0);
	x = random_floats(&r, 2 * H, 1.0), w = random_floats(&r, V * H, 1.0);
	memcpy(choice, list, sizeof list);
	memcpy(choice + 3, long_list, sizeof long_list);
	cpu_device.head_forward(&s, lse, logprob, NULL, x, w, scratch);
	assert_true(isfinite(logprob[0]) && isfinite(logprob[2]));
	assert_true(logprob[1] == -INFINITY && logprob[3] == -INFINITY);
	cpu_device.head_backward(&s, dx, dw, coefficient, x, w, lse, scratch);
	cpu_device.head_backward(&s, dx0, dw0, without, x, w, lse, scratch);
	assert_memory_equal(dx, dx0, sizeof dx);
	assert_memory_equal(dw, dw0, sizeof dw);
	free(x), free(w);
}

struct results {
	float *lse, *logprob, *entropy, *dx, *dw, *drawn;
	int32_t *token;
};

static struct results results_of(const struct problem *p, const struct head_shape *s)
{
	size_t e = (size_t)p->n_edges, nh = (size_t)(p->n * p->h), vh = (size_t)(p->v * p->h);
	struct results a = {guarded((size_t)p->n), guarded(e), guarded(e), guarded(nh), guarded(vh),
		guarded(e), xcalloc(e, sizeof(int32_t))};
	double *uniform = xcalloc(e, sizeof *uniform);
	struct rng r;

	rng_init(&r, 23, RNG_TEST, 0, 0);
	for (size_t i = 0; i < e; i++)
		uniform[i] = rng_double(&r);
	memset(a.dw, 0, vh * sizeof *a.dw);
	cpu_device.head_forward(s, a.lse, a.logprob, a.entropy, p->x, p->w, p->scratch);
	cpu_device.head_backward(s, a.dx, a.dw, p->coefficient, p->x, p->w, a.lse, p->scratch);
	cpu_device.head_sample(s, a.token, a.drawn, uniform, p->x, p->w, p->scratch);
	free(uniform);
	return a;
}

static void results_release(const struct problem *p, struct results *a)
{
	guarded_free(a->lse, (size_t)p->n);
	guarded_free(a->logprob, (size_t)p->n_edges);
	guarded_free(a->entropy, (size_t)p->n_edges);
	guarded_free(a->drawn, (size_t)p->n_edges);
	guarded_free(a->dx, (size_t)(p->n * p->h));
	guarded_free(a->dw, (size_t)(p->v * p->h));
	free(a->token);
}

static void assert_same(const struct problem *p, const struct results *a, const struct results *b)
{
	size_t e = (size_t)p->n_edges * sizeof(float);

	for (int r = 0; r < p->n; r++)
		assert_memory_equal(a->lse + r, b->lse + r, sizeof(float));
	assert_memory_equal(a->logprob, b->logprob, e);
	assert_memory_equal(a->entropy, b->entropy, e);
	assert_memory_equal(a->dx, b->dx, (size_t)(p->n * p->h) * sizeof(float));
	assert_memory_equal(a->dw, b->dw, (size_t)(p->v * p->h) * sizeof(float));
	assert_memory_equal(a->drawn, b->drawn, e);
	assert_memory_equal(a->token, b->token, e);
}

/* Threads, and lists that rows share or not: the same bytes. */
static void test_same_bytes(void **state)
{
	(void)state;
	for (int seed = 0; seed < 6; seed++) {
		struct problem p;
		struct results want, got;
		struct head_shape s, shared;
		int32_t *end;
		struct rng r;

		test_device(1);
		rng_init(&r, 24, RNG_TEST, (uint64_t)seed, 0);
		problem_init(&p, &r, 60 + 50 * seed, 30 + 20 * seed, 50 + 60 * seed);
		s = shared = shape_of(&p);
		want = results_of(&p, &s);
		for (int threads = 2; threads <= 5; threads++) {
			test_device(threads);
			cpu_grain = 0;
			got = results_of(&p, &s);
			assert_same(&p, &want, &got);
			results_release(&p, &got);
		}
		/* Ends of their own: the lists may lie anywhere. */
		end = xcalloc((size_t)p.n, sizeof *end);
		memcpy(end, p.choice_start + 1, (size_t)p.n * sizeof *end);
		shared.choice_end = end;
		got = results_of(&p, &shared);
		assert_same(&p, &want, &got);
		results_release(&p, &got);
		results_release(&p, &want);
		free(end);
		problem_release(&p);
		cpu_grain = 1 << 15;
	}
	test_device(1);
}

/* Every uniform leads to the token in whose stretch of the distribution it lies. */
static void test_draws(void **state)
{
	enum {
		N = 12,
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

		reference_row(&p, i / DRAWS, x + i / DRAWS * H, w, logp);
		assert_in_range(token[i], 0, V - 1);
		assert_true(is_listed(&p, i / DRAWS, token[i]));
		for (int j = 0; j < token[i]; j++)
			below += exp(logp[j]);
		assert_true(uniform[i] > below - 1e-5);
		assert_true(uniform[i] < below + exp(logp[token[i]]) + 1e-5);
		assert_true(fabs((double)logprob[i] - logp[token[i]]) < 1e-5);
	}
	/* Greedy; at temperature 1. */
	s.inverse_temperature = 0.0f;
	p.temperature = 1.0f;
	cpu_device.head_sample(&s, token, logprob, uniform, p.x, p.w, p.scratch);
	for (int i = 0; i < N * DRAWS; i++) {
		reference_row(&p, i / DRAWS, x + i / DRAWS * H, w, logp);
		for (int j = 0; j < V; j++)
			assert_true(logp[j] <= logp[token[i]]);
		assert_true(fabs((double)logprob[i] - logp[token[i]]) < 1e-5);
	}
	/* The lowest of equals. */
	memset(p.x, 0, N * H * sizeof *p.x);
	cpu_device.head_sample(&s, token, logprob, uniform, p.x, p.w, p.scratch);
	for (int i = 0; i < N; i++)
		assert_int_equal(token[i * DRAWS], p.choice_start[i] < p.choice_start[i + 1]
							   ? p.choice[p.choice_start[i]]
							   : 0);
	p.x[2 * H] = NAN;
	cpu_device.head_sample(&s, token, logprob, uniform, p.x, p.w, p.scratch);
	assert_int_equal(token[2 * DRAWS], -1);
	assert_int_not_equal(token[DRAWS], -1);
	free(x), free(w);
	problem_release(&p);
}

/* Pearson's statistic of many draws, once by few dot products and once with the whole
 * matrix; 1.0 - 1e-6 of its distribution lies below the bound (19 degrees: 61). */
static void test_frequencies(void **state)
{
	enum {
		H = 16,
		V = 200,
		LIST = 20,
		DRAWS = 200000
	};
	static int32_t token[2 * DRAWS];
	static double uniform[2 * DRAWS];
	static float logprob[2 * DRAWS];
	int32_t choice[LIST + V], choice_start[] = {0, LIST, LIST + V - 1};
	int32_t start[] = {0, DRAWS, 2 * DRAWS};
	float *x, *w, *scratch = guarded(HEAD_CHUNK * V);
	struct head_shape s = {2, H, V, 0.7f, start, NULL, choice_start, NULL, choice};
	struct rng r;

	(void)state;
	rng_init(&r, 25, RNG_TEST, 0, 0);
	x = random_floats(&r, 2 * H, 1.0), w = random_floats(&r, V * H, 0.5);
	choose(&r, choice, LIST, V);
	for (int j = 1; j < V; j++)
		choice[LIST + j - 1] = j;
	for (int i = 0; i < 2 * DRAWS; i++)
		uniform[i] = rng_double(&r);
	cpu_device.head_sample(&s, token, logprob, uniform, x, w, scratch);
	for (int row = 0; row < 2; row++) {
		int n = choice_start[row + 1] - choice_start[row];
		int32_t *ids = choice + choice_start[row];
		double p[V], sum = 0.0, chi2 = 0.0;
		int count[V] = {0};

		for (int k = 0; k < n; k++) {
			p[k] = 0.0;
			for (int d = 0; d < H; d++)
				p[k] += (double)x[row * H + d] * (double)w[ids[k] * H + d];
			sum += p[k] = exp(p[k] * (double)0.7f);
		}
		for (int i = 0; i < DRAWS; i++)
			count[token[row * DRAWS + i]]++;
		for (int k = 0; k < n; k++) {
			double want = DRAWS * p[k] / sum;

			chi2 += (count[ids[k]] - want) * (count[ids[k]] - want) / want;
			count[ids[k]] = 0;
		}
		for (int j = 0; j < V; j++)
			assert_int_equal(count[j], 0);
		assert_true(chi2 < (row == 0 ? 61.0 : 310.0));
	}
	guarded_free(scratch, HEAD_CHUNK * V);
	free(x), free(w);
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
	cpu_grain = 1 << 15;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_edges, one_thread),
		cmocka_unit_test_setup(test_edges, two_threads),
		cmocka_unit_test_setup(test_outsiders, one_thread),
		cmocka_unit_test_setup(test_same_bytes, one_thread),
		cmocka_unit_test_setup(test_draws, one_thread),
		cmocka_unit_test_setup(test_draws, two_threads),
		cmocka_unit_test_setup(test_frequencies, one_thread)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
