/*
 * run.h - a training run: a directory of published steps, RUN/step-0, step-1, ...
 * A step appears by one rename and is complete; the newest is the highest number.
 * The trainer holds a lock on RUN/lock, so there is one, and others can tell
 * whether it lives.
 */
#ifndef RL_RUN_H
#define RL_RUN_H

#include "base/error.h"
#include "base/mem.h"

/* Number of the newest step, -1 where there is none (or no directory). */
long long run_newest(const char *run);
/* Appends "RUN/step-N". */
void run_step_path(const char *run, long long step, struct buf *out);
/* Appends a name in RUN for a directory that is not published yet. */
void run_temporary_path(const char *run, long long step, struct buf *out);

/* Creates RUN where it is missing, locks it for this trainer and removes what a
 * killed one left unfinished.  A descriptor to keep open, or -1. */
int run_lock(const char *run, struct error *err);

/* Removes steps older than the `keep` newest ones. */
int run_prune(const char *run, long long newest, long long keep, struct error *err);

enum run_wait_result {
	RUN_READY,
	RUN_NO_TRAINER,
	RUN_CLOSED,
	RUN_FAILED
};
/* Waits (inotify) until step, or a newer one, is there.  RUN_NO_TRAINER: a trainer
 * held the lock and is gone, or none came within `patience` seconds; RUN_CLOSED: nobody reads
 * out_fd (a pipe) any more. */
enum run_wait_result run_wait(
	const char *run, long long step, int out_fd, double patience, struct error *err);

#endif
