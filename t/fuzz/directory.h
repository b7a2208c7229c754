/*
 * directory.h - a directory whose files are in memory, for parsers that want one: an
 * input is the contents of its files in order, a NUL between them.  A file for which
 * nothing is left is not there.
 */
#ifndef T_FUZZ_DIRECTORY_H
#define T_FUZZ_DIRECTORY_H

#include "t/fuzz/fuzz.h"

#include "kernels/device.h"

static inline const struct device *fuzz_device(void)
{
	static const struct device *device;
	struct error err;

	if (!device)
		device = device_open("cpu", 1, &err);
	if (!device)
		die_error(&err);
	return device;
}

enum {
	FUZZ_FILES_MAX = 8
};

struct fuzz_directory {
	char path[64];
	struct fuzz_file files[FUZZ_FILES_MAX];
};

static inline void fuzz_directory_set(
	struct fuzz_directory *d, const char *const *names, const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	char link[128];
	size_t len;

	if (!d->path[0]) {
		const char *parent = getenv("TMPDIR");

		snprintf(d->path, sizeof d->path, "%s/fuzz-XXXXXX", parent ? parent : "/tmp");
		fuzz_assert(mkdtemp(d->path));
	}
	for (int i = 0; names[i]; i++) {
		snprintf(link, sizeof link, "%s/%s", d->path, names[i]);
		unlink(link);
		if (!in.size)
			continue;
		/* The last file takes the rest: it may be binary. */
		char *part = names[i + 1] ? fuzz_part(&in, &len) : fuzz_rest(&in, &len);
		fuzz_file_set(&d->files[i], part, len);
		fuzz_assert(symlink(d->files[i].path, link) == 0);
		free(part);
	}
}

#endif
