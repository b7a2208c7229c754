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

#endif
