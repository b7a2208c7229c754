/* compose.h - puts a label into words: a frame, the command's phrase, a clause for
 * each thing that the argv states, in some order, with some chatter beside it. */
#ifndef SYNTH_COMPOSE_H
#define SYNTH_COMPOSE_H

#include "synth/label.h"
#include "synth/style.h"
#include "synth/text.h"

/* What follows a value in its phrase. */
enum behind {
	BEHIND_WORDS,
	BEHIND_UNIT, /* the unit that it counts, which may be left out with it */
	BEHIND_NOTHING
};

struct composer {
	const char **frame_ids;
	unsigned short *frame_draw; /* indices by weight */
	unsigned n_frame_draw;
	const struct style *style;
	const char *verb; /* stands for the command's own; NULL: none does */
	const char *hint; /* a value that is only hinted at: never quoted; NULL: none */
	struct rng *r;	  /* of the record */
	struct rng extra; /* decides what only a style asks for: the rest stays as ever */
	struct buf scratch, spoken;
	struct arena words; /* phrases reworded for one record */
};
/* Prepares the ids of frames and orders; memory is the arena's.  The style is the
 * usual one. */
void composer_init(struct composer *c, struct arena *arena);
void composer_release(struct composer *c);

/* Begins a record: extra decides what a style asks for. */
void compose_begin(struct composer *c, struct rng *r, const struct rng *extra);

/* Writes the request of a label into out (cleared first). */
void compose(struct composer *c, const struct label *label, struct rng *r, struct text *out);

/* Wraps an imperative that is not in scope the same way; body may hold values.
 * frames: also with frames that take a plain imperative. */
void compose_frame(
	struct composer *c, const struct text *body, int frames, struct rng *r, struct text *out);

/* Puts a stated value (or list of values) into out; correct: a wrong one beside it, and
 * which of them counts.  1 where it was put as an amount with its unit. */
int compose_value(struct composer *c, const struct stated *s, int correct, enum behind behind,
	struct text *out);

/* A value that might have been stated for this one, to be taken back later; NULL: none. */
const char *compose_wrong_value(struct composer *c, const struct stated *s);

#endif
