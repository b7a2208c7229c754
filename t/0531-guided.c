/* Guided sampling: exact distributions, certain tokens, limits, memory. */
#include "t/generate_test.h"

#include "model/generate.h"

/* Common beginnings, certain runs of every length, an end that is certain and one that
 * is a choice. */
static const struct sentence language[] = {
	{3, {1, 2, END}},
	{4, {1, 2, 3, END}},
	{9, {1, 4, 6, 7, 8, 9, 10, 11, END}},
	{9, {1, 4, 6, 7, 8, 9, 10, 12, END}},
	{8, {2, 13, 14, 15, 16, 17, 18, END}},
	{4, {2, 14, 3, END}},
	{4, {2, 14, 4, END}},
	{2, {3, END}},
};
/* Behind a beginning that is certain. */
static const struct sentence behind[] = {
	{6, {9, 8, 7, 1, 3, END}}, {6, {9, 8, 7, 2, 3, END}}, {5, {9, 8, 7, 2, END}}};
static const struct sentence only[] = {{4, {4, 3, 2, END}}};
/* The first choice leads to a run without an end. */
static const struct sentence endless[] = {{2, {1, 2}}, {2, {3, END}}, {2, {4, END}}};

enum {
	N_LANGUAGE = sizeof language / sizeof language[0],
	N_BEHIND = sizeof behind / sizeof behind[0],
	SAMPLES = 24,
	MAX_TOKENS = 12,
	REQUESTS = 7,
	MAX_PROMPT = 6
};

static const int32_t prompts[REQUESTS][MAX_PROMPT] = {
	{7}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3}, {1, 2, 3, 4, 9, 8}, {1}, {7}};
static const int32_t prompt_len[REQUESTS] = {1, 3, 4, 3, 6, 1, 1};

struct world {
	struct model *m;
	struct toy *language, *behind, *only, *endless;
	struct generate_request requests[REQUESTS];
};

static void world_init(struct world *w, int threads)
{
	w->m = sharp_model(threads);
	w->language = toy_new(language, N_LANGUAGE, 0);
	w->behind = toy_new(behind, N_BEHIND, 0);
	w->only = toy_new(only, 1, 0);
	w->endless = toy_new(endless, 3, 6);
	struct guide *const guides[REQUESTS] = {&w->language->guide, &w->behind->guide, NULL,
		&w->endless->guide, &w->only->guide, &w->language->guide, NULL};
	for (int i = 0; i < REQUESTS; i++)
		w->requests[i] = (struct generate_request){
			prompts[i], prompt_len[i], (uint32_t)(i + 1), guides[i]};
}

static void world_free(struct world *w)
{
	toy_free(w->language);
	toy_free(w->behind);
	toy_free(w->only);
	toy_free(w->endless);
	model_free(w->m);
}

static struct generate_options options(float temperature)
{
	return (struct generate_options){.n_samples = SAMPLES,
		.max_tokens = MAX_TOKENS,
		.temperature = temperature,
		.end_id = END,
		.seed = 3,
		.step = 4};
}

static struct generator *new_generator(struct model *m)
{
	struct generate_options o = options(1.0f);
	struct error err;
	struct generator *g = generator_new(m, REQUESTS, MAX_PROMPT, &o, &err);

	if (!g)
		fail_msg("%s", err.message);
	return g;
}

static void assert_same(const struct completion *a, const struct completion *b, int n)
{
	for (int i = 0; i < n; i++) {
		assert_int_equal(a[i].n_tokens, b[i].n_tokens);
		assert_int_equal(a[i].stopped, b[i].stopped);
		assert_memory_equal(
			a[i].tokens, b[i].tokens, (size_t)a[i].n_tokens * sizeof(int32_t));
		for (int t = 0; t < a[i].n_tokens; t++)
			assert_true(fabsf(a[i].logprobs[t] - b[i].logprobs[t]) < 1e-5f);
	}
}

/* What was recorded is what the logits of the plain sequence give under the masks, and
 * what is certain has exactly 0. */
static void check_recorded(struct world *w, const struct completion *c, double temperature)
{
	for (int i = 0; i < REQUESTS * SAMPLES; i++) {
		const struct generate_request *q = &w->requests[i / SAMPLES];
		double each[MAX_TOKENS];
		int32_t state = 0;

		exact_logprobs(w->m, q->prompt, q->n_prompt, q->guide, c[i].tokens, c[i].n_tokens,
			temperature, each);
		for (int t = 0; t < c[i].n_tokens; t++) {
			if (!(fabs((double)c[i].logprobs[t] - each[t]) < 1e-4))
				fail_msg("request %d, token %d: %g, should be %g", i / SAMPLES, t,
					(double)c[i].logprobs[t], each[t]);
			if (q->guide && q->guide->choices(q->guide, state)->n == 1)
				assert_true(c[i].logprobs[t] == 0.0f);
			state = q->guide ? q->guide->next(q->guide, state, c[i].tokens[t]) : 0;
		}
		assert_true(c[i].stopped ? c[i].tokens[c[i].n_tokens - 1] == END
					 : c[i].n_tokens == MAX_TOKENS);
	}
}

static void test_recorded(void **state)
{
	const float temperatures[] = {1.0f, 0.7f, 2.0f};
	struct world w;
	struct generator *g;
	struct completion c[REQUESTS * SAMPLES];
	struct error err;

	(void)state;
	world_init(&w, 1);
	g = new_generator(w.m);
	for (int i = 0; i < 3; i++) {
		struct generate_options o = options(temperatures[i]);

		assert_ok(generate(g, w.requests, REQUESTS, &o, c, &err), err);
		check_recorded(&w, c, (double)temperatures[i]);
	}
	generator_free(g);
	world_free(&w);
}

static void test_greedy(void **state)
{
	struct world w;
	struct generator *g;
	struct completion c[REQUESTS * SAMPLES];
	struct generate_options o = options(0.0f);
	struct error err;

	(void)state;
	world_init(&w, 1);
	g = new_generator(w.m);
	assert_ok(generate(g, w.requests, REQUESTS, &o, c, &err), err);
	check_recorded(&w, c, 1.0);
	for (int i = 0; i < REQUESTS; i++) {
		const struct completion *k = &c[i * SAMPLES];
		struct guide *guide = w.requests[i].guide;
		int32_t at = 0;

		assert_same(k, k + SAMPLES - 1, 1);
		/* No other choice is more probable. */
		for (int t = 0; t < k->n_tokens && guide; t++) {
			const struct choices *set = guide->choices(guide, at);
			int32_t tokens[MAX_TOKENS];
			double each[MAX_TOKENS];

			memcpy(tokens, k->tokens, (size_t)k->n_tokens * sizeof *tokens);
			for (int a = 0; a < set->n; a++) {
				tokens[t] = set->ids[a];
				exact_logprobs(w.m, prompts[i], prompt_len[i], guide, tokens, t + 1,
					1.0, each);
				assert_true(each[t] <= (double)k->logprobs[t] + 1e-4);
			}
			at = guide->next(guide, at, k->tokens[t]);
		}
	}
	generator_free(g);
	world_free(&w);
}

static void test_tree_is_flat(void **state)
{
	struct world w;
	struct generator *tree, *flat;
	struct completion a[REQUESTS * SAMPLES], b[REQUESTS * SAMPLES];
	struct generate_options o = options(0.9f);
	struct error err;

	(void)state;
	world_init(&w, 1);
	tree = new_generator(w.m);
	flat = new_generator(w.m);
	assert_ok(generate(tree, w.requests, REQUESTS, &o, a, &err), err);
	o.flat = 1;
	assert_ok(generate(flat, w.requests, REQUESTS, &o, b, &err), err);
	assert_same(a, b, REQUESTS * SAMPLES);
	assert_true(generator_counts(tree).rows < generator_counts(flat).rows);
	assert_true(generator_counts(tree).drawn == generator_counts(flat).drawn);
	/* One request alone gives what it gave among others. */
	o.flat = 0;
	for (int i = 0; i < REQUESTS; i++) {
		assert_ok(generate(flat, w.requests + i, 1, &o, b, &err), err);
		assert_same(a + i * SAMPLES, b, SAMPLES);
	}
	generator_free(tree);
	generator_free(flat);
	world_free(&w);
}

static void test_threads(void **state)
{
	struct world w;
	struct generator *g;
	struct completion a[REQUESTS * SAMPLES], b[REQUESTS * SAMPLES];
	struct generate_options o = options(0.9f);
	struct error err;

	(void)state;
	world_init(&w, 1);
	g = new_generator(w.m);
	assert_ok(generate(g, w.requests, REQUESTS, &o, a, &err), err);
	for (int threads = 1; threads < 4; threads++) {
		struct world v;
		struct generator *h;

		world_init(&v, threads);
		h = new_generator(v.m);
		assert_ok(generate(h, v.requests, REQUESTS, &o, b, &err), err);
		for (int i = 0; i < REQUESTS * SAMPLES; i++)
			assert_memory_equal(a[i].logprobs, b[i].logprobs,
				(size_t)a[i].n_tokens * sizeof *a[i].logprobs);
		assert_same(a, b, REQUESTS * SAMPLES);
		generator_free(h);
		world_free(&v);
	}
	generator_free(g);
	world_free(&w);
}

/* Frequencies of the sentences against their exact probabilities. */
static void check_distribution(int flat)
{
	enum {
		N = 4000,
		CALLS = 10
	};
	struct world w;
	struct generate_options o = {.n_samples = N,
		.max_tokens = MAX_TOKENS,
		.temperature = 2.5f,
		.end_id = END,
		.seed = 11,
		.flat = flat};
	struct error err;
	struct generator *g;
	struct completion *c = xcalloc(N, sizeof *c);
	double chi = 0.0, total = 0.0;
	int count[N_LANGUAGE] = {0}, cells = 0;

	world_init(&w, 1);
	g = generator_new(w.m, 1, 1, &o, &err);
	assert_non_null(g);
	for (o.step = 0; o.step < CALLS; o.step++) {
		assert_ok(generate(g, w.requests, 1, &o, c, &err), err);
		for (int s = 0; s < N; s++) {
			int k = 0;

			while (k < N_LANGUAGE &&
				(language[k].n != c[s].n_tokens ||
					memcmp(language[k].tokens, c[s].tokens,
						(size_t)c[s].n_tokens * sizeof(int32_t)) != 0))
				k++;
			assert_true(k < N_LANGUAGE && c[s].stopped);
			count[k]++;
		}
	}
	for (int k = 0; k < N_LANGUAGE; k++) {
		double p = exp(exact_logprobs(w.m, prompts[0], 1, w.requests[0].guide,
			language[k].tokens, language[k].n, 2.5, NULL));
		double want = p * N * CALLS;

		total += p;
		assert_true(want > 5.0);
		chi += (count[k] - want) * (count[k] - want) / want;
		cells++;
	}
	assert_true(fabs(total - 1.0) < 1e-5);
	/* 7 degrees of freedom: 30 is exceeded once in ten thousand times. */
	assert_int_equal(cells, 8);
	if (!(chi < 30.0))
		fail_msg("chi-square %g with 7 degrees of freedom", chi);
	free(c);
	generator_free(g);
	world_free(&w);
}

static void test_distribution(void **state)
{
	(void)state;
	check_distribution(0);
	check_distribution(1);
}

static struct generator_counts count_of(
	struct world *w, const struct generate_request *q, int n, struct completion *c)
{
	struct generate_options o = options(1.0f);
	struct generator *g = new_generator(w->m);
	struct generator_counts counts;
	struct error err;

	assert_ok(generate(g, q, n, &o, c, &err), err);
	counts = generator_counts(g);
	assert_true(generator_rows(g) == counts.rows);
	generator_free(g);
	return counts;
}

static void test_certain_is_free(void **state)
{
	struct world w;
	struct completion c[REQUESTS * SAMPLES];
	struct generator_counts n;

	(void)state;
	world_init(&w, 1);
	/* One sentence only: nothing to ask the model. */
	n = count_of(&w, w.requests + 4, 1, c);
	assert_true(n.rows == 0 && n.passes == 0 && n.drawn == 0 && n.tokens == 4 * SAMPLES);
	/* A beginning of three certain tokens: the first draw needs their rows too.  Behind
	 * the 1 all is certain; behind the 2 one more draw. */
	n = count_of(&w, w.requests + 1, 1, c);
	assert_true(n.rows == 3 + 3 + 1 && n.passes == 2);
	assert_true(n.drawn > SAMPLES && n.drawn < 2 * SAMPLES && n.tokens > 5 * SAMPLES);
	/* Only the first token is drawn: then the run without an end, or the end. */
	n = count_of(&w, w.requests + 3, 1, c);
	assert_true(n.rows == 3 && n.passes == 1 && n.drawn == SAMPLES);
	/* Without a guide everything is drawn. */
	n = count_of(&w, w.requests + 2, 1, c);
	assert_true(n.drawn == n.tokens && n.passes <= n.drawn);
	world_free(&w);
}

static void test_cut(void **state)
{
	struct world w;
	struct completion c[SAMPLES];
	struct error err;
	int endless_runs = 0, cut = 0;

	(void)state;
	world_init(&w, 1);
	for (int max = 1; max <= MAX_TOKENS; max++) {
		struct generate_options o = options(1.0f);
		struct generator *g = new_generator(w.m);

		o.max_tokens = max;
		assert_ok(generate(g, w.requests + 3, 1, &o, c, &err), err);
		for (int s = 0; s < SAMPLES; s++) {
			assert_true(c[s].stopped ? c[s].n_tokens == 2 : c[s].n_tokens == max);
			if (c[s].tokens[0] != 1)
				continue;
			endless_runs++;
			assert_int_equal(c[s].n_tokens, max);
			for (int t = 1; t < max; t++)
				assert_true(c[s].tokens[t] == (t == 1 ? 2 : 6) &&
					    c[s].logprobs[t] == 0.0f);
		}
		/* In the middle of the certain beginning, and of a run further on. */
		assert_ok(generate(g, w.requests + 1, 1, &o, c, &err), err);
		for (int s = 0; s < SAMPLES; s++) {
			cut += !c[s].stopped;
			assert_int_equal(c[s].tokens[0], 9);
			if (max <= 3)
				assert_true(c[s].n_tokens == max && !c[s].stopped);
		}
		assert_ok(generate(g, w.requests, 1, &o, c, &err), err);
		for (int s = 0; s < SAMPLES; s++)
			assert_true(c[s].stopped || c[s].n_tokens == max);
		generator_free(g);
	}
	assert_true(endless_runs > 0 && cut > 0);
	world_free(&w);
}

/* A pass longer than what the generator's cache takes at once gives the same. */
static void test_long_pass(void **state)
{
	enum {
		MANY = 40,
		LONG = 300
	};
	struct world w;
	struct generate_options o = options(1.0f);
	struct generate_request q[MANY];
	struct completion *a = xcalloc(MANY * SAMPLES, sizeof *a), b[SAMPLES];
	int32_t *tokens = xcalloc(MANY * LONG, sizeof *tokens);
	struct error err;
	struct generator *g, *one;
	struct rng r;

	(void)state;
	world_init(&w, 1);
	rng_init(&r, 1, RNG_TEST, 0, 0);
	for (int i = 0; i < MANY * LONG; i++)
		tokens[i] = i % LONG < 9 ? 1 : (int32_t)rng_below(&r, VOCAB);
	for (int i = 0; i < MANY; i++)
		q[i] = (struct generate_request){tokens + i * LONG, LONG - i, (uint32_t)i,
			i % 3 ? &w.language->guide : NULL};
	g = generator_new(w.m, MANY, LONG, &o, &err);
	one = generator_new(w.m, 1, LONG, &o, &err);
	assert_true(g && one);
	assert_ok(generate(g, q, MANY, &o, a, &err), err);
	assert_true(generator_counts(g).rows > 10000);
	for (int i = 0; i < MANY; i++) {
		assert_ok(generate(one, q + i, 1, &o, b, &err), err);
		assert_same(a + i * SAMPLES, b, SAMPLES);
	}
	generator_free(g);
	generator_free(one);
	free(a);
	free(tokens);
	world_free(&w);
}

/* All tokens but three, others at every state: sets that together are far more than what
 * the head takes at once. */
enum {
	SETS = VOCAB * (VOCAB - 1) * (VOCAB - 2) / 6,
	SET = VOCAB - 3
};
struct missing {
	struct guide guide;
	struct choices choices[SETS];
	int32_t ids[SETS][SET];
};

static const struct choices *missing_choices(struct guide *g, int32_t state)
{
	return &((struct missing *)g)->choices[state];
}

static int32_t missing_next(struct guide *g, int32_t state, int32_t token)
{
	(void)g;
	return (state * 31 + token * 7 + 1) % SETS;
}

static struct missing *missing_new(void)
{
	struct missing *s = xcalloc(1, sizeof *s);
	int n = 0;

	s->guide = (struct guide){missing_choices, missing_next};
	for (int a = 0; a < VOCAB; a++)
		for (int b = 0; b < a; b++)
			for (int c = 0; c < b; c++, n++) {
				int k = 0;

				for (int i = 0; i < VOCAB; i++)
					if (i != a && i != b && i != c)
						s->ids[n][k++] = i;
				s->choices[n] = (struct choices){s->ids[n], SET, (uint64_t)n + 1};
			}
	assert_int_equal(n, SETS);
	return s;
}

static void test_many_sets(void **state)
{
	enum {
		N = 400
	};
	struct missing *s = missing_new();
	struct generate_options o = options(3.0f);
	struct model *m = sharp_model(1);
	struct generate_request q = {prompts[1], prompt_len[1], 1, &s->guide};
	struct completion *a = xcalloc(N, sizeof *a);
	struct error err;
	struct generator *g;
	double each[MAX_TOKENS];

	(void)state;
	o.n_samples = N;
	o.end_id = -1;
	g = generator_new(m, 1, MAX_PROMPT, &o, &err);
	assert_non_null(g);
	assert_ok(generate(g, &q, 1, &o, a, &err), err);
	for (int i = 0; i < N; i++) {
		exact_logprobs(m, prompts[1], prompt_len[1], &s->guide, a[i].tokens, MAX_TOKENS,
			3.0, each);
		for (int t = 0; t < MAX_TOKENS; t++)
			assert_true(fabs((double)a[i].logprobs[t] - each[t]) < 1e-4);
	}
	assert_true(generator_counts(g).passes > N * (MAX_TOKENS - 4));
	generator_free(g);
	free(a);
	free(s);
	model_free(m);
}

/* Memory follows what is used, not max_tokens. */
static void test_memory(void **state)
{
	struct world w;
	struct generate_options o = options(1.0f);
	struct generator *little, *much;
	struct completion c[SAMPLES];
	struct error err;
	uint64_t before;

	(void)state;
	world_init(&w, 1);
	little = generator_new(w.m, 1, MAX_PROMPT, &o, &err);
	o.max_tokens = 600;
	much = generator_new(w.m, 1, MAX_PROMPT, &o, &err);
	assert_true(little && much);
	before = generator_bytes(much);
	assert_ok(generate(much, w.requests, 1, &o, c, &err), err);
	assert_true(generator_bytes(much) - before < 10000); /* the choices */
	/* All of 600 tokens of all samples: memory grows, and the answers are right. */
	o.end_id = -1;
	o.flat = 1;
	o.n_samples = 4;
	assert_ok(generate(much, w.requests + 2, 1, &o, c, &err), err);
	assert_true(generator_bytes(much) - before > 100000);
	for (int s = 0; s < 4; s++) {
		double each[600];

		assert_int_equal(c[s].n_tokens, 600);
		exact_logprobs(w.m, prompts[2], prompt_len[2], NULL, c[s].tokens, 600, 1.0, each);
		for (int t = 0; t < 600; t++)
			assert_true(fabs((double)c[s].logprobs[t] - each[t]) < 1e-4);
	}
	generator_free(little);
	generator_free(much);
	world_free(&w);
}

static int32_t lost(struct guide *g, int32_t state, int32_t token)
{
	(void)g, (void)state, (void)token;
	return -1;
}

static void test_bad_guides(void **state)
{
	struct world w;
	struct generate_options o = options(1.0f);
	struct generator *g;
	struct completion c[SAMPLES];
	struct error err;
	int32_t outside[] = {1, VOCAB};

	(void)state;
	world_init(&w, 1);
	g = new_generator(w.m);
	w.language->guide.next = lost;
	assert_int_equal(generate(g, w.requests, 1, &o, c, &err), -1);
	assert_non_null(strstr(err.message, "does not go on"));
	w.behind->choices[0].n = 0;
	assert_int_equal(generate(g, w.requests + 1, 1, &o, c, &err), -1);
	assert_non_null(strstr(err.message, "no choices"));
	w.behind->choices[0] = (struct choices){outside, 2, 0};
	assert_int_equal(generate(g, w.requests + 1, 1, &o, c, &err), -1);
	/* And the generator still works. */
	assert_ok(generate(g, w.requests + 2, 1, &o, c, &err), err);
	generator_free(g);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_greedy),
		cmocka_unit_test(test_tree_is_flat),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_distribution),
		cmocka_unit_test(test_certain_is_free),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_long_pass),
		cmocka_unit_test(test_many_sets),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_bad_guides),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
