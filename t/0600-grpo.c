/* Advantages and losses of GRPO against TRL's formulae (testdata/rl/grpo.txt, made
 * by t/make_grpo_reference.py) and against finite differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "rl/grpo.h"
#include "t/rl_reference.h"

enum {
	MAX_SAMPLES = 64,
	MAX_TOKENS = 512
};

static struct reference ref;

static const struct grpo_options defaults = {
	.loss = LOSS_DAPO, .epsilon_low = 0.2, .epsilon_high = 0.28, .max_completion_length = 12};

/* !(a <= b) so that a NaN fails too. */
static void assert_near(double a, double b, double tolerance, const char *what)
{
	if (!(fabs(a - b) <= tolerance * fmax(1, fabs(b))))
		fail_msg("%s: %.17g, expected %.17g", what, a, b);
}

static void test_advantages(void **state)
{
	size_t n, m, groups, dead;
	const double *reward = reference_get(&ref, "rewards", &n);
	const double *number = reference_get(&ref, "groups", &m);
	long long group[MAX_SAMPLES];
	double advantage[MAX_SAMPLES];

	(void)state;
	assert_int_equal(n, m);
	for (size_t i = 0; i < n; i++)
		group[i] = (long long)number[i];
	for (int scale = 0; scale < 3; scale++) {
		char name[64];
		snprintf(name, sizeof name, "advantage.%s", advantage_scale_names[scale]);
		const double *expected = reference_get(&ref, name, &m);

		for (size_t i = 0; i < n; i++)
			advantage[i] = NAN;
		grpo_advantages(
			n, reward, group, (enum advantage_scale)scale, advantage, &groups, &dead);
		for (size_t i = 0; i < n; i++)
			assert_near(advantage[i], expected[i], 1e-12, name);
		assert_int_equal(groups, 4);
		assert_int_equal(dead, 2);
	}
}

static void test_advantage_edges(void **state)
{
	double reward[] = {0.1, 0.1, 0.1, NAN, NAN, 0.7, 1, NAN};
	long long group[] = {-4, -4, -4, 8, 8, 1LL << 60, 3, 3};
	double advantage[8];
	size_t groups, dead;

	(void)state;
	for (int scale = 0; scale < 3; scale++) {
		grpo_advantages(
			8, reward, group, (enum advantage_scale)scale, advantage, &groups, &dead);
		assert_int_equal(groups, 4);
		assert_int_equal(dead, 4);
		for (int i = 0; i < 8; i++)
			assert_true(advantage[i] == 0);
	}
	grpo_advantages(0, reward, group, SCALE_GROUP, advantage, &groups, &dead);
	assert_int_equal(groups, 0);
	/* Two values a group: the sample standard deviation is |a - b| / sqrt(2). */
	grpo_advantages(
		2, (double[]){1, -1}, (long long[]){1, 1}, SCALE_GROUP, advantage, &groups, &dead);
	assert_near(advantage[0], 1 / (sqrt(2) + 1e-4), 1e-12, "pair");
	assert_int_equal(dead, 0);
}

/* The samples of the reference file. */
struct batch {
	size_t n, n_tokens;
	struct grpo_sample samples[MAX_SAMPLES];
	float logp[MAX_TOKENS], old[MAX_TOKENS], reference[MAX_TOKENS], coefficient[MAX_TOKENS];
	float *coefficients[MAX_SAMPLES];
};

static void read_floats(const char *name, float *to, size_t expected)
{
	size_t n;
	const double *from = reference_get(&ref, name, &n);

	assert_int_equal(n, expected);
	for (size_t i = 0; i < n; i++)
		to[i] = (float)from[i];
}

static void batch_init(struct batch *b)
{
	size_t n;
	const double *length = reference_get(&ref, "lengths", &b->n);
	const double *counted = reference_get(&ref, "counted", &n);
	const double *advantage = reference_get(&ref, "adv", &n);

	b->n_tokens = 0;
	for (size_t i = 0; i < b->n; i++) {
		b->samples[i] = (struct grpo_sample){
			.advantage = advantage[i],
			.n_tokens = (int)length[i],
			.counted = counted[i] != 0,
			.logp = b->logp + b->n_tokens,
			.logp_old = b->old + b->n_tokens,
			.logp_ref = b->reference + b->n_tokens,
		};
		b->coefficients[i] = b->coefficient + b->n_tokens;
		b->n_tokens += (size_t)length[i];
	}
	for (size_t i = 0; i < b->n_tokens; i++)
		b->coefficient[i] = NAN;
	read_floats("logp", b->logp, b->n_tokens);
	read_floats("old", b->old, b->n_tokens);
	read_floats("ref", b->reference, b->n_tokens);
}

static void check_loss(enum loss_kind kind, double beta)
{
	struct batch b;
	struct grpo_options o = defaults;
	struct grpo_metrics metrics;
	char name[64];
	size_t n;

	batch_init(&b);
	o.loss = kind;
	o.beta = beta;
	grpo_loss(b.n, b.samples, &o, b.coefficients, &metrics);
	snprintf(name, sizeof name, "loss.%s%s", loss_kind_names[kind], beta != 0 ? ".kl" : "");
	assert_near(metrics.loss, reference_get(&ref, name, &n)[0], 1e-10, name);
	memcpy(name, "grad", 4);
	const double *expected = reference_get(&ref, name, &n);
	assert_int_equal(n, b.n_tokens);
	for (size_t i = 0; i < n; i++)
		assert_near(b.coefficient[i], expected[i], 1e-7, name);
	assert_near(metrics.clip_low, reference_get(&ref, "clip_low", &n)[0], 1e-12, "clip low");
	assert_near(metrics.clip_high, reference_get(&ref, "clip_high", &n)[0], 1e-12, "clip high");
	assert_near(metrics.ratio_mean, reference_get(&ref, "ratio_mean", &n)[0], 1e-12, "ratio");
	assert_near(metrics.ratio_max_gap, reference_get(&ref, "ratio_max_gap", &n)[0], 1e-12,
		"ratio gap");
	if (beta != 0)
		assert_near(metrics.kl, reference_get(&ref, "kl", &n)[0], 1e-12, "kl");
}

static void test_losses(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		check_loss((enum loss_kind)kind, 0);
		check_loss((enum loss_kind)kind, 0.04);
	}
}

static void test_finite_differences(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct batch b;
		struct grpo_options o = defaults;
		struct grpo_metrics up, down;
		float gradient[MAX_TOKENS];
		const float h = 1.0f / 1024;

		batch_init(&b);
		o.loss = (enum loss_kind)kind;
		o.beta = 0.1;
		grpo_loss(b.n, b.samples, &o, b.coefficients, &up);
		memcpy(gradient, b.coefficient, sizeof gradient);
		for (size_t i = 0; i < b.n_tokens; i++) {
			float x = b.logp[i];
			double step = (double)(x + h) - (double)(x - h);

			b.logp[i] = x + h;
			grpo_loss(b.n, b.samples, &o, b.coefficients, &up);
			b.logp[i] = x - h;
			grpo_loss(b.n, b.samples, &o, b.coefficients, &down);
			b.logp[i] = x;
			assert_near((up.loss - down.loss) / step, gradient[i], 1e-6,
				loss_kind_names[kind]);
		}
	}
}

/* Denominators are the window's, so parts add up to the whole, bit for bit. */
static void test_parts(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++)
		for (size_t part = 1; part <= 6; part++) {
			struct batch whole, cut;
			struct grpo_options o = defaults;
			struct grpo_window window = {0};
			struct grpo_sums sums = {0};
			struct grpo_metrics a, b;

			batch_init(&whole);
			batch_init(&cut);
			o.loss = (enum loss_kind)kind;
			o.beta = 0.04;
			grpo_loss(whole.n, whole.samples, &o, whole.coefficients, &a);
			for (size_t i = 0; i < cut.n; i++)
				grpo_window_add(&window, &cut.samples[i]);
			for (size_t i = 0; i < cut.n; i += part)
				grpo_loss_part(part < cut.n - i ? part : cut.n - i, cut.samples + i,
					&o, &window, cut.coefficients + i, &sums);
			grpo_metrics_of(&sums, &b);
			assert_memory_equal(
				whole.coefficient, cut.coefficient, whole.n_tokens * sizeof(float));
			assert_near(b.loss, a.loss, 1e-14, "loss");
			assert_int_equal(a.n_tokens, b.n_tokens);
		}
}

/* One advantage, all on policy: every loss has a value that can be told by hand. */
static void test_denominators(void **state)
{
	float logp[] = {-1, -2, -3, -4, -5, -6}, coefficient[6];
	struct grpo_sample s[3] = {
		{.advantage = 1, .n_tokens = 1, .counted = 1, .logp = logp, .logp_old = logp},
		{.advantage = 1,
			.n_tokens = 3,
			.counted = 1,
			.logp = logp + 1,
			.logp_old = logp + 1},
		{.advantage = 1,
			.n_tokens = 2,
			.counted = 0,
			.logp = logp + 4,
			.logp_old = logp + 4},
	};
	float *c[] = {coefficient, coefficient + 1, coefficient + 4};
	struct grpo_options o = defaults;
	struct grpo_metrics m;
	static const double expected[4][2] = {
		{-0.25, -0.25}, {-0.5, -0.5 / 3}, {-1.0 / 24, -1.0 / 24}, {-0.25, -0.25}};

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		o.loss = (enum loss_kind)kind;
		grpo_loss(3, s, &o, c, &m);
		assert_near(coefficient[0], expected[kind][0], 1e-7, loss_kind_names[kind]);
		assert_near(coefficient[3], expected[kind][1], 1e-7, loss_kind_names[kind]);
		assert_true(coefficient[4] == 0 && coefficient[5] == 0);
		assert_int_equal(m.n_tokens, 4);
		assert_true(m.ratio_max_gap == 0);
	}
	for (int i = 0; i < 3; i++)
		s[i].counted = 0;
	grpo_loss(3, s, &o, c, &m);
	assert_true(m.loss == 0 && m.n_tokens == 0 && coefficient[0] == 0);
}

/* A log-probability that is no number must be seen, not clipped away. */
static void test_not_a_number(void **state)
{
	float logp[] = {NAN, -1}, old[] = {-1, -1}, coefficient[2];
	float *c[] = {coefficient};
	struct grpo_sample s = {
		.advantage = -1, .n_tokens = 2, .counted = 1, .logp = logp, .logp_old = old};
	struct grpo_metrics m;

	(void)state;
	grpo_loss(1, &s, &defaults, c, &m);
	assert_true(isnan(m.loss) && isnan(m.ratio_max_gap) && isnan(coefficient[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_advantages),
		cmocka_unit_test(test_advantage_edges),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_finite_differences),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_denominators),
		cmocka_unit_test(test_not_a_number),
	};
	int failed;

	reference_read(&ref, "testdata/rl/grpo.txt");
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	reference_release(&ref);
	return failed;
}
