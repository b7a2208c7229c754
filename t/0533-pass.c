/* Passes cut to what the cache takes at once, and memory that grows under them. */
#include "t/generate_test.h"

#include "model/pass.h"

enum {
	SEQUENCES = 12,
	LENGTH = 40,
	DRAWS = 3,
	MAX_HEADS = 400
};

struct outcome {
	int n_heads, n_draws;
	int32_t rows[MAX_HEADS], token[MAX_HEADS * DRAWS];
	float logprob[MAX_HEADS * DRAWS], score[MAX_HEADS * VOCAB];
	int n_scores;
};

/* Sequences that share beginnings of many lengths. */
static void random_tree(struct tree *t, int32_t tokens[SEQUENCES][LENGTH])
{
	struct rng r;

	rng_init(&r, 4, RNG_TEST, 0, 0);
	for (int i = 0; i < SEQUENCES; i++) {
		int shared = i ? (int)rng_below(&r, LENGTH - 1) : 0;

		if (i)
			memcpy(tokens[i], tokens[rng_below(&r, (uint32_t)i)],
				(size_t)shared * sizeof **tokens);
		for (int k = shared; k < LENGTH; k++)
			tokens[i][k] = (int32_t)rng_below(&r, VOCAB);
		tree_add(t, tokens[i], LENGTH, INT32_MAX);
	}
	tree_pack(t, 0);
}

/* Everything that can be asked of the tree, in two passes: its nodes, then a run behind
 * each third row. */
static void ask(struct model *m, const struct tree *t, const struct choices *choices, int max_rows,
	struct outcome *out)
{
	struct pass first = {0}, second = {0};
	struct cache c;
	struct error err;
	struct rng r;

	rng_init(&r, 5, RNG_TEST, 0, 0);
	memset(out, 0, sizeof *out);
	assert_ok(cache_alloc(&c, m, 1, max_rows, MAX_HEADS * DRAWS, LENGTH + 4, &err), err);
	pass_add_tree(&first, t);
	assert_int_equal(first.n_rows, t->n_rows);
	for (int32_t i = 0; i < t->n_rows; i += 2) {
		pass_add_head(&first, i, i % 4 ? &choices[i / 2 % 3] : NULL);
		for (int k = 0; k < (i / 2) % (DRAWS + 1); k++)
			pass_add_draw(&first, rng_double(&r));
	}
	assert_ok(cache_reserve(&c, t->n_rows, &err), err);
	assert_true(c.max_slots >= t->n_rows);
	assert_ok(pass_draw(&first, &c, 0.8f, &err), err);
	out->n_heads = first.n_heads;
	out->n_draws = first.n_draws;
	memcpy(out->token, first.drawn, (size_t)first.n_draws * sizeof *first.drawn);
	memcpy(out->logprob, first.logprob, (size_t)first.n_draws * sizeof *first.logprob);
	for (int32_t n = 0, slot = t->n_rows; n < t->n_nodes; n++) {
		const int32_t tokens[] = {3, n % VOCAB, 8};
		const struct tree_node *node = &t->nodes[n];
		int32_t row = node->start + node->len / 2;

		pass_add_run(&second, tokens, 3, t->positions[row] + 1, slot);
		pass_add_past_of(&second, &first, n, row);
		for (int32_t i = 0; i < 3; i++)
			pass_add_head(&second, second.n_rows - 3 + i, &choices[i]);
		slot += 3;
		assert_ok(cache_reserve(&c, slot, &err), err);
	}
	assert_true(pass_bytes(&second) > 0);
	assert_ok(pass_score(&second, &c, out->score, &err), err);
	for (int32_t i = 0; i < second.n_heads; i++)
		out->n_scores += second.choices[i]->n;
	pass_free(&first);
	pass_free(&second);
	cache_free(&c);
}

/* Of the second pass, against the plain sequence. */
static void check_scores(struct model *m, const struct tree *t, const struct choices *choices,
	const struct outcome *out)
{
	const float *score = out->score;
	struct toy *toy = xcalloc(1, sizeof *toy);

	for (int32_t n = 0; n < t->n_nodes; n++) {
		int32_t tokens[LENGTH + 4], path[LENGTH], depth = 0, of = n;
		int32_t row = t->nodes[n].start + t->nodes[n].len / 2;

		for (; of >= 0; of = t->nodes[of].parent) {
			for (; row >= t->nodes[of].start; row--)
				path[depth++] = t->tokens[row];
			if (t->nodes[of].parent >= 0)
				row = t->nodes[t->nodes[of].parent].start +
				      t->nodes[t->nodes[of].parent].len - 1;
		}
		for (int32_t i = 0; i < depth; i++)
			tokens[i] = path[depth - 1 - i];
		tokens[depth] = 3;
		tokens[depth + 1] = n % VOCAB;
		tokens[depth + 2] = 8;
		for (int i = 0; i < 3; i++)
			for (int32_t k = 0; k < choices[i].n; k++) {
				/* One token behind the sequence, among these choices. */
				toy->choices[0] = choices[i];
				toy->ids[0] = (int32_t *)choices[i].ids;
				toy->to[0] = (int32_t[VOCAB]){0};
				toy->guide = (struct guide){toy_choices, toy_next};
				double want = exact_logprobs(m, tokens, depth + 1 + i, &toy->guide,
					&choices[i].ids[k], 1, 1.0, NULL);

				if (!(fabs((double)*score - want) < 1e-4))
					fail_msg("node %d, row %d: %g, should be %g", n, i,
						(double)*score, want);
				score++;
			}
	}
	assert_int_equal(score - out->score, out->n_scores);
	free(toy);
}

static void test_cuts(void **state)
{
	static const int32_t few[] = {2, 9}, some[] = {0, 1, 5, 7, 11, 13, 22};
	static int32_t tokens[SEQUENCES][LENGTH], all[VOCAB];
	const struct choices choices[] = {{few, 2, 1}, {some, 7, 2}, {all, VOCAB, 3}};
	static struct outcome whole, cut;
	struct model *m = sharp_model(1);
	struct tree *t = tree_new();

	(void)state;
	for (int32_t i = 0; i < VOCAB; i++)
		all[i] = i;
	random_tree(t, tokens);
	assert_true(t->n_rows > 150 && t->n_nodes > 15);
	ask(m, t, choices, 1000, &whole);
	assert_true(whole.n_draws > 100);
	check_scores(m, t, choices, &whole);
	for (int max_rows = 1; max_rows < 200; max_rows = max_rows * 2 + 1) {
		ask(m, t, choices, max_rows, &cut);
		assert_memory_equal(whole.token, cut.token, sizeof cut.token);
		for (int i = 0; i < whole.n_draws; i++)
			assert_true(fabsf(whole.logprob[i] - cut.logprob[i]) < 1e-5f);
		for (int i = 0; i < whole.n_scores; i++)
			assert_true(fabsf(whole.score[i] - cut.score[i]) < 1e-4f);
	}
	tree_free(t);
	model_free(m);
}

static void test_not_finite(void **state)
{
	static const int32_t ids[] = {1, 2}, tokens[] = {3, 4, 5, 6, 7};
	const struct choices choices = {ids, 2, 1};
	struct model *m = sharp_model(1);
	struct pass p = {0};
	struct cache c;
	struct error err;
	float scores[2];

	(void)state;
	assert_ok(cache_alloc(&c, m, 5, 2, 1, 8, &err), err);
	pass_add_run(&p, tokens, 5, 0, 0);
	pass_add_head(&p, 4, &choices);
	assert_ok(pass_score(&p, &c, scores, &err), err);
	m->layout->norm->data[3] = INFINITY;
	assert_int_equal(pass_score(&p, &c, scores, &err), -1);
	assert_non_null(strstr(err.message, "NaN"));
	pass_free(&p);
	cache_free(&c);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_not_finite),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
