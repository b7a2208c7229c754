/* Best-first search against the enumeration of whole languages. */
#include "t/generate_test.h"

#include "model/search.h"

enum {
	MAX_TOKENS = 14,
	MAX_PROMPT = 600,
	MANY = 150
};

static const int32_t prompt[] = {1, 2, 3, 7};
enum {
	N_PROMPT = sizeof prompt / sizeof prompt[0]
};

static struct search_options options(int count)
{
	return (struct search_options){.count = count,
		.max_tokens = MAX_TOKENS,
		.max_expansions = 10000,
		.batch = 4,
		.floor = -INFINITY,
		.end_id = END};
}

static struct search *new_search(struct model *m)
{
	struct search_options o = options(1);
	struct error err;
	struct search *s = search_new(m, MAX_PROMPT, &o, &err);

	if (!s)
		fail_msg("%s", err.message);
	return s;
}

/* A random language: beginnings in common, runs that are certain, some sentences that
 * do not end within MAX_TOKENS. */
static int random_language(struct sentence *s, int n, uint64_t seed)
{
	struct rng r;

	rng_init(&r, seed, RNG_TEST, 1, 0);
	for (int i = 0; i < n; i++) {
		int shared = i ? (int)rng_below(&r, 5) : 0;

		s[i] = (struct sentence){0};
		if (i)
			s[i] = s[rng_below(&r, (uint32_t)i)];
		s[i].n = shared < s[i].n - 1 ? shared : s[i].n > 0 ? s[i].n - 1 : 0;
		do
			s[i].tokens[s[i].n++] = 6 + (int32_t)rng_below(&r, VOCAB - 6);
		while (s[i].n < 3 * MAX_TOKENS / 2 && rng_below(&r, 5));
		s[i].tokens[s[i].n++] = END;
	}
	return n;
}

/* A sentence of the language with its exact probability. */
struct exact {
	struct sentence s;
	double logprob;
};

static int compare_exact(const void *x, const void *y)
{
	const struct exact *a = x, *b = y;

	if (a->logprob != b->logprob)
		return a->logprob < b->logprob ? 1 : -1;
	for (int i = 0; i < a->s.n && i < b->s.n; i++)
		if (a->s.tokens[i] != b->s.tokens[i])
			return a->s.tokens[i] < b->s.tokens[i] ? -1 : 1;
	return a->s.n - b->s.n;
}

static int equal(const struct sentence *a, const int32_t *tokens, int n)
{
	return a->n == n && memcmp(a->tokens, tokens, (size_t)n * sizeof *tokens) == 0;
}

/* All sentences that end within MAX_TOKENS, each once, best first. */
static int enumerate(
	struct model *m, struct toy *t, const struct sentence *s, int n, struct exact *e)
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		int known = s[i].n > MAX_TOKENS;

		for (int k = 0; k < count && !known; k++)
			known = equal(&e[k].s, s[i].tokens, s[i].n);
		if (known)
			continue;
		e[count].s = s[i];
		e[count++].logprob = exact_logprobs(
			m, prompt, N_PROMPT, &t->guide, s[i].tokens, s[i].n, 1.0, NULL);
	}
	qsort(e, (size_t)count, sizeof *e, compare_exact);
	return count;
}

/* The list is that of the enumeration; where probabilities are equal up to rounding,
 * their order is free. */
static void check_list(const struct search_result *r, const struct exact *e, int n)
{
	assert_true(r->n <= n);
	for (int i = 0; i < r->n; i++) {
		const struct found *f = &r->found[i];
		int k = 0;

		while (k < n && !equal(&e[k].s, f->tokens, f->n_tokens))
			k++;
		assert_true(k < n);
		if (!(fabs(f->logprob - e[k].logprob) < 1e-4))
			fail_msg("rank %d: %g, should be %g", i, f->logprob, e[k].logprob);
		assert_true(fabs(e[k].logprob - e[i].logprob) < 1e-4);
		assert_true(f->logprob <= 0.0);
		for (int j = 0; j < i; j++)
			assert_false(equal(&e[k].s, r->found[j].tokens, r->found[j].n_tokens));
	}
}

static void test_random_languages(void **state)
{
	struct model *m = sharp_model(1);
	struct search *s = new_search(m);
	struct sentence *sentences = xcalloc(MANY, sizeof *sentences);
	struct exact *e = xcalloc(MANY, sizeof *e);
	struct error err;
	int many = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		int n = random_language(sentences, seed < 3 ? 1 + (int)seed * 3 : MANY, seed);
		struct toy *t = toy_new(sentences, n, 6);
		int all = enumerate(m, t, sentences, n, e);
		struct search_result r;

		for (int count = 1; count < 2 * MANY; count *= 3) {
			struct search_options o = options(count);

			assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
			assert_int_equal(r.n, count < all ? count : all);
			assert_int_equal(r.exact, 1);
			check_list(&r, e, all);
			assert_true(count < all || r.bound == -INFINITY);
			if (count < all)
				assert_true(r.bound >= e[count].logprob - 1e-4 &&
					    r.bound <= r.found[r.n - 1].logprob);
		}
		many += all;
		toy_free(t);
	}
	assert_true(many > 400);
	search_free(s);
	free(sentences);
	free(e);
	model_free(m);
}

/* The batch changes the time only. */
static void test_batches(void **state)
{
	struct model *m = sharp_model(1);
	struct search_options o = options(20);
	struct sentence *sentences = xcalloc(MANY, sizeof *sentences);
	struct exact *e = xcalloc(MANY, sizeof *e);
	struct toy *t;
	struct error err;
	int n, expansions = 0;

	(void)state;
	random_language(sentences, MANY, 3);
	t = toy_new(sentences, MANY, 6);
	n = enumerate(m, t, sentences, MANY, e);
	for (o.batch = 1; o.batch <= 64; o.batch *= 4) {
		struct search *s = search_new(m, MAX_PROMPT, &o, &err);
		struct search_result r;

		assert_non_null(s);
		assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
		assert_true(r.n == 20 && r.exact);
		check_list(&r, e, n);
		assert_true(r.expansions >= expansions);
		expansions = o.batch == 1 ? r.expansions : expansions;
		search_free(s);
	}
	toy_free(t);
	free(sentences);
	free(e);
	model_free(m);
}

/* The same bytes with any number of threads, and in a second call. */
static void test_threads(void **state)
{
	struct search_options o = options(25);
	struct sentence *sentences = xcalloc(MANY, sizeof *sentences);
	double logprob[25];
	struct toy *t;
	struct error err;

	(void)state;
	random_language(sentences, MANY, 4);
	t = toy_new(sentences, MANY, 6);
	for (int threads = 1; threads < 4; threads++) {
		struct model *m = sharp_model(threads);
		struct search *s = new_search(m);

		for (int call = 0; call < 2; call++) {
			struct search_result r;

			assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
			assert_int_equal(r.n, 25);
			for (int i = 0; i < r.n; i++) {
				if (threads == 1 && call == 0)
					logprob[i] = r.found[i].logprob;
				assert_true(logprob[i] == r.found[i].logprob);
			}
		}
		search_free(s);
		model_free(m);
	}
	toy_free(t);
	free(sentences);
}

/* All probabilities equal: the order is that of the ids. */
static void test_ties(void **state)
{
	struct model *m = sharp_model(1);
	struct search *s;
	struct sentence sentences[27];
	struct toy *t;
	struct error err;
	int n = 0;

	(void)state;
	for (int i = 0; i < m->n_tensors; i++)
		if (m->tensors[i].role == TENSOR_EMBEDDING || m->tensors[i].role == TENSOR_HEAD)
			memset(m->tensors[i].data, 0,
				(size_t)(m->tensors[i].rows * m->tensors[i].cols) * sizeof(float));
	for (int32_t a = 8; a > 5; a--)
		for (int32_t b = 6; b < 9; b++)
			for (int32_t c = 8; c > 5; c--)
				sentences[n++] = (struct sentence){4, {a, b, c, END}};
	t = toy_new(sentences, n, 6);
	s = new_search(m);
	for (int count = 1; count <= 27; count += 13) {
		struct search_options o = options(count);
		struct search_result r;

		assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
		assert_true(r.n == count && r.exact);
		for (int i = 0; i < count; i++) {
			const int32_t want[] = {6 + i / 9, 6 + i / 3 % 3, 6 + i % 3, END};

			assert_memory_equal(r.found[i].tokens, want, sizeof want);
			assert_true(fabs(r.found[i].logprob + 3.0 * log(3.0)) < 1e-5);
		}
	}
	search_free(s);
	toy_free(t);
	model_free(m);
}

static void test_bounds(void **state)
{
	struct model *m = sharp_model(1);
	struct search *s = new_search(m);
	struct sentence *sentences = xcalloc(MANY, sizeof *sentences);
	struct exact *e = xcalloc(MANY, sizeof *e);
	struct search_result r;
	struct toy *t;
	struct error err;
	int n, stopped = 0;

	(void)state;
	random_language(sentences, MANY, 5);
	t = toy_new(sentences, MANY, 6);
	n = enumerate(m, t, sentences, MANY, e);
	/* Only what is above the floor. */
	for (int k = 0; k < n; k += n / 5) {
		struct search_options o = options(n);
		int above = 0;

		o.floor = e[k].logprob - 1e-3;
		while (above < n && e[above].logprob > o.floor)
			above++;
		assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
		assert_true(r.exact && abs(r.n - above) <= (fabs(e[above < n ? above : 0].logprob -
								    o.floor) < 1e-4));
		check_list(&r, e, n);
		assert_true(r.n == n || (r.bound <= o.floor && r.bound >= e[r.n].logprob - 1e-4));
	}
	/* Stopped early: what is there is right, and what is missing is below the bound. */
	for (int max = 0; max < 40; max += 3) {
		struct search_options o = options(10);

		o.max_expansions = max;
		assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
		assert_true(r.expansions <= max);
		check_list(&r, e, n);
		assert_int_equal(r.exact, r.n == 10);
		stopped += !r.exact;
		assert_true(r.bound >= e[r.n].logprob - 1e-4);
		assert_true(max > 0 || (r.n == 0 && r.rows == 0 && r.bound == 0.0));
	}
	assert_true(stopped > 2 && r.exact);
	search_free(s);
	toy_free(t);
	free(sentences);
	free(e);
	model_free(m);
}

static void test_certain(void **state)
{
	static const struct sentence one[] = {{4, {4, 3, 2, END}}};
	static const struct sentence endless[] = {{1, {1}}, {1, {2}}};
	static const struct sentence two[] = {
		{9, {9, 8, 7, 6, 1, 8, 9, 8, END}}, {6, {9, 8, 7, 6, 2, END}}};
	struct model *m = sharp_model(1);
	struct search *s = new_search(m);
	struct search_options o = options(3);
	struct toy *t = toy_new(one, 1, 6);
	struct search_result r;
	struct error err;

	(void)state;
	/* One sentence: certain, without the model. */
	assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
	assert_true(r.n == 1 && r.exact && r.rows == 0 && r.found[0].logprob == 0.0);
	assert_true(equal(one, r.found[0].tokens, r.found[0].n_tokens));
	/* The same, too long. */
	o.max_tokens = 3;
	assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
	assert_true(r.n == 0 && r.exact && r.bound == -INFINITY);
	toy_free(t);
	/* One decision behind four certain tokens: one expansion. */
	o = options(3);
	t = toy_new(two, 2, 6);
	assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
	assert_true(r.n == 2 && r.exact && r.expansions == 1 && r.rows == N_PROMPT + 4);
	assert_true(fabs(exp(r.found[0].logprob) + exp(r.found[1].logprob) - 1.0) < 1e-5);
	toy_free(t);
	/* Nothing ends. */
	t = toy_new(endless, 2, 6);
	assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
	assert_true(r.n == 0 && r.exact && r.expansions == 1);
	toy_free(t);
	search_free(s);
	model_free(m);
}

/* Any sequence of tokens: the search works where nothing can be enumerated, and agrees
 * with itself; prompts longer than a pass. */
static void test_free_language(void **state)
{
	struct model *m = sharp_model(1);
	struct search *s = new_search(m);
	struct search_options o = options(30);
	struct toy *t = xcalloc(1, sizeof *t);
	int32_t *long_prompt = xcalloc(MAX_PROMPT, sizeof *long_prompt);
	struct search_result r;
	struct error err;
	double previous = 0.0;

	(void)state;
	t->guide = (struct guide){toy_choices, toy_next};
	t->n_states = 1;
	for (int32_t i = 0; i < VOCAB; i++)
		toy_add(t, 0, i, 0);
	for (int i = 0; i < MAX_PROMPT; i++)
		long_prompt[i] = i * i % VOCAB;
	o.max_tokens = 6;
	o.floor = log(1e-4);
	assert_ok(search_best(s, long_prompt, MAX_PROMPT, &t->guide, &o, &r, &err), err);
	assert_true(r.exact && r.n > 3);
	for (int i = 0; i < r.n; i++) {
		const struct found *f = &r.found[i];

		assert_true(f->logprob >= o.floor && f->logprob <= previous);
		assert_int_equal(f->tokens[f->n_tokens - 1], END);
		assert_true(fabs(f->logprob - exact_logprobs(m, long_prompt, MAX_PROMPT, &t->guide,
						      f->tokens, f->n_tokens, 1.0, NULL)) < 1e-4);
		previous = f->logprob;
	}
	toy_free(t);
	free(long_prompt);
	search_free(s);
	model_free(m);
}

static void test_errors(void **state)
{
	static const struct sentence two[] = {{2, {1, END}}, {2, {2, END}}};
	struct model *m = sharp_model(1);
	struct search *s = new_search(m);
	struct search_options o = options(3);
	struct toy *t = toy_new(two, 2, 6);
	int32_t tokens[MAX_PROMPT + 1] = {0};
	struct search_result r;
	struct error err;

	(void)state;
	assert_int_equal(search_best(s, tokens, MAX_PROMPT + 1, &t->guide, &o, &r, &err), -1);
	assert_int_equal(search_best(s, tokens, 0, &t->guide, &o, &r, &err), -1);
	tokens[0] = VOCAB;
	assert_int_equal(search_best(s, tokens, 2, &t->guide, &o, &r, &err), -1);
	assert_non_null(strstr(err.message, "vocabulary"));
	o.max_tokens = MAX_TOKENS + 1;
	assert_int_equal(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), -1);
	o = options(3);
	o.floor = NAN;
	assert_int_equal(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), -1);
	o = options(3);
	assert_int_equal(search_best(s, prompt, N_PROMPT, NULL, &o, &r, &err), -1);
	t->choices[0].n = 0;
	assert_int_equal(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), -1);
	assert_non_null(strstr(err.message, "no choices"));
	t->choices[0].n = 2;
	assert_ok(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), err);
	m->tensors[3].data[2] = NAN;
	assert_int_equal(search_best(s, prompt, N_PROMPT, &t->guide, &o, &r, &err), -1);
	assert_non_null(strstr(err.message, "layer 0, q_proj, k_proj or v_proj"));
	search_free(s);
	toy_free(t);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_languages),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_certain),
		cmocka_unit_test(test_free_language),
		cmocka_unit_test(test_errors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
