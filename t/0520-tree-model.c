/*
 * Trees through the whole model: packing, equality with the flat batch, gradients by
 * finite differences of plain double-precision code, threads, NaNs.
 */
#include "t/model_reference.h"
#include "t/model_test.h"

#include "kernels/cpu/cpu.h"

enum {
	MAX_ROWS = 512
};

/* --- packing --------------------------------------------------------------- */

static void test_packing(void **state)
{
	static const int32_t a[] = {1, 2, 3, 4}, b[] = {1, 2, 5}, c[] = {1, 2, 3, 4, 6}, d[] = {9};
	struct tree *t = tree_new();
	const int32_t *e;

	(void)state;
	for (int round = 0; round < 2; round++) {
		tree_clear(t);
		tree_add(t, a, 4, 1);
		tree_add(t, b, 3, 2);
		tree_add(t, c, 5, 3);
		tree_add(t, a, 4, 1);
		tree_add(t, d, 1, 1);
		tree_pack(t, 0);
		/* 1 2 | 3 4 | 9: the last tokens 5 and 6 predict nothing. */
		assert_int_equal(t->n_rows, 5);
		assert_int_equal(t->n_nodes, 2);
		assert_int_equal(t->flat_rows, 3 + 2 + 4 + 3 + 1);
		assert_int_equal(t->nodes[1].parent, -1);
		assert_int_equal(t->sequence_last_row[4], 4);
		/* 1>2 2>3 2>5 3>4 4>6 */
		assert_int_equal(t->n_edges, 5);
		for (int i = 1; i < t->n_edges; i++)
			assert_true(t->edge_row[i] >= t->edge_row[i - 1]);
		e = t->sequence_edges;
		assert_int_equal(e[t->sequence_start[0]], 0);
		assert_memory_equal(
			e + t->sequence_start[0], e + t->sequence_start[3], 3 * sizeof *e);
		assert_int_equal(e[t->sequence_start[1]], -1);
		assert_int_equal(t->edge_token[e[t->sequence_start[1] + 1]], 5);
		assert_int_equal(e[t->sequence_start[2] + 1], -1);
		assert_int_equal(e[t->sequence_start[2] + 2], e[t->sequence_start[0] + 2]);
		tree_pack(t, 1);
		assert_int_equal(t->n_rows, t->flat_rows);
		assert_int_equal(t->n_nodes, 5);
		assert_int_equal(t->n_edges, 3 + 1 + 2 + 3);
	}
	tree_free(t);
}

/* Rows, nodes and edges of random forests against their definition. */
static void test_random_packing(void **state)
{
	struct tree *t = tree_new();
	struct rng r;

	(void)state;
	rng_init(&r, 30, RNG_TEST, 0, 0);
	for (int round = 0; round < 200; round++) {
		int32_t tokens[20][12], len[20], first[20];
		int n = 1 + (int)rng_below(&r, 20);

		tree_clear(t);
		for (int s = 0; s < n; s++) {
			len[s] = 1 + (int32_t)rng_below(&r, 12);
			first[s] = (int32_t)rng_below(&r, 13);
			for (int i = 0; i < len[s]; i++)
				tokens[s][i] = (int32_t)rng_below(&r, 2);
			assert_int_equal(tree_add(t, tokens[s], len[s], first[s]), s);
		}
		tree_pack(t, 0);
		for (int i = 0; i < t->n_nodes; i++) {
			const struct tree_node *node = &t->nodes[i];

			assert_true(node->parent < i && node->len >= 1);
			assert_int_equal(
				node->start, i ? t->nodes[i - 1].start + t->nodes[i - 1].len : 0);
			assert_int_equal(node->position, t->positions[node->start]);
			if (node->parent >= 0)
				assert_int_equal(
					node->position, t->nodes[node->parent].position +
								t->nodes[node->parent].len);
		}
		for (int e = 0; e < t->n_edges; e++)
			for (int f = 0; f < e; f++)
				assert_true(t->edge_row[e] != t->edge_row[f] ||
					    t->edge_token[e] != t->edge_token[f]);
		for (int s = 0; s < n; s++)
			for (int i = 1; i < len[s]; i++) {
				int e = t->sequence_edges[t->sequence_start[s] + i - 1];

				if (i < first[s]) {
					assert_int_equal(e, -1);
					continue;
				}
				assert_in_range(e, 0, t->n_edges - 1);
				assert_int_equal(t->edge_token[e], tokens[s][i]);
				assert_int_equal(t->tokens[t->edge_row[e]], tokens[s][i - 1]);
				assert_int_equal(t->positions[t->edge_row[e]], i - 1);
			}
	}
	tree_free(t);
}

/* --- batches ------------------------------------------------------------------- */

enum {
	N_SEQUENCES = 14
};

struct batch {
	int32_t tokens[N_SEQUENCES][MAX_LEN];
	int len[N_SEQUENCES];
	float coefficient[N_SEQUENCES][MAX_LEN];
};

/* Sequences that leave each other at every depth, one twice, one of one token. */
static void batch_fill(struct batch *b, struct rng *r, int vocab)
{
	for (int s = 0; s < N_SEQUENCES; s++) {
		int shared = s ? (int)rng_below(r, 8) : 0,
		    from = s ? (int)rng_below(r, (uint32_t)s) : 0;

		b->len[s] = 2 + (int)rng_below(r, MAX_LEN - 2);
		for (int i = 0; i < b->len[s]; i++) {
			b->tokens[s][i] = i < shared && i < b->len[from]
						  ? b->tokens[from][i]
						  : (int32_t)rng_below(r, (uint32_t)vocab);
			b->coefficient[s][i] = (float)rng_normal(r);
		}
	}
	memcpy(b->tokens[3], b->tokens[2], sizeof b->tokens[2]);
	b->len[3] = b->len[2];
	b->len[5] = 1;
}

static void batch_add(const struct batch *b, struct tree *t, int from, int to)
{
	for (int s = from; s < to; s++)
		tree_add(t, b->tokens[s], b->len[s], 1);
}

static double reference_loss(const struct reference *r, const struct batch *b, double temperature)
{
	double loss = 0.0;

	for (int s = 0; s < N_SEQUENCES; s++)
		loss += reference_sequence(
			r, b->tokens[s], b->len[s], b->coefficient[s], NULL, temperature);
	return loss;
}

/* Loss and, added to the model's, gradients of the packed sequences from .. to - 1. */
static double run(struct model *m, struct workspace *w, struct tree *t, const struct batch *b,
	int from, float temperature)
{
	float logprob[MAX_ROWS], coefficient[MAX_ROWS] = {0};
	double loss = 0.0;
	struct error err;

	assert_ok(model_forward(m, w, t, temperature, logprob, NULL, &err), err);
	for (int s = 0; s < t->n_sequences; s++)
		for (int i = 1; i < t->sequence_length[s]; i++) {
			int e = t->sequence_edges[t->sequence_start[s] + i - 1];

			coefficient[e] += b->coefficient[from + s][i];
			loss += (double)b->coefficient[from + s][i] * (double)logprob[e];
		}
	assert_ok(model_backward(m, w, t, coefficient, &err), err);
	return loss;
}

static void test_finite_differences(void **state)
{
	const double step = 1e-4;

	(void)state;
	for (int k = 0; k < N_CONFIGS; k++) {
		struct model *m = new_model(k, 1);
		struct workspace *w = workspace_new(m, MAX_ROWS, MAX_ROWS, NULL);
		struct reference ref = {m, xcalloc((size_t)m->n_parameters, sizeof(double))};
		struct tree *t = tree_new();
		struct batch b = {0};
		struct rng r;
		double loss, want;

		rng_init(&r, 32, RNG_TEST, (uint64_t)k, 0);
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

/* Tree, flat, in two parts: one result; again, and on two threads: the same bits. */
static void test_same_gradients(void **state)
{
	(void)state;
	for (int k = 0; k < N_CONFIGS; k++) {
		struct model *m = new_model(k, 1);
		struct workspace *w = workspace_new(m, MAX_ROWS, MAX_ROWS, NULL);
		struct tree *t = tree_new();
		size_t bytes = (size_t)m->n_parameters * sizeof(float);
		float *want = xmalloc(bytes);
		struct batch b = {0};
		struct rng r;
		double loss;

		rng_init(&r, 33, RNG_TEST, (uint64_t)k, 0);
		batch_fill(&b, &r, m->config.vocab_size);
		batch_add(&b, t, 0, N_SEQUENCES);
		tree_pack(t, 0);
		assert_true(t->n_rows < t->flat_rows);
		loss = run(m, w, t, &b, 0, 1.0f);
		memcpy(want, m->grad, bytes);
		for (int way = 0; way < 4; way++) {
			model_grad_zero(m);
			test_device(way == 3 ? 2 : 1);
			cpu_grain = way == 3 ? 0 : 1 << 15;
			tree_clear(t);
			batch_add(&b, t, 0, way == 2 ? 6 : N_SEQUENCES);
			tree_pack(t, way == 1);
			double got = run(m, w, t, &b, 0, 1.0f);
			if (way == 2) {
				tree_clear(t);
				batch_add(&b, t, 6, N_SEQUENCES);
				tree_pack(t, 0);
				got += run(m, w, t, &b, 6, 1.0f);
			}
			assert_true(fabs(got - loss) < 1e-5 * (1.0 + fabs(loss)));
			if (way == 0 || way == 3)
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

static void expect_nan(struct model *m, struct workspace *w, const struct tree *t, const char *name,
	const char *where)
{
	float logprob[MAX_ROWS];
	struct error err = {0};

	for (int i = 0; i < m->n_tensors; i++) {
		if (strcmp(m->tensors[i].name, name) != 0)
			continue;
		float *x = &m->tensors[i].data[m->tensors[i].rows / 2], old = *x;

		*x = NAN;
		assert_int_equal(model_forward(m, w, t, 1.0f, logprob, NULL, &err), -1);
		*x = old;
		if (!strstr(err.message, where))
			fail_msg("'%s' lacks '%s'", err.message, where);
		assert_ok(model_forward(m, w, t, 1.0f, logprob, NULL, &err), err);
		return;
	}
	fail_msg("no tensor %s", name);
}

static void test_not_finite(void **state)
{
	struct model *m = new_model(0, 1);
	struct workspace *w = workspace_new(m, MAX_ROWS, MAX_ROWS, NULL);
	struct tree *t = tree_new();
	float logprob[MAX_ROWS], coefficient[MAX_ROWS] = {0};
	struct batch b = {0};
	struct error err;
	struct rng r;

	(void)state;
	rng_init(&r, 34, RNG_TEST, 0, 0);
	batch_fill(&b, &r, m->config.vocab_size);
	batch_add(&b, t, 0, N_SEQUENCES);
	tree_pack(t, 0);
	expect_nan(m, w, t, "model.layers.1.input_layernorm.weight", "layer 1, input_layernorm");
	expect_nan(m, w, t, "model.layers.0.self_attn.k_proj.weight", "layer 0, q_proj, k_proj");
	expect_nan(m, w, t, "model.layers.1.self_attn.o_proj.weight", "layer 1, o_proj");
	expect_nan(m, w, t, "model.layers.0.mlp.up_proj.weight", "layer 0, gate_proj or up_proj");
	expect_nan(m, w, t, "model.layers.1.mlp.down_proj.weight", "layer 1, down_proj");
	expect_nan(m, w, t, "model.norm.weight", "final norm");
	expect_nan(m, w, t, "lm_head.weight", "lm_head");
	/* Backward: a coefficient, and an overflow on the way. */
	assert_ok(model_forward(m, w, t, 1.0f, logprob, NULL, &err), err);
	coefficient[1] = NAN;
	assert_int_equal(model_backward(m, w, t, coefficient, &err), -1);
	assert_non_null(strstr(err.message, "edge 1"));
	coefficient[1] = 3e38f;
	coefficient[2] = 3e38f;
	coefficient[3] = 3e38f;
	assert_int_equal(model_backward(m, w, t, coefficient, &err), -1);
	assert_non_null(strstr(err.message, "gradient"));
	tree_free(t);
	workspace_free(w);
	model_free(m);
}

static void test_misuse(void **state)
{
	struct model *m = new_model(0, 1);
	struct workspace *w = workspace_new(m, 4, 4, NULL);
	struct tree *t = tree_new();
	const int32_t tokens[] = {1, 2, 3, 4, 5, 6}, strange[] = {1, 33, 2};
	float logprob[8];
	struct error err;

	(void)state;
	assert_true(workspace_bytes(w) > 0);
	tree_add(t, tokens, 6, 1);
	tree_pack(t, 0);
	assert_int_equal(model_forward(m, w, t, 1.0f, logprob, NULL, &err), -1);
	assert_non_null(strstr(err.message, "does not fit"));
	tree_clear(t);
	tree_add(t, strange, 3, 1);
	tree_pack(t, 0);
	assert_int_equal(model_forward(m, w, t, 1.0f, logprob, NULL, &err), -1);
	assert_non_null(strstr(err.message, "vocabulary"));
	tree_clear(t);
	tree_pack(t, 0);
	assert_ok(model_forward(m, w, t, 1.0f, logprob, NULL, &err), err);
	assert_ok(model_backward(m, w, t, logprob, &err), err);
	tree_add(t, tokens, 3, 1);
	tree_pack(t, 0);
	assert_int_equal(model_forward(m, w, t, 0.0f, logprob, NULL, &err), -1);
	assert_null(device_open("cuda", 1, &err));
	assert_int_equal(err.code, EXIT_UNAVAILABLE);
	assert_null(device_open("tpu", 1, &err));
	tree_free(t);
	workspace_free(w);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_packing),
		cmocka_unit_test(test_random_packing), cmocka_unit_test(test_finite_differences),
		cmocka_unit_test(test_same_gradients), cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_misuse)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
