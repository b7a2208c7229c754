/*
 * A pair on the input of synvalidate, under every check.
 * seeds: testdata/check/pairs.jsonl
 */
#include "t/fuzz/fuzz.h"

#include "synth/check.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct spec *spec;
	struct checker *checker;
	struct checked out;
	struct record r;
	struct error err;

	if (!spec)
		spec = spec_load("testdata/check/cli.json", &err);
	if (!spec)
		die_error(&err);
	checker = checker_new(spec, CHECKS_ALL);
	record_init(&r);
	for (const uint8_t *at = data, *end = data + size; at < end;) {
		const uint8_t *lf = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((lf ? lf : end) - at);

		record_release(&r);
		if (record_parse(&r, (const char *)at, len, &err) == 0) {
			int ok = checker_run(checker, &r, &out);

			fuzz_assert(ok == (out.failed < 0));
			fuzz_assert(ok || (out.message[0] &&
						  utf8_valid(out.message, strlen(out.message)) ==
							  strlen(out.message)));
		}
		at += len + 1;
	}
	record_release(&r);
	checker_free(checker);
	return 0;
}
