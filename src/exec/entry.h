/* entry.h - what the log says about a run: new references, for audit_append().
 * Secret values are in none of them (exec/secret.h). */
#ifndef EXEC_ENTRY_H
#define EXEC_ENTRY_H

#include <jansson.h>
#include "exec/proposal.h"
#include "exec/run.h"

/* A refusal before the question. */
json_t *entry_refused(const char *run, const struct proposal *proposal, const char *reason);

/* The answer ("approved", "declined", "late", "no terminal", or "auto" where the policy
 * gave it) and all that it was about.  why: what the policy said, may be NULL. */
json_t *entry_decision(const char *run, const struct proposal *proposal, const struct plan *plan,
	const char *spec_hash, const char *decision, const char *why);

/* How it ended; status: what we exit with. */
json_t *entry_end(const char *run, const struct outcome *outcome, int status);

#endif
