#include "exec/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "exec/audit_head.h"
#include "stream/file.h"
#include "stream/publish.h"

enum {
	ENTRY_MAX = 1 << 20
};

struct audit {
	int fd, head; /* descriptors of FILE and FILE.head */
	long long limit;
	char *path;
};

/* Where the log ends. */
struct tail {
	long long entries;
	char last[65];
	off_t whole; /* bytes of its last file that are whole lines */
};

char *audit_default_path(struct error *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct buf path = {0};

	if (state && state[0] == '/') {
		buf_addf(&path, "%s/cli-learn/audit.jsonl", state);
		return buf_detach(&path);
	}
	if (!home || home[0] != '/') {
		const struct passwd *user = getpwuid(geteuid());

		home = user ? user->pw_dir : NULL;
	}
	if (!home || home[0] != '/') {
		error_set(err, EXIT_FAILURE_OWN, "no home directory for the audit log: --audit");
		return NULL;
	}
	buf_addf(&path, "%s/.local/state/cli-learn/audit.jsonl", home);
	return buf_detach(&path);
}

static int make_parent(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int result;

	if (!slash || slash == path)
		return 0;
	parent = xstrndup(path, (size_t)(slash - path));
	result = directory_make(parent, err);
	free(parent);
	return result;
}

static int fail(const struct audit *log, struct error *err)
{
	return error_prefix(err, "audit log %s", log->path);
}

/* Opens the log's file, which another process may have renamed since.  make: where there
 * is none, it is made; else that is no failure. */
static int file_open(struct audit *log, int make, struct error *err)
{
	const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;

	if (log->fd >= 0)
		close(log->fd);
	log->fd = open(log->path, flags | (make ? O_CREAT : 0), 0600);
	if (log->fd < 0 && !make && errno == ENOENT)
		return 0;
	if (log->fd < 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
	return audit_file_check(log->fd, err) != 0 ? fail(log, err) : 0;
}

/* The last line of a file, without its LF; empty for an empty file.  *whole: bytes up to
 * the LF; what lies behind it is a line that was not finished. */
static int last_line(int fd, struct buf *line, off_t *whole, struct error *err)
{
	struct stat st;
	size_t want;
	char *start, *end;

	if (fstat(fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot be looked at");
	want = st.st_size > 2 * ENTRY_MAX ? 2 * ENTRY_MAX : (size_t)st.st_size;
	*whole = 0;
	if (want == 0)
		return 0;
	buf_reserve(line, want + 1);
	if (pread(fd, line->data, want, st.st_size - (off_t)want) != (ssize_t)want)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot be read");
	end = memrchr(line->data, '\n', want);
	if (!end)
		return (off_t)want == st.st_size
			       ? 0
			       : error_set(err, EXIT_FAILURE_OWN, "its last line is damaged");
	*whole = st.st_size - (off_t)want + (end - line->data) + 1;
	*end = '\0';
	start = memrchr(line->data, '\n', (size_t)(end - line->data));
	start = start ? start + 1 : line->data;
	line->len = (size_t)(end - start);
	memmove(line->data, start, line->len + 1);
	return 0;
}

static long long entry_number(const char *line, size_t len)
{
	json_t *json = json_loadb(line, len, 0, NULL);
	json_t *number = json_object_get(json, "number");
	long long value = json_is_integer(number) ? json_integer_value(number) : -1;

	json_decref(json);
	return value;
}

/* Of an empty file that follows another one, the end of that. */
static int last_line_before(const struct audit *log, struct buf *line, struct error *err)
{
	int n = audit_rotated_count(log->path), fd, result;
	off_t whole;
	char *name;

	if (n == 0)
		return 0;
	name = audit_rotated_path(log->path, n);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(name);
	if (fd < 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "its part %d", n);
	result = last_line(fd, line, &whole, err);
	close(fd);
	return result;
}

static int tail_read(const struct audit *log, struct tail *tail, struct error *err)
{
	struct buf line = {0};
	int result = last_line(log->fd, &line, &tail->whole, err);

	tail->entries = 0;
	memcpy(tail->last, audit_no_hash, sizeof tail->last);
	if (result == 0 && line.len == 0)
		result = last_line_before(log, &line, err);
	if (result == 0 && line.len > 0) {
		sha256_hex(line.data, line.len, tail->last);
		tail->entries = entry_number(line.data, line.len);
		if (tail->entries < 0)
			result = error_set(err, EXIT_FAILURE_OWN, "its last line is damaged");
	}
	buf_release(&line);
	return result;
}

/* What a process wrote that was killed before its line was whole is taken away, where the
 * head tells that a line was to come: it counts for nothing, and nothing was run. */
static int drop_unfinished(const struct audit *log, const struct tail *tail,
	const struct audit_head *head, struct error *err)
{
	struct stat st;

	if (fstat(log->fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot be looked at");
	if (st.st_size == tail->whole)
		return 0;
	if (!audit_head_awaits(head, tail->entries, tail->last))
		return error_set(err, EXIT_FAILURE_OWN,
			"its last line is unfinished; look at it, then move log and head away");
	if (ftruncate(log->fd, tail->whole) != 0 || fsync(log->fd) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot take back half a line");
	return 0;
}

/* Whether the log, which is locked, is whole: where it ends. */
static int log_look(struct audit *log, struct tail *tail, struct error *err)
{
	struct stat here, there;
	struct audit_head head;

	if (log->fd < 0 || lstat(log->path, &there) != 0 || fstat(log->fd, &here) != 0 ||
		here.st_dev != there.st_dev || here.st_ino != there.st_ino) {
		if (file_open(log, 1, err) != 0)
			return -1;
	}
	if (tail_read(log, tail, err) != 0 || audit_head_read(log->head, &head, err) != 0 ||
		drop_unfinished(log, tail, &head, err) != 0)
		return fail(log, err);
	if (!audit_head_fits(&head, tail->entries, tail->last)) {
		error_set(err, EXIT_FAILURE_OWN,
			"%lld entries, but %s.head tells of %lld: it was changed or its end cut "
			"off; look at it (--verify-log), then move log and head away",
			tail->entries, log->path, head.entries);
		return fail(log, err);
	}
	return 0;
}

/* The path with the links on the way to it resolved, but not the last one. */
static char *path_resolve(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *parent = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	char real[PATH_MAX];
	struct buf out = {0};

	if (!realpath(parent, real) || !*name)
		error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", path);
	else
		buf_addf(&out, "%s/%s", real[1] ? real : "", name);
	free(parent);
	return out.len ? buf_detach(&out) : NULL;
}

struct audit *audit_open(const char *path, struct error *err)
{
	struct audit *log = xcalloc(1, sizeof *log);
	struct tail tail;
	int good = 0;

	log->fd = log->head = -1;
	log->limit = AUDIT_FILE_BYTES;
	if (make_parent(path, err) != 0) {
		error_prefix(err, "audit log");
	} else {
		log->path = path_resolve(path, err);
		/* What must not be a log gets no head; a log without a head is none. */
		if (log->path && file_open(log, 0, err) == 0)
			log->head = audit_head_open(log->path, 1, err);
	}
	if (log->head >= 0 && audit_lock(log->head, LOCK_EX, err) == 0) {
		good = log_look(log, &tail, err) == 0;
		if (good && tail.entries == 0 && directory_sync(log->path) != 0)
			good = error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path) ==
			       0;
		audit_lock(log->head, LOCK_UN, NULL);
	}
	if (good)
		return log;
	audit_close(log);
	if (err)
		err->code = EXIT_FAILURE_OWN;
	return NULL;
}

void audit_close(struct audit *log)
{
	if (!log)
		return;
	if (log->fd >= 0)
		close(log->fd);
	if (log->head >= 0)
		close(log->head);
	free(log->path);
	free(log);
}

const char *audit_path(const struct audit *log)
{
	return log->path;
}

void audit_limit(struct audit *log, long long bytes)
{
	log->limit = bytes;
}

static void time_now(char text[32])
{
	struct timespec now;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	len = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, 32 - len, ".%03ldZ", now.tv_nsec / 1000000);
}

/* What could not be written whole is taken back: the chain must go on. */
static int write_line(const struct audit *log, const char *text, size_t len, struct error *err)
{
	off_t before = lseek(log->fd, 0, SEEK_END);
	ssize_t n = write(log->fd, text, len);

	if (n == (ssize_t)len && fsync(log->fd) == 0)
		return 0;
	if (n >= 0 && n < (ssize_t)len)
		error_set(err, EXIT_FAILURE_OWN, "no space left");
	else
		error_set_errno(err, EXIT_FAILURE_OWN, "cannot be written");
	if (n > 0 && (before < 0 || ftruncate(log->fd, before) != 0))
		error_set_errno(err, EXIT_FAILURE_OWN, "cannot take back half a line");
	return -1;
}

/* A full file is put aside, and an empty one begun. */
static int rotate(struct audit *log, struct error *err)
{
	struct stat st;
	char *name;
	int failed;

	if (fstat(log->fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot be looked at");
	if (st.st_size < log->limit)
		return 0;
	name = audit_rotated_path(log->path, audit_rotated_count(log->path) + 1);
	failed = renameat2(AT_FDCWD, log->path, AT_FDCWD, name, RENAME_NOREPLACE);
	if (failed)
		error_set_errno(err, EXIT_FAILURE_OWN, "cannot become %s", name);
	free(name);
	if (failed || file_open(log, 1, err) != 0)
		return -1;
	return directory_sync(log->path) == 0
		       ? 0
		       : error_set_errno(err, EXIT_FAILURE_OWN, "its directory");
}

static int entry_print(json_t *entry, const struct tail *tail, struct buf *line, struct error *err)
{
	char now[32], *text;

	time_now(now);
	json_object_set_new(entry, "number", json_integer(tail->entries + 1));
	json_object_set_new(entry, "time", json_string(now));
	json_object_set_new(entry, "previous", json_string(tail->last));
	text = json_dumps(entry, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (text)
		buf_addf(line, "%s\n", text);
	free(text);
	if (line->len == 0 || line->len > ENTRY_MAX)
		return error_set(err, EXIT_FAILURE_OWN, "an entry is too long");
	return 0;
}

/* The three steps of audit_head.h. */
static int add_line(
	const struct audit *log, const struct tail *tail, const struct buf *line, struct error *err)
{
	struct audit_head head = {.entries = tail->entries};

	memcpy(head.last, tail->last, sizeof head.last);
	sha256_hex(line->data, line->len - 1, head.next);
	if (audit_head_write(log->head, &head, err) != 0 ||
		write_line(log, line->data, line->len, err) != 0)
		return -1;
	head.entries++;
	memcpy(head.last, head.next, sizeof head.last);
	head.next[0] = '\0';
	return audit_head_write(log->head, &head, err);
}

static int append_locked(struct audit *log, json_t *entry, struct error *err)
{
	struct buf line = {0};
	struct tail tail;
	int result;

	if (log_look(log, &tail, err) != 0)
		return -1;
	result = rotate(log, err);
	if (result == 0)
		result = entry_print(entry, &tail, &line, err);
	if (result == 0)
		result = add_line(log, &tail, &line, err);
	if (result != 0)
		fail(log, err);
	buf_release(&line);
	return result;
}

int audit_append(struct audit *log, json_t *entry, struct error *err)
{
	int result = audit_lock(log->head, LOCK_EX, err);

	if (result == 0) {
		result = append_locked(log, entry, err);
		audit_lock(log->head, LOCK_UN, NULL);
	}
	json_decref(entry);
	if (result != 0 && err)
		err->code = EXIT_FAILURE_OWN;
	return result;
}
