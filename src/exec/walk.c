#include "exec/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LINKS_MAX = 40,
	DEPTH_MAX = 128
};

/* The directories that lead to where we are: directory[0] is the root.  Their
 * descriptors stay open, so ".." is the one that we came by. */
struct walk {
	int directories[DEPTH_MAX];
	size_t names[DEPTH_MAX]; /* length of here before this one was entered */
	size_t depth;
	char here[PATH_MAX]; /* path of the last directory; "" for the root */
	char rest[2 * PATH_MAX];
	int links;
	unsigned flags;
};

/* A group of one's own (user private groups) or of root's counts as oneself. */
static int group_trusted(gid_t group, unsigned flags)
{
	return !(flags & WALK_STRICT) && (group == 0 || group == getegid());
}

static int inode_trusted(const char *path, const struct stat *st, unsigned flags, struct error *err)
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
	if ((st->st_mode & S_IWGRP) && !group_trusted(st->st_gid, flags))
		return error_set(err, EXIT_REFUSED,
			"%s can be written by group %u; take that right away (chmod g-w)", path,
			(unsigned)st->st_gid);
	return 0;
}

static void leave_to(struct walk *w, size_t depth)
{
	while (w->depth > depth) {
		w->depth--;
		close(w->directories[w->depth]);
		w->here[w->names[w->depth]] = '\0';
	}
}

static int enter(struct walk *w, int fd, const char *name, struct error *err)
{
	size_t len = strlen(w->here);

	if (w->depth == DEPTH_MAX || len + strlen(name) + 2 > sizeof w->here) {
		close(fd);
		return error_set(err, EXIT_REFUSED, "%s/%s: too deep", w->here, name);
	}
	w->directories[w->depth] = fd;
	w->names[w->depth++] = len;
	if (*name)
		snprintf(w->here + len, sizeof w->here - len, "/%s", name);
	return 0;
}

static int enter_root(struct walk *w, struct error *err)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "/");
	if (enter(w, fd, "", err) != 0)
		return -1;
	return inode_trusted("/", &st, w->flags, err);
}

/* Takes the next component off the rest: 0 at its end. */
static int next_name(struct walk *w, char name[NAME_MAX + 1], struct error *err)
{
	const char *at = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(at, "/");

	if (len > NAME_MAX)
		return error_set(err, EXIT_REFUSED, "a name in the path is too long");
	memcpy(name, at, len);
	name[len] = '\0';
	memmove(w->rest, at + len, strlen(at + len) + 1);
	return len > 0;
}

/* Puts the target of the link in front of the rest. */
static int follow(struct walk *w, int fd, const char *shown, struct error *err)
{
	char target[PATH_MAX], rest[2 * PATH_MAX];
	ssize_t n = readlinkat(fd, "", target, sizeof target - 1);

	close(fd);
	if (n <= 0)
		return error_set_errno(err, EXIT_REFUSED, "%s: cannot read the link", shown);
	target[n] = '\0';
	if (++w->links > LINKS_MAX)
		return error_set(err, EXIT_REFUSED, "%s: too many symbolic links", shown);
	if (snprintf(rest, sizeof rest, "%s/%s", target, w->rest) >= (int)sizeof rest)
		return error_set(err, EXIT_REFUSED, "%s: too long", shown);
	memcpy(w->rest, rest, strlen(rest) + 1);
	if (target[0] == '/')
		leave_to(w, 1);
	return 0;
}

/* The last component: opened for reading, and still the one that was examined. */
static int open_file(struct walk *w, const char *name, const struct stat *examined,
	const char *shown, struct error *err)
{
	struct stat st;
	int fd;

	if (w->rest[strspn(w->rest, "/")] != '\0')
		return error_set(err, EXIT_NOTFOUND, "%s is no directory", shown);
	if (!S_ISREG(examined->st_mode))
		return error_set(err, EXIT_REFUSED, "%s is no regular file", shown);
	fd = openat(w->directories[w->depth - 1], name,
		O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return error_set_errno(err, EXIT_REFUSED, "cannot open %s", shown);
	if (fstat(fd, &st) != 0 || st.st_dev != examined->st_dev || st.st_ino != examined->st_ino) {
		close(fd);
		return error_set(err, EXIT_REFUSED, "%s was replaced in the meantime", shown);
	}
	if (inode_trusted(shown, &st, w->flags, err) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* One component.  0: go on; > 0: the descriptor of the file; -1. */
static int step(struct walk *w, const char *name, struct error *err)
{
	char shown[PATH_MAX + NAME_MAX + 2];
	struct stat st;
	int fd;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		leave_to(w, w->depth > 1 ? w->depth - 1 : 1);
		return 0;
	}
	snprintf(shown, sizeof shown, "%s/%s", w->here, name);
	fd = openat(w->directories[w->depth - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set_errno(err, EXIT_NOTFOUND, "%s", shown);
	if (fstat(fd, &st) != 0 || inode_trusted(shown, &st, w->flags, err) != 0) {
		close(fd);
		return -1;
	}
	if (S_ISLNK(st.st_mode))
		return follow(w, fd, shown, err);
	if (S_ISDIR(st.st_mode))
		return enter(w, fd, name, err);
	close(fd);
	return open_file(w, name, &st, shown, err);
}

static int walk_all(struct walk *w, struct arena *arena, const char **real, struct error *err)
{
	char name[NAME_MAX + 1], path[PATH_MAX + NAME_MAX + 2];
	int got;

	while ((got = next_name(w, name, err)) > 0) {
		int fd = step(w, name, err);

		if (fd == 0)
			continue;
		if (fd > 0 && real) {
			snprintf(path, sizeof path, "%s/%s", w->here, name);
			*real = arena_strdup(arena, path);
		}
		return fd;
	}
	if (got == 0)
		error_set(err, EXIT_REFUSED, "%s is no regular file", *w->here ? w->here : "/");
	return -1;
}

int walk_open(
	const char *path, unsigned flags, struct arena *arena, const char **real, struct error *err)
{
	struct walk w = {.flags = flags};
	char directory[PATH_MAX] = "";
	int fd = -1;

	if (path[0] != '/' && !getcwd(directory, sizeof directory))
		return error_set_errno(err, EXIT_REFUSED, "the working directory");
	if (snprintf(w.rest, sizeof w.rest, "%s/%s", directory, path) >= (int)sizeof w.rest)
		return error_set(err, EXIT_REFUSED, "%s: too long", path);
	if (enter_root(&w, err) == 0)
		fd = walk_all(&w, arena, real, err);
	leave_to(&w, 0);
	return fd;
}

int walk_read(const char *path, unsigned flags, size_t max, struct arena *arena, const char **real,
	struct buf *content, struct error *err)
{
	char block[1 << 14];
	int fd = walk_open(path, flags, arena, real, err), result = 0;

	if (fd < 0)
		return -1;
	while (result == 0) {
		ssize_t n = read(fd, block, sizeof block);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n < 0)
				result = error_set_errno(err, EXIT_IO, "%s", path);
			break;
		}
		if ((size_t)n > max - content->len)
			result = error_set(
				err, EXIT_REFUSED, "%s: larger than %zu bytes", path, max);
		else
			buf_add(content, block, (size_t)n);
	}
	close(fd);
	return result;
}
