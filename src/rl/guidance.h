/*
 * guidance.h - which constraint a completion was drawn under, as records tell it:
 * policy.constraint is {spec, tokenizer, ground, limit}, two SHA-256, whether values had to
 * be stated by the request, and the limit of the walk; absent where completions were free.
 */
#ifndef RL_GUIDANCE_H
#define RL_GUIDANCE_H

#include <jansson.h>
#include "base/options.h"
#include "rl/policy.h"

struct guidance_options {
	int free;      /* nothing is constrained */
	int no_ground; /* values need not be stated by the request */
};

/* argp child; its input is a zero-initialised struct guidance_options. */
extern const struct argp guidance_argp;

/* The constraint that the options ask for, NULL for none.  0 or -1. */
int guidance_choose(struct policy *p, const struct guidance_options *o,
	struct constraint **constraint, struct error *err);

/* A new reference. */
json_t *json_from_guidance(const struct policy *p, int ground, int limit);

/* The constraint and the limit that the field names, NULL where it is absent (json NULL).
 * 0; -1 and a message where it is another grammar's or tokenizer's than the policy's. */
int guidance_read(struct policy *p, const json_t *json, struct constraint **constraint, int *limit,
	struct error *err);

/* The walk of a rollout record: its request and its spans.  NULL and a message where
 * they are not there or do not belong together. */
struct walk *guidance_walk(
	struct constraint *c, int limit, const json_t *record, struct error *err);

#endif
