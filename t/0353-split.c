/* Splits by phrasing and shape (synth/split.h). */
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
#include "synth/split.h"
#include "synth/hash_set.h"

static const struct command root = {.name = "tool"};
static const struct command sub = {.name = "sub", .parent = &root};
static const struct option options[] = {{.name = "--a"}, {.name = "--b"}, {.name = "--c"}};
static const struct argument argument = {.name = "x"};

static void test_shape(void **state)
{
	static const char *const values[] = {"1", "2"};
	struct meaning_item items[] = {{&options[0], &argument, 1, values, 2},
		{&options[0], &argument, 1, values, 4}, {&options[2], NULL, 0, NULL, 5},
		{NULL, &argument, 2, values, 6}};
	struct meaning m = {&sub, 4, items};
	struct buf name = {0};
	size_t n;

	(void)state;
	shape_name(&m, &name, &n);
	assert_string_equal(name.data, "tool sub --a --c +2");
	assert_int_equal(n, 2);
	buf_release(&name);
}

static void test_shares_parse(void **state)
{
	static const char *const bad[] = {"", "90", "90,5", "90,5,5,1", "a,b,c", "-1,5,5", "0,0,0",
		"90,5,5x", "90,,5", "nan,1,1", "1e30,1,1"};
	double shares[SIDE_COUNT];

	(void)state;
	assert_int_equal(split_shares_parse("90,5,5", shares), 0);
	assert_true(shares[0] == 90 && shares[1] == 5 && shares[2] == 5);
	assert_int_equal(split_shares_parse("0.8,.2,0", shares), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(split_shares_parse(bad[i], shares), -1);
}

static void test_kept(void **state)
{
	static const double shares[] = {0, 50, 50};
	struct splitter s;

	(void)state;
	splitter_init(&s, 1, shares);
	for (int i = 0; i < 1000; i++) {
		char name[32];
		int len = snprintf(name, sizeof name, "opt.%d/0", i);

		assert_int_equal(split_component(&s, name, (size_t)len), SIDE_TRAIN);
	}
	/* Not the first phrasing, though they end in a 0. */
	splitter_init(&s, 1, (const double[]){0, 0, 1});
	assert_int_equal(split_component(&s, "x/10", 4), SIDE_TEST);
	assert_int_equal(split_component(&s, "x/20", 4), SIDE_TEST);
}

static json_t *draw_components(struct rng *r)
{
	json_t *list = json_array();

	for (int i = 0; i < SPLIT_COMPONENTS; i++)
		json_array_append_new(
			list, json_sprintf("key%u/%u", rng_below(r, 100), 1 + rng_below(r, 40)));
	return list;
}

/* The shares come about, and what is held out is never in train. */
static void test_records(void **state)
{
	static const double shares[] = {80, 5, 15};
	struct hash_set seen[SIDE_COUNT] = {{0}};
	long count[SIDE_COUNT] = {0};
	struct splitter s;
	struct rng r;
	enum {
		N = 40000
	};

	(void)state;
	rng_init(&r, 7, RNG_TEST, 0, 0);
	splitter_init(&s, 3, shares);
	for (int i = 0; i < N; i++) {
		json_t *list = draw_components(&r);
		struct split_parts parts;
		enum side side = split_record(&s, list, "request", 7, NULL, &parts);

		assert_int_equal(parts.n_phrasings, SPLIT_COMPONENTS);
		assert_int_equal(parts.shape, 0);
		for (size_t k = 0; k < parts.n_phrasings; k++)
			hash_set_add(&seen[side], parts.phrasings[k]);
		count[side]++;
		json_decref(list);
	}
	for (int i = 0; i < SIDE_COUNT; i++) {
		double share = 100.0 * (double)count[i] / N;

		if (!(fabs(share - shares[i]) < 2.5))
			fail_msg("%s: share %.1f, wanted %.1f", side_names[i], share, shares[i]);
	}
	/* Every record of a side has a component that no lesser side has. */
	rng_init(&r, 7, RNG_TEST, 0, 0);
	for (int i = 0; i < N; i++) {
		json_t *list = draw_components(&r);
		struct split_parts parts;
		enum side side = split_record(&s, list, "request", 7, NULL, &parts);
		int apart = side == SIDE_TRAIN;

		for (size_t k = 0; k < parts.n_phrasings; k++) {
			int in_lesser = 0;

			for (int lesser = 0; lesser < (int)side; lesser++)
				in_lesser |= hash_set_has(&seen[lesser], parts.phrasings[k]);
			apart |= !in_lesser;
		}
		if (!apart)
			fail_msg("record %d of %s has nothing of its own", i, side_names[side]);
		json_decref(list);
	}
	for (int i = 0; i < SIDE_COUNT; i++)
		hash_set_release(&seen[i]);
}

static void test_whole(void **state)
{
	static const char *const eighty[] = {"80"}, *const ninety[] = {"90"};
	struct meaning_item item = {&options[0], &argument, 1, eighty, 2};
	struct meaning_item other = {&options[0], &argument, 1, ninety, 2};
	struct meaning m = {&sub, 1, &item}, n = {&sub, 1, &other};
	struct split_parts a, b;
	struct splitter s;
	long test = 0;

	(void)state;
	splitter_init(&s, 1, (const double[]){90, 0, 10});
	split_record(&s, NULL, "Run on 80!", 10, &m, &a);
	split_record(&s, NULL, "run on 90!", 10, &n, &b);
	assert_true(a.phrasings[0] == b.phrasings[0]);
	assert_true(a.shape == b.shape);
	split_record(&s, NULL, "run on 800", 10, &m, &b);
	assert_true(a.phrasings[0] != b.phrasings[0]);
	for (int i = 0; i < 20000; i++) {
		char request[32];
		int len = snprintf(request, sizeof request, "phrasing %d", i);

		test += split_record(&s, NULL, request, (size_t)len, NULL, &a) == SIDE_TEST;
	}
	/* Without a shape the share is that of the phrasing alone: a little less. */
	assert_true(test > 20000 * 0.065 && test < 20000 * 0.10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_shares_parse),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
