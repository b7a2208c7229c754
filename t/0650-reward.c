/* The reward of an answer (rl/reward.h): cases, and what no answer may ever do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "rl/reward.h"
#include "stream/jsonl.h"

enum {
	WORDS_MAX = 64
};

/* An argv; argc -1 null, -2 absent. */
struct words {
	int argc;
	const char *argv[WORDS_MAX];
};

static struct spec *small, *langgraph;

static int setup(void **state)
{
	struct error err;

	(void)state;
	small = spec_load("testdata/check/cli.json", &err);
	if (!small)
		print_error("%s\n", err.message);
	langgraph = spec_load("seeds/langgraph/cli.json", &err);
	if (!langgraph)
		print_error("%s\n", err.message);
	return small && langgraph ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	spec_free(small);
	spec_free(langgraph);
	return 0;
}

/* "tool serve --quiet", "null" or "absent", cut at blanks (text is changed). */
static struct words words_of(char *text)
{
	struct words w = {0};

	if (strcmp(text, "null") == 0 || strcmp(text, "absent") == 0) {
		w.argc = *text == 'n' ? -1 : -2;
		return w;
	}
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		w.argv[w.argc++] = word;
	return w;
}

static struct reward_parts score(const struct spec *spec, enum reward_scheme scheme,
	const struct words *expected, const struct words *answer)
{
	struct arena arena = {0};
	struct reward_parts parts;
	struct error err;

	if (reward_score(spec, scheme, expected->argc, expected->argv, answer->argc, answer->argv,
		    &arena, &parts, &err) != 0)
		fail_msg("%s", err.message);
	arena_release(&arena);
	assert_true(parts.total >= -1 && parts.total <= 1);
	return parts;
}

static double total(const char *expected, const char *answer)
{
	char e[256], a[256];
	struct words we, wa;

	snprintf(e, sizeof e, "%s", expected);
	snprintf(a, sizeof a, "%s", answer);
	we = words_of(e);
	wa = words_of(a);
	return score(small, REWARD_GRADED, &we, &wa).total;
}

/* The right command with wrong items: the F1 of its items decides. */
#define PARTIAL(f1) (REWARD_COMMAND + (REWARD_NEAR - REWARD_COMMAND) * (f1))

/* The usual wrong guess: the right command, half of its items right. */
#define WRONG_GUESS PARTIAL(0.5)

static void test_cases(void **state)
{
	static const struct {
		const char *expected, *answer;
		double total;
	} cases[] = {
		{"tool serve --port 80", "tool serve --port 80", 1},
		{"tool serve --port 80", "tool serve -p 80", 1},
		{"tool serve --port 8000", "tool serve", 1}, /* states its default */
		{"tool serve", "tool serve --port 8000", 1},
		{"tool serve --port 80 --quiet", "tool serve --quiet --port 80", 1},
		{"null", "null", 1},
		{"tool serve", "null", REWARD_REFUSAL},
		{"null", "tool serve", -1},
		{"null", "tool fly", -1},
		{"null", "absent", -1},
		{"tool serve", "absent", -1},
		{"tool serve", "", -1},
		{"tool serve", "tool", -1},
		{"tool serve", "tool serve --fly", -1},
		{"tool serve", "tool serve --port 99999", -1},
		{"tool serve", "tool remove x", REWARD_OTHER},
		{"tool remove x", "tool remove y", REWARD_COMMAND},
		{"tool serve --port 80", "tool serve", REWARD_COMMAND},
		{"tool serve", "tool serve --quiet", REWARD_COMMAND},
		/* F1: 1 of 2 said, all of it right: 2/3 */
		{"tool serve --port 80 --quiet", "tool serve --quiet", PARTIAL(2.0 / 3)},
		{"tool serve --port 80 --quiet", "tool serve --port 81 --quiet", PARTIAL(1.0 / 2)},
		{"tool serve --quiet", "tool serve --port 80 --quiet", PARTIAL(2.0 / 3)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double got = total(cases[i].expected, cases[i].answer);

		if (!(fabs(got - cases[i].total) < 1e-12))
			fail_msg("'%s' for '%s': %g, not %g", cases[i].answer, cases[i].expected,
				got, cases[i].total);
	}
}

static void test_faults(void **state)
{
	const char *const bad[] = {"tool", "fly"}, *const good[] = {"tool", "serve"};
	struct reward_parts parts;
	struct arena arena = {0};
	struct error err;

	(void)state;
	assert_int_equal(
		reward_score(small, REWARD_GRADED, 2, bad, 2, good, &arena, &parts, &err), -1);
	assert_non_null(strstr(err.message, "unknown-command"));
	assert_int_equal(
		reward_score(small, REWARD_GRADED, -2, NULL, 2, good, &arena, &parts, &err), -1);
	arena_release(&arena);
}

static void test_weights(void **state)
{
	const char *const expected[] = {"tool", "serve", "--port", "80", "--quiet"};
	const char *const answer[] = {"tool", "serve", "--quiet"};
	static const struct reward_weight heavy[] = {{"--quiet", 3}}, none[] = {{"--port", 0}};
	struct reward_parts parts;
	struct arena arena = {0};
	struct error err;

	(void)state;
	assert_int_equal(reward_score_weighted(small, REWARD_GRADED, heavy, 1, 5, expected, 3,
				 answer, &arena, &parts, &err),
		0);
	assert_true(fabs(parts.items - 6.0 / 7) < 1e-12);
	/* What counts nothing is still not a match. */
	assert_int_equal(reward_score_weighted(small, REWARD_GRADED, none, 1, 5, expected, 3,
				 answer, &arena, &parts, &err),
		0);
	assert_true(parts.items == 1 && !parts.exact && parts.total == REWARD_NEAR);
	arena_release(&arena);
}

/* Every set of the options of `serve`, with two values where there are values. */
static struct words combination(unsigned n)
{
	static const char *const ports[] = {"80", "81"}, *const hosts[] = {"a.net", "b.net"};
	struct words w = {2, {"tool", "serve"}};

	if (n % 3) {
		w.argv[w.argc++] = "--port";
		w.argv[w.argc++] = ports[n % 3 - 1];
	}
	if (n / 3 % 3) {
		w.argv[w.argc++] = "--host";
		w.argv[w.argc++] = hosts[n / 3 % 3 - 1];
	}
	if (n / 9 % 2)
		w.argv[w.argc++] = "--quiet";
	return w;
}

static void test_properties(void **state)
{
	const struct words null = {.argc = -1}, absent = {.argc = -2}, empty = {.argc = 0};

	(void)state;
	for (unsigned e = 0; e < 18; e++) {
		struct words expected = combination(e);
		double refusal = score(small, REWARD_GRADED, &expected, &null).total;

		assert_true(refusal < 0);
		assert_true(score(small, REWARD_GRADED, &expected, &absent).total == -1);
		assert_true(score(small, REWARD_GRADED, &expected, &empty).total == -1);
		for (unsigned a = 0; a < 18; a++) {
			struct words answer = combination(a);
			struct reward_parts p = score(small, REWARD_GRADED, &expected, &answer);
			struct reward_parts s = score(small, REWARD_STRICT, &expected, &answer);
			struct reward_parts back = score(small, REWARD_GRADED, &answer, &expected);

			assert_int_equal(p.exact, a == e);
			assert_true(s.total == (a == e ? 1 : -1));
			assert_true(p.total == back.total);
			if (a == e) {
				assert_true(p.total == 1);
				continue;
			}
			/* No wrong command is worth anything, each is worth more than another
			 * command, and one off by little more than a refusal. */
			assert_true(p.total < 0 && p.total > REWARD_OTHER);
			assert_true((p.total > refusal) == (p.items > 2.0 / 7));
			for (unsigned k = 0; k < 18; k++) {
				struct words other = combination(k);
				struct reward_parts o =
					score(small, REWARD_GRADED, &expected, &other);

				if (o.items > p.items)
					assert_true(o.total > p.total);
			}
		}
	}
}

/* Highest first: what a policy should rather do where it cannot do better. */
static void test_order(void **state)
{
	const double order[] = {REWARD_RIGHT, 0, REWARD_NEAR, WRONG_GUESS, REWARD_REFUSAL,
		REWARD_COMMAND, REWARD_OTHER, REWARD_WRONG};

	(void)state;
	for (size_t i = 1; i < sizeof order / sizeof *order; i++)
		assert_true(order[i - 1] > order[i]);
}

static double proposing(double u, double p, double wrong)
{
	return -u + (1 - u) * (p + (1 - p) * wrong);
}

static double refusing(double u)
{
	return u + (1 - u) * REWARD_REFUSAL;
}

static void assert_near(double got, double expected)
{
	if (!(fabs(got - expected) < 0.005))
		fail_msg("%g, not %g", got, expected);
}

static double turning_point(double u, double wrong)
{
	return (2 * u / (1 - u) - 0.75 - wrong) / (1 - wrong);
}

/* The documented turning point: below it a policy does better to refuse. */
static void test_turning_point(void **state)
{
	static const double wrongs[] = {WRONG_GUESS, REWARD_COMMAND, REWARD_OTHER};

	(void)state;
	for (size_t w = 0; w < 3; w++) {
		for (double u = 0; u < 0.6; u += 0.05) {
			double turn = turning_point(u, wrongs[w]);

			for (double p = 0; p <= 1; p += 0.01) {
				int pays = proposing(u, p, wrongs[w]) > refusing(u);

				if (fabs(p - turn) > 1e-6)
					assert_int_equal(pays, p > turn);
			}
		}
	}
	/* The figures of reward.c. */
	assert_true(turning_point(0.036, WRONG_GUESS) < 0 && turning_point(0.037, WRONG_GUESS) > 0);
	assert_near(turning_point(0.1, WRONG_GUESS), 0.09);
	assert_near(turning_point(1.0 / 3, WRONG_GUESS), 0.55);
	assert_near(turning_point(0, REWARD_OTHER), 0.10);
	assert_near(turning_point(0.1, REWARD_OTHER), 0.22);
	assert_near(turning_point(1.0 / 3, REWARD_OTHER), 0.62);
	assert_true(turning_point(0.46, WRONG_GUESS) < 1 && turning_point(0.47, WRONG_GUESS) > 1);
	assert_near(refusing(0.1), -0.575);
	assert_near(proposing(0.1, 0.5, WRONG_GUESS), 0.05);
}

/* With the data's share of refusals, 0.1: what is never right loses to refusing,
 * short of the right command with nearly all its items. */
static void test_guessing(void **state)
{
	const double u = 0.1;
	double sum;

	(void)state;
	assert_true(proposing(u, 0, WRONG_GUESS) < refusing(u));
	assert_true(proposing(u, 0, REWARD_OTHER) < refusing(u));
	assert_true(proposing(u, 0, PARTIAL(0.92)) < refusing(u));
	assert_true(proposing(u, 0, PARTIAL(0.93)) > refusing(u));
	assert_true(refusing(u) < 0);
	/* One answer to all requests for its command, none of them its own. */
	for (unsigned a = 0; a < 18; a++) {
		struct words answer = combination(a);

		sum = 0;
		for (unsigned e = 0; e < 18; e++) {
			struct words expected = combination(e);

			if (e != a)
				sum += score(small, REWARD_GRADED, &expected, &answer).total;
		}
		assert_true(proposing(u, 0, sum / 17) < refusing(u));
	}
}

/* Reads the langgraph seeds; their count. */
static size_t read_seeds(struct words *seeds, size_t max, struct arena *arena)
{
	struct error err;
	struct jsonl_reader *in = jsonl_open("seeds/langgraph/seeds.jsonl", &err);
	struct record r;
	size_t n = 0;

	if (!in)
		fail_msg("%s", err.message);
	record_init(&r);
	while (n < max && jsonl_read(in, &r, &err) == 1) {
		const char **argv;

		assert_int_equal(record_argv(&r, "argv", arena, &seeds[n].argc, &argv, &err), 0);
		assert_true(seeds[n].argc >= -1 && seeds[n].argc < WORDS_MAX);
		for (int i = 0; i < seeds[n].argc; i++)
			seeds[n].argv[i] = argv[i];
		n++;
	}
	record_release(&r);
	jsonl_close(in);
	return n;
}

static double mean_of(const struct words *answer, const struct words *seeds, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += score(langgraph, REWARD_GRADED, &seeds[i], answer).total;
	return sum / (double)n;
}

/* Every option of a command with some value: what a lazy policy might say. */
static struct words every_option(const struct command *c)
{
	struct words w = {2, {"langgraph", c->name}};

	for (size_t i = 0; i < c->n_options && w.argc < WORDS_MAX - 2; i++) {
		const struct argument *a = c->options[i]->argument;

		w.argv[w.argc++] = c->options[i]->name;
		if (a)
			w.argv[w.argc++] = a->n_accepted	       ? a->accepted[0].value
					   : a->values && a->values[0] ? a->values[0]
								       : "1";
	}
	return w;
}

/* No answer that does not look at the request is worth anything: refusing all is
 * the best of them, and loses. */
static void test_constants(void **state)
{
	static struct words seeds[4096];
	const struct words null = {.argc = -1}, absent = {.argc = -2}, empty = {.argc = 0};
	struct arena arena = {0};
	size_t n = read_seeds(seeds, 4096, &arena), nulls = 0;
	double refuse_all;

	(void)state;
	assert_true(n >= 60);
	for (size_t i = 0; i < n; i++)
		nulls += seeds[i].argc < 0;
	refuse_all = mean_of(&null, seeds, n);
	assert_true(nulls > 0 && nulls < n / 2);
	assert_true(refuse_all < 0);
	assert_true(mean_of(&absent, seeds, n) == -1);
	assert_true(mean_of(&empty, seeds, n) == -1);
	for (size_t c = 0; c < langgraph->root->n_commands; c++) {
		struct words all = every_option(langgraph->root->commands[c]);

		assert_true(mean_of(&all, seeds, n) < -0.8);
	}
	for (size_t i = 0; i < n; i++) {
		if (seeds[i].argc >= 0)
			assert_true(mean_of(&seeds[i], seeds, n) < refuse_all);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_turning_point),
		cmocka_unit_test(test_guessing),
		cmocka_unit_test(test_constants),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
