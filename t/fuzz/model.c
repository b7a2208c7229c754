/*
 * A model directory from a stranger: config.json, NUL, model.safetensors.  What loads
 * has a weight for every parameter and runs.
 */
#include "t/fuzz/directory.h"

#include <math.h>

#include "model/model.h"

static void use(struct model *m)
{
	struct error err;
	double sum = 0;

	for (int i = 0; i < m->n_tensors; i++)
		for (int64_t k = 0; k < m->tensors[i].rows * m->tensors[i].cols; k++)
			sum += fabs((double)m->tensors[i].data[k]);
	fuzz_assert(!(sum < 0));
	fuzz_assert(model_config_check(&m->config, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"config.json", "model.safetensors", NULL};
	static struct fuzz_directory directory;
	struct error err;
	struct model *m;

	fuzz_directory_set(&directory, names, data, size);
	m = model_load(directory.path, fuzz_device(), 1, &err);
	if (m)
		use(m);
	model_free(m);
	return 0;
}
