/*
 * child.h - the forked child: everything between fork(2) and the command.
 */
#ifndef EXEC_CHILD_H
#define EXEC_CHILD_H

#include <sys/types.h>
#include "exec/plan.h"

/* What a child tells its parent through the status pipe: SAY_STARTED right before
 * the execution; SAY_FAILED, the exit code as one byte, and a message otherwise. */
enum {
	SAY_STARTED = 'S',
	SAY_FAILED = 'F'
};

/* In the child of parent: checks the digest, enters the sandbox where the plan has
 * one, checks again and executes.  output: what becomes descriptors 1 and 2.  status:
 * write end of the pipe. */
void child_run(const struct plan *plan, int directory, pid_t parent, const int output[2],
	int status) __attribute__((noreturn));

/* In a child: runs true(1) in a sandbox like the plan's, errors going to said. */
void child_probe(const struct plan *plan, int said) __attribute__((noreturn));

#endif
