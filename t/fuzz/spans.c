/*
 * Values in a request: they lie in it, in order, apart, not empty, and are whole
 * characters.
 * seeds: testdata/langgraph/people.jsonl
 */
#include "t/fuzz/fuzz.h"

#include "text/spans.h"
#include "text/utf8.h"

static const struct lexicon *known(void)
{
	static const char *const words[] = {"start", "the", "server", "on", "port", "build"};
	static struct lexicon *lex;

	if (!lex) {
		lex = lexicon_new();
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			lexicon_add(lex, words[i], strlen(words[i]));
	}
	return lex;
}

static void check(const char *text, size_t len, const struct lexicon *lex)
{
	struct span spans[SPANS_MAX];
	size_t n = spans_find(text, len, lex, spans), end = 0;

	fuzz_assert(n <= SPANS_MAX);
	for (size_t i = 0; i < n; i++) {
		fuzz_assert(spans[i].from >= end && spans[i].from < spans[i].to);
		fuzz_assert(spans[i].to <= len && (unsigned)spans[i].type < SPAN_TYPE_COUNT);
		end = spans[i].to;
		fuzz_assert(utf8_valid(text + spans[i].from, end - spans[i].from) ==
			    end - spans[i].from);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = {0};
	char *exact;

	utf8_repair((const char *)data, size, &text);
	/* Of its very length, so that a step beyond it is seen. */
	exact = xmalloc(text.len);
	if (text.len)
		memcpy(exact, text.data, text.len);
	check(exact, text.len, NULL);
	check(exact, text.len, known());
	free(exact);
	buf_release(&text);
	return 0;
}
