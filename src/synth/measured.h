/*
 * measured.h - amounts of time and size as people say them: two minutes for 120 where an
 * option counts seconds, half a gig for 512m.
 */
#ifndef SYNTH_MEASURED_H
#define SYNTH_MEASURED_H

#include "base/mem.h"
#include "base/rng.h"
#include "cli/spec.h"

/* Appends a value that is a round amount in some unit; 0 where the argument counts
 * nothing or the one that was drawn is out of its range. */
int measure_draw(const struct argument *a, struct rng *r, struct buf *out);

/* Appends an amount that comes to the value, unit included; 0 where there is none that
 * is easily said. */
int measure_speak(const struct argument *a, const char *value, struct rng *r, struct buf *out);

/* Length of the unit that a phrase names behind the place of a value (" seconds"), where
 * the argument's bare numbers count it; 0: there is none. */
size_t measure_tail(const struct argument *a, const char *phrase);

#endif
