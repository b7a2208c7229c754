#include "exec/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/number.h"

enum {
	SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE
};
enum {
	COPY_MAX = 1 << 26
};

/* Fields follow each other as "LENGTH:BYTES," (netstrings): no two plans pack alike. */
static void put(struct buf *out, const char *text)
{
	size_t len = strlen(text);

	buf_addf(out, "%zu:", len);
	buf_add(out, text, len);
	buf_addc(out, ',');
}

static void put_number(struct buf *out, long long number)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", number);
	put(out, text);
}

static void put_list(struct buf *out, size_t n, const char *const *list)
{
	put_number(out, (long long)n);
	for (size_t i = 0; i < n; i++)
		put(out, list[i]);
}

static void put_identity(struct buf *out, const struct identity *id)
{
	char text[256];

	snprintf(text, sizeof text, "%llu %llu %llu %lld %lld %s", id->device, id->inode, id->size,
		id->mtime, id->mtime_ns, id->hash);
	put(out, text);
}

static void put_fixed(struct buf *out, const struct plan *p)
{
	put_list(out, (size_t)p->argc, p->argv);
	put_list(out, p->n_environment, p->environment);
	put(out, p->exe.path);
	put(out, p->exe.real_path);
	put(out, p->exe.interpreter ? p->exe.interpreter : "");
	put(out, p->exe.interpreter_argument ? p->exe.interpreter_argument : "");
	put(out, p->directory);
	put(out, p->input);
	put(out, p->policy);
	put_number(out, p->timeout);
	put_number(out, p->output_mib);
	put_number(out, p->umask);
	put_number(out, p->limits.processes);
	put_number(out, p->limits.memory_mib);
	put_number(out, p->limits.file_mib);
	put_number(out, p->limits.files);
	put_number(out, p->limits.cpu_seconds);
	put_number(out, p->writable);
	put_number(out, p->sandbox);
	put_number(out, p->network);
	put_list(out, p->n_read, p->read);
	put_list(out, p->n_write, p->write);
	put(out, p->audit_directory);
}

static int put_input(struct buf *out, int fd, struct error *err)
{
	struct identity id = {.hash = ""};
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot examine the input");
	id.device = st.st_dev;
	id.inode = st.st_ino;
	id.size = (unsigned long long)st.st_size;
	id.mtime = st.st_mtim.tv_sec;
	id.mtime_ns = st.st_mtim.tv_nsec;
	put_identity(out, &id);
	return 0;
}

int plan_digest(const struct plan *p, int directory, char digest[65], struct error *err)
{
	struct buf out = {0};
	struct identity id;
	struct stat st;
	char text[64];

	put_fixed(&out, p);
	if (identity_take(p->exe.fd, &id, err) != 0)
		goto fail;
	put_identity(&out, &id);
	if (p->exe.interpreter) {
		if (identity_take(p->exe.interpreter_fd, &id, err) != 0)
			goto fail;
		put_identity(&out, &id);
	}
	if (p->input_fd >= 0 && put_input(&out, p->input_fd, err) != 0)
		goto fail;
	if (fstatat(directory, directory == AT_FDCWD ? "." : "", &st,
		    directory == AT_FDCWD ? 0 : AT_EMPTY_PATH) != 0) {
		error_set_errno(err, EXIT_FAILURE_OWN, "directory %s", p->directory);
		goto fail;
	}
	snprintf(text, sizeof text, "%llu %llu", (unsigned long long)st.st_dev,
		(unsigned long long)st.st_ino);
	put(&out, text);
	sha256_hex(out.data, out.len, digest);
	buf_release(&out);
	return 0;
fail:
	buf_release(&out);
	return -1;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int sealed_file(const char *name, const char *data, size_t len, struct error *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write_all(fd, data, len) != 0 || lseek(fd, 0, SEEK_SET) != 0 ||
		fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
		error_set_errno(err, EXIT_FAILURE_OWN, "cannot make a memory file");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

int plan_pack(const struct plan *p, int status, struct error *err)
{
	struct buf out = {0};
	int fd;

	put_fixed(&out, p);
	put(&out, p->digest);
	put_number(&out, p->exe.fd);
	put_number(&out, p->exe.interpreter_fd);
	put_number(&out, p->input_fd);
	put_number(&out, status);
	fd = sealed_file("plan", out.data, out.len, err);
	buf_release(&out);
	return fd;
}

/* Reads the fields back; any fault makes the whole plan unreadable. */
struct cursor {
	const char *at, *end;
	struct arena *arena;
	int bad;
};

static const char *take(struct cursor *c)
{
	size_t len = 0;
	const char *text;

	while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && len < COPY_MAX)
		len = 10 * len + (size_t)(*c->at++ - '0');
	if (c->bad || c->at == c->end || *c->at != ':' || (size_t)(c->end - c->at) < len + 2 ||
		c->at[len + 1] != ',') {
		c->bad = 1;
		return "";
	}
	text = arena_strndup(c->arena, c->at + 1, len);
	c->at += len + 2;
	return text;
}

static int take_number(struct cursor *c, int min, int max)
{
	long long value = 0;

	if (number_integer(take(c), min, max, &value, NULL) != 0)
		c->bad = 1;
	return (int)value;
}

static const char *const *take_list(struct cursor *c, size_t *n)
{
	const char **list;

	*n = (size_t)take_number(c, 0, 1 << 20);
	if (c->bad)
		*n = 0;
	list = arena_zalloc(c->arena, (*n + 1) * sizeof *list);
	for (size_t i = 0; i < *n; i++)
		list[i] = take(c);
	return list;
}

static void take_plan(struct cursor *c, struct plan *p, int *status)
{
	size_t argc;

	memset(p, 0, sizeof *p);
	p->argv = take_list(c, &argc);
	p->argc = (int)argc;
	p->environment = take_list(c, &p->n_environment);
	p->exe.path = take(c);
	p->exe.real_path = take(c);
	p->exe.interpreter = take(c);
	p->exe.interpreter_argument = take(c);
	p->directory = take(c);
	p->input = take(c);
	p->policy = take(c);
	p->timeout = take_number(c, 0, 1 << 30);
	p->output_mib = take_number(c, 0, 1 << 30);
	p->umask = take_number(c, 0, 0777);
	p->limits.processes = take_number(c, 0, INT_MAX);
	p->limits.memory_mib = take_number(c, 0, INT_MAX);
	p->limits.file_mib = take_number(c, 0, INT_MAX);
	p->limits.files = take_number(c, 0, INT_MAX);
	p->limits.cpu_seconds = take_number(c, 0, INT_MAX);
	p->writable = take_number(c, 0, 1);
	p->sandbox = take_number(c, 0, 1);
	p->network = take_number(c, 0, 1);
	p->read = take_list(c, &p->n_read);
	p->write = take_list(c, &p->n_write);
	p->audit_directory = take(c);
	snprintf(p->digest, sizeof p->digest, "%s", take(c));
	p->exe.fd = take_number(c, 0, 1 << 20);
	p->exe.interpreter_fd = take_number(c, -1, 1 << 20);
	p->input_fd = take_number(c, -1, 1 << 20);
	*status = take_number(c, 0, 1 << 20);
	if (!*p->exe.interpreter)
		p->exe.interpreter = NULL;
	if (!*p->exe.interpreter_argument)
		p->exe.interpreter_argument = NULL;
	if (p->argc == 0 || c->at != c->end)
		c->bad = 1;
}

int plan_unpack(int fd, struct arena *arena, struct plan *p, int *status, struct error *err)
{
	struct cursor c = {.arena = arena};
	struct stat st;
	char *data;

	if (fcntl(fd, F_GET_SEALS) != SEALS || fstat(fd, &st) != 0)
		return error_set(err, EXIT_FAILURE_OWN, "descriptor %d holds no sealed plan", fd);
	data = arena_alloc(arena, (size_t)st.st_size + 1);
	if (pread(fd, data, (size_t)st.st_size, 0) != st.st_size)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot read the plan");
	c.at = data;
	c.end = data + st.st_size;
	take_plan(&c, p, status);
	if (c.bad)
		return error_set(err, EXIT_FAILURE_OWN, "the plan is damaged");
	return 0;
}

int content_copy(int fd, const struct identity *identity, struct error *err)
{
	char hash[65], *data;
	int copy;

	if (identity->size > COPY_MAX)
		return error_set(
			err, EXIT_REFUSED, "the script is larger than %d MiB", COPY_MAX >> 20);
	data = xmalloc((size_t)identity->size + 1);
	if (pread(fd, data, (size_t)identity->size, 0) != (ssize_t)identity->size) {
		free(data);
		return error_set(err, EXIT_REFUSED, "the script changed while it was read");
	}
	sha256_hex(data, (size_t)identity->size, hash);
	copy = strcmp(hash, identity->hash) == 0
		       ? sealed_file("script", data, (size_t)identity->size, err)
		       : error_set(err, EXIT_REFUSED, "the script changed while it was read");
	free(data);
	return copy;
}
