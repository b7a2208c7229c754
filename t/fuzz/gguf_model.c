/*
 * A GGUF file as a model: its configuration passes its own check, and what loads has a
 * number for every parameter.
 * seeds: testdata/gguf/models
 */
#include "t/fuzz/directory.h"

#include "model/gguf_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct error err;
	struct model *m;
	unsigned bits = 0;

	fuzz_file_set(&file, data, size);
	m = gguf_model_load(file.path, fuzz_device(), 0, &err);
	if (!m)
		return 0;
	fuzz_assert(model_config_check(&m->config, &err) == 0);
	for (int i = 0; i < m->n_tensors; i++)
		for (int64_t k = 0; k < m->tensors[i].rows * m->tensors[i].cols; k++)
			bits |= m->tensors[i].data[k] != 0.0f;
	fuzz_assert(bits < 2);
	model_free(m);
	return 0;
}
