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
#include "stream/file.h"

enum {
	ENTRY_MAX = 1 << 20,
	LOG_MAX = 1 << 30
};

struct audit {
	int fd;
	char *path;
};

static const char no_previous[] =
	"0000000000000000000000000000000000000000000000000000000000000000";

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

static int log_check(const struct audit *log, struct error *err)
{
	struct stat st;
	char last = '\n';

	if (fstat(log->fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, EXIT_FAILURE_OWN, "audit log %s: no regular file", log->path);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return error_set(err, EXIT_FAILURE_OWN,
			"audit log %s: belongs to or can be written by someone else", log->path);
	if (st.st_size > 0 && pread(log->fd, &last, 1, st.st_size - 1) != 1)
		return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
	if (last != '\n')
		return error_set(err, EXIT_FAILURE_OWN,
			"audit log %s: its last line is unfinished; look at it, then move it away",
			log->path);
	return 0;
}

struct audit *audit_open(const char *path, struct error *err)
{
	struct audit *log = xcalloc(1, sizeof *log);
	char real[PATH_MAX];

	log->path = xstrdup(path);
	log->fd = -1;
	if (make_parent(path, err) != 0) {
		error_prefix(err, "audit log");
		goto fail;
	}
	log->fd = open(path,
		O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
	if (log->fd < 0) {
		error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", path);
		goto fail;
	}
	if (log_check(log, err) != 0)
		goto fail;
	if (!realpath(path, real)) {
		error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", path);
		goto fail;
	}
	free(log->path);
	log->path = xstrdup(real);
	return log;
fail:
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
	free(log->path);
	free(log);
}

int audit_descriptor(const struct audit *log)
{
	return log->fd;
}

const char *audit_path(const struct audit *log)
{
	return log->path;
}

/* The last line of the file, without its LF; empty for an empty file. */
static int last_line(const struct audit *log, struct buf *line, struct error *err)
{
	struct stat st;
	size_t want;
	char *start;

	if (fstat(log->fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
	want = st.st_size > ENTRY_MAX ? ENTRY_MAX : (size_t)st.st_size;
	if (want == 0)
		return 0;
	buf_reserve(line, want + 1);
	if (pread(log->fd, line->data, want, st.st_size - (off_t)want) != (ssize_t)want)
		return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
	if (line->data[want - 1] != '\n')
		return error_set(err, EXIT_FAILURE_OWN, "audit log %s: unfinished line", log->path);
	line->data[want - 1] = '\0';
	start = memrchr(line->data, '\n', want - 1);
	start = start ? start + 1 : line->data;
	line->len = want - 1 - (size_t)(start - line->data);
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

	if (n >= 0 && (size_t)n != len) {
		if (ftruncate(log->fd, before) != 0)
			return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
		return error_set(err, EXIT_FAILURE_OWN, "audit log %s: no space left", log->path);
	}
	if (n < 0 || fsync(log->fd) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "audit log %s", log->path);
	return 0;
}

static int append_locked(struct audit *log, json_t *entry, struct error *err)
{
	struct buf line = {0};
	char previous[65], now[32], *text;
	long long number = 0;
	int result = -1;

	if (last_line(log, &line, err) != 0)
		goto done;
	memcpy(previous, no_previous, sizeof previous);
	if (line.len > 0) {
		sha256_hex(line.data, line.len, previous);
		number = entry_number(line.data, line.len);
		if (number < 0) {
			error_set(err, EXIT_FAILURE_OWN, "audit log %s: its last line is damaged",
				log->path);
			goto done;
		}
	}
	time_now(now);
	json_object_set_new(entry, "number", json_integer(number + 1));
	json_object_set_new(entry, "time", json_string(now));
	json_object_set_new(entry, "previous", json_string(previous));
	text = json_dumps(entry, JSON_COMPACT | JSON_ENSURE_ASCII);
	buf_clear(&line);
	if (text)
		buf_addf(&line, "%s\n", text);
	free(text);
	if (line.len == 0 || line.len > ENTRY_MAX)
		error_set(err, EXIT_FAILURE_OWN, "audit log %s: an entry is too long", log->path);
	else
		result = write_line(log, line.data, line.len, err);
done:
	buf_release(&line);
	return result;
}

int audit_append(struct audit *log, json_t *entry, struct error *err)
{
	int result;

	while (flock(log->fd, LOCK_EX) != 0) {
		if (errno == EINTR)
			continue;
		json_decref(entry);
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot lock %s", log->path);
	}
	result = append_locked(log, entry, err);
	flock(log->fd, LOCK_UN);
	json_decref(entry);
	return result;
}

/* One line of the chain; previous becomes its hash. */
static int verify_line(
	const char *line, size_t len, long long number, char previous[65], struct error *err)
{
	json_error_t fault;
	json_t *json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &fault);
	const char *claimed = json_string_value(json_object_get(json, "previous"));
	json_t *count = json_object_get(json, "number");
	int result = 0;

	if (!json)
		result = error_set(err, EXIT_DATA, "no JSON: %s", fault.text);
	else if (!claimed || strcmp(claimed, previous) != 0)
		result = error_set(err, EXIT_DATA,
			"the chain is broken: the line before it was changed, moved or removed");
	else if (!json_is_integer(count) || json_integer_value(count) != number)
		result = error_set(err, EXIT_DATA, "this should be entry %lld", number);
	json_decref(json);
	sha256_hex(line, len, previous);
	return result;
}

int audit_verify(const char *path, long long *entries, char last[65], struct error *err)
{
	struct buf text = {0};
	long long line = 0;
	size_t at = 0;
	int result = 0;

	*entries = 0;
	memcpy(last, no_previous, sizeof no_previous);
	if (file_read(path, LOG_MAX, &text, err) != 0)
		return -1;
	while (result == 0 && at < text.len) {
		const char *start = text.data + at;
		const char *end = memchr(start, '\n', text.len - at);

		line++;
		if (!end)
			result = error_set(err, EXIT_DATA, "the line is unfinished");
		else
			result = verify_line(start, (size_t)(end - start), line, last, err);
		if (result != 0)
			error_prefix(err, "%s:%lld", path, line);
		else
			at += (size_t)(end - start) + 1;
	}
	*entries = line;
	buf_release(&text);
	return result;
}
