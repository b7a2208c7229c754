/*
 * rollout.h - samples groups of completions for records, and writes what a trainer,
 * a reward and a person need to know of them into records.
 *
 * A draw is keyed by (seed, step, id of the record, sample, position), so it does
 * not matter which records are sampled together.
 */
#ifndef RL_ROLLOUT_H
#define RL_ROLLOUT_H

#include "model/generate.h"
#include "rl/example.h"
#include "rl/guidance.h"
#include "rl/policy.h"

struct rollout_options {
	int group;		   /* samples a request */
	int max_requests;	   /* sampled at once */
	int max_tokens;		   /* of a completion */
	float temperature;	   /* 0: greedy */
	struct prompt_noise noise; /* of requests */
	uint64_t seed;
	int flat;
	struct guidance_options guidance;
};

struct rollout_batch; /* groups of completions, in the order they were asked for */

struct rollout_batch *rollout_new(
	struct policy *p, const struct rollout_options *o, struct error *err);
void rollout_free(struct rollout_batch *b);
uint64_t rollout_bytes(const struct rollout_batch *b);
struct generator_counts rollout_counts(const struct rollout_batch *b); /* since it was made */

/* Forgets the groups; draws of the next ones belong to `step`. */
void rollout_clear(struct rollout_batch *b, uint64_t step);

/* Takes the request of a record in; item is the caller's number for it.  1; 0
 * where its prompt is too long; -1 and *err where the record cannot be used.  At
 * most max_requests between two calls of rollout_sample(). */
int rollout_add(struct rollout_batch *b, const struct record *r, size_t item, struct error *err);
/* Samples the requests added since the last call. */
int rollout_sample(struct rollout_batch *b, struct error *err);

size_t rollout_groups(const struct rollout_batch *b);
size_t rollout_item(const struct rollout_batch *b, size_t group);
/* Groups from number `from` on whose samples do not all say the same. */
size_t rollout_alive(const struct rollout_batch *b, size_t from);
/* 1 where all samples of the group say the same. */
int rollout_same(const struct rollout_batch *b, size_t group);

struct rollout_origin {
	long long policy_step;
	long long batch; /* number of the batch in a loop; -1: none */
	long long size;	 /* records of that batch */
};

/* Removes from a record what an earlier rollout or reward wrote. */
void rollout_strip(struct record *r);
/* Sets the fields of a sample in a record that rollout_strip() has seen, and that had
 * the samples of the group before this one in turn.  times: samples that the record
 * stands for. */
void rollout_fill(const struct rollout_batch *b, size_t group, int sample, int times,
	const struct rollout_origin *origin, struct record *r);

#endif
