/*
 * audit.h - the log of decisions: JSON Lines, each line holding the SHA-256 of the
 * line before it (without its LF; 64 zeros for the first), so that a line changed,
 * dropped, added or moved breaks the chain.
 *
 * The chain cannot show that its end is missing.  FILE.head can: the number of
 * entries and the hash of the last one, written before and after each entry.  A full
 * file is renamed to FILE.1, the next one to FILE.2 and so on; the chain and the
 * numbers go on.  FILE.head is also what processes lock.
 */
#ifndef EXEC_AUDIT_H
#define EXEC_AUDIT_H

#include <jansson.h>
#include "base/error.h"

enum {
	AUDIT_FILE_BYTES = 16 << 20 /* from which on a file is full */
};

struct audit;

/* Opens (makes, 0600) the log for appending, and its directory.  Refused: no
 * regular file, of another owner, writable by others, with an unfinished last line
 * that FILE.head does not know of, or with another end than it knows.  All failures are exit code
 * 125. */
struct audit *audit_open(const char *path, struct error *err);
void audit_close(struct audit *log);
const char *audit_path(const struct audit *log); /* absolute */
/* Another size from which on a file is full. */
void audit_limit(struct audit *log, long long bytes);

/* Adds "number", "time" and "previous" to entry and appends it, under a lock, on
 * disk when this returns.  Takes over entry.  -1: it is not there, or not for sure. */
int audit_append(struct audit *log, json_t *entry, struct error *err);

/* Checks the chain of a log through all its files, and its end: the number of entries
 * and the hash of the last one (which, noted elsewhere, proves later that nobody wrote
 * log and head anew).  -1 and "FILE:LINE: fault" where it is broken. */
int audit_verify(const char *path, long long *entries, char last[65], struct error *err);

/* Default place: $XDG_STATE_HOME or ~/.local/state, cli-learn/audit.jsonl below.
 * The string is the caller's; NULL where there is no home. */
char *audit_default_path(struct error *err);

#endif
