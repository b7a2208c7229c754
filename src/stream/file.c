/* file.c - whole files and directories. */
#include "stream/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/publish.h"

/* Directories open at a time while a tree is walked. */
enum {
	WALK_FDS = 16,
	READ_BLOCK = 1 << 16
};

static int read_all(int fd, const char *path, size_t max, struct buf *out, struct error *err)
{
	size_t start = out->len;

	for (;;) {
		ssize_t n;

		buf_reserve(out, READ_BLOCK);
		n = read(fd, out->data + out->len, READ_BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, EXIT_IO, "cannot read '%s'", path);
		if (n == 0)
			break;
		out->len += (size_t)n;
		if (out->len - start > max)
			return error_set(
				err, EXIT_DATA, "'%s' is larger than %zu bytes", path, max);
	}
	out->data[out->len] = '\0';
	return 0;
}

int file_read(const char *path, size_t max, struct buf *out, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t start = out->len;
	struct stat status;
	int rc;

	if (fd < 0)
		return error_set_errno(err, EXIT_NOINPUT, "cannot open '%s'", path);
	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
		rc = error_set(err, EXIT_NOINPUT, "'%s' is a directory, not a file", path);
	else
		rc = read_all(fd, path, max, out, err);
	close(fd);
	if (rc != 0 && out->data)
		out->data[out->len = start] = '\0';
	return rc;
}

int file_publish(const char *path, const void *data, size_t len, struct error *err)
{
	struct publish p;

	if (publish_open(&p, path, err) != 0)
		return -1;
	if (write_all(p.fd, data, len) != 0) {
		error_set_errno(err, EXIT_IO, "cannot write '%s'", path);
		publish_abort(&p);
		return -1;
	}
	return publish_commit(&p, err);
}

static int make_one(const char *path, struct error *err)
{
	struct stat status;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return error_set_errno(err, EXIT_IO, "cannot create the directory '%s'", path);
	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
		return error_set(err, EXIT_IO, "'%s' is not a directory", path);
	return 0;
}

int directory_make(const char *path, struct error *err)
{
	char *copy = xstrdup(path);
	int rc = 0;

	for (char *p = copy + 1; *copy && *p && rc == 0; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		rc = make_one(copy, err);
		*p = '/';
	}
	if (rc == 0)
		rc = make_one(copy, err);
	free(copy);
	return rc;
}

static int sync_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	int fd, rc, saved;

	(void)status;
	(void)place;
	if (type != FTW_F && type != FTW_DP)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	if (rc != 0 && errno == EINVAL)
		rc = 0;
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

/* Begins to write a file out: the syncs that follow then wait for all at once. */
static int write_out_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	int fd;

	(void)status;
	(void)place;
	if (type != FTW_F)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* Only a hint: whether it worked is for fsync to say. */
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	close(fd);
	return 0;
}

/* rename(2), but never over something; not all filesystems have it in one step. */
static int rename_new(const char *from, const char *to)
{
	struct stat status;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (lstat(to, &status) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

int directory_publish(const char *temporary, const char *path, struct error *err)
{
	if (nftw(temporary, write_out_one, WALK_FDS, FTW_DEPTH | FTW_PHYS) != 0 ||
		nftw(temporary, sync_one, WALK_FDS, FTW_DEPTH | FTW_PHYS) != 0)
		return error_set_errno(err, EXIT_IO, "cannot sync '%s'", temporary);
	if (rename_new(temporary, path) != 0)
		return error_set_errno(err, EXIT_IO, "cannot publish '%s'", path);
	if (directory_sync(path) != 0)
		return error_set_errno(err, EXIT_IO, "cannot sync the directory of '%s'", path);
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

int directory_remove(const char *path, struct error *err)
{
	struct stat status;

	if (lstat(path, &status) != 0 && errno == ENOENT)
		return 0;
	if (nftw(path, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS) != 0)
		return error_set_errno(err, EXIT_IO, "cannot remove '%s'", path);
	return 0;
}

char *path_join(const char *dir, const char *name)
{
	struct buf path = {0};

	buf_addf(&path, "%s/%s", dir, name);
	return buf_detach(&path);
}
