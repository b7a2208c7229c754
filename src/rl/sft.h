/*
 * sft.h - supervised steps: the negative log-likelihood of expected answers, and
 * with a smaller weight of the requests themselves, over prefix-packed batches.
 */
#ifndef RL_SFT_H
#define RL_SFT_H

#include "rl/dataset.h"
#include "rl/optimizer.h"
#include "rl/policy.h"

struct sft_options {
	int batch_tokens;   /* a batch takes records until it has so many tokens */
	double prompt_loss; /* weight of a request's token; an answer's counts 1 */
	struct prompt_noise noise;
	uint64_t seed;
	int flat;		       /* share no prefixes */
	struct constraint *constraint; /* what answers are held to; NULL: nothing */
};

struct sft_result {
	double loss;	    /* weighted mean, nats a token */
	double answer_loss; /* of the answers' tokens alone */
	double grad_norm;
	long long records, skipped, tokens, rows; /* skipped: too long */
	long long unsaid; /* answers that the constraint's language does not hold */
};

struct sft;

/* Trains policy with optimizer (both the caller's) on data, from record `cursor`
 * of its shuffled epochs on. */
struct sft *sft_new(struct policy *policy, struct optimizer *optimizer, struct dataset *data,
	const struct sft_options *o, long long cursor, struct error *err);
void sft_free(struct sft *s);
long long sft_cursor(const struct sft *s); /* records consumed so far */
uint64_t sft_bytes(const struct sft *s);
/* What was wrong with the last answer that could not be said; "" where there was none. */
const char *sft_unsaid(const struct sft *s);

/* One update; rates multiplied by schedule. */
int sft_step(struct sft *s, double schedule, struct sft_result *result, struct error *err);

#endif
