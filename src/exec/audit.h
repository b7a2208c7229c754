/*
 * audit.h - the log of decisions: JSON Lines, each line holding the SHA-256 of the
 * line before it (without its LF; 64 zeros for the first), so that a line changed,
 * dropped, added or moved breaks the chain.
 */
#ifndef EXEC_AUDIT_H
#define EXEC_AUDIT_H

#include <jansson.h>
#include "base/error.h"

struct audit;

/* Opens (makes, 0600) the log for appending, and its directory.  Refused: no
 * regular file, of another owner, writable by others, or with an unfinished last
 * line.  All failures are exit code 125. */
struct audit *audit_open(const char *path, struct error *err);
void audit_close(struct audit *log);
int audit_descriptor(const struct audit *log);
const char *audit_path(const struct audit *log); /* absolute */

/* Adds "number", "time" and "previous" to entry and appends it, under a lock, on
 * disk when this returns.  Takes over entry. */
int audit_append(struct audit *log, json_t *entry, struct error *err);

/* Checks the chain of a log: the number of entries and the hash of the last one
 * (which, noted elsewhere, proves later that the end was not cut off).  -1 and
 * "FILE:LINE: fault" where it is broken. */
int audit_verify(const char *path, long long *entries, char last[65], struct error *err);

/* Default place: $XDG_STATE_HOME or ~/.local/state, cli-learn/audit.jsonl below.
 * The string is the caller's; NULL where there is no home. */
char *audit_default_path(struct error *err);

#endif
