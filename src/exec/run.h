/*
 * run.h - executes what was confirmed, once, and waits for its end.
 */
#ifndef EXEC_RUN_H
#define EXEC_RUN_H

#include "exec/plan.h"

/* How it ended. */
struct outcome {
	int started; /* the command was executed; else .failure says why not */
	int status;  /* exit status; 128 + signal */
	int signal;  /* that ended it, 0: none (or unknown, inside the sandbox) */
	int timed_out;
	double seconds;
	struct error failure;
};

/* The sandbox works on this machine: runs true(1) in one like the plan's. 0, or -1
 * (126) with what is missing. */
int run_probe(const struct plan *plan, struct error *err);

/* Executes the plan and waits.  0 when the child has ended, whatever became of it;
 * -1 where no child could be made. */
int run_plan(const struct plan *plan, int directory, struct outcome *outcome, struct error *err);

/* The second half of run_plan(), inside the sandbox: the plan is in the sealed
 * memory file fd.  Does not return. */
void run_inside(int fd) __attribute__((noreturn));

/* The argument by which confirm-exec is told to do that. */
#define RUN_INSIDE_OPTION "--inside-sandbox"

/* Closes what was inherited beyond the standard descriptors. */
void run_close_inherited(void);

#endif
