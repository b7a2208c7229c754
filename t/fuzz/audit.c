/*
 * An audit log: its full part, NUL, its head, NUL, the log.  Where it holds, a byte taken
 * out of its whole lines breaks it.
 */
#include "t/fuzz/directory.h"

#include "exec/audit.h"

static int verify(const struct fuzz_directory *d)
{
	char path[128], last[65];
	long long entries;
	struct error err = {0};
	int result;

	snprintf(path, sizeof path, "%s/log", d->path);
	result = audit_verify(path, &entries, last, &err);
	fuzz_assert(result == 0 || err.message[0]);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"log.1", "log.head", "log", NULL};
	static struct fuzz_directory directory;
	const uint8_t *log;
	uint8_t *shorter;
	size_t at;

	fuzz_directory_set(&directory, names, data, size);
	if (verify(&directory) != 0)
		return 0;
	log = memchr(data, 0, size);
	log = memchr(log + 1, 0, size - (size_t)(log + 1 - data)) + 1;
	/* Half a line that was to come may end anywhere. */
	if (data + size - log < 3 || data[size - 1] != '\n')
		return 0;
	at = (size_t)(log - data) + (size_t)(data + size - log) / 2;
	shorter = xmalloc(size - 1);
	memcpy(shorter, data, at);
	memcpy(shorter + at, data + at + 1, size - at - 1);
	fuzz_directory_set(&directory, names, shorter, size - 1);
	fuzz_assert(verify(&directory) != 0);
	free(shorter);
	return 0;
}
