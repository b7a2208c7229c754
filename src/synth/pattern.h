/*
 * pattern.h - text that a regular expression matches, drawn at random.
 *
 * Knows literals, escapes, classes, groups, alternatives, quantifiers, anchors and
 * flags: what specs use.  A pattern with anything else (look-around, back
 * references) is given up, and what was drawn must be tried against the pattern.
 */
#ifndef SYNTH_PATTERN_H
#define SYNTH_PATTERN_H

#include "base/mem.h"
#include "base/rng.h"

/* Appends a text for the pattern; 0, or -1 where it is beyond us. */
int pattern_draw(const char *pattern, struct rng *r, struct buf *out);

#endif
