/* unpack.c - archives from strangers to directories. */
#include "stream/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "stream/file.h"
#include "stream/publish.h"

enum {
	BLOCK = 1 << 16,
	ENTRIES_MAX = 100000
};

struct unpacking {
	const char *name; /* of the archive */
	const char *dir;
	struct archive *in;
	uint64_t left; /* bytes that may still come */
	long entries;
	struct error *err;
};

static int refuse(struct unpacking *u, const char *entry, const char *why)
{
	return error_set(u->err, EXIT_DATA, "%s: entry '%s' %s", u->name, entry, why);
}

static int cannot_read(struct unpacking *u)
{
	const char *why = archive_error_string(u->in);
	int code = archive_errno(u->in);

	return error_set(u->err, code == EIO ? EXIT_IO : EXIT_DATA,
		"%s: not a readable archive: %s", u->name, why ? why : "unknown format");
}

/* A name that stays below the directory: relative, and without "..". */
static int is_safe_name(const char *name)
{
	if (*name == '/' || !*name)
		return 0;
	for (const char *part = name; *part;) {
		size_t len = strcspn(part, "/");

		if (len == 2 && memcmp(part, "..", 2) == 0)
			return 0;
		part += len;
		part += *part == '/';
	}
	return 1;
}

static int is_the_top(const char *name)
{
	return name[strspn(name, "./")] == '\0';
}

/* Makes the directories of a file's path. */
static int make_parents(const char *path, struct error *err)
{
	char *parent = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	int rc = directory_make(parent, err);

	free(parent);
	return rc;
}

static int copy_content(struct unpacking *u, const char *entry, int fd)
{
	char *block = xmalloc(BLOCK);
	int rc = 0;

	while (rc == 0) {
		la_ssize_t n = archive_read_data(u->in, block, BLOCK);

		if (n == 0)
			break;
		if (n < 0)
			rc = cannot_read(u);
		else if ((uint64_t)n > u->left)
			rc = refuse(u, entry, "is too large");
		else if (write_all(fd, block, (size_t)n) != 0)
			rc = error_set_errno(u->err, EXIT_IO, "cannot unpack '%s'", entry);
		if (rc == 0)
			u->left -= (uint64_t)n;
	}
	free(block);
	return rc;
}

/* O_EXCL: no file twice, and nothing that is there already is written to. */
static int unpack_file(struct unpacking *u, const char *entry, const char *path)
{
	int fd, rc;

	if (make_parents(path, u->err) != 0)
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		return refuse(u, entry, "is there twice");
	if (fd < 0)
		return error_set_errno(u->err, EXIT_IO, "cannot unpack '%s'", entry);
	rc = copy_content(u, entry, fd);
	if (close(fd) != 0 && rc == 0)
		rc = error_set_errno(u->err, EXIT_IO, "cannot unpack '%s'", entry);
	return rc;
}

static int unpack_entry(struct unpacking *u, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	struct buf path = {0};
	int rc;

	if (!name || !is_safe_name(name))
		return refuse(u, name ? name : "?", "has a name outside the directory");
	if (++u->entries > ENTRIES_MAX)
		return refuse(u, name, "is one too many");
	if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
		return refuse(u, name, "is a link; pack the file itself (tar -h)");
	if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR)
		return refuse(u, name, "is neither a file nor a directory");
	if (archive_entry_filetype(entry) == AE_IFDIR && is_the_top(name))
		return 0;
	buf_addf(&path, "%s/%s", u->dir, name);
	if (archive_entry_filetype(entry) == AE_IFDIR)
		rc = directory_make(path.data, u->err);
	else
		rc = unpack_file(u, name, path.data);
	buf_release(&path);
	return rc;
}

static int unpack_all(struct unpacking *u)
{
	struct archive_entry *entry;
	int rc;

	archive_read_support_filter_all(u->in);
	archive_read_support_format_tar(u->in);
	if (archive_read_open_filename(u->in, u->name, BLOCK) != ARCHIVE_OK)
		return cannot_read(u);
	while ((rc = archive_read_next_header(u->in, &entry)) == ARCHIVE_OK || rc == ARCHIVE_WARN)
		if (unpack_entry(u, entry) != 0)
			return -1;
	return rc == ARCHIVE_EOF ? 0 : cannot_read(u);
}

/* The name of the only thing in dir if that is a directory; else NULL. */
static char *only_directory(const char *dir)
{
	DIR *list = opendir(dir);
	struct dirent *entry;
	char *only = NULL;
	struct stat status;
	int count = 0;

	while (list && (entry = readdir(list))) {
		struct buf path = {0};

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		buf_addf(&path, "%s/%s", dir, entry->d_name);
		free(only);
		only = buf_detach(&path);
		count++;
	}
	if (list)
		closedir(list);
	if (count == 1 && lstat(only, &status) == 0 && S_ISDIR(status.st_mode))
		return only;
	free(only);
	return NULL;
}

/* DIR/top/... becomes DIR/...: top takes the place of the directory around it. */
static int lift_only_directory(const char *dir, struct error *err)
{
	char *top = only_directory(dir);
	struct buf aside = {0};
	int rc = 0;

	if (!top)
		return 0;
	buf_addf(&aside, "%s.unpacked", dir);
	if (rename(top, aside.data) != 0 || rmdir(dir) != 0 || rename(aside.data, dir) != 0)
		rc = error_set_errno(err, EXIT_IO, "cannot unpack into '%s'", dir);
	free(top);
	buf_release(&aside);
	return rc;
}

int archive_unpack(const char *archive, const char *dir, uint64_t max_bytes, struct error *err)
{
	struct unpacking u = {.name = archive, .dir = dir, .left = max_bytes, .err = err};
	struct error ignored;
	int rc;

	if (access(archive, R_OK) != 0)
		return error_set_errno(err, EXIT_NOINPUT, "cannot open '%s'", archive);
	if (rmdir(dir) != 0 && errno != ENOENT)
		return error_set_errno(err, EXIT_IO, "cannot unpack into '%s'", dir);
	if (directory_make(dir, err) != 0)
		return -1;
	u.in = archive_read_new();
	if (!u.in)
		die(EXIT_INTERNAL, "out of memory (an archive)");
	rc = unpack_all(&u);
	archive_read_free(u.in);
	if (rc == 0)
		rc = lift_only_directory(dir, err);
	if (rc != 0)
		directory_remove(dir, &ignored);
	return rc;
}

int directory_enter(
	const char *path, uint64_t max_bytes, char **dir, int *is_temporary, struct error *err)
{
	const char *base = getenv("TMPDIR");
	struct buf name = {0};
	struct stat status;

	*dir = NULL;
	*is_temporary = 0;
	if (stat(path, &status) != 0)
		return error_set_errno(err, EXIT_NOINPUT, "cannot open '%s'", path);
	if (S_ISDIR(status.st_mode)) {
		*dir = xstrdup(path);
		return 0;
	}
	buf_addf(&name, "%s/%s.XXXXXX", base && *base ? base : P_tmpdir, program_name());
	if (!mkdtemp(name.data)) {
		error_set_errno(err, EXIT_IO, "cannot create the directory '%s'", name.data);
		buf_release(&name);
		return -1;
	}
	if (archive_unpack(path, name.data, max_bytes, err) != 0) {
		buf_release(&name);
		return -1;
	}
	*dir = buf_detach(&name);
	*is_temporary = 1;
	return 0;
}

int directory_leave(char *dir, int is_temporary, struct error *err)
{
	int rc = dir && is_temporary ? directory_remove(dir, err) : 0;

	free(dir);
	return rc;
}
