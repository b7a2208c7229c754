/*
 * The list of a model's shards (model.safetensors.index.json), NUL, and the one shard
 * that is there.
 */
#include "t/fuzz/directory.h"

#include "model/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"model.safetensors.index.json", "model-00001-of-00002.safetensors", NULL};
	static struct fuzz_directory directory;
	struct weights w;
	struct error err;
	char hash[65];

	fuzz_directory_set(&directory, names, data, size);
	if (weights_open(&w, directory.path, &err) == 0) {
		weights_find(&w, "a");
		weights_hash(&w, hash);
	}
	weights_close(&w);
	return 0;
}
