/* Sampling: trees against the plain way, replay through the model, distribution. */
#include "t/generate_test.h"

#include "model/generate.h"

enum {
	REQUESTS = 5,
	SAMPLES = 12,
	MAX_TOKENS = 6,
	MAX_PROMPT = 9
};

/* Two requests are equal, one is the beginning of another. */
static const int32_t prompts[REQUESTS][MAX_PROMPT] = {
	{1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}, {7}, {1, 2, 9, 9, 9, 9, 9, 9, 9}};
static const int32_t prompt_len[REQUESTS] = {4, 6, 4, 1, 9};

static void fill_requests(struct generate_request *q)
{
	for (int i = 0; i < REQUESTS; i++)
		q[i] = (struct generate_request){
			prompts[i], prompt_len[i], (uint32_t)(i + 1), NULL};
}

static struct generate_options options(float temperature)
{
	return (struct generate_options){.n_samples = SAMPLES,
		.max_tokens = MAX_TOKENS,
		.temperature = temperature,
		.end_id = 5,
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

static void test_tree_is_flat(void **state)
{
	struct model *m = sharp_model(1);
	struct generator *tree = new_generator(m), *flat = new_generator(m);
	struct generate_request q[REQUESTS];
	struct completion a[REQUESTS * SAMPLES], b[REQUESTS * SAMPLES];
	struct generate_options o = options(0.9f);
	struct error err;

	(void)state;
	fill_requests(q);
	assert_ok(generate(tree, q, REQUESTS, &o, a, &err), err);
	o.flat = 1;
	assert_ok(generate(flat, q, REQUESTS, &o, b, &err), err);
	assert_same(a, b, REQUESTS * SAMPLES);
	assert_true(generator_rows(tree) < generator_rows(flat));
	/* One request alone gives what it gave among others. */
	o.flat = 0;
	for (int i = 0; i < REQUESTS; i++) {
		assert_ok(generate(flat, q + i, 1, &o, b, &err), err);
		assert_same(a + i * SAMPLES, b, SAMPLES);
	}
	generator_free(tree);
	generator_free(flat);
	model_free(m);
}

/* What generate() recorded is what model_forward() gives for the same tokens. */
static void check_replay(struct model *m, const struct completion *c, float temperature)
{
	struct error err;
	struct workspace *w = workspace_new(m, 1024, 1024, &err);
	struct tree *t = tree_new();
	float logprob[1024];

	assert_non_null(w);
	for (int i = 0; i < REQUESTS * SAMPLES; i++) {
		int32_t tokens[MAX_PROMPT + MAX_TOKENS], n = prompt_len[i / SAMPLES];

		memcpy(tokens, prompts[i / SAMPLES], (size_t)n * sizeof *tokens);
		memcpy(tokens + n, c[i].tokens, (size_t)c[i].n_tokens * sizeof *tokens);
		tree_add(t, tokens, n + c[i].n_tokens, n);
	}
	tree_pack(t, 0);
	assert_ok(model_forward(m, w, t, temperature, logprob, NULL, &err), err);
	for (int i = 0; i < REQUESTS * SAMPLES; i++) {
		const int32_t *edges =
			t->sequence_edges + t->sequence_start[i] + prompt_len[i / SAMPLES] - 1;

		for (int j = 0; j < c[i].n_tokens; j++)
			assert_true(fabsf(c[i].logprobs[j] - logprob[edges[j]]) < 2e-5f);
	}
	tree_free(t);
	workspace_free(w);
}

static void test_replay(void **state)
{
	struct model *m = sharp_model(1);
	struct generator *g = new_generator(m);
	struct generate_request q[REQUESTS];
	struct completion c[REQUESTS * SAMPLES];
	const float temperatures[] = {1.0f, 0.7f, 2.0f};
	struct error err;
	int stopped = 0, cut = 0;

	(void)state;
	fill_requests(q);
	for (int i = 0; i < 3; i++) {
		struct generate_options o = options(temperatures[i]);

		assert_ok(generate(g, q, REQUESTS, &o, c, &err), err);
		check_replay(m, c, temperatures[i]);
		for (int s = 0; s < REQUESTS * SAMPLES; s++) {
			const struct completion *k = &c[s];

			stopped += k->stopped;
			cut += !k->stopped;
			assert_true(k->stopped ? k->tokens[k->n_tokens - 1] == 5
					       : k->n_tokens == MAX_TOKENS);
			for (int t = 0; t < k->n_tokens - 1; t++)
				assert_int_not_equal(k->tokens[t], 5);
		}
	}
	assert_true(stopped > 0 && cut > 0);
	generator_free(g);
	model_free(m);
}

static void test_greedy(void **state)
{
	struct model *m = sharp_model(1);
	struct generator *g = new_generator(m);
	struct generate_request q[REQUESTS];
	struct completion c[REQUESTS * SAMPLES];
	struct generate_options o = options(0.0f);
	struct error err;

	(void)state;
	fill_requests(q);
	assert_ok(generate(g, q, REQUESTS, &o, c, &err), err);
	check_replay(m, c, 1.0f);
	for (int i = 0; i < REQUESTS; i++)
		for (int s = 1; s < SAMPLES; s++)
			assert_memory_equal(c[i * SAMPLES].tokens, c[i * SAMPLES + s].tokens,
				(size_t)c[i * SAMPLES].n_tokens * sizeof(int32_t));
	/* Equal prompts, equal answers. */
	assert_int_equal(c[0].n_tokens, c[2 * SAMPLES].n_tokens);
	generator_free(g);
	model_free(m);
}

/* All sequences of two tokens: exact probabilities against counts. */
static void exact_pairs(struct model *m, double *p)
{
	struct error err;
	struct workspace *w = workspace_new(m, 1024, 2048, &err);
	struct tree *t = tree_new();
	float logprob[2048];

	assert_non_null(w);
	for (int a = 0; a < VOCAB; a++)
		for (int b = 0; b < VOCAB; b++) {
			const int32_t tokens[] = {7, a, b};

			tree_add(t, tokens, 3, 1);
		}
	tree_pack(t, 0);
	assert_ok(model_forward(m, w, t, 0.8f, logprob, NULL, &err), err);
	for (int i = 0; i < VOCAB * VOCAB; i++) {
		const int32_t *e = t->sequence_edges + t->sequence_start[i];

		p[i] = exp((double)logprob[e[0]] + (double)logprob[e[1]]);
	}
	tree_free(t);
	workspace_free(w);
}

static void test_distribution(void **state)
{
	enum {
		N = 4000,
		CALLS = 10
	};
	const int32_t prompt[] = {7};
	const struct generate_request q = {prompt, 1, 9, NULL};
	struct generate_options o = {
		.n_samples = N, .max_tokens = 2, .temperature = 0.8f, .end_id = -1, .seed = 11};
	struct model *m = sharp_model(1);
	struct error err;
	struct generator *g = generator_new(m, 1, 1, &o, &err);
	struct completion *c = xcalloc(N, sizeof *c);
	double p[VOCAB * VOCAB], chi = 0.0, rest_p = 0.0, total = 0.0;
	int count[VOCAB * VOCAB] = {0}, rest = 0, cells = 0;

	(void)state;
	assert_non_null(g);
	exact_pairs(m, p);
	for (o.step = 0; o.step < CALLS; o.step++) {
		assert_ok(generate(g, &q, 1, &o, c, &err), err);
		for (int s = 0; s < N; s++)
			count[c[s].tokens[0] * VOCAB + c[s].tokens[1]]++;
	}
	for (int i = 0; i < VOCAB * VOCAB; i++) {
		double want = p[i] * N * CALLS;

		total += p[i];
		if (want < 5.0) {
			rest_p += p[i];
			rest += count[i];
			continue;
		}
		chi += (count[i] - want) * (count[i] - want) / want;
		cells++;
	}
	chi += (rest - rest_p * N * CALLS) * (rest - rest_p * N * CALLS) / (rest_p * N * CALLS);
	assert_true(fabs(total - 1.0) < 1e-5);
	assert_true(cells > 50);
	/* cells degrees of freedom: mean cells, deviation sqrt(2 cells); 4 deviations. */
	if (!(fabs(chi - cells) < 4.0 * sqrt(2.0 * cells)))
		fail_msg("chi-square %g with %d degrees of freedom", chi, cells);
	free(c);
	generator_free(g);
	model_free(m);
}

static void test_errors(void **state)
{
	struct model *m = sharp_model(1);
	struct generator *g = new_generator(m);
	struct generate_options o = options(1.0f);
	struct completion c[REQUESTS * SAMPLES];
	int32_t tokens[MAX_PROMPT + 1] = {0};
	struct generate_request q = {tokens, MAX_PROMPT + 1, 0, NULL};
	struct error err;

	(void)state;
	assert_int_equal(generate(g, &q, 1, &o, c, &err), -1);
	assert_non_null(strstr(err.message, "10 tokens"));
	q.n_prompt = 2;
	tokens[1] = VOCAB;
	assert_int_equal(generate(g, &q, 1, &o, c, &err), -1);
	assert_non_null(strstr(err.message, "vocabulary"));
	tokens[1] = 1;
	o.max_tokens = MAX_TOKENS + 1;
	assert_int_equal(generate(g, &q, 1, &o, c, &err), -1);
	o = options(1.0f);
	m->tensors[3].data[2] = NAN;
	assert_int_equal(generate(g, &q, 1, &o, c, &err), -1);
	assert_non_null(strstr(err.message, "layer 0, q_proj, k_proj or v_proj"));
	generator_free(g);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_is_flat),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_greedy),
		cmocka_unit_test(test_distribution),
		cmocka_unit_test(test_errors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
