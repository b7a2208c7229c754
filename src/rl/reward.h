/*
 * reward.h - the verifiable reward of a completion.
 */
#ifndef RL_REWARD_H
#define RL_REWARD_H

#include "cli/verify.h"

enum reward_scheme {
	REWARD_GRADED,
	REWARD_STRICT
};
extern const char *const reward_scheme_names[];

/* The graded scheme, highest first; why these: see reward.c. */
#define REWARD_RIGHT 1.0       /* a match, or the right refusal */
#define REWARD_NEAR (-0.5)     /* the right command, all items but a hair right */
#define REWARD_REFUSAL (-0.75) /* a refusal where a command was due */
#define REWARD_COMMAND (-0.85) /* the right command, no item right */
#define REWARD_OTHER (-0.95)   /* another command, valid */
#define REWARD_WRONG (-1.0)    /* no argv, not valid, or a refusal was due */

struct reward_parts {
	double total;		      /* within [-1, 1] */
	double valid, command, items; /* named parts; what each is: see reward.c */
	int exact;		      /* a match, or the right refusal */
	struct verdict verdict;	      /* of the answer */
};

/* Scores an answer against the expected argv.  *_argc: -1 null (refusal), -2
 * absent (the completion could not be read as an answer).  0, or -1 where the
 * record itself is at fault (the expected argv does not verify): no result. */
int reward_score(const struct spec *spec, enum reward_scheme scheme, int expected_argc,
	const char *const *expected, int answer_argc, const char *const *answer,
	struct arena *arena, struct reward_parts *parts, struct error *err);

/* How much an option (primary name) or positional argument (name) counts among
 * the items; those without an entry count 1. */
struct reward_weight {
	const char *name;
	double weight; /* >= 0 */
};

/* The same with weights. */
int reward_score_weighted(const struct spec *spec, enum reward_scheme scheme,
	const struct reward_weight *weights, size_t n_weights, int expected_argc,
	const char *const *expected, int answer_argc, const char *const *answer,
	struct arena *arena, struct reward_parts *parts, struct error *err);

#endif
