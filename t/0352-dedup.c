/* Duplicates, near duplicates, contradictions (synth/dedup.h, synth/typos.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synth/dedup.h"
#include "synth/typos.h"
#include "text/words.h"

static unsigned find(struct dedup *d, const char *request, const char *word)
{
	const char *argv[] = {"tool", word};

	return dedup_find(d, request, strlen(request), word ? 2 : -1, argv);
}

static void add(struct dedup *d, const char *request, const char *word)
{
	const char *argv[] = {"tool", word};

	dedup_find(d, request, strlen(request), word ? 2 : -1, argv);
	dedup_add(d);
}

static void test_findings(void **state)
{
	struct dedup *d = dedup_new();

	(void)state;
	assert_int_equal(find(d, "Run the tool on 80", "80"), 0);
	assert_int_equal(find(d, "Run the tool on 80", "80"), 0); /* find() remembers nothing */
	add(d, "Run the tool on 80", "80");
	assert_int_equal(find(d, "Run the tool on 80", "80"), DEDUP_DUPLICATE);
	assert_int_equal(find(d, " Run  the tool on 80 ", "80"), DEDUP_DUPLICATE);
	assert_int_equal(find(d, "run the tool, on 80!", "80"), DEDUP_NEAR);
	assert_int_equal(find(d, "run the tool, on 80!", "81"), DEDUP_CONTRADICTION);
	assert_int_equal(find(d, "Run the tool on 80", NULL), DEDUP_CONTRADICTION);
	assert_int_equal(find(d, "Run the tool on 81", "80"), 0);
	assert_int_equal(find(d, "on 80 run the tool", "80"), 0);
	add(d, "name it Foo", "Foo");
	assert_int_equal(find(d, "name it foo", "foo"), 0);
	assert_int_equal(find(d, "name it foo", "bar"), DEDUP_CONTRADICTION);
	add(d, "never mind", NULL);
	assert_int_equal(find(d, "Never mind.", NULL), DEDUP_NEAR);
	dedup_free(d);
}

static void test_typos(void **state)
{
	struct dedup *d = dedup_new();

	(void)state;
	dedup_teach(d, "start server order orders");
	add(d, "start the server", "a");
	assert_int_equal(find(d, "strat the server", "a"), DEDUP_NEAR);
	assert_int_equal(find(d, "satrt teh server", "a"), 0); /* teh: too short, not corrected */
	assert_int_equal(find(d, "sart the servver", "a"), DEDUP_NEAR);
	assert_int_equal(find(d, "strat the server", "b"), 0);
	/* Whichever comes first. */
	add(d, "srart one server", "a");
	assert_int_equal(find(d, "start one server", "a"), DEDUP_NEAR);
	assert_int_equal(find(d, "start one server", "b"), 0);
	/* Two words that are both right are two words. */
	add(d, "show order", "c");
	assert_int_equal(find(d, "show orders", "c"), 0);
	dedup_free(d);
}

static void test_learning(void **state)
{
	struct typos *t = typos_new();
	uint64_t right = word_hash("deploy", 6), wrong = word_hash("depoly", 6);

	(void)state;
	for (int i = 0; i < TYPOS_ESTABLISHED; i++) {
		assert_true(typos_resolve(t, wrong, "depoly", 6) == wrong);
		typos_learn(t, right, "deploy", 6);
	}
	assert_true(typos_resolve(t, wrong, "depoly", 6) == right);
	assert_true(typos_resolve(t, word_hash("dEploys", 7), "dEploys", 7) == right);
	assert_true(typos_resolve(t, word_hash("deplays", 7), "deplays", 7) != right);
	assert_true(typos_resolve(t, word_hash("d3ploy", 6), "d3ploy", 6) != right);
	/* A slip that is common is a slip still, next to the far more common word. */
	for (int i = 0; i < 400; i++) {
		typos_learn(t, right, "deploy", 6);
		if (i % 50 == 0)
			typos_learn(t, wrong, "depoly", 6);
	}
	assert_true(typos_resolve(t, wrong, "depoly", 6) == right);
	assert_true(typos_resolve(t, right, "deploy", 6) == right);
	/* Two words of like frequency are two words. */
	for (int i = 0; i < 40; i++) {
		typos_learn(t, word_hash("order", 5), "order", 5);
		typos_learn(t, word_hash("orders", 6), "orders", 6);
	}
	assert_true(typos_resolve(t, word_hash("orders", 6), "orders", 6) != word_hash("order", 5));
	assert_true(typos_resolve(t, word_hash("dep", 3), "dep", 3) == word_hash("dep", 3));
	typos_teach(t, "want");
	assert_true(typos_resolve(t, word_hash("wnt", 3), "wnt", 3) == word_hash("want", 4));
	typos_free(t);
}

/* Many records: nothing is lost when the table grows, nothing is invented. */
static void test_many(void **state)
{
	struct dedup *d = dedup_new();
	char request[64], word[32];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		snprintf(request, sizeof request, "do number %d at once", i);
		snprintf(word, sizeof word, "%d", i % 7);
		assert_int_equal(find(d, request, word), 0);
		dedup_add(d);
	}
	assert_int_equal(dedup_entries(d), 100000);
	for (int i = 0; i < 100000; i += 17) {
		snprintf(request, sizeof request, "do number %d at once", i);
		snprintf(word, sizeof word, "%d", i % 7);
		assert_int_equal(find(d, request, word), DEDUP_DUPLICATE);
		assert_int_equal(find(d, request, "x"), DEDUP_CONTRADICTION);
	}
	dedup_free(d);
}

static void test_words(void **state)
{
	struct buf plain = {0};
	const char *text = "\xc2\xabRun\xc2\xbb my-app, \xe2\x80\x9c"
			   "0.0.0.0:80\xe2\x80\x9d \xe2\x80\x94 caf\xc3\xa9!";
	const char *expected[] = {"Run", "my-app", "0.0.0.0:80", "caf\xc3\xa9"};
	size_t at = 0, len;

	(void)state;
	words_plain(text, strlen(text), &plain);
	assert_string_equal(plain.data, "\"Run\" my-app, \"0.0.0.0:80\" - caf\xc3\xa9!");
	for (size_t i = 0; i < 4; i++) {
		const char *word = words_next(plain.data, plain.len, &at, &len);

		assert_non_null(word);
		assert_int_equal(len, strlen(expected[i]));
		assert_memory_equal(word, expected[i], len);
	}
	assert_null(words_next(plain.data, plain.len, &at, &len));
	assert_true(word_hash("ABC", 3) == word_hash("abc", 3));
	buf_release(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_typos),
		cmocka_unit_test(test_learning),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
