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
#include "exec/walk.h"

enum {
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

int path_trusted(const char *path, struct error *err)
{
	int fd = walk_open(path, 0, NULL, NULL, err);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
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
	exe->interpreter_fd = walk_open(exe->interpreter, 0, NULL, NULL, err);
	if (exe->interpreter_fd < 0)
		return error_prefix(err, "%s: interpreter", exe->path);
	if (shebang(exe->interpreter_fd, arena, &inner, &argument))
		return error_set(err, EXIT_REFUSED, "%s: its interpreter %s is a script itself",
			exe->path, exe->interpreter);
	return identity_take(exe->interpreter_fd, &exe->interpreter_identity, err);
}

int executable_open(
	const char *path, struct arena *arena, struct executable *exe, struct error *err)
{
	memset(exe, 0, sizeof *exe);
	exe->interpreter_fd = -1;
	exe->path = arena_strdup(arena, path);
	exe->fd = walk_open(path, 0, arena, &exe->real_path, err);
	if (exe->fd < 0)
		return -1;
	if (faccessat(exe->fd, "", X_OK, AT_EMPTY_PATH) != 0)
		error_set(err, EXIT_REFUSED, "%s is not executable", path);
	else if (identity_take(exe->fd, &exe->identity, err) == 0 &&
		 open_interpreter(exe, arena, err) == 0 && executable_unmoved(exe, err) == 0)
		return 0;
	executable_close(exe);
	return -1;
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
		return executable_open(path, arena, exe, err);
	}
	error_set(err, EXIT_NOTFOUND, "no executable %s in %s (--path DIR names its directory)",
		name, list.data ? list.data : "no directory");
	buf_release(&list);
	return -1;
}

/* By the same walk: whoever bent the path in the meantime is found out as well. */
static int unmoved(const char *path, const struct identity *identity, struct error *err)
{
	struct stat st;
	int fd = walk_open(path, 0, NULL, NULL, err), same;

	if (fd < 0)
		return error_set(err, EXIT_REFUSED, "%s was replaced in the meantime", path);
	same = fstat(fd, &st) == 0 && st.st_dev == identity->device && st.st_ino == identity->inode;
	close(fd);
	if (!same)
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
