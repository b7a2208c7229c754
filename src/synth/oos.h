/*
 * oos.h - requests that no argv of the tool answers: other tools, features that
 * it lacks, options of other commands, missing values, talk, dangerous wishes.
 */
#ifndef SYNTH_OOS_H
#define SYNTH_OOS_H

#include "synth/compose.h"

struct oos {
	const struct plan *plan;
	/* ids of the templates, by kind; made once */
	const char ***ids;
	const char *const *verbs; /* of features that the spec does not mention */
	unsigned n_verbs;
	const char **wishes; /* templates; NULL: the spec knows the verb */
	unsigned n_wishes;
	/* (command, foreign item) pairs whose combination means nothing */
	struct oos_foreign {
		const struct synth_command *command;
		const struct synth_item *item;
	} * foreign;
	unsigned n_foreign;
	struct text body;
	struct buf scratch;
	struct arena arena;
};

void oos_init(struct oos *oos, const struct plan *plan);
void oos_release(struct oos *oos);

/* Writes a request into out (cleared first), its ids too. */
void oos_draw(struct oos *oos, struct composer *composer, struct rng *r, struct text *out);

#endif
