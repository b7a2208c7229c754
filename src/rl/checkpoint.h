/*
 * checkpoint.h - a policy in training: the policy's directory with
 * optimizer.safetensors and trainer_state.json beside the weights.
 */
#ifndef RL_CHECKPOINT_H
#define RL_CHECKPOINT_H

#include <jansson.h>
#include "rl/optimizer.h"
#include "rl/policy.h"

/* What trainer_state.json says.  Nothing in it depends on the clock. */
struct trainer_state {
	char kind[16];	  /* "sft", "grpo"; "" where there is no file */
	long long step;	  /* updates asked for so far; those without effect count */
	long long cursor; /* training records consumed (sft) */
	long long dead;	  /* steps in a row without a live group (grpo) */
	uint64_t seed;
	char policy_hash[65];	 /* of model.safetensors beside it */
	char tokenizer_hash[65]; /* of tokenizer.json */
	char spec_hash[65];
	char options[256]; /* those that matter for the result, as one string */
};

/* Reads DIR/trainer_state.json; a missing file gives the zero state. */
int trainer_state_read(const char *dir, struct trainer_state *s, struct error *err);

/* Writes policy, optimizer and state into the directory `temporary` (which is
 * made) and publishes it as path, which must not exist and is p->dir from then on.
 * Fills the hashes. */
int checkpoint_publish(struct policy *p, const struct optimizer *opt, struct trainer_state *s,
	const char *temporary, const char *path, struct error *err);

#endif
