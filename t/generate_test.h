/* generate_test.h - a model to sample from, and what it gives computed the plain way. */
#ifndef T_GENERATE_TEST_H
#define T_GENERATE_TEST_H

#include "t/model_test.h"
#include "t/toy_guide.h"

enum {
	VOCAB = 23,
	END = 5
};

static const struct model_config config = {.vocab_size = VOCAB,
	.hidden_size = 20,
	.intermediate_size = 31,
	.n_layers = 2,
	.n_heads = 4,
	.n_kv_heads = 2,
	.head_dim = 10,
	.max_positions = 640,
	.rope_theta = 1000.0f,
	.rms_norm_eps = 1e-6f};

/* A model whose distributions are neither flat nor certain. */
static inline struct model *sharp_model(int threads)
{
	struct error err;
	struct model *m = model_new(&config, test_device(threads), 7, 0, &err);

	assert_non_null(m);
	for (int64_t i = 0; i < m->n_parameters; i++)
		m->data[i] *= 12.0f;
	for (int i = 0; i < m->n_tensors; i++)
		for (int64_t j = 0; m->tensors[i].role == TENSOR_NORM && j < m->tensors[i].rows;
			j++)
			m->tensors[i].data[j] = 1.0f;
	return m;
}

/* Natural log of the probability of a token among choices (NULL: all). */
static inline double masked_logprob(
	const float *logits, double temperature, const struct choices *c, int32_t token)
{
	double max = -INFINITY, sum = 0.0;
	int n = c ? c->n : VOCAB;

	for (int i = 0; i < n; i++)
		max = fmax(max, (double)logits[c ? c->ids[i] : i] / temperature);
	for (int i = 0; i < n; i++)
		sum += exp((double)logits[c ? c->ids[i] : i] / temperature - max);
	return (double)logits[token] / temperature - max - log(sum);
}

/* Log-probabilities of the n tokens behind a prompt, from the logits of the plain
 * sequence with what is no choice masked: into each[n].  Returns their sum. */
static inline double exact_logprobs(struct model *m, const int32_t *prompt, int32_t n_prompt,
	struct guide *g, const int32_t *tokens, int32_t n, double temperature, double *each)
{
	int32_t *all = xcalloc((size_t)(n_prompt + n), sizeof *all), state = 0;
	float *logits = xcalloc((size_t)(n_prompt + n) * VOCAB, sizeof *logits);
	struct error err;
	struct workspace *w = workspace_new(m, n_prompt + n, 1, &err);
	struct tree *t = tree_new();
	double sum = 0.0;

	assert_non_null(w);
	memcpy(all, prompt, (size_t)n_prompt * sizeof *all);
	memcpy(all + n_prompt, tokens, (size_t)n * sizeof *all);
	tree_add(t, all, n_prompt + n, INT32_MAX);
	tree_pack(t, 1);
	assert_ok(model_logits(m, w, t, logits, &err), err);
	for (int32_t i = 0; i < n; i++) {
		const struct choices *c = g ? g->choices(g, state) : NULL;
		double one = masked_logprob(
			logits + (size_t)(n_prompt + i - 1) * VOCAB, temperature, c, tokens[i]);

		if (each)
			each[i] = one;
		sum += one;
		state = g ? g->next(g, state, tokens[i]) : 0;
		assert_true(state >= 0);
	}
	tree_free(t);
	workspace_free(w);
	free(logits);
	free(all);
	return sum;
}

#endif
