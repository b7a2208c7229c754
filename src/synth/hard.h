/*
 * hard.h - refusals that are hard to tell: one word away from a request that an argv
 * answers.  A verb that the tool knows nothing of, a value that it does not take, a
 * value that is only hinted at.
 */
#ifndef SYNTH_HARD_H
#define SYNTH_HARD_H

#include "synth/compose.h"
#include "synth/oos.h"

/* Writes such a request into out (cleared first), its ids too.  1, or 0 where none was
 * found.  Memory is the arena's; scratch is overwritten. */
int hard_draw(const struct oos *oos, struct composer *composer, struct rng *r, struct arena *arena,
	struct buf *scratch, struct text *out);

#endif
