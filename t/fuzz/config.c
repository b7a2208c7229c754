/*
 * config.json of a model: what is read passes its own check, is written, and read
 * again as the same.
 * seeds: testdata/model/tied/config.json testdata/model/llama3/config.json testdata/model/mistral/config.json testdata/model/qwen2-window/config.json testdata/model/gemma3/config.json
 */
#include "t/fuzz/fuzz.h"

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	static char copy[64];
	struct model_config c, again;
	struct error err;

	if (!copy[0])
		snprintf(copy, sizeof copy, "/dev/shm/fuzz-config-%d", getpid());
	fuzz_file_set(&file, data, size);
	if (model_config_read(&c, file.path, &err) != 0)
		return 0;
	fuzz_assert(model_config_check(&c, &err) == 0);
	fuzz_assert(model_config_write(&c, copy, &err) == 0);
	fuzz_assert(model_config_read(&again, copy, &err) == 0);
	unlink(copy);
	fuzz_assert(memcmp(&c, &again, sizeof c) == 0);
	return 0;
}
