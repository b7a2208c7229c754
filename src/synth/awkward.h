/*
 * awkward.h - values that have to be quoted: names of files with blanks, texts with
 * quotes and apostrophes.
 */
#ifndef SYNTH_AWKWARD_H
#define SYNTH_AWKWARD_H

#include "synth/label.h"

/* Makes each value of a file, directory or text awkward by the given chance, where the
 * spec takes it.  Memory is the arena's; scratch is overwritten. */
void label_awkward(const struct plan *plan, double chance, struct rng *r, struct arena *arena,
	struct buf *scratch, struct label *label);

#endif
