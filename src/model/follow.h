/* follow.h - tokens that are certain under a guide. */
#ifndef MODEL_FOLLOW_H
#define MODEL_FOLLOW_H

#include "base/error.h"
#include "text/guide.h"

/* Appends to a run of *n tokens those that are certain behind it, up to `room` tokens in
 * all.  *state is that before the last token of the run (0 tokens: that behind them) and
 * becomes the state behind the run where it goes on.  1: there is a choice, or no guide
 * (NULL); 0: the run ends with end_id or is full; -1: the guide is at fault.  Choices
 * are ids below vocab. */
int follow_certain(struct guide *g, int32_t *state, int32_t *run, int32_t *n, int32_t room,
	int32_t end_id, int32_t vocab, struct error *err);

#endif
