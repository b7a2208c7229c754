/*
 * sampled.h - answers without a grammar, the plain way: the policy answers greedily and
 * by sampling, and what it says is scored afterwards.
 */
#ifndef PROPOSE_SAMPLED_H
#define PROPOSE_SAMPLED_H

#include "model/generate.h"
#include "rl/policy.h"

struct sampled_options {
	int tries;	/* samples beside the greedy answer; 0: only that */
	int max_tokens; /* of an answer */
	int max_prompt;
	float temperature;
	uint64_t seed;
};

struct sampled;

struct sampled *sampled_new(
	struct policy *policy, const struct sampled_options *o, struct error *err);
void sampled_free(struct sampled *s);
uint64_t sampled_bytes(const struct sampled *s);

/* The greedy completion of a prompt (greedy), or `tries` samples: *n of them, valid
 * until the next call.  key: of the request.  -1 and a message. */
int sampled_answers(struct sampled *s, const struct ids *prompt, uint32_t key, int greedy,
	const struct completion **completions, int *n, struct error *err);

/* Log-probabilities at temperature 1 of n answers to one prompt, each of at most
 * 2 max_tokens ids (longer ones are cut). */
int sampled_score(struct sampled *s, const struct ids *prompt, const struct ids *answers, int n,
	double *logprob, struct error *err);

#endif
