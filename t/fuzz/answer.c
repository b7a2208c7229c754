/*
 * The text of a model's answer: the request, NUL, the answer.  What is read is printed
 * and read again as the same words.
 */
#include "t/fuzz/fuzz.h"

#include "text/spans.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	struct buf request = {0}, text = {0};
	struct arena arena = {0};
	struct span spans[SPANS_MAX];
	const char **argv, **again;
	struct error err;
	size_t len, n_spans;
	int argc, n;
	char *raw = fuzz_part(&in, &len), *answer;

	buf_addc(&request, ' ');
	utf8_repair(raw, len, &request);
	free(raw);
	answer = fuzz_rest(&in, &len);
	n_spans = spans_find(request.data, request.len, NULL, spans);
	if (answer_parse(answer, len, request.data, spans, n_spans, &arena, &argc, &argv, &err) ==
		0) {
		fuzz_assert(argc == -1 || !argv[argc]);
		answer_print(argc, argv, request.data, spans, n_spans, &text);
		fuzz_assert(answer_parse(text.data, text.len, request.data, spans, n_spans, &arena,
				    &n, &again, &err) == 0);
		fuzz_assert(n == argc);
		for (int i = 0; i < n; i++)
			fuzz_assert(strcmp(argv[i], again[i]) == 0);
	} else {
		fuzz_assert(err.message[0]);
	}
	free(answer);
	buf_release(&request);
	buf_release(&text);
	arena_release(&arena);
	return 0;
}
