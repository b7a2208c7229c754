/*
 * The verifier on foreign words: the first byte says which grammar, then a word a
 * NUL.
 */
#include "t/fuzz/argv.h"

static const char *const files[] = {"seeds/langgraph/cli.json", "testdata/cli/argparse.json",
	"testdata/cli/getopt.json", "testdata/cli/getopt_long.json", "testdata/cli/optparse.json",
	"testdata/exec/probe.json", "testdata/synth/plain.json", "testdata/synth/rules.json"};
enum {
	N_FILES = sizeof files / sizeof *files,
	WORDS_MAX = 64
};

static const struct spec *grammar(unsigned char which)
{
	static struct spec *specs[N_FILES];
	struct spec **spec = &specs[which % N_FILES];
	struct error err;

	if (!*spec)
		*spec = spec_load(files[which % N_FILES], &err);
	if (!*spec)
		die_error(&err);
	return *spec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data + 1, size - 1};
	char *words[WORDS_MAX + 1];
	struct arena arena = {0};
	size_t len;
	int n = 0;

	if (size == 0)
		return 0;
	while (in.size && n < WORDS_MAX)
		words[n++] = fuzz_part(&in, &len);
	words[n] = NULL;
	fuzz_argv(grammar(data[0]), n, (const char *const *)words, &arena);
	for (int i = 0; i < n; i++)
		free(words[i]);
	arena_release(&arena);
	return 0;
}
