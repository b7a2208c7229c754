/*
 * proposer.h - from a request to verified commands, best first, or a refusal.
 *
 * The most probable answers are searched for among those that the grammar of the
 * policy and the request allow (text/constraint.h, model/search.h); their probabilities
 * are exact.  With guidance.free the policy answers greedily and by sampling, without a
 * constraint.  Either way each answer is read, verified against the grammar, demanded in
 * canonical form, and every value in it must be grounded in the request (text/ground.h)
 * before it is a command.
 */
#ifndef PROPOSE_PROPOSER_H
#define PROPOSE_PROPOSER_H

#include "cli/verify.h"
#include "rl/guidance.h"

struct proposer_options {
	struct guidance_options guidance;
	int count;	/* how many different commands are wanted */
	int max_tokens; /* of an answer */
	double min_confidence;
	double danger_confidence; /* the same for commands that the spec marks so */
	/* free: */
	int tries; /* samples beside the greedy answer; 0: only that */
	float temperature;
	uint64_t seed;
};

/* Why there is no command. */
enum refusal {
	REFUSAL_NONE,
	REFUSAL_DECLINED, /* the policy's own answer */
	REFUSAL_LOW_CONFIDENCE,
	REFUSAL_NOTHING_VERIFIED, /* no answer was a command of the CLI */
	REFUSAL_TOO_LONG,	  /* the request does not fit */
	REFUSAL_EMPTY,		  /* there is no request */
	REFUSAL_NOT_TEXT	  /* the request is not valid UTF-8 */
};

struct candidate {
	int argc;
	const char *const *argv; /* canonical */
	const char *text;	 /* as the policy writes it, spans and all */
	double confidence;	 /* its probability under the policy, temperature 1 */
	const char *danger;	 /* what the spec warns of; NULL */
};

/* What a request gave; valid until the next call. */
struct answer {
	enum refusal refusal;
	const char *reason;		    /* of a refusal, one sentence */
	double confidence;		    /* of the best command, or of the refusal; NaN: none */
	size_t n;			    /* commands: 1 to count, or 0 */
	const struct candidate *candidates; /* best first */
	const char *text;		    /* the answer that decided; "" for none */
	const char *code;    /* verdict on what decided: "ok", a verifier's, a refusal's */
	const char *message; /* of the verdict */
	int at;		     /* word that the message is about */
	struct span spans[SPANS_MAX];
	size_t n_spans;
};

struct proposer;

struct proposer *proposer_new(struct policy *policy, const struct spec *spec,
	const struct proposer_options *options, struct error *err);
void proposer_free(struct proposer *p);
uint64_t proposer_bytes(const struct proposer *p); /* beside the model itself */

/* Answers a request of len bytes, any bytes.  -1 where the model itself failed. */
int proposer_answer(struct proposer *p, const char *request, size_t len, struct answer *answer,
	struct error *err);

#endif
