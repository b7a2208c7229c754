/*
 * generate.h - sampling over prefix trees: the samples of a request share its
 * prompt, and each other's words for as long as they agree.  A node that n
 * samples have reached draws n next tokens and goes on once for each distinct
 * one: the distribution is that of n independent samples.
 */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include "model/model.h"

struct generate_options {
	int n_samples;	   /* a request */
	int max_tokens;	   /* of a completion, the end token included */
	float temperature; /* 0: the most probable token always */
	int32_t end_id;
	uint64_t seed, step; /* keys of every draw, with group, sample and position */
	int flat;	     /* one branch a sample: the plain way */
};

/* One request: its prompt, and the number that keys its draws. */
struct generate_request {
	const int32_t *prompt;
	int32_t n_prompt;
	uint32_t group;
	/* What its completions may be; NULL: anything.  Draws are made among the choices,
	 * with probabilities normalised over them; tokens that are certain are appended
	 * without a draw and go through the model in one pass with the next one drawn. */
	struct guide *guide;
};

struct completion {
	int32_t *tokens; /* n_tokens, the end token included where it was drawn */
	float *logprobs; /* natural log under the distribution drawn from */
	int32_t n_tokens;
	int stopped; /* 1: ended by end_id; 0: by max_tokens */
};

struct generator;

/* Room for max_requests requests at once with prompts of max_prompt tokens.  Keys and
 * values grow with the rows that calls come to compute (counts.rows of the largest), not
 * with max_tokens: a slot for each, at most 7 more for each branch, and those doubled at
 * most.  Activations are those of 256 rows; host memory is touched only as used. */
struct generator *generator_new(struct model *m, int max_requests, int max_prompt,
	const struct generate_options *o, struct error *err);
void generator_free(struct generator *g);
uint64_t generator_bytes(const struct generator *g);

/* Samples n requests.  completions[i * n_samples + s] belongs to request i,
 * sample s; its arrays are the generator's, valid until the next call.  The draw
 * of sample s at position i is rng_at(seed, RNG_SAMPLE, step, group, s, i), i
 * counting the completion's tokens from 0: it does not depend on what else is in
 * the batch.  All options may differ from call to call, but n_samples and
 * max_tokens must not exceed those given to generator_new(). */
int generate(struct generator *g, const struct generate_request *requests, int n,
	const struct generate_options *o, struct completion *completions, struct error *err);

/* Counts since the generator was made. */
struct generator_counts {
	uint64_t rows;	 /* tokens that went through the model, prompts included */
	uint64_t passes; /* prefixes that something was drawn from: rows of the head */
	uint64_t tokens; /* of all completions */
	uint64_t drawn;	 /* of these, not certain */
};
struct generator_counts generator_counts(const struct generator *g);
uint64_t generator_rows(const struct generator *g);

#endif
