/*
 * proposal.h - the command that a record proposes, verified again.
 */
#ifndef EXEC_PROPOSAL_H
#define EXEC_PROPOSAL_H

#include "cli/verify.h"
#include "exec/secret.h"
#include "stream/jsonl.h"

struct proposal {
	int argc; /* -1: the record declines, reason says why */
	const char **argv;
	int too_long;	     /* for a person to check: set by proposal_verify() */
	const char *request; /* what the person said; NULL: not in the record */
	const char *reason;
	size_t n_dangers;
	const char **dangers;	/* why a person should look twice */
	const char **at_word;	/* argc of them: the danger of this word, NULL: none */
	struct meaning meaning; /* set by proposal_verify() */
	int network;		/* the spec says that the command needs it */
	struct secrets secrets; /* set by proposal_verify(), whatever its result */
};

/* Reads exactly one record from standard input, to its end.  -1 (126) where there
 * is none, more than one, or a fault in the stream. */
int proposal_read(struct record *r, struct error *err);

/* Takes `proposal` (or `argv` where there is no such field) out of the record.
 * Memory is the arena's. */
int proposal_take(
	const struct record *r, struct arena *arena, struct proposal *p, struct error *err);

/* Verifies it against the spec, canonical form included, and collects what the spec
 * says about danger and network.  -1 (126) where it does not hold. */
int proposal_verify(
	const struct spec *spec, struct arena *arena, struct proposal *p, struct error *err);

#endif
