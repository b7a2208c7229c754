/* Output on its way to a terminal, cut anywhere; and what a person is shown beside words. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "base/rng.h"
#include "exec/provenance.h"
#include "exec/question.h"
#include "exec/relay.h"

static void neutralise(const char *text, size_t len, size_t cut, struct buf *out)
{
	struct relay_stream s = {0};

	relay_neutralise(&s, text, cut, 0, out);
	relay_neutralise(&s, text + cut, len - cut, 0, out);
	relay_neutralise(&s, "", 0, 1, out);
}

static void test_cases(void **state)
{
	static const char *const cases[][2] = {{"plain\ttext\n", "plain\ttext\n"},
		{"\x1b[31mred", "\\u{1b}[31mred"}, {"a\rb", "a\nb"}, {"a\r\nb", "a\nb"},
		{"a\r\r\nb", "a\n\nb"}, {"\x07\x08\x7f", "\\u{7}\\u{8}\\u{7f}"},
		{"caf\xc3\xa9", "caf\xc3\xa9"}, {"\xe2\x80\xae", "\\u{202e}"},
		{"\xc2\x9b", "\\u{9b}"}, {"\xff\xfe", "\\x{ff}\\x{fe}"},
		{"\xe2\x80", "\\x{e2}\\x{80}"}, {"\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!"},
		{"\xe2\x80X", "\\x{e2}\\x{80}X"}, {"\xef\xbb\xbf", "\\u{feff}"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t len = strlen(cases[i][0]);

		for (size_t cut = 0; cut <= len; cut++) {
			struct buf out = {0};

			neutralise(cases[i][0], len, cut, &out);
			assert_string_equal(out.data, cases[i][1]);
			buf_release(&out);
		}
	}
}

/* Whatever comes in whatever pieces: nothing that a terminal obeys comes out. */
static void test_random(void **state)
{
	struct rng rng;
	struct relay_stream s = {0};
	struct buf out = {0};

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 0, 0);
	for (int round = 0; round < 20000; round++) {
		char text[16];
		size_t len = rng_below(&rng, sizeof text);

		for (size_t i = 0; i < len; i++)
			text[i] = (char)rng_below(&rng, 256);
		relay_neutralise(&s, text, len, 0, &out);
		assert_true(s.n_partial < 4);
	}
	for (size_t i = 0; i < out.len; i++) {
		unsigned char c = (unsigned char)out.data[i];

		assert_true(c == '\n' || c == '\t' || (c >= ' ' && c != 0x7f));
		/* C1 as UTF-8 */
		assert_false(c == 0xc2 && (unsigned char)out.data[i + 1] < 0xa0);
	}
	buf_release(&out);
}

static void test_provenance(void **state)
{
	static const struct {
		const char *request, *word;
		enum provenance from;
	} cases[] = {{"run on 8123 now", "8123", WORD_STATED},
		{"run on 18123", "8123", WORD_UNSTATED}, {"run on 81234", "8123", WORD_UNSTATED},
		{"8123", "8123", WORD_STATED}, {"(8123)", "8123", WORD_STATED},
		{"Open Main.C", "main.c", WORD_STATED}, {"open xmain.c", "main.c", WORD_UNSTATED},
		{"a-b", "a", WORD_STATED}, {"x\xc3\xa9", "x", WORD_UNSTATED},
		{"the --port", "port", WORD_STATED}, {"", "x", WORD_UNSTATED},
		{"anything", "", WORD_UNSTATED}, {"write /etc/passwd", "/etc/passwd", WORD_STATED},
		{"write /etc/passwd2", "/etc/passwd", WORD_UNSTATED}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *argv[] = {"tool", cases[i].word, NULL};
		const char *const values[] = {cases[i].word};
		struct meaning_item item = {.n_values = 1, .values = values, .at = 1};
		struct command root = {.name = "tool"};
		struct proposal p = {.argc = 2,
			.argv = argv,
			.request = cases[i].request,
			.meaning = {.command = &root, .n_items = 1, .items = &item}};

		if (provenance_of(&p, 1) != cases[i].from)
			fail_msg("%s in %s", cases[i].word, cases[i].request);
		assert_int_equal(provenance_of(&p, 0), WORD_GRAMMAR);
		p.request = NULL;
		assert_int_equal(provenance_of(&p, 1), WORD_GRAMMAR);
	}
}

static void test_answers(void **state)
{
	const char *dangers[] = {"x"};
	struct proposal harmless = {0}, danger = {.n_dangers = 1, .dangers = dangers};

	(void)state;
	assert_true(question_answered_yes(&harmless, "y", 1));
	assert_true(question_answered_yes(&harmless, " YES\t", 5));
	assert_false(question_answered_yes(&harmless, "y\0", 2));
	assert_false(question_answered_yes(&harmless, "y\0x", 3));
	assert_false(question_answered_yes(&harmless, "", 0));
	assert_false(question_answered_yes(&harmless, "ye", 2));
	assert_false(question_answered_yes(&harmless, "yess", 4));
	assert_false(question_answered_yes(&harmless, "\ny", 2));
	assert_false(question_answered_yes(&danger, "y", 1));
	assert_true(question_answered_yes(&danger, "yes", 3));
}

static void test_long(void **state)
{
	struct buf text = {0};

	(void)state;
	for (int i = 0; i < 10; i++)
		buf_adds(&text, "0123456789\n");
	question_warn_long(&text, 12, 10);
	assert_int_equal(text.len, 110);
	question_warn_long(&text, 12, 9);
	assert_non_null(strstr(text.data, "! long       22 lines, and this terminal shows 12"));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
		cmocka_unit_test(test_random), cmocka_unit_test(test_provenance),
		cmocka_unit_test(test_answers), cmocka_unit_test(test_long)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
