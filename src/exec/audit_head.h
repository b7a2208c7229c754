/*
 * audit_head.h - inside the log: what FILE.head says, and the lines of a file.
 *
 * An entry is added in three steps, each on disk before the next: the head says which
 * line is to come; the line is appended; the head counts it.  So wherever a crash (or a
 * full disk) falls between, the log has either the entries that the head counts or one
 * more, which is the very line that the head names; or a part of that line, which is
 * dropped.  The head is there before the log is, and a file that was renamed for its size
 * may have no successor yet: a log that is missing beside its head is an empty one.
 */
#ifndef EXEC_AUDIT_HEAD_H
#define EXEC_AUDIT_HEAD_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

struct audit_head {
	long long entries;
	char last[65]; /* hash of entry number `entries`; zeros where there is none */
	char next[65]; /* hash of the line that is to come; "" for none */
};

extern const char audit_no_hash[65];

/* FILE.head, FILE.N: the caller's. */
char *audit_head_path(const char *path);
char *audit_rotated_path(const char *path, int n);
/* How many rotated files there are: FILE.1 to FILE.n. */
int audit_rotated_count(const char *path);

/* Opens FILE.head; make: makes it where it is missing.  A descriptor, or -1; refused
 * as the log itself is.  Not locked. */
int audit_head_open(const char *path, int make, struct error *err);
int audit_lock(int fd, int operation, struct error *err);
/* An empty file is a log without entries. */
int audit_head_read(int fd, struct audit_head *head, struct error *err);
/* On disk when this returns. */
int audit_head_write(int fd, const struct audit_head *head, struct error *err);

/* Whether a log that ends with this entry is what the head tells of. */
int audit_head_fits(const struct audit_head *head, long long entries, const char *last);
/* Whether a line was to come behind this entry. */
int audit_head_awaits(const struct audit_head *head, long long entries, const char *last);

/* Refuses an open file that is no plain file, not ours, or can be written by others. */
int audit_file_check(int fd, struct error *err);

#endif
