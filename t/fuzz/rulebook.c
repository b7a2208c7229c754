/*
 * The policy file of confirm-exec, and what it says about command lines: bytes up to the
 * first NUL are the policy, the words behind it a command line of testdata/exec/mark.json.
 * Whatever it says, a rule in front that denies all does.
 * seeds: testdata/exec/policy.json
 */
#include "t/fuzz/fuzz.h"

#include "exec/judge.h"

enum {
	WORDS_MAX = 16
};

static const struct spec *grammar(void)
{
	static struct spec *spec;
	struct error err;

	if (!spec)
		spec = spec_load("testdata/exec/mark.json", &err);
	if (!spec)
		die_error(&err);
	return spec;
}

static void judge_all(const struct rulebook *book, int argc, const char *const *argv)
{
	static const struct rulebook_rule deny[] = {{.command = "*", .decide = DECIDE_DENY}};
	struct rulebook strict = *book;
	struct arena arena = {0};
	struct meaning meaning;
	struct judgement j;
	struct verdict v;

	if (verify(grammar(), argc, argv, &arena, &meaning, &v) == VERDICT_OK) {
		judge(book, &meaning, "/usr", &arena, &j);
		fuzz_assert(j.why && j.settings && j.decision <= DECIDE_DENY);
		strict.rules = (struct rulebook_rule *)deny;
		strict.n_rules = 1;
		judge(&strict, &meaning, "/usr", &arena, &j);
		fuzz_assert(j.decision == DECIDE_DENY);
	}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	const char *argv[WORDS_MAX + 1] = {
		"mark", "args", "--config", "/etc/../x", "--host", "a.b:1"};
	size_t len = strnlen((const char *)data, size);
	struct rulebook *book;
	struct error err;
	char *rest = NULL;
	int argc = 6;

	book = rulebook_parse(text, len, "policy", &err);
	if (!book) {
		fuzz_assert(err.message[0]);
		free(text);
		return 0;
	}
	judge_all(book, argc, argv);
	if (len < size) {
		size_t more = size - len - 1;

		rest = xstrndup((const char *)data + len + 1, more);
		argc = 1;
		for (char *word = rest, *end; *word && argc < WORDS_MAX; word = end) {
			end = word + strcspn(word, "\n");
			if (*end)
				*end++ = '\0';
			argv[argc++] = word;
		}
		argv[argc] = NULL;
		judge_all(book, argc, argv);
	}
	free(rest);
	rulebook_free(book);
	free(text);
	return 0;
}
