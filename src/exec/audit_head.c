#include "exec/audit_head.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEAD_BYTES = 256 /* always, and less than a sector: it is written whole or not at all */
};

const char audit_no_hash[65] = "0000000000000000000000000000000000000000000000000000000000000000";

char *audit_head_path(const char *path)
{
	struct buf out = {0};

	buf_addf(&out, "%s.head", path);
	return buf_detach(&out);
}

char *audit_rotated_path(const char *path, int n)
{
	struct buf out = {0};

	buf_addf(&out, "%s.%d", path, n);
	return buf_detach(&out);
}

int audit_rotated_count(const char *path)
{
	struct stat st;

	for (int n = 1;; n++) {
		char *name = audit_rotated_path(path, n);
		int there = lstat(name, &st) == 0;

		free(name);
		if (!there)
			return n - 1;
	}
}

int audit_file_check(int fd, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot be looked at");
	if (!S_ISREG(st.st_mode))
		return error_set(err, EXIT_FAILURE_OWN, "no regular file");
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return error_set(
			err, EXIT_FAILURE_OWN, "belongs to or can be written by someone else");
	return 0;
}

int audit_head_open(const char *path, int make, struct error *err)
{
	char *name = audit_head_path(path);
	int flags = make ? O_RDWR | O_CREAT : O_RDONLY, fd;

	fd = open(name, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
	if (fd < 0) {
		error_set_errno(err, EXIT_FAILURE_OWN, "audit log: %s", name);
	} else if (make && audit_file_check(fd, err) != 0) {
		error_prefix(err, "audit log: %s", name);
		close(fd);
		fd = -1;
	}
	free(name);
	return fd;
}

int audit_lock(int fd, int operation, struct error *err)
{
	while (flock(fd, operation) != 0)
		if (errno != EINTR)
			return error_set_errno(
				err, EXIT_FAILURE_OWN, "cannot lock the audit log's head");
	return 0;
}

static int is_hash(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

int audit_head_read(int fd, struct audit_head *head, struct error *err)
{
	char text[HEAD_BYTES + 1];
	ssize_t n = pread(fd, text, sizeof text, 0);
	const char *last, *next;
	json_int_t entries;
	json_t *json;
	int ok;

	memset(head, 0, sizeof *head);
	memcpy(head->last, audit_no_hash, sizeof head->last);
	if (n < 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "the head cannot be read");
	if (n == 0)
		return 0;
	json = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
	ok = n == HEAD_BYTES && json &&
	     json_unpack(json, "{s:I, s:s, s:s !}", "entries", &entries, "last", &last, "next",
		     &next) == 0 &&
	     entries >= 0 && is_hash(last) && (!next[0] || is_hash(next));
	if (ok) {
		head->entries = entries;
		memcpy(head->last, last, sizeof head->last);
		memcpy(head->next, next, strlen(next) + 1);
	}
	json_decref(json);
	return ok ? 0 : error_set(err, EXIT_DATA, "the head is damaged");
}

int audit_head_write(int fd, const struct audit_head *head, struct error *err)
{
	char text[HEAD_BYTES + 1], old[HEAD_BYTES];
	ssize_t n_old = pread(fd, old, sizeof old, 0);
	int n = snprintf(text, sizeof text, "{\"entries\":%lld,\"last\":\"%s\",\"next\":\"%s\"}",
		head->entries, head->last, head->next);

	memset(text + n, ' ', (size_t)(HEAD_BYTES - n));
	text[HEAD_BYTES - 1] = '\n';
	errno = ENOSPC;
	if (pwrite(fd, text, HEAD_BYTES, 0) == HEAD_BYTES && fdatasync(fd) == 0)
		return 0;
	error_set_errno(err, EXIT_FAILURE_OWN, "the audit log's head cannot be written");
	/* Half of it may have been. */
	if (n_old < 0 || pwrite(fd, old, (size_t)n_old, 0) < 0 || ftruncate(fd, n_old) != 0)
		return error_prefix(err, "damaged");
	return -1;
}

int audit_head_fits(const struct audit_head *head, long long entries, const char *last)
{
	if (entries == head->entries)
		return strcmp(last, head->last) == 0;
	return entries == head->entries + 1 && head->next[0] && strcmp(last, head->next) == 0;
}

int audit_head_awaits(const struct audit_head *head, long long entries, const char *last)
{
	return head->next[0] && entries == head->entries && strcmp(last, head->last) == 0;
}
