/* pack.c - directories to archives, the same bytes for the same contents. */
#include "stream/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "stream/publish.h"

enum {
	BLOCK = 1 << 16,
	DEPTH_MAX = 64
};

struct packing {
	const char *dir;
	struct archive *out;
	int depth;
	struct error *err;
};

static int cannot_write(struct packing *p)
{
	const char *why = archive_error_string(p->out);

	return error_set(p->err, EXIT_IO, "cannot pack '%s': %s", p->dir, why ? why : "unknown");
}

static int write_header(struct packing *p, const char *name, const struct stat *status)
{
	struct archive_entry *entry = archive_entry_new();
	int directory = S_ISDIR(status->st_mode), rc;

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, directory ? AE_IFDIR : AE_IFREG);
	archive_entry_set_perm(entry, directory ? 0755 : 0644);
	archive_entry_set_size(entry, directory ? 0 : status->st_size);
	archive_entry_set_mtime(entry, 0, 0);
	rc = archive_write_header(p->out, entry);
	archive_entry_free(entry);
	return rc == ARCHIVE_OK ? 0 : cannot_write(p);
}

static int write_content(struct packing *p, int fd, const char *path, uint64_t size)
{
	char *block = xmalloc(BLOCK);
	int rc = 0;

	while (rc == 0 && size) {
		ssize_t n = read(fd, block, size < BLOCK ? (size_t)size : BLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = error_set_errno(p->err, EXIT_IO, "cannot read '%s'", path);
		else if (n == 0)
			rc = error_set(p->err, EXIT_IO, "'%s' became shorter", path);
		else if (archive_write_data(p->out, block, (size_t)n) != n)
			rc = cannot_write(p);
		else
			size -= (uint64_t)n;
	}
	free(block);
	return rc;
}

static int pack_file(struct packing *p, const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), rc;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0) {
		rc = error_set_errno(p->err, EXIT_NOINPUT, "cannot open '%s'", path);
	} else {
		rc = write_header(p, name, &status);
		if (rc == 0)
			rc = write_content(p, fd, path, (uint64_t)status.st_size);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int pack_directory(struct packing *p, const char *name);

static int pack_entry(struct packing *p, const char *name)
{
	struct buf path = {0};
	struct stat status;
	int rc;

	buf_addf(&path, "%s/%s", p->dir, name);
	if (lstat(path.data, &status) != 0)
		rc = error_set_errno(p->err, EXIT_NOINPUT, "cannot open '%s'", path.data);
	else if (S_ISREG(status.st_mode))
		rc = pack_file(p, path.data, name);
	else if (!S_ISDIR(status.st_mode))
		rc = error_set(
			p->err, EXIT_DATA, "'%s' is neither a file nor a directory", path.data);
	else if (write_header(p, name, &status) != 0)
		rc = -1;
	else
		rc = pack_directory(p, name);
	buf_release(&path);
	return rc;
}

static int is_listed(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* By bytes: alphasort() would ask the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Everything in DIR/name; name is "" for the top. */
static int pack_directory(struct packing *p, const char *name)
{
	struct dirent **list;
	struct buf path = {0};
	int n, rc = 0;

	if (++p->depth > DEPTH_MAX)
		return error_set(p->err, EXIT_DATA, "'%s' is nested too deep", name);
	buf_addf(&path, "%s/%s", p->dir, name);
	n = scandir(path.data, &list, is_listed, by_name);
	if (n < 0)
		rc = error_set_errno(p->err, EXIT_NOINPUT, "cannot open '%s'", path.data);
	for (int i = 0; i < n; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s%s%s", name, *name ? "/" : "", list[i]->d_name);
		if (rc == 0)
			rc = pack_entry(p, path.data);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	buf_release(&path);
	p->depth--;
	return rc;
}

int archive_pack(const char *dir, const char *archive, struct error *err)
{
	struct packing p = {.dir = dir, .err = err};
	struct publish file;
	int rc;

	if (publish_open(&file, archive, err) != 0)
		return -1;
	p.out = archive_write_new();
	if (!p.out)
		die(EXIT_INTERNAL, "out of memory (an archive)");
	archive_write_set_format_pax_restricted(p.out);
	archive_write_add_filter_zstd(p.out);
	if (archive_write_open_fd(p.out, file.fd) != ARCHIVE_OK)
		rc = cannot_write(&p);
	else
		rc = pack_directory(&p, "");
	if (rc == 0 && archive_write_close(p.out) != ARCHIVE_OK)
		rc = cannot_write(&p);
	archive_write_free(p.out);
	if (rc == 0)
		return publish_commit(&file, err);
	publish_abort(&file);
	return -1;
}
