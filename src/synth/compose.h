/* compose.h - puts a label into words: a frame, the command's phrase, a clause for
 * each thing that the argv states, in some order, with some chatter beside it. */
#ifndef SYNTH_COMPOSE_H
#define SYNTH_COMPOSE_H

#include "synth/label.h"
#include "synth/text.h"

/* Prepares the ids of frames and orders; memory is the arena's. */
struct composer {
	const char **frame_ids;
	unsigned short *frame_draw; /* indices by weight */
	unsigned n_frame_draw;
	struct buf scratch;
};
void composer_init(struct composer *c, struct arena *arena);
void composer_release(struct composer *c);

/* Writes the request of a label into out (cleared first). */
void compose(struct composer *c, const struct label *label, struct rng *r, struct text *out);

/* Wraps an imperative that is not in scope the same way; body may hold values.
 * frames: also with frames that take a plain imperative. */
void compose_frame(
	struct composer *c, const struct text *body, int frames, struct rng *r, struct text *out);

/* Puts a stated value (or list of values) into out; correct: first a wrong one,
 * then the right one. */
void compose_value(
	const struct stated *s, int correct, struct rng *r, struct buf *scratch, struct text *out);

#endif
