/*
 * trainer.h - one GRPO update from a batch of rewarded rollouts.
 *
 * Samples whose advantage is 0 pull nowhere (unless there is a reference to stay
 * near) and are not run through the model; they count in the denominators.
 */
#ifndef RL_TRAINER_H
#define RL_TRAINER_H

#include "rl/grpo.h"
#include "rl/optimizer.h"
#include "rl/policy.h"
#include "rl/rewarded.h"

struct trainer_options {
	struct grpo_options grpo;
	int inner_epochs; /* updates a batch */
	int micro_rows;	  /* most rows of a tree run through the model at once */
	int flat;	  /* share no prefixes */
	double tolerance; /* of |ratio - 1| on the policy that sampled the batch */
};

struct trainer_result {
	size_t n_samples, n_unscored, n_truncated, n_exact;
	size_t n_groups, n_dead;
	double reward_mean, reward_std; /* over all scored samples */
	double entropy;		   /* mean of -log p of the sampled tokens: an unbiased estimate */
	double length_mean;	   /* tokens of a completion */
	size_t tokens;		   /* of all completions */
	long long rows, flat_rows; /* run through the model in the last epoch */
	int micro_batches;
	struct grpo_metrics grpo;	     /* of the last inner epoch, over the live samples */
	double grad_norm;		     /* of the last inner epoch */
	double forward, backward, optimizer; /* seconds */
};

struct trainer;

/* Policy, reference (a model of the same tokens; NULL where beta is 0) and
 * optimizer stay the caller's. */
struct trainer *trainer_new(struct policy *policy, struct model *reference,
	struct optimizer *optimizer, const struct trainer_options *o, struct error *err);
void trainer_free(struct trainer *t);
uint64_t trainer_bytes(const struct trainer *t);

/* One batch: inner_epochs updates, rates multiplied by schedule.  None where no
 * group is alive.  on_policy: the batch was sampled from these very weights, so a
 * recomputed ratio beyond the tolerance is an error (exit 70). */
int trainer_update(struct trainer *t, const struct rewarded_batch *b, double schedule,
	int on_policy, struct trainer_result *result, struct error *err);

/* Forward and backward passes alone: the gradients of the batch are in the model. */
int trainer_gradient(struct trainer *t, const struct rewarded_batch *b, int on_policy,
	struct trainer_result *result, struct error *err);

#endif
