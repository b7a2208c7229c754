/*
 * What a model directory says besides its weights: policy.json, NUL, cli.json, NUL,
 * tokenizer.json, NUL, lexicon.txt.
 */
#include "t/fuzz/directory.h"

#include "rl/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"policy.json", "cli.json", "tokenizer.json", "lexicon.txt", NULL};
	static struct fuzz_directory directory;
	struct error err;
	struct policy *p;

	fuzz_directory_set(&directory, names, data, size);
	p = policy_open(directory.path, fuzz_device(), 0, &err);
	fuzz_assert(!p && err.message[0]); /* there are no weights */
	return 0;
}
