/* audit_verify.c - the chain of a log, from its first file to its head. */
#include "exec/audit.h"

#include <errno.h>
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

/* How far the chain was followed. */
struct chain {
	long long entries, lines; /* of all files; of the last one */
	char last[65];
	int unfinished; /* the last file ends within a line */
};

/* One file; the chain goes on. */
static int verify_file(const char *path, int is_last, struct chain *chain, struct error *err)
{
	struct buf text = {0};
	size_t at = 0;
	int result = 0;

	if (file_read(path, LOG_MAX, &text, err) != 0)
		return -1;
	chain->lines = 0;
	while (result == 0 && at < text.len) {
		const char *start = text.data + at;
		const char *end = memchr(start, '\n', text.len - at);

		chain->lines++;
		if (!end && is_last) {
			chain->unfinished = 1;
			break;
		}
		if (!end)
			result = error_set(err, EXIT_DATA, "the line is unfinished");
		else
			result = verify_line(
				start, (size_t)(end - start), chain->entries + 1, chain->last, err);
		if (result != 0) {
			error_prefix(err, "%s:%lld", path, chain->lines);
		} else {
			at += (size_t)(end - start) + 1;
			chain->entries++;
		}
	}
	buf_release(&text);
	return result;
}

/* has_head: a log that is missing is an empty one. */
static int verify_files(const char *path, int has_head, struct chain *chain, struct error *err)
{
	int n = audit_rotated_count(path);

	for (int i = 1; i <= n; i++) {
		char *name = audit_rotated_path(path, i);
		int result = verify_file(name, 0, chain, err);

		free(name);
		if (result != 0)
			return -1;
	}
	if (has_head && access(path, F_OK) != 0 && errno == ENOENT) {
		chain->lines = 0;
		return 0;
	}
	return verify_file(path, 1, chain, err);
}

static int verify_end(int head_fd, const char *path, const struct chain *chain, struct error *err)
{
	const long long entries = chain->entries;
	struct audit_head head;

	if (audit_head_read(head_fd, &head, err) != 0)
		return error_prefix(err, "%s.head", path);
	if (chain->unfinished && !audit_head_awaits(&head, entries, chain->last))
		return error_set(
			err, EXIT_DATA, "%s:%lld: the line is unfinished", path, chain->lines);
	if (audit_head_fits(&head, entries, chain->last))
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
	struct chain chain = {.entries = 0};
	int head = audit_head_open(path, 0, &no_head), result;

	memcpy(chain.last, audit_no_hash, sizeof audit_no_hash);
	/* Where it can be locked nobody appends meanwhile; a copy needs no lock. */
	if (head >= 0)
		audit_lock(head, LOCK_SH, NULL);
	result = verify_files(path, head >= 0, &chain, err);
	if (result == 0 && head < 0)
		result = error_set(err, EXIT_DATA,
			"%s: the chain of its %lld entries holds, but whether its end is there "
			"cannot be told: %s",
			path, chain.entries, no_head.message);
	else if (result == 0)
		result = verify_end(head, path, &chain, err);
	if (head >= 0)
		close(head);
	*entries = chain.entries;
	memcpy(last, chain.last, sizeof chain.last);
	return result;
}
