/* audit_verify.c - the chain of a log, from its first file to its head. */
#include "exec/audit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/hash.h"
#include "exec/audit_head.h"
#include "stream/file.h"

enum {
	LOG_MAX = 1 << 30
};

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

/* One file; goes on from *entries and last. */
static int verify_file(const char *path, long long *entries, char last[65], struct error *err)
{
	struct buf text = {0};
	long long line = 0;
	size_t at = 0;
	int result = 0;

	if (file_read(path, LOG_MAX, &text, err) != 0)
		return -1;
	while (result == 0 && at < text.len) {
		const char *start = text.data + at;
		const char *end = memchr(start, '\n', text.len - at);

		line++;
		if (!end)
			result = error_set(err, EXIT_DATA, "the line is unfinished");
		else
			result = verify_line(start, (size_t)(end - start), *entries + 1, last, err);
		if (result != 0) {
			error_prefix(err, "%s:%lld", path, line);
		} else {
			at += (size_t)(end - start) + 1;
			++*entries;
		}
	}
	buf_release(&text);
	return result;
}

static int verify_files(const char *path, long long *entries, char last[65], struct error *err)
{
	int n = audit_rotated_count(path);

	for (int i = 1; i <= n; i++) {
		char *name = audit_rotated_path(path, i);
		int result = verify_file(name, entries, last, err);

		free(name);
		if (result != 0)
			return -1;
	}
	return verify_file(path, entries, last, err);
}

static int verify_end(
	int head_fd, const char *path, long long entries, const char last[65], struct error *err)
{
	struct audit_head head;

	if (audit_head_read(head_fd, &head, err) != 0)
		return error_prefix(err, "%s.head", path);
	if (audit_head_fits(&head, entries, last))
		return 0;
	if (entries < head.entries)
		return error_set(err, EXIT_DATA,
			"%s:%lld: its end is missing: %lld entries of %lld are there", path,
			entries + 1, entries, head.entries);
	return error_set(err, EXIT_DATA,
		"%s:%lld: its end was changed: %s.head knows another entry %lld", path, entries,
		path, head.entries);
}

int audit_verify(const char *path, long long *entries, char last[65], struct error *err)
{
	struct error no_head;
	int head = audit_head_open(path, 0, &no_head), result;

	*entries = 0;
	memcpy(last, audit_no_hash, sizeof audit_no_hash);
	/* Where it can be locked nobody appends meanwhile; a copy needs no lock. */
	if (head >= 0)
		audit_lock(head, LOCK_SH, NULL);
	result = verify_files(path, entries, last, err);
	if (result == 0 && head < 0)
		result = error_set(err, EXIT_DATA,
			"%s: the chain of its %lld entries holds, but whether its end is there "
			"cannot be told: %s",
			path, *entries, no_head.message);
	else if (result == 0)
		result = verify_end(head, path, *entries, last, err);
	if (head >= 0)
		close(head);
	return result;
}
