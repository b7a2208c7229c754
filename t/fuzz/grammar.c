/*
 * The automaton of a CLI's answers: the number of a grammar in one byte (a digit or a
 * letter) or a grammar's JSON, NUL, then words, a NUL behind each.  From no place there
 * is a dead end, what is walked to is canonical, and of the words it says what the
 * verifier says.
 * seeds: testdata/cli testdata/exec/probe.json testdata/synth
 */
#include "t/fuzz/specs.h"

#include "base/hash.h"
#include "t/grammar_walk.h"

enum {
	WALKS = 12
};

/* Walks that the input draws. */
static void walk(struct grammar *g, const uint8_t *data, size_t size)
{
	static struct argv_random r;
	const uint64_t key = fnv64(FNV64_INIT, (const char *)data, size);
	const char **argv, *fault;

	r.spec = grammar_spec(g);
	for (uint32_t i = 0; i < WALKS; i++) {
		int argc;

		rng_init(&r.rng, key, RNG_TEST, i, 0);
		argc = grammar_walk(&r, g, &argv, &fault);
		fuzz_assert(!fault);
		if (argc >= 0) {
			fuzz_assert(grammar_accepts(g, argc, argv));
			fuzz_assert(!grammar_is_exact(g) ||
				    argv_is_canonical(r.spec, argc, argv, &r.arena));
		}
		arena_clear(&r.arena);
	}
}

static void judge(struct grammar *g, struct fuzz_input *in)
{
	const struct spec *spec = grammar_spec(g);
	char *words[WORDS_MAX + 1];
	struct arena arena = {0};
	size_t len;
	int n = 0, accepted;

	while (in->size && n < WORDS_MAX)
		words[n++] = fuzz_part(in, &len);
	words[n] = NULL;
	accepted = grammar_accepts(g, n, (const char *const *)words);
	/* Only valid text is an answer. */
	for (int i = 0; i < n; i++)
		if (utf8_valid(words[i], strlen(words[i])) < strlen(words[i]))
			accepted = -1;
	if (accepted >= 0 && grammar_is_exact(g))
		fuzz_assert(
			accepted == argv_is_canonical(spec, n, (const char *const *)words, &arena));
	for (int i = 0; i < n; i++)
		free(words[i]);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	struct spec *own;
	const struct spec *spec = fuzz_spec(&in, &own);
	struct grammar *g;

	if (!spec)
		return 0;
	g = grammar_new(spec);
	judge(g, &in);
	walk(g, data, size);
	grammar_free(g);
	spec_free(own);
	return 0;
}
