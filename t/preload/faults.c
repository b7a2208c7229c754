/*
 * faults.c - a preload library that makes system calls fail.
 *
 *	FAULT=write:3:ENOSPC   the third write(2) fails so
 *	FAULT=short            reads and writes move few bytes, every second one
 *	                       is interrupted first; nothing may be lost
 *
 * Calls: read, write, fsync, rename, close.  Writes to standard error, reads of
 * devices and closing what was only read do not count.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int error_named(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EPIPE", EPIPE}, {"EDQUOT", EDQUOT}};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].number;
	fprintf(stderr, "faults: unknown error '%s'\n", name);
	abort();
}

/* Whether this call is the one to fail; sets errno. */
static int fails(const char *call)
{
	const char *fault = getenv("FAULT"), *number, *name;
	static long count;
	size_t len = strlen(call);

	if (!fault || strncmp(fault, call, len) != 0 || fault[len] != ':')
		return 0;
	number = fault + len + 1;
	name = strchr(number, ':');
	if (!name || ++count != atol(number))
		return 0;
	errno = error_named(name + 1);
	return 1;
}

static int is_short(void)
{
	const char *fault = getenv("FAULT");

	return fault && strcmp(fault, "short") == 0;
}

static int is_interrupted(void)
{
	static unsigned calls;

	errno = EINTR;
	return calls++ % 2 == 0;
}

static int is_device(int fd)
{
	struct stat status;

	return fstat(fd, &status) != 0 || S_ISCHR(status.st_mode);
}

ssize_t read(int fd, void *data, size_t len)
{
	static ssize_t (*real)(int, void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "read");
	if (is_device(fd))
		return real(fd, data, len);
	if (fails("read"))
		return -1;
	if (is_short()) {
		if (is_interrupted())
			return -1;
		len = len > 61 ? 61 : len;
	}
	return real(fd, data, len);
}

ssize_t write(int fd, const void *data, size_t len)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (fd == STDERR_FILENO)
		return real(fd, data, len);
	if (fails("write"))
		return -1;
	if (is_short()) {
		if (is_interrupted())
			return -1;
		len = len > 67 ? 67 : len;
	}
	return real(fd, data, len);
}

int fsync(int fd)
{
	static int (*real)(int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fsync");
	return fails("fsync") ? -1 : real(fd);
}

int rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rename");
	return fails("rename") ? -1 : real(from, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	static int (*real)(int, const char *, int, const char *, unsigned);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "renameat2");
	return fails("rename") ? -1 : real(from_dir, from, to_dir, to, flags);
}

int close(int fd)
{
	static int (*real)(int);
	int flags = fcntl(fd, F_GETFL);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "close");
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fd == STDERR_FILENO || !fails("close"))
		return real(fd);
	real(fd); /* as Linux does: closed all the same */
	return -1;
}
