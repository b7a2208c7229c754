/*
 * grpo.h - group relative policy optimisation: advantages, losses, metrics.
 * Formulae: Shao et al. 2024 (GRPO), Yu et al. 2025 (DAPO), Liu et al. 2025
 * (Dr. GRPO); k3: Schulman, "Approximating KL divergence", 2020; as in TRL 1.10.
 */
#ifndef RL_GRPO_H
#define RL_GRPO_H

#include <stddef.h>

enum advantage_scale {
	SCALE_GROUP,
	SCALE_BATCH,
	SCALE_NONE
};
extern const char *const advantage_scale_names[];
enum loss_kind {
	LOSS_DAPO,
	LOSS_GRPO,
	LOSS_DR_GRPO,
	LOSS_BNPO
};
extern const char *const loss_kind_names[];

struct grpo_options {
	enum advantage_scale scale;
	enum loss_kind loss;
	double epsilon_low, epsilon_high;
	double beta;		   /* weight of k3 against the frozen reference; 0: none */
	int max_completion_length; /* dr_grpo's constant divisor */
	int mask_truncated;	   /* completions that did not end count for nothing */
};

/* Advantages of n completions.  group[i] numbers the group of i (any numbers,
 * members need not be adjacent); a reward that is NaN stands for "no result":
 * left out, advantage 0.  std is the sample one (n-1); a group of one, or
 * without variance, gets 0.  *n_groups, *n_dead: groups seen, and without variance. */
void grpo_advantages(size_t n, const double *reward, const long long *group,
	enum advantage_scale scale, double *advantage, size_t *n_groups, size_t *n_dead);

/* One completion for the loss: lengths and natural-log probabilities a token. */
struct grpo_sample {
	double advantage;
	int n_tokens;
	int counted; /* 0: masked out, also of the denominators */
	const float *logp, *logp_old;
	const float *logp_ref; /* NULL where beta is 0 */
};

struct grpo_metrics {
	double loss, kl, clip_low, clip_high; /* shares of counted tokens */
	double ratio_mean, ratio_max_gap;     /* max |ratio - 1| */
	size_t n_tokens;
};

/* Loss over all n samples of the batch (the whole optimiser window, however it
 * is cut into micro-batches) and d loss / d logp in coefficient[i][t].  The
 * micro-batch of bnpo is the whole window here (one process). */
void grpo_loss(size_t n, const struct grpo_sample *samples, const struct grpo_options *o,
	float *const *coefficient, struct grpo_metrics *metrics);

/*
 * The same in parts, for a window that is cut into micro-batches: add every
 * sample of the window first (their denominators need no forward pass), then
 * take the loss of each part as its log-probabilities arrive.  The parts'
 * coefficients are those of the whole.
 */
struct grpo_window {
	size_t n_samples, n_tokens; /* counted ones */
};

struct grpo_sums {
	double loss; /* already weighted */
	double kl, clip_low, clip_high, ratio, ratio_max_gap;
	size_t n_tokens;
};

void grpo_window_add(struct grpo_window *w, const struct grpo_sample *s);
/* Zero *sums before the first part. */
void grpo_loss_part(size_t n, const struct grpo_sample *samples, const struct grpo_options *o,
	const struct grpo_window *window, float *const *coefficient, struct grpo_sums *sums);
void grpo_metrics_of(const struct grpo_sums *sums, struct grpo_metrics *metrics);

#endif
