/* argv.h - what must hold of any argv under any spec. */
#ifndef T_FUZZ_ARGV_H
#define T_FUZZ_ARGV_H

#include "t/fuzz/fuzz.h"

#include "cli/explain.h"
#include "cli/verify.h"

static inline void fuzz_argv(
	const struct spec *spec, int argc, const char *const *argv, struct arena *arena)
{
	const char **canonical, **again;
	const char *const *lines;
	struct meaning m, n;
	struct verdict v;
	int words;

	if (verify(spec, argc, argv, arena, &m, &v) != VERDICT_OK) {
		fuzz_assert(v.message[0] && v.at >= 0 && v.at <= argc);
		return;
	}
	words = meaning_argv(spec, &m, arena, &canonical);
	fuzz_assert(words > 0 && !canonical[words]);
	fuzz_assert(verify(spec, words, canonical, arena, &n, &v) == VERDICT_OK);
	fuzz_assert(meaning_match(&m, &n) && m.command == n.command);
	fuzz_assert(meaning_argv(spec, &n, arena, &again) == words);
	for (int i = 0; i < words; i++)
		fuzz_assert(strcmp(canonical[i], again[i]) == 0);
	fuzz_assert(argv_is_canonical(spec, words, canonical, arena));
	fuzz_assert(explain_words(spec, argc, argv, arena, &lines, NULL) == 0);
	for (int i = 0; i < argc; i++)
		fuzz_assert(lines[i] && lines[i][0]);
	meaning_drop_defaults(&n);
	fuzz_assert(meaning_match(&m, &n));
}

#endif
