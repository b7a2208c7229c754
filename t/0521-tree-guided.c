/*
 * Trees of guided sequences: packing against its definition, and through the model
 * against plain double-precision code, flat, in parts, on other threads.
 */
#include "t/model_reference.h"

#include "kernels/cpu/cpu.h"
#include "model/choices.h"

enum {
	MAX_ROWS = 512,
	MAX_IDS = 40,
	N_SEQUENCES = 16
};

struct set {
	struct choices c;
	int32_t ids[MAX_IDS];
};

static const struct choices *set_finish(struct set *s, int n)
{
	s->c = (struct choices){s->ids, n, 14695981039346656037u};
	for (int i = 0; i < n; i++)
		s->c.hash = (s->c.hash ^ (uint64_t)s->ids[i]) * 1099511628211u;
	return &s->c;
}

/* --- packing --------------------------------------------------------------- */

static void test_packing(void **state)
{
	static const int32_t a[] = {1, 2, 3, 4, 5}, b[] = {1, 2, 6, 4}, end[] = {7, 8, 9};
	struct set s36[2] = {{.ids = {3, 6}}, {.ids = {3, 6}}}, s34 = {.ids = {3, 4}},
		   only4 = {.ids = {4}}, only5 = {.ids = {5}}, only8 = {.ids = {8}},
		   only9 = {.ids = {9}}, s47 = {.ids = {4, 7}};
	const struct choices *x[] = {
		NULL, NULL, set_finish(&s36[0], 2), set_finish(&only4, 1), set_finish(&only5, 1)};
	const struct choices *y[] = {NULL, NULL, set_finish(&s36[1], 2), set_finish(&s47, 2)};
	const struct choices *z[] = {NULL, NULL, set_finish(&s34, 2), NULL, NULL};
	const struct choices *certain[] = {NULL, set_finish(&only8, 1), set_finish(&only9, 1)};
	struct tree *t = tree_new();
	const int32_t *e;

	(void)state;
	tree_add_guided(t, a, 5, 2, x); /* 3 of {3, 6}; 4 and 5 certain */
	tree_add_guided(t, b, 4, 2, y); /* 6 of the same; 4 of {4, 7} */
	tree_add_guided(t, a, 5, 2, z); /* 3 of {3, 4}; 4 and 5 of all */
	tree_add_guided(t, end, 3, 1, certain);
	tree_pack(t, 0);
	e = t->sequence_edges;
	/* 1 2 | 3 4 | 6 */
	assert_int_equal(t->n_rows, 5);
	assert_int_equal(t->n_edges, 6);
	assert_int_equal(t->flat_rows, 2 + 3 + 4 + 0);
	assert_int_equal(t->n_nodes, 3);
	assert_int_equal(e[0], -1);
	assert_int_equal(t->edge_token[e[1]], 3);
	assert_int_equal(e[2], EDGE_CERTAIN);
	assert_int_equal(e[3], EDGE_CERTAIN);
	assert_int_equal(t->sequence_last_row[0], 1);
	assert_int_equal(t->edge_token[e[t->sequence_start[1] + 1]], 6);
	/* Two pointers with the same contents are one. */
	assert_ptr_equal(t->edge_choices[e[1]], t->edge_choices[e[t->sequence_start[1] + 1]]);
	assert_int_not_equal(e[1], e[t->sequence_start[2] + 1]);
	assert_int_equal(t->edge_row[e[1]], t->edge_row[e[t->sequence_start[2] + 1]]);
	assert_ptr_equal(t->edge_choices[e[t->sequence_start[2] + 1]], &s34.c);
	assert_null(t->edge_choices[e[t->sequence_start[2] + 2]]);
	assert_int_equal(t->sequence_last_row[3], -1);
	assert_int_equal(e[t->sequence_start[3]], EDGE_CERTAIN);
	/* Equal hashes of different sets do not make them one. */
	s34.c.hash = s36[0].c.hash = s36[1].c.hash;
	tree_pack(t, 0);
	assert_int_equal(t->n_edges, 6);
	/* A batch of nothing but certain tokens; one that is not its only choice. */
	tree_clear(t);
	tree_add_guided(t, end, 3, 1, certain);
	tree_add_guided(t, end, 3, 1, certain);
	tree_pack(t, 0);
	assert_int_equal(t->n_rows + t->n_edges + t->n_nodes, 0);
	certain[2] = &only8.c;
	tree_add_guided(t, end, 3, 1, certain);
	tree_pack(t, 0);
	assert_int_equal(t->n_edges, 1);
	assert_int_equal(t->n_rows, 2);
	tree_free(t);
}

/* --- batches ------------------------------------------------------------------- */

struct batch {
	int32_t tokens[N_SEQUENCES][MAX_LEN];
	int len[N_SEQUENCES], first[N_SEQUENCES];
	float coefficient[N_SEQUENCES][MAX_LEN];
	const struct choices *choices[N_SEQUENCES][MAX_LEN];
	struct set sets[N_SEQUENCES][MAX_LEN];
};

/* Tokens allowed behind a prefix: the same for the same prefix and variant, unless
 * `token` would not be one of them.  Many or few. */
static const struct choices *choose(
	struct set *set, const int32_t *prefix, int n, int32_t token, int variant, int vocab)
{
	for (uint32_t attempt = 0;; attempt++) {
		int have = 0, found = 0;
		uint64_t key = (uint64_t)variant;
		struct rng r;

		for (int i = 0; i < n; i++)
			key = key * 31 + (uint64_t)prefix[i];
		rng_init(&r, 40, RNG_TEST, key, attempt);
		for (int32_t j = 0; j < vocab && have < MAX_IDS; j++)
			if (rng_below(&r, variant % 2 ? 2 : 5) == 0) {
				set->ids[have++] = j;
				found |= j == token;
			}
		if (found)
			return set_finish(set, have);
	}
}

/* What is asked of token i of a sequence: anything, one thing, one of a few. */
static void guide(struct batch *b, struct rng *r, int s, int i, int vocab)
{
	struct set *set = &b->sets[s][i];
	int kind = (int)rng_below(r, 6);

	b->choices[s][i] = NULL;
	if (kind == 0)
		return;
	if (kind < 3) {
		set->ids[0] = b->tokens[s][i];
		b->choices[s][i] = set_finish(set, 1);
		return;
	}
	b->choices[s][i] = choose(set, b->tokens[s], i, b->tokens[s][i], kind - 3, vocab);
}

/* Sequences that leave each other at every depth; what precedes `first` is a prompt,
 * of whose tokens those from 1 on are targets too, unguided, in every other one. */
static void batch_fill(struct batch *b, struct rng *r, int vocab)
{
	for (int s = 0; s < N_SEQUENCES; s++) {
		int from = s ? (int)rng_below(r, (uint32_t)s) : 0, shared = (int)rng_below(r, 12);

		b->len[s] = 2 + (int)rng_below(r, MAX_LEN - 2);
		b->first[s] = s % 2 ? 1 : 1 + (int)rng_below(r, (uint32_t)b->len[s]);
		for (int i = 0; i < b->len[s]; i++) {
			b->tokens[s][i] = s && i < shared && i < b->len[from]
						  ? b->tokens[from][i]
						  : (int32_t)rng_below(r, (uint32_t)vocab);
			b->coefficient[s][i] = i < b->first[s] ? 0.0f : (float)rng_normal(r);
			b->choices[s][i] = NULL;
			if (i > 3)
				guide(b, r, s, i, vocab);
		}
	}
	/* The same twice, under the same choices and under others. */
	memcpy(b->tokens[3], b->tokens[2], sizeof b->tokens[2]);
	b->len[3] = b->len[4] = b->len[2];
	b->first[3] = b->first[2];
	for (int i = 0; i < b->first[3] && i < MAX_LEN; i++)
		b->coefficient[3][i] = 0.0f;
	memcpy(b->choices[3], b->choices[2], sizeof b->choices[2]);
	memcpy(b->tokens[4], b->tokens[2], sizeof b->tokens[2]);
	for (int i = 4; i < b->len[4]; i++)
		guide(b, r, 4, i, vocab);
	/* Nothing but certain tokens. */
	b->first[5] = 1;
	for (int i = 1; i < b->len[5]; i++) {
		b->sets[5][i].ids[0] = b->tokens[5][i];
		b->choices[5][i] = set_finish(&b->sets[5][i], 1);
	}
}

static void batch_add(const struct batch *b, struct tree *t, int from, int to)
{
	for (int s = from; s < to; s++)
		tree_add_guided(t, b->tokens[s], b->len[s], b->first[s], b->choices[s]);
}

static int same_set(const struct choices *a, const struct choices *b)
{
	return a == b || (a && b && a->n == b->n &&
				 memcmp(a->ids, b->ids, (size_t)a->n * sizeof *a->ids) == 0);
}

/* Different prefixes of rows that some sequence needs, counted by comparing all pairs. */
static int count_rows(const struct batch *b)
{
	int needed[N_SEQUENCES], n = 0;

	for (int s = 0; s < N_SEQUENCES; s++) {
		needed[s] = b->first[s] < b->len[s] ? 0 : b->len[s];
		for (int i = b->first[s]; i < b->len[s]; i++)
			if (!b->choices[s][i] || b->choices[s][i]->n > 1)
				needed[s] = i;
		for (int i = 0; i < needed[s]; i++) {
			int seen = 0;

			for (int q = 0; q < s; q++)
				seen |= needed[q] > i && memcmp(b->tokens[q], b->tokens[s],
								 (size_t)(i + 1) * 4) == 0;
			n += !seen;
		}
	}
	return n;
}

static void check_edges(const struct tree *t, const struct batch *b)
{
	for (int e = 1; e < t->n_edges; e++) {
		int neighbours = 1;

		assert_true(t->edge_row[e] >= t->edge_row[e - 1]);
		for (int f = e - 1; f >= 0 && t->edge_row[f] == t->edge_row[e]; f--) {
			int same = same_set(t->edge_choices[e], t->edge_choices[f]);

			assert_int_equal(same, t->edge_choices[e] == t->edge_choices[f]);
			/* Once they differ, going back, they stay so. */
			neighbours &= same;
			assert_int_equal(same, neighbours);
			assert_true(!same || t->edge_token[e] != t->edge_token[f]);
		}
	}
	for (int s = 0; s < N_SEQUENCES; s++)
		for (int i = 1; i < b->len[s]; i++) {
			int e = t->sequence_edges[t->sequence_start[s] + i - 1];
			const struct choices *c = b->choices[s][i];

			if (i < b->first[s]) {
				assert_int_equal(e, -1);
				continue;
			}
			if (c && c->n == 1) {
				assert_int_equal(e, EDGE_CERTAIN);
				continue;
			}
			assert_in_range(e, 0, t->n_edges - 1);
			assert_int_equal(t->edge_token[e], b->tokens[s][i]);
			assert_true(same_set(t->edge_choices[e], c));
			assert_int_equal(t->tokens[t->edge_row[e]], b->tokens[s][i - 1]);
			assert_int_equal(t->positions[t->edge_row[e]], i - 1);
		}
}

static void test_random_packing(void **state)
{
	static struct batch b;
	struct tree *t = tree_new();
	int shared = 0, split = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct rng r;

		rng_init(&r, 41, RNG_TEST, (uint64_t)round, 0);
		batch_fill(&b, &r, 2 + round % 5);
		tree_clear(t);
		batch_add(&b, t, 0, N_SEQUENCES);
		tree_pack(t, 0);
		check_edges(t, &b);
		assert_int_equal(t->n_rows, count_rows(&b));
		for (int e = 1; e < t->n_edges; e++)
			if (t->edge_row[e] == t->edge_row[e - 1])
				*(t->edge_choices[e] == t->edge_choices[e - 1] ? &shared
									       : &split) += 1;
		tree_pack(t, 1);
		check_edges(t, &b);
	}
	/* Both have happened. */
	assert_true(shared > 100 && split > 100);
	tree_free(t);
}

/* --- through the model ------------------------------------------------------------ */

static double reference_loss(const struct reference *r, const struct batch *b, double temperature)
{
	double loss = 0.0;

	for (int s = 0; s < N_SEQUENCES; s++)
		loss += reference_sequence(
			r, b->tokens[s], b->len[s], b->coefficient[s], b->choices[s], temperature);
	return loss;
}

/* Loss and, added to the model's, gradients of the packed sequences from .. on. */
static double run(struct model *m, struct workspace *w, struct tree *t, const struct batch *b,
	int from, float temperature)
{
	float logprob[MAX_ROWS], entropy[MAX_ROWS], coefficient[MAX_ROWS] = {0};
	double loss = 0.0;
	struct error err;

	assert_ok(model_forward(m, w, t, temperature, logprob, entropy, &err), err);
	for (int s = 0; s < t->n_sequences; s++)
		for (int i = 1; i < t->sequence_length[s]; i++) {
			int e = t->sequence_edges[t->sequence_start[s] + i - 1];

			if (e < 0)
				continue;
			coefficient[e] += b->coefficient[from + s][i];
			loss += (double)b->coefficient[from + s][i] * (double)logprob[e];
			assert_true(logprob[e] <= 0.0f && entropy[e] >= -1e-6f);
			if (t->edge_choices[e])
				assert_true(
					entropy[e] <= logf((float)t->edge_choices[e]->n) + 1e-5f);
		}
	assert_ok(model_backward(m, w, t, coefficient, &err), err);
	return loss;
}

static void test_finite_differences(void **state)
{
	static struct batch b;
	const double step = 1e-4;

	(void)state;
	for (int k = 0; k < N_CONFIGS; k++) {
		struct model *m = new_model(k, 1);
		struct workspace *w = workspace_new(m, MAX_ROWS, MAX_ROWS, NULL);
		struct reference ref = {m, xcalloc((size_t)m->n_parameters, sizeof(double))};
		struct tree *t = tree_new();
		struct rng r;
		double loss, want;

		rng_init(&r, 42, RNG_TEST, (uint64_t)k, 0);
		batch_fill(&b, &r, m->config.vocab_size);
		batch_add(&b, t, 0, N_SEQUENCES);
		tree_pack(t, 0);
		loss = run(m, w, t, &b, 0, 0.9f);
		for (int64_t i = 0; i < m->n_parameters; i++)
			ref.data[i] = (double)m->data[i];
		want = reference_loss(&ref, &b, (double)0.9f);
		assert_true(fabs(loss - want) < 2e-5 * (1.0 + fabs(want)));
		for (int64_t i = 0; i < m->n_parameters; i += 1 + m->n_parameters / 150) {
			double at = ref.data[i], high, low;

			ref.data[i] = at + step;
			high = reference_loss(&ref, &b, (double)0.9f);
			ref.data[i] = at - step;
			low = reference_loss(&ref, &b, (double)0.9f);
			ref.data[i] = at;
			want = (high - low) / (2.0 * step);
			/* 1e-5: what central differences of this step leave. */
			if (!(fabs((double)m->grad[i] - want) < 1e-4 * (1.0 + fabs(want))))
				fail_msg("config %d, parameter %lld: %g instead of %g", k,
					(long long)i, (double)m->grad[i], want);
		}
		free(ref.data);
		tree_free(t);
		workspace_free(w);
		model_free(m);
	}
}

static void check_gradients(const struct model *m, const float *want, double tolerance)
{
	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];
		double gap = relative_gap(
			t->grad, want + (t->data - m->data), (size_t)(t->rows * t->cols));

		if (!(gap < tolerance))
			fail_msg("%s: %g", t->name, gap);
	}
}

/* Tree, flat, in two parts: one result; again, and on more threads: the same bits. */
static void test_same_gradients(void **state)
{
	static struct batch b;

	(void)state;
	for (int k = 0; k < N_CONFIGS; k++) {
		struct model *m = new_model(k, 1);
		struct workspace *w = workspace_new(m, MAX_ROWS, MAX_ROWS, NULL);
		struct tree *t = tree_new();
		size_t bytes = (size_t)m->n_parameters * sizeof(float);
		float *want = xmalloc(bytes);
		struct rng r;
		double loss;

		rng_init(&r, 43, RNG_TEST, (uint64_t)k, 0);
		batch_fill(&b, &r, m->config.vocab_size);
		batch_add(&b, t, 0, N_SEQUENCES);
		tree_pack(t, 0);
		assert_true(t->n_rows < t->flat_rows);
		loss = run(m, w, t, &b, 0, 1.0f);
		memcpy(want, m->grad, bytes);
		for (int way = 0; way < 5; way++) {
			double got;

			model_grad_zero(m);
			test_device(way == 3 ? 2 : way == 4 ? 5 : 1);
			cpu_grain = way >= 3 ? 0 : 1 << 15;
			tree_clear(t);
			batch_add(&b, t, 0, way == 2 ? 6 : N_SEQUENCES);
			tree_pack(t, way == 1);
			got = run(m, w, t, &b, 0, 1.0f);
			if (way == 2) {
				tree_clear(t);
				batch_add(&b, t, 6, N_SEQUENCES);
				tree_pack(t, 0);
				got += run(m, w, t, &b, 6, 1.0f);
			}
			assert_true(fabs(got - loss) < 1e-5 * (1.0 + fabs(loss)));
			if (way == 0 || way >= 3)
				assert_memory_equal(want, m->grad, bytes);
			check_gradients(m, want, 1e-5);
		}
		cpu_grain = 1 << 15;
		test_device(1);
		free(want);
		tree_free(t);
		workspace_free(w);
		model_free(m);
	}
}

/* Where all targets are guided, a token that nobody may choose gets no gradient of
 * the head at all. */
static void test_unlisted(void **state)
{
	static const int32_t tokens[2][5] = {{1, 2, 3, 4, 5}, {1, 2, 6, 4, 9}};
	struct set few = {.ids = {3, 4, 5, 6, 9}};
	struct set many = {.ids = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}};
	const struct choices *f = set_finish(&few, 5), *g = set_finish(&many, 16);
	const struct choices *choices[5] = {NULL, NULL, f, g, f};
	struct model *m = new_model(0, 1); /* the head is not tied */
	struct workspace *w = workspace_new(m, 16, 16, NULL);
	struct tree *t = tree_new();
	float logprob[16], coefficient[16] = {1.0f, -2.0f, 0.5f, 1.0f, 3.0f};
	const struct tensor *head = NULL;
	struct error err;

	(void)state;
	for (int i = 0; i < m->n_tensors; i++)
		if (m->tensors[i].role == TENSOR_HEAD)
			head = &m->tensors[i];
	assert_non_null(head);
	for (int s = 0; s < 2; s++)
		tree_add_guided(t, tokens[s], 5, 2, choices);
	tree_pack(t, 0);
	assert_ok(model_forward(m, w, t, 1.0f, logprob, NULL, &err), err);
	assert_ok(model_backward(m, w, t, coefficient, &err), err);
	for (int j = 0; j < m->config.vocab_size; j++) {
		double sum = 0.0;

		for (int d = 0; d < (int)head->cols; d++)
			sum += fabs((double)head->grad[j * head->cols + d]);
		if (j < 2 || j > 17)
			assert_true(sum == 0.0);
		else
			assert_true(sum > 0.0);
	}
	tree_free(t);
	workspace_free(w);
	model_free(m);
}

static void expect_error(struct model *m, struct workspace *w, const struct choices *c,
	int32_t token, const char *message)
{
	const int32_t tokens[] = {1, token};
	const struct choices *choices[] = {NULL, c};
	struct tree *t = tree_new();
	float logprob[2];
	struct error err = {0};

	tree_add_guided(t, tokens, 2, 1, choices);
	tree_pack(t, 0);
	assert_int_equal(model_forward(m, w, t, 1.0f, logprob, NULL, &err), -1);
	if (!strstr(err.message, message))
		fail_msg("'%s' lacks '%s'", err.message, message);
	tree_free(t);
}

static void test_misuse(void **state)
{
	struct set outside = {.ids = {2, 33}}, negative = {.ids = {-1, 2}}, twice = {.ids = {2, 2}},
		   few = {.ids = {2, 3}};
	struct model *m = new_model(0, 1);
	struct workspace *w = workspace_new(m, 8, 8, NULL);
	struct tree *t = tree_new();
	const int32_t tokens[] = {1, 2};
	const struct choices *choices[] = {NULL, set_finish(&few, 1)};
	float logprob[1];
	struct error err;

	(void)state;
	expect_error(m, w, set_finish(&outside, 2), 2, "choice 33 is not in a vocabulary of 33");
	expect_error(m, w, set_finish(&negative, 2), 2, "choice -1 is not");
	expect_error(m, w, set_finish(&twice, 2), 2, "not ascending");
	expect_error(m, w, set_finish(&few, 2), 4, "not among the 2 choices");
	/* Nothing to compute. */
	set_finish(&few, 1);
	tree_add_guided(t, tokens, 2, 1, choices);
	tree_pack(t, 0);
	assert_ok(model_forward(m, w, t, 1.0f, logprob, NULL, &err), err);
	assert_ok(model_backward(m, w, t, logprob, &err), err);
	tree_free(t);
	workspace_free(w);
	model_free(m);
}

/* Many sets: each found again where it was laid out. */
static void test_lists(void **state)
{
	enum {
		N = 3000
	};
	static struct set sets[N], copy;
	static int32_t at[N];
	struct choice_lists l = {0};
	struct error err;
	struct rng r;

	(void)state;
	rng_init(&r, 44, RNG_TEST, 0, 0);
	for (int round = 0; round < 2; round++) {
		choice_lists_clear(&l);
		for (int k = 0; k < N; k++) {
			int n = 1 + (int)rng_below(&r, 4);

			for (int i = 0; i < n; i++)
				sets[k].ids[i] = (int32_t)rng_below(&r, 200) + 200 * i;
			set_finish(&sets[k], n);
			at[k] = choice_lists_add(&l, &sets[k].c, 1000, &err);
			assert_true(at[k] >= 0);
		}
		for (int k = 0; k < N; k++) {
			const struct choices *c = &sets[k].c;

			copy = sets[k];
			set_finish(&copy, c->n);
			assert_int_equal(choice_lists_add(&l, &copy.c, 1000, &err), at[k]);
			assert_memory_equal(l.ids + at[k], c->ids, (size_t)c->n * sizeof *c->ids);
		}
		assert_true(l.n_lists > N / 2 && l.n_lists < N);
	}
	choice_lists_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_packing),
		cmocka_unit_test(test_random_packing), cmocka_unit_test(test_finite_differences),
		cmocka_unit_test(test_same_gradients), cmocka_unit_test(test_unlisted),
		cmocka_unit_test(test_misuse), cmocka_unit_test(test_lists)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
