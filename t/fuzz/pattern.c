/*
 * A regular expression of a grammar, for which texts are drawn.
 */
#include "t/fuzz/fuzz.h"

#include "synth/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *pattern = xstrndup((const char *)data, size);
	struct buf out = {0};
	struct rng r;

	rng_init(&r, 1, RNG_SYNTH, 0, 0);
	for (int i = 0; i < 4; i++) {
		buf_clear(&out);
		pattern_draw(pattern, &r, &out);
		fuzz_assert(out.len < 1 << 24);
	}
	buf_release(&out);
	free(pattern);
	return 0;
}
