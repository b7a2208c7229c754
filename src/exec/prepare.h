/*
 * prepare.h - from a verified proposal, the policy and what confirm-exec was started
 * with to the plan: everything that a person is asked about, opened and fixed.
 */
#ifndef EXEC_PREPARE_H
#define EXEC_PREPARE_H

#include "exec/plan.h"
#include "exec/proposal.h"
#include "exec/rulebook.h"

struct text_list {
	const char **items;
	size_t n, cap;
};

/* What confirm-exec was started with. */
struct launch {
	const char *directory, *input; /* NULL: ours, /dev/null */
	int timeout;		       /* 0: the policy's; else the shorter one */
	int no_sandbox, network;
	struct text_list pass, read, write; /* beside the policy's */
};

/* Opens the working directory and puts it into the plan: its descriptor, or -1 (64). */
int prepare_directory(
	const struct launch *launch, struct arena *arena, struct plan *plan, struct error *err);

/* Fills the rest of the plan, digest included, from the settings that the policy gives
 * this command.  directory: of prepare_directory().  audit: path of the log, NULL for
 * none.  Memory is the arena's.  -1: 64 for what confirm-exec was started with, 126
 * refused, 127 not found. */
int prepare_plan(const struct launch *launch, const struct rulebook *book,
	const struct rulebook_settings *settings, const struct proposal *proposal, int directory,
	const char *audit, struct arena *arena, struct plan *plan, struct error *err);

#endif
