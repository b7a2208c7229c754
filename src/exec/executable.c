#include "exec/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

enum {
	LINKS_MAX = 16,
	HEAD_MAX = 256
};

int identity_take(int fd, struct identity *identity, struct error *err)
{
	char block[1 << 16];
	struct stat st;
	struct sha256_ctx sha;
	off_t at = 0;

	memset(identity, 0, sizeof *identity);
	if (fstat(fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot examine the executable");
	if (!S_ISREG(st.st_mode))
		return error_set(err, EXIT_REFUSED, "the executable is no regular file");
	sha256_init(&sha);
	for (;;) {
		ssize_t n = pread(fd, block, sizeof block, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, EXIT_FAILURE_OWN, "cannot read the executable");
		if (n == 0)
			break;
		sha256_update(&sha, (size_t)n, (const uint8_t *)block);
		at += n;
	}
	sha256_end(&sha, identity->hash);
	identity->device = st.st_dev;
	identity->inode = st.st_ino;
	identity->size = (unsigned long long)st.st_size;
	identity->mtime = st.st_mtim.tv_sec;
	identity->mtime_ns = st.st_mtim.tv_nsec;
	return 0;
}

/* A group of one's own (user private groups) or of root's counts as oneself. */
static int group_trusted(gid_t group)
{
	return group == 0 || group == getegid();
}

static int inode_trusted(const char *path, const struct stat *st, struct error *err)
{
	int sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);

	if (st->st_uid != 0 && st->st_uid != geteuid())
		return error_set(err, EXIT_REFUSED,
			"%s belongs to user %u, who could change what would be run", path,
			(unsigned)st->st_uid);
	if (S_ISLNK(st->st_mode) || sticky)
		return 0;
	if (st->st_mode & S_IWOTH)
		return error_set(err, EXIT_REFUSED,
			"%s can be written by everyone; take that right away (chmod o-w)", path);
	if ((st->st_mode & S_IWGRP) && !group_trusted(st->st_gid))
		return error_set(err, EXIT_REFUSED,
			"%s can be written by group %u; take that right away (chmod g-w)", path,
			(unsigned)st->st_gid);
	return 0;
}

/* Every directory from / down to the one that holds path, links resolved. */
static int parents_trusted(const char *path, struct error *err)
{
	char parent[PATH_MAX], real[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct stat st;

	snprintf(parent, sizeof parent, "%.*s", slash == path ? 1 : (int)(slash - path), path);
	if (!realpath(parent, real))
		return error_set_errno(err, EXIT_NOTFOUND, "%s", parent);
	for (;;) {
		char *end;

		if (stat(real, &st) != 0)
			return error_set_errno(err, EXIT_NOTFOUND, "%s", real);
		if (inode_trusted(real, &st, err) != 0)
			return -1;
		if (strcmp(real, "/") == 0)
			return 0;
		end = strrchr(real, '/');
		end[end == real ? 1 : 0] = '\0';
	}
}

int path_trusted(const char *path, struct error *err)
{
	char at[PATH_MAX], target[PATH_MAX], joined[2 * PATH_MAX];
	struct stat st;

	if (path[0] != '/') {
		if (!realpath(path, at))
			return error_set_errno(err, EXIT_NOTFOUND, "%s", path);
	} else if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at) {
		return error_set(err, EXIT_REFUSED, "%s: too long", path);
	}
	for (int links = 0; links < LINKS_MAX; links++) {
		ssize_t n;

		if (parents_trusted(at, err) != 0)
			return -1;
		if (lstat(at, &st) != 0)
			return error_set_errno(err, EXIT_NOTFOUND, "%s", at);
		if (inode_trusted(at, &st, err) != 0)
			return -1;
		if (!S_ISLNK(st.st_mode))
			return 0;
		n = readlink(at, target, sizeof target - 1);
		if (n < 0)
			return error_set_errno(err, EXIT_REFUSED, "%s", at);
		target[n] = '\0';
		if (target[0] == '/')
			snprintf(joined, sizeof joined, "%s", target);
		else
			snprintf(joined, sizeof joined, "%.*s/%s", (int)(strrchr(at, '/') - at), at,
				target);
		if (snprintf(at, sizeof at, "%.*s", PATH_MAX, joined) >= (int)sizeof at)
			return error_set(err, EXIT_REFUSED, "%s: too long", path);
	}
	return error_set(err, EXIT_REFUSED, "%s: too many symbolic links", path);
}

static int open_trusted(const char *path, struct error *err)
{
	struct stat st;
	int fd;

	if (path_trusted(path, err) != 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return error_set_errno(err, EXIT_REFUSED, "cannot open %s", path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(err, EXIT_REFUSED, "%s is no regular file", path);
	}
	if (inode_trusted(path, &st, err) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads the #! line: 1 a script, 0 none.  Interpreter and the rest of the line, as
 * the kernel takes them. */
static int shebang(int fd, struct arena *arena, const char **interpreter, const char **argument)
{
	char head[HEAD_MAX + 1];
	ssize_t n = pread(fd, head, HEAD_MAX, 0);
	char *end, *word, *rest;

	if (n < 2 || head[0] != '#' || head[1] != '!')
		return 0;
	head[n] = '\0';
	end = strchr(head, '\n');
	if (end)
		*end = '\0';
	else
		end = head + strlen(head);
	while (end > head + 2 && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	word = head + 2 + strspn(head + 2, " \t");
	rest = word + strcspn(word, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	*interpreter = arena_strdup(arena, word);
	*argument = *rest ? arena_strdup(arena, rest) : NULL;
	return 1;
}

static int open_interpreter(struct executable *exe, struct arena *arena, struct error *err)
{
	const char *inner, *argument;

	if (!shebang(exe->fd, arena, &exe->interpreter, &exe->interpreter_argument))
		return 0;
	if (exe->interpreter[0] != '/')
		return error_set(err, EXIT_REFUSED, "%s: its interpreter '%s' is no absolute path",
			exe->path, exe->interpreter);
	exe->interpreter_fd = open_trusted(exe->interpreter, err);
	if (exe->interpreter_fd < 0)
		return error_prefix(err, "%s: interpreter", exe->path);
	if (shebang(exe->interpreter_fd, arena, &inner, &argument))
		return error_set(err, EXIT_REFUSED, "%s: its interpreter %s is a script itself",
			exe->path, exe->interpreter);
	return identity_take(exe->interpreter_fd, &exe->interpreter_identity, err);
}

static int open_executable(
	const char *path, struct arena *arena, struct executable *exe, struct error *err)
{
	char real[PATH_MAX];

	exe->fd = open_trusted(path, err);
	if (exe->fd < 0)
		return -1;
	if (!realpath(path, real))
		return error_set_errno(err, EXIT_REFUSED, "%s", path);
	exe->path = arena_strdup(arena, path);
	exe->real_path = arena_strdup(arena, real);
	if (identity_take(exe->fd, &exe->identity, err) != 0 ||
		open_interpreter(exe, arena, err) != 0)
		return -1;
	return executable_unmoved(exe, err);
}

int executable_find(const char *name, const char *const *directories, size_t n, struct arena *arena,
	struct executable *exe, struct error *err)
{
	char path[PATH_MAX];
	struct buf list = {0};
	struct stat st;

	memset(exe, 0, sizeof *exe);
	exe->fd = exe->interpreter_fd = -1;
	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return error_set(err, EXIT_REFUSED, "'%s' is no plain name of a program", name);
	for (size_t i = 0; i < n; i++) {
		if (snprintf(path, sizeof path, "%s/%s", directories[i], name) >= (int)sizeof path)
			continue;
		buf_addf(&list, "%s%s", i ? ":" : "", directories[i]);
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || access(path, X_OK) != 0)
			continue;
		buf_release(&list);
		if (open_executable(path, arena, exe, err) == 0)
			return 0;
		executable_close(exe);
		return -1;
	}
	error_set(err, EXIT_NOTFOUND, "no executable %s in %s (--path DIR names its directory)",
		name, list.data ? list.data : "no directory");
	buf_release(&list);
	return -1;
}

static int unmoved(const char *path, const struct identity *identity, struct error *err)
{
	struct stat st;

	if (stat(path, &st) != 0 || st.st_dev != identity->device || st.st_ino != identity->inode)
		return error_set(err, EXIT_REFUSED, "%s was replaced in the meantime", path);
	return 0;
}

int executable_unmoved(const struct executable *exe, struct error *err)
{
	if (unmoved(exe->path, &exe->identity, err) != 0)
		return -1;
	if (exe->interpreter)
		return unmoved(exe->interpreter, &exe->interpreter_identity, err);
	return 0;
}

void executable_close(struct executable *exe)
{
	if (exe->fd >= 0)
		close(exe->fd);
	if (exe->interpreter_fd >= 0)
		close(exe->interpreter_fd);
	exe->fd = exe->interpreter_fd = -1;
}
