/* The policy: what it may say, which rule decides, and what a value is taken for. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/judge.h"
#include "exec/value.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void test_below(void **state)
{
	char dir[] = "/tmp/policy-test-XXXXXX", real[4096];
	struct {
		const char *value, *place;
		enum fit fit;
	} cases[] = {{"/etc/passwd", "/etc", FIT_YES}, {"/etc", "/etc", FIT_YES},
		{"/etc/", "/etc", FIT_YES}, {"/etcetera", "/etc", FIT_NO},
		{"/etc/passwd", "/etc/", FIT_YES}, {"/usr/../etc/passwd", "/etc", FIT_YES},
		{"/etc/../usr", "/etc", FIT_NO}, {"//etc//./passwd", "/etc", FIT_YES},
		{"anything", "/", FIT_YES}, {"../..", "/", FIT_YES}, {"new", ".", FIT_YES},
		{"./new/deep/file", ".", FIT_YES}, {"", ".", FIT_YES}, {"..", ".", FIT_NO},
		{"../other", ".", FIT_NO}, {"sub/../new", ".", FIT_YES},
		{"sub/../../x", ".", FIT_NO}, {"out/file", ".", FIT_MAYBE},
		{"out/../in", ".", FIT_MAYBE}, {"in/file", ".", FIT_YES}, {"out", "/usr", FIT_YES},
		{"loop/x", ".", FIT_MAYBE}};

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_non_null(getcwd(real, sizeof real));
	assert_int_equal(mkdir("sub", 0755), 0);
	assert_int_equal(symlink("/usr/bin", "out"), 0);
	assert_int_equal(symlink("sub", "in"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *place = strcmp(cases[i].place, ".") == 0 ? real : cases[i].place;

		if (value_below(cases[i].value, real, place) != cases[i].fit)
			fail_msg("%s below %s: %d", cases[i].value, place,
				value_below(cases[i].value, real, place));
	}
	unlink("out");
	unlink("in");
	unlink("loop");
	rmdir("sub");
	assert_int_equal(chdir("/"), 0);
	rmdir(dir);
}

static void test_host(void **state)
{
	static const struct {
		const char *value, *host;
		enum fit fit;
	} cases[] = {{"example.com", "example.com", FIT_YES},
		{"EXAMPLE.com", "example.COM", FIT_YES}, {"example.com.", "example.com", FIT_YES},
		{"example.com:80", "example.com", FIT_YES},
		{"http://example.com", "example.com", FIT_YES},
		{"http://user:secret@example.com:80/x", "example.com", FIT_YES},
		{"git@example.com:path/x", "example.com", FIT_YES},
		{"example.com@evil.com", "example.com", FIT_NO},
		{"example.com.evil.com", "example.com", FIT_NO},
		{"a.example.com", "example.com", FIT_NO},
		{"a.example.com", "*.example.com", FIT_YES},
		{"a.b.example.com", "*.example.com", FIT_YES},
		{"example.com", "*.example.com", FIT_NO}, {"aexample.com", "*.example.com", FIT_NO},
		{".example.com", "*.example.com", FIT_NO},
		{"http://evil.com/.example.com", "*.example.com", FIT_NO},
		{"http://evil.com?.example.com", "*.example.com", FIT_NO},
		{"http://evil.com#@a.example.com", "*.example.com", FIT_NO},
		{"http://evil.com\\@a.example.com", "*.example.com", FIT_MAYBE},
		{"http://a@b@a.example.com", "*.example.com", FIT_MAYBE},
		{"http://evil.com%2f.example.com", "*.example.com", FIT_MAYBE},
		{"ex\xc3\xa4mple.com", "example.com", FIT_MAYBE}, {"a b", "b", FIT_MAYBE},
		{"", "example.com", FIT_MAYBE}, {"http://", "example.com", FIT_MAYBE},
		{"127.0.0.1", "127.0.0.1", FIT_YES}, {"127.0.0.1:80", "127.0.0.1", FIT_YES},
		{"127.1", "127.0.0.1", FIT_MAYBE}, {"2130706433", "127.0.0.1", FIT_MAYBE},
		{"0x7f.1", "127.0.0.1", FIT_MAYBE}, {"0177.0.0.01", "127.0.0.1", FIT_MAYBE},
		{"::1", "::1", FIT_YES}, {"[0:0::1]:80", "::1", FIT_YES},
		{"http://[::1]/", "::1", FIT_YES}, {"::ffff:127.0.0.1", "127.0.0.1", FIT_YES},
		{"[::1", "::1", FIT_MAYBE}, {"1:2:3", "::1", FIT_MAYBE},
		{"localhost", "127.0.0.1", FIT_NO}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (value_host(cases[i].value, cases[i].host) != cases[i].fit)
			fail_msg("%s as %s: %d", cases[i].value, cases[i].host,
				value_host(cases[i].value, cases[i].host));
}

static void test_range(void **state)
{
	(void)state;
	assert_int_equal(value_in_range("5", 5, 7), FIT_YES);
	assert_int_equal(value_in_range("7.0", 5, 7), FIT_YES);
	assert_int_equal(value_in_range("4.999", 5, 7), FIT_NO);
	assert_int_equal(value_in_range("-6", 5, 7), FIT_NO);
	assert_int_equal(value_in_range("6 ", 5, 7), FIT_MAYBE);
	assert_int_equal(value_in_range("0x6", 5, 7), FIT_MAYBE);
	assert_int_equal(value_in_range("nan", 5, 7), FIT_MAYBE);
	assert_int_equal(value_in_range("", 5, 7), FIT_MAYBE);
	assert_int_equal(value_in_range("1e999", 5, 7), FIT_MAYBE);
}

#define BOOK(rules)                                                                                \
	"{\"policy\":1,\"programs\":[{\"name\":\"mark\",\"path\":\"/bin/true\"}],\"settings\":"    \
	"{\"timeout\":50,\"umask\":\"077\"},\"rules\":[" rules "]}"

static struct rulebook *book_of(const char *text)
{
	struct error err;
	struct rulebook *book = rulebook_parse(text, strlen(text), "policy.json", &err);

	if (!book)
		fail_msg("%s", err.message);
	return book;
}

static void judge_words(
	const char *text, const char *const *argv, enum decision decision, const char *why)
{
	struct rulebook *book = book_of(text);
	struct error err;
	struct spec *spec = spec_load("testdata/exec/mark.json", &err);
	struct arena arena = {0};
	struct meaning meaning;
	struct judgement j;
	struct verdict v;
	int argc = 0;

	while (argv[argc])
		argc++;
	assert_non_null(spec);
	if (verify(spec, argc, argv, &arena, &meaning, &v) != VERDICT_OK)
		fail_msg("%s", v.message);
	judge(book, &meaning, "/", &arena, &j);
	if (j.decision != decision || !strstr(j.why, why))
		fail_msg("%s: %s", decision_names[j.decision], j.why);
	arena_release(&arena);
	spec_free(spec);
	rulebook_free(book);
}

#define WORDS(...) ((const char *const[]){"mark", __VA_ARGS__, NULL})
#define ANY_AUTO                                                                                   \
	"{\"command\":\"*\",\"decide\":\"auto\"},{\"command\":\"*\",\"option\":\"*\",\"decide\":"  \
	"\"auto\"},{\"command\":\"*\",\"argument\":\"*\",\"decide\":\"auto\"}"

/* Every piece must be let through; the strictest decides; the first that fits wins. */
static void test_judge(void **state)
{
	static const char ports[] = BOOK(
		"{\"command\":\"mark args\",\"option\":\"--port\",\"range\":[10,20],\"decide\":"
		"\"auto\"},{\"command\":\"mark args\",\"option\":\"--port\",\"range\":[0,9],"
		"\"decide\":\"ask\"},{\"command\":\"mark args\",\"option\":\"--port\",\"decide\":"
		"\"deny\",\"reason\":\"too high\"}," ANY_AUTO);

	(void)state;
	judge_words(BOOK(""), WORDS("args"), DECIDE_ASK, "mark args: no rule, the default");
	judge_words(BOOK(ANY_AUTO), WORDS("args", "x"), DECIDE_AUTO, "rule 1");
	judge_words(BOOK("{\"command\":\"mark args\",\"decide\":\"auto\"}"), WORDS("args"),
		DECIDE_AUTO, "rule 1");
	judge_words(BOOK("{\"command\":\"mark args\",\"decide\":\"auto\"}"), WORDS("args", "x"),
		DECIDE_ASK, "words: no rule");
	judge_words(BOOK("{\"command\":\"mark args\",\"decide\":\"auto\"}"),
		WORDS("args", "--force"), DECIDE_ASK, "--force: no rule");
	judge_words(BOOK("{\"command\":\"mark *\",\"decide\":\"deny\"}," ANY_AUTO), WORDS("args"),
		DECIDE_DENY, "rule 1");
	judge_words(BOOK("{\"command\":\"mar *\",\"decide\":\"deny\"}," ANY_AUTO), WORDS("args"),
		DECIDE_AUTO, "rule 2");
	judge_words(BOOK("{\"command\":\"mark\",\"decide\":\"deny\"}," ANY_AUTO), WORDS("args"),
		DECIDE_AUTO, "rule 2");
	judge_words(BOOK(ANY_AUTO ",{\"command\":\"mark *\",\"decide\":\"deny\"}"), WORDS("args"),
		DECIDE_AUTO, "rule 1");
	judge_words(ports, WORDS("args", "--port", "15"), DECIDE_AUTO, "");
	judge_words(ports, WORDS("args", "--port", "5"), DECIDE_ASK, "--port: rule 2");
	judge_words(ports, WORDS("args", "--port", "25"), DECIDE_DENY, "rule 3, too high");
	judge_words(BOOK("{\"command\":\"*\",\"argument\":\"words\",\"is\":[\"bad\"],\"decide\":"
			 "\"deny\"}," ANY_AUTO),
		WORDS("args", "good", "bad"), DECIDE_DENY, "words: rule 1");
	judge_words(BOOK("{\"command\":\"*\",\"argument\":\"words\",\"is\":[\"good\"],\"decide\":"
			 "\"auto\"},{\"command\":\"mark args\",\"decide\":\"auto\"}"),
		WORDS("args", "good", "bad"), DECIDE_ASK, "words: no rule");
	judge_words(BOOK("{\"command\":\"*\",\"option\":\"--name\",\"below\":[\"/etc\"],\"range\":"
			 "[1,2],\"decide\":\"auto\"}," ANY_AUTO),
		WORDS("args", "--name", "/etc/x"), DECIDE_AUTO, "");
}

/* Settings of the file, replaced one by one by those of the command's rule. */
static void test_settings(void **state)
{
	struct rulebook *book = book_of(BOOK("{\"command\":\"mark args\",\"decide\":\"ask\","
					     "\"settings\":{\"network\":true,\"timeout\":5}}"));

	(void)state;
	assert_int_equal(book->settings.timeout, 50);
	assert_int_equal(book->settings.network, 0);
	assert_int_equal(book->settings.writable, 0);
	assert_int_equal(book->rules[0].settings.timeout, 5);
	assert_int_equal(book->rules[0].settings.network, 1);
	assert_int_equal(book->rules[0].settings.umask, 077);
	assert_int_equal(book->settings.n_environment, 4);
	assert_string_equal(rulebook_program(book, "mark", NULL)->path, "/bin/true");
	assert_null(rulebook_program(book, "mar", NULL));
	rulebook_free(book);
}

/* Every cut of a good file is refused, and no change of a byte crashes. */
static void test_damage(void **state)
{
	char text[] = BOOK("{\"command\":\"mark args\",\"option\":\"--port\",\"range\":[1,2],"
			   "\"is\":[\"x\"],\"decide\":\"auto\",\"reason\":\"r\"}");
	struct error err;

	(void)state;
	for (size_t len = 0; len < sizeof text - 1; len++)
		assert_null(rulebook_parse(text, len, "cut", &err));
	for (size_t i = 0; i < sizeof text - 1; i++) {
		char saved = text[i];

		text[i] ^= 5;
		rulebook_free(rulebook_parse(text, sizeof text - 1, "changed", &err));
		text[i] = saved;
	}
	rulebook_free(book_of(text));
}

static void test_unknown_names(void **state)
{
	struct rulebook *book = book_of(
		BOOK("{\"command\":\"mark arg\",\"decide\":\"deny\"},"
		     "{\"command\":\"mark args\",\"option\":\"--prot\",\"decide\":\"deny\"},"
		     "{\"command\":\"mark args *\",\"option\":\"--port\",\"decide\":\"deny\"},"
		     "{\"command\":\"mark *\",\"option\":\"--force\",\"decide\":\"deny\"},"
		     "{\"command\":\"other x\",\"decide\":\"deny\"},{\"command\":\"*\",\"decide\":"
		     "\"ask\"}"));
	struct error err;
	struct spec *spec = spec_load("testdata/exec/mark.json", &err);
	struct buf out = {0};

	(void)state;
	assert_int_equal(judge_unknown_names(book, spec, &out), 2);
	assert_non_null(strstr(out.data, "rule 1: mark has no command 'mark arg'"));
	assert_non_null(strstr(out.data, "rule 2: 'mark args' has no '--prot'"));
	buf_release(&out);
	spec_free(spec);
	rulebook_free(book);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
		cmocka_unit_test(test_range), cmocka_unit_test(test_judge),
		cmocka_unit_test(test_settings), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_below)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
