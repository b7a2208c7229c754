/*
 * spoken.h - values as people write them who do not copy them: numbers in words or
 * with separators, units apart or spelled out.
 */
#ifndef SYNTH_SPOKEN_H
#define SYNTH_SPOKEN_H

#include "base/rng.h"
#include "synth/values.h"

/* Appends the number in English words; n from 0 to 9999999. */
void number_spell(long n, int with_and, struct buf *out);

/* Writes a value of the plan otherwise into out (cleared first).  unit: nothing
 * follows, so a unit that the argument's name gives may be said.  1, or 0 where there
 * is no other way that ground_value() takes. */
int value_speak(
	const struct value_plan *p, const char *value, int unit, struct rng *r, struct buf *out);

#endif
