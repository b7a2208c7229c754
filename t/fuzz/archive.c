/*
 * A packed directory from a stranger: what is unpacked lies in its folder, is plain
 * files and directories, and no more than was allowed.
 */
#include "t/fuzz/fuzz.h"

#include <ftw.h>

#include "stream/archive.h"
#include "stream/file.h"

enum {
	BYTES_MAX = 1 << 20
};
static long long bytes;

static int look(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path;
	(void)at;
	fuzz_assert(type == FTW_F || type == FTW_D);
	fuzz_assert(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode));
	fuzz_assert(!(st->st_mode & (S_ISUID | S_ISGID)));
	bytes += S_ISREG(st->st_mode) ? st->st_size : 0;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	static char parent[64], dir[80], beside[80];
	struct error err;

	if (!parent[0]) {
		snprintf(parent, sizeof parent, "/dev/shm/fuzz-archive-%d", getpid());
		snprintf(dir, sizeof dir, "%s/in", parent);
		snprintf(beside, sizeof beside, "%s/x", parent);
	}
	fuzz_assert(directory_make(parent, &err) == 0);
	fuzz_file_set(&file, data, size);
	bytes = 0;
	if (archive_unpack(file.path, dir, BYTES_MAX, &err) == 0) {
		fuzz_assert(nftw(dir, look, 16, FTW_PHYS) == 0 && bytes <= BYTES_MAX);
		fuzz_assert(directory_remove(dir, &err) == 0);
	}
	/* Nothing else is there: not in the folder above, either. */
	fuzz_assert(access(dir, F_OK) != 0 && access(beside, F_OK) != 0);
	fuzz_assert(rmdir(parent) == 0);
	return 0;
}
