/* GRPO through the model: gradients by the tree and flat, cut into micro-batches,
 * and against finite differences; the ratio check; samples left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "rl/trainer.h"

enum {
	VOCAB = 40,
	GROUPS = 5,
	PER_GROUP = 6,
	N = GROUPS * PER_GROUP,
	PROMPT = 7,
	LONGEST = 9
};

static const struct device *device;

static const struct trainer_options defaults = {
	.grpo = {.epsilon_low = 0.2, .epsilon_high = 0.28, .max_completion_length = 12},
	.inner_epochs = 1,
	.micro_rows = 1024,
	.tolerance = 1e-4};

static struct policy policy_of(uint64_t seed)
{
	struct model_config c = {.vocab_size = VOCAB,
		.hidden_size = 16,
		.intermediate_size = 32,
		.n_layers = 2,
		.n_heads = 2,
		.n_kv_heads = 1,
		.head_dim = 8,
		.max_positions = 64,
		.rope_theta = 10000,
		.rms_norm_eps = 1e-5f,
		.tie_word_embeddings = 1};
	struct policy p = {0};
	struct error err;

	p.model = model_new(&c, device, seed, 1, &err);
	assert_non_null(p.model);
	/* Weights of 0.02 make a uniform distribution; livelier ones test more. */
	device->axpby(p.model->data, p.model->data, p.model->n_parameters, 4, 0);
	return p;
}

/* Rollouts that agree for a while within a group, scored at random.  Their logprobs
 * are the model's own, moved by up to `off`. */
static void batch_init(struct rewarded_batch *b, struct policy *p, double off)
{
	struct tree *tree = tree_new();
	struct error err;
	struct rng rng;
	float logprob[N * LONGEST];

	memset(b, 0, sizeof *b);
	b->samples = xcalloc(N, sizeof *b->samples);
	b->n = b->cap = N;
	b->temperature = 0.9;
	rng_init(&rng, 3, RNG_TEST, 0, 0);
	for (int i = 0; i < N; i++) {
		struct rewarded *s = &b->samples[i];
		char name[32];

		snprintf(name, sizeof name, "sample %d", i);
		s->name = arena_strdup(&b->arena, name);
		s->group = i / PER_GROUP;
		s->n_prompt = PROMPT - i / PER_GROUP;
		s->n_tokens = 2 + (int)rng_below(&rng, LONGEST - 2);
		s->prompt = arena_alloc(&b->arena, PROMPT * sizeof(int32_t));
		s->tokens = arena_alloc(&b->arena, LONGEST * sizeof(int32_t));
		s->logp_old = arena_alloc(&b->arena, LONGEST * sizeof(float));
		for (int k = 0; k < s->n_prompt; k++)
			s->prompt[k] = (int32_t)((i / PER_GROUP * 5 + k * 3) % VOCAB);
		for (int k = 0; k < s->n_tokens; k++)
			s->tokens[k] = (int32_t)rng_below(&rng, k < 3 ? 2 : VOCAB);
		s->reward = (double)rng_below(&rng, 3) - 1;
		s->truncated = i % 7 == 3;
	}
	b->samples[4].reward = NAN;
	for (int i = PER_GROUP; i < 2 * PER_GROUP; i++) /* a dead group */
		b->samples[i].reward = 0.5;
	for (int i = 0; i < N; i++) {
		struct rewarded *s = &b->samples[i];
		struct workspace *w = workspace_new(p->model, 64, 64, &err);
		int32_t ids[PROMPT + LONGEST];

		memcpy(ids, s->prompt, (size_t)s->n_prompt * sizeof *ids);
		memcpy(ids + s->n_prompt, s->tokens, (size_t)s->n_tokens * sizeof *ids);
		tree_clear(tree);
		tree_add(tree, ids, s->n_prompt + s->n_tokens, s->n_prompt);
		tree_pack(tree, 1);
		assert_int_equal(model_forward(p->model, w, tree, (float)b->temperature, logprob,
					 NULL, &err),
			0);
		for (int k = 0; k < s->n_tokens; k++)
			s->logp_old[k] = logprob[k] + (float)(off * (rng_double(&rng) - 0.5));
		workspace_free(w);
	}
	tree_free(tree);
}

static void batch_free(struct rewarded_batch *b)
{
	free(b->samples);
	b->samples = NULL;
	rewarded_release(b);
}

/* Loss and gradient (a copy) of the batch. */
static float *gradient(struct policy *p, struct model *reference, const struct rewarded_batch *b,
	const struct trainer_options *o, struct trainer_result *r)
{
	struct error err;
	struct trainer *t = trainer_new(p, reference, NULL, o, &err);
	size_t bytes = (size_t)p->model->n_parameters * sizeof(float);
	float *copy = xmalloc(bytes);

	assert_non_null(t);
	if (trainer_gradient(t, b, 0, r, &err) != 0)
		fail_msg("%s", err.message);
	device->download(copy, p->model->grad, bytes);
	trainer_free(t);
	return copy;
}

/* Largest difference, relative to the largest gradient. */
static double difference(const float *a, const float *b, int64_t n)
{
	double most = 0, gap = 0;

	for (int64_t i = 0; i < n; i++) {
		most = fmax(most, fabs(b[i]));
		if (!(fabs((double)a[i] - b[i]) <= gap))
			gap = fabs((double)a[i] - b[i]);
	}
	assert_true(most > 1e-6);
	return gap / most;
}

static void test_flat_and_cuts(void **state)
{
	struct policy p = policy_of(1), q = policy_of(2);
	struct rewarded_batch b;

	(void)state;
	batch_init(&b, &p, 1.0);
	for (int kind = 0; kind < 4; kind++) {
		struct trainer_options o = defaults;
		struct trainer_result tree, other;
		float *expected, *got;

		o.grpo.loss = (enum loss_kind)kind;
		o.grpo.beta = kind % 2 ? 0.05 : 0;
		o.grpo.mask_truncated = kind > 1;
		expected = gradient(&p, q.model, &b, &o, &tree);
		assert_int_equal(tree.micro_batches, 1);
		assert_true(tree.rows < tree.flat_rows);
		o.flat = 1;
		got = gradient(&p, q.model, &b, &o, &other);
		assert_int_equal(other.rows, other.flat_rows);
		assert_true(difference(got, expected, p.model->n_parameters) < 1e-5);
		assert_true(fabs(other.grpo.loss - tree.grpo.loss) < 1e-6);
		free(got);
		o.flat = 0;
		for (int rows = 16; rows < 128; rows = rows * 2 + 1) {
			o.micro_rows = rows;
			got = gradient(&p, q.model, &b, &o, &other);
			assert_true(other.micro_batches > 1);
			assert_true(difference(got, expected, p.model->n_parameters) < 1e-5);
			assert_true(fabs(other.grpo.loss - tree.grpo.loss) < 1e-6);
			assert_int_equal(other.grpo.n_tokens, tree.grpo.n_tokens);
			free(got);
		}
		free(expected);
	}
	batch_free(&b);
	model_free(p.model);
	model_free(q.model);
}

/* Along random directions: (L(x + h d) - L(x - h d)) / 2h = gradient . d. */
static void test_finite_differences(void **state)
{
	struct policy p = policy_of(1), q = policy_of(2);
	struct rewarded_batch b;
	struct trainer_options o = defaults;
	struct trainer_result r, up, down;
	int64_t n = p.model->n_parameters;
	float *g, *direction = xcalloc((size_t)n, sizeof(float));
	const float h = 2e-3f;

	(void)state;
	batch_init(&b, &p, 0.3); /* within the clipping range, where the loss is smooth */
	o.grpo.beta = 0.1;
	o.grpo.epsilon_low = o.grpo.epsilon_high = 0.9;
	g = gradient(&p, q.model, &b, &o, &r);
	for (uint64_t k = 0; k < 4; k++) {
		double expected = 0, got, size = 0;
		struct rng rng;
		float *device_direction = device->alloc((size_t)n * sizeof(float), NULL);

		rng_init(&rng, 5, RNG_TEST, k, 0);
		/* Mostly along the gradient, so that the change stands out. */
		for (int64_t i = 0; i < n; i++)
			size += (double)g[i] * g[i];
		for (int64_t i = 0; i < n; i++) {
			direction[i] =
				(float)(g[i] / sqrt(size) + rng_normal(&rng) / sqrt((double)n));
			expected += (double)g[i] * direction[i];
		}
		device->upload(device_direction, direction, (size_t)n * sizeof(float));
		device->axpby(p.model->data, device_direction, n, h, 1);
		free(gradient(&p, q.model, &b, &o, &up));
		device->axpby(p.model->data, device_direction, n, -2 * h, 1);
		free(gradient(&p, q.model, &b, &o, &down));
		device->axpby(p.model->data, device_direction, n, h, 1);
		got = (up.grpo.loss - down.grpo.loss) / (2.0 * h);
		if (!(fabs(got - expected) <= 2e-3 * fabs(expected)))
			fail_msg("slope %g, gradient says %g", got, expected);
		device->free(device_direction);
	}
	free(g);
	free(direction);
	batch_free(&b);
	model_free(p.model);
	model_free(q.model);
}

static void test_ratio_check(void **state)
{
	struct policy p = policy_of(1);
	struct rewarded_batch b;
	struct trainer_result r;
	struct error err;
	struct trainer *t = trainer_new(&p, NULL, NULL, &defaults, &err);

	(void)state;
	batch_init(&b, &p, 0);
	assert_int_equal(trainer_gradient(t, &b, 1, &r, &err), 0);
	assert_true(r.grpo.ratio_max_gap < 1e-5);
	assert_int_equal(r.n_unscored, 1);
	assert_int_equal(r.n_groups, GROUPS);
	assert_int_equal(r.n_dead, 1);
	b.samples[2].logp_old[1] += 0.01f;
	if (b.samples[2].reward == 0)
		b.samples[2].reward = 1;
	assert_int_equal(trainer_gradient(t, &b, 1, &r, &err), -1);
	assert_int_equal(err.code, EXIT_INTERNAL);
	assert_non_null(strstr(err.message, "sample 2: token 1"));
	assert_int_equal(trainer_gradient(t, &b, 0, &r, &err), 0); /* off policy: a ratio */
	trainer_free(t);
	batch_free(&b);
	model_free(p.model);
}

/* No group alive: no update, and no optimizer is asked. */
static void test_all_dead(void **state)
{
	struct policy p = policy_of(1);
	struct rewarded_batch b;
	struct trainer_result r;
	struct error err;
	struct trainer *t = trainer_new(&p, NULL, NULL, &defaults, &err);

	(void)state;
	batch_init(&b, &p, 0);
	for (size_t i = 0; i < b.n; i++)
		b.samples[i].reward = i % 3 ? (double)b.samples[i].group : NAN;
	assert_int_equal(trainer_update(t, &b, 1, 1, &r, &err), 0);
	assert_int_equal(r.n_dead, GROUPS);
	assert_int_equal(r.micro_batches, 0);
	trainer_free(t);
	batch_free(&b);
	model_free(p.model);
}

/* A NaN in a weight names the sample, and the layer where it came up. */
static void test_not_a_number(void **state)
{
	struct policy p = policy_of(1);
	struct rewarded_batch b;
	struct trainer_result r;
	struct error err;
	struct trainer *t = trainer_new(&p, NULL, NULL, &defaults, &err);
	float bad = NAN;

	(void)state;
	batch_init(&b, &p, 0);
	/* Of the embedding of a token that only some samples have. */
	int32_t token = b.samples[N - 1].tokens[0];
	for (int i = 0; i < N; i++)
		if (b.samples[i].n_tokens > 4 && b.samples[i].reward != 0.5 &&
			!isnan(b.samples[i].reward))
			token = b.samples[i].tokens[3];
	device->upload(
		p.model->tensors[0].data + token * p.model->tensors[0].cols, &bad, sizeof bad);
	assert_int_equal(trainer_gradient(t, &b, 0, &r, &err), -1);
	assert_non_null(strstr(err.message, "sample "));
	trainer_free(t);
	batch_free(&b);
	model_free(p.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat_and_cuts),
		cmocka_unit_test(test_finite_differences),
		cmocka_unit_test(test_ratio_check),
		cmocka_unit_test(test_all_dead),
		cmocka_unit_test(test_not_a_number),
	};
	struct error err;

	note_enable(0);
	device = device_open("cpu", 1, &err);
	if (!device)
		die_error(&err);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
