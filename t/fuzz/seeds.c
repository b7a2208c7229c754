/*
 * A file of seed pairs, read against a grammar.
 * seeds: seeds/langgraph/seeds.jsonl
 */
#include "t/fuzz/fuzz.h"

#include "synth/seeds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	static struct plan *plan;
	struct seeds seeds = {0};
	struct error err;

	if (!plan) {
		struct spec *spec = spec_load("seeds/langgraph/cli.json", &err);

		plan = spec ? plan_new(spec, &err) : NULL;
		if (!plan)
			die_error(&err);
	}
	fuzz_file_set(&file, data, size);
	if (seeds_read(&seeds, plan, file.path, &err) == 0)
		seeds_finish(&seeds);
	seeds_release(&seeds);
	return 0;
}
