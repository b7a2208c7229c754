/*
 * optimizer.h - AdamW for embeddings, head and norms; Muon (Jordan et al. 2024:
 * momentum, then five Newton-Schulz steps) for matrices, or AdamW for all.
 * State is fp32, on the model's device, saved beside the weights.
 */
#ifndef RL_OPTIMIZER_H
#define RL_OPTIMIZER_H

#include "model/model.h"

struct optimizer_options {
	double lr;	/* AdamW's peak rate */
	double muon_lr; /* Muon's peak rate; 0: AdamW everywhere */
	double beta1, beta2, eps, weight_decay, muon_momentum;
	double clip; /* largest global gradient norm; 0: no clipping */
};

struct optimizer;

struct optimizer *optimizer_new(
	struct model *m, const struct optimizer_options *o, struct error *err);
void optimizer_free(struct optimizer *opt);

/* One update with the gradients of the model, rates multiplied by schedule
 * (1: peak).  The global norm before clipping goes to *grad_norm.  A gradient
 * that is not finite changes nothing and is an error that names the tensor. */
int optimizer_step(struct optimizer *opt, double schedule, double *grad_norm, struct error *err);

long long optimizer_steps(const struct optimizer *opt); /* updates made so far */

/* optimizer.safetensors in an existing directory. */
int optimizer_save(const struct optimizer *opt, const char *dir, struct error *err);
int optimizer_load(struct optimizer *opt, const char *dir, struct error *err);

enum schedule_kind {
	SCHEDULE_CONSTANT,
	SCHEDULE_COSINE
};
extern const char *const schedule_kind_names[];
/* Factor for step (from 0) of total: linear warm-up, then constant or a cosine
 * down to `floor` of the peak. */
double schedule_at(
	enum schedule_kind kind, long long step, long long warmup, long long total, double floor);

#endif
