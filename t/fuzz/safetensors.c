/*
 * The safetensors reader: whatever opens is whole, and every entry can be read.
 * seeds: testdata/model/tied/model.safetensors
 */
#include "t/fuzz/fuzz.h"

#include "model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct safetensors *f;
	struct error err;
	char hash[65];

	fuzz_file_set(&file, data, size);
	f = safetensors_open(file.path, &err);
	if (!f)
		return 0;
	for (int i = 0; i < safetensors_count(f); i++) {
		const struct safetensors_entry *e = safetensors_entry(f, i);
		float *numbers = xcalloc((size_t)e->n_elements + 1, sizeof *numbers);
		unsigned sum = 0;

		fuzz_assert(safetensors_find(f, e->name) == e);
		safetensors_floats(e, numbers, &err);
		for (uint64_t k = 0; k < e->bytes; k++)
			sum += e->data[k];
		fuzz_assert(sum <= 255 * e->bytes);
		free(numbers);
	}
	safetensors_hash(f, hash);
	safetensors_close(f);
	return 0;
}
