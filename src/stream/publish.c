/* publish.c - temporary name, fsync, rename. */
#include "stream/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "stream/leftover.h"

int wait_ready(int fd, short events)
{
	struct pollfd wanted = {.fd = fd, .events = events};

	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return 0;
	return poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && (errno == EINTR || wait_ready(fd, POLLOUT)))
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int directory_sync(const char *path)
{
	char *directory = directory_of(path);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = -1, saved;

	free(directory);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	/* Some filesystems cannot sync a directory, and need not. */
	if (rc != 0 && errno == EINVAL)
		rc = 0;
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

/* The mode that open(2) would have given: the old file's, or that of umask. */
static mode_t file_mode(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static int open_temporary(struct publish *p, const struct stat *old, struct error *err)
{
	char *directory = directory_of(p->path);
	const char *slash = strrchr(p->path, '/');
	struct buf name = {0};

	buf_addf(&name, "%s/.%s.XXXXXX", directory, slash ? slash + 1 : p->path);
	free(directory);
	p->temporary = buf_detach(&name);
	p->fd = mkostemp(p->temporary, O_CLOEXEC);
	if (p->fd < 0) {
		error_set_errno(err, EXIT_IO, "cannot create a file beside '%s'", p->path);
		free(p->temporary);
		p->temporary = NULL;
		return -1;
	}
	leftover_guard(p->temporary);
	if (fchmod(p->fd, file_mode(old)) != 0)
		return error_set_errno(err, EXIT_IO, "cannot set the mode of '%s'", p->path);
	return 0;
}

int publish_open(struct publish *p, const char *path, struct error *err)
{
	struct stat old;
	int exists = stat(path, &old) == 0;
	int replace = exists && S_ISREG(old.st_mode);
	int rc;

	*p = (struct publish){.fd = -1};
	/* A symbolic link stays one: its target is replaced.  What is no file keeps
	 * its name: /dev/fd/63 leads to nothing that could be opened again. */
	p->path = replace ? realpath(path, NULL) : xstrdup(path);
	if (!p->path)
		return error_set_errno(err, EXIT_IO, "cannot write '%s'", path);
	if (!exists || replace) {
		rc = open_temporary(p, exists ? &old : NULL, err);
	} else {
		p->fd = open(p->path, O_WRONLY | O_CLOEXEC);
		rc = p->fd >= 0 ? 0 : error_set_errno(err, EXIT_IO, "cannot write '%s'", path);
	}
	if (rc != 0)
		publish_abort(p);
	return rc;
}

void publish_abort(struct publish *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->temporary) {
		unlink(p->temporary);
		leftover_forget(p->temporary);
	}
	free(p->temporary);
	free(p->path);
	*p = (struct publish){.fd = -1};
}

/* Devices and pipes have nothing to sync. */
static int sync_fd(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -1;
}

int publish_commit(struct publish *p, struct error *err)
{
	int fd = p->fd;

	p->fd = -1;
	if (sync_fd(fd) != 0) {
		error_set_errno(err, EXIT_IO, "cannot write '%s'", p->path);
		close(fd);
	} else if (close(fd) != 0) {
		error_set_errno(err, EXIT_IO, "cannot write '%s'", p->path);
	} else if (p->temporary && rename(p->temporary, p->path) != 0) {
		error_set_errno(err, EXIT_IO, "cannot publish '%s'", p->path);
	} else {
		int rc = p->temporary ? directory_sync(p->path) : 0;

		if (p->temporary)
			leftover_forget(p->temporary);
		free(p->temporary);
		p->temporary = NULL;
		if (rc != 0)
			error_set_errno(err, EXIT_IO, "cannot sync the directory of '%s'", p->path);
		publish_abort(p);
		return rc;
	}
	publish_abort(p);
	return -1;
}
