/*
 * rewarded.h - rewarded rollouts as a trainer reads them: records gathered into
 * the batch of one update.
 *
 * A batch is complete when it holds as many records as its policy.batch.size says;
 * records without policy.batch belong together until the policy's step changes or
 * the input ends.
 */
#ifndef RL_REWARDED_H
#define RL_REWARDED_H

#include "rl/input.h"
#include "rl/policy.h"

struct rewarded {
	char *name;	 /* "FILE:LINE (group, sample)", for messages */
	long long group; /* hash of the group's name */
	int32_t *prompt, *tokens;
	int n_prompt, n_tokens;
	float *logp_old;
	const struct choices **choices; /* of each token; NULL: the whole vocabulary */
	double reward;			/* NaN: no result */
	int truncated;			/* ended by length */
	int exact;			/* a match or a right refusal, as far as the record tells */
};

struct rewarded_batch {
	struct arena arena;
	struct rewarded *samples;
	size_t n, cap;
	size_t n_records;      /* that they came from: one may stand for several samples */
	long long index, size; /* of policy.batch; -1: absent */
	long long policy_step;
	char policy_hash[65];
	double temperature;
	/* private: a record that belongs to the next batch */
	struct record record;
	int pending, ended;
	struct walk **walks; /* of the batch's groups: the choices are theirs */
	size_t n_walks, cap_walks;
	const struct constraint *walk_constraint; /* of the last one */
	int walk_limit;
	char *walk_request;
	json_t *walk_spans;
};

/* Zero-initialise.  Completions drawn under a constraint must be of this policy's
 * grammar and tokenizer.  Reads the next batch: 1, or 0 at the end of the input; -1
 * where that is within a batch of known size. */
int rewarded_read(
	struct rewarded_batch *b, struct input *in, struct policy *policy, struct error *err);
void rewarded_release(struct rewarded_batch *b);

#endif
