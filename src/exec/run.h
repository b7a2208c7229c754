/*
 * run.h - executes what was confirmed, once, and waits for its end.
 */
#ifndef EXEC_RUN_H
#define EXEC_RUN_H

#include "exec/plan.h"

enum {
	RUN_OWN_PROCESSES = 3 /* at most so many beside the command's: bubblewrap's */
};

/* Which bound we ended the command for. */
enum bound {
	BOUND_NONE,
	BOUND_TIME,
	BOUND_OUTPUT,
	BOUND_PROCESSES
};

extern const char *const bound_names[]; /* by enum bound: "none", "time", ... */

/* How it ended. */
struct outcome {
	int started; /* the command was executed; else .failure says why not */
	int status;  /* exit status; 128 + signal */
	int signal;  /* that ended it, 0: none (or unknown, inside the sandbox) */
	enum bound bound;
	unsigned long long output; /* bytes passed on */
	double seconds;
	struct error failure;
};

/* The sandbox works on this machine: runs true(1) in one like the plan's. 0, or -1
 * (126) with what is missing. */
int run_probe(const struct plan *plan, struct error *err);

/* Executes the plan, passes its output on and waits for the end of its whole tree.  0
 * when it has ended, whatever became of it; -1 where no child could be made.  SIGINT,
 * SIGTERM, SIGHUP and SIGQUIT (block them before) go to the tree, a third of them kills
 * it. */
int run_plan(const struct plan *plan, int directory, struct outcome *outcome, struct error *err);

/* The second half of run_plan(), inside the sandbox: the plan is in the sealed
 * memory file fd.  Does not return. */
void run_inside(int fd) __attribute__((noreturn));

/* The argument by which confirm-exec is told to do that. */
#define RUN_INSIDE_OPTION "--inside-sandbox"

/* Closes what was inherited beyond the standard descriptors. */
void run_close_inherited(void);

#endif
