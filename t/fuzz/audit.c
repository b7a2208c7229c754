/*
 * An audit log: where its chain holds, taking any byte out of a line other than the
 * last breaks it.
 */
#include "t/fuzz/fuzz.h"

#include "exec/audit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	const uint8_t *end;
	struct error err;
	long long entries;
	char last[65], *shorter;

	fuzz_file_set(&file, data, size);
	if (audit_verify(file.path, &entries, last, &err) != 0) {
		fuzz_assert(err.message[0]);
		return 0;
	}
	end = size ? memrchr(data, '\n', size - 1) : NULL;
	if (!end)
		return 0;
	shorter = xmalloc(size - 1);
	memcpy(shorter, data, (size_t)(end - data) - 1);
	memcpy(shorter + (end - data) - 1, end, size - (size_t)(end - data));
	fuzz_file_set(&file, shorter, size - 1);
	fuzz_assert(audit_verify(file.path, &entries, last, &err) != 0);
	free(shorter);
	return 0;
}
