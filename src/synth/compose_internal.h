/* compose_internal.h - a request while it is being put together; shared by compose*.c. */
#ifndef SYNTH_COMPOSE_INTERNAL_H
#define SYNTH_COMPOSE_INTERNAL_H

#include "synth/compose.h"
#include "synth/english.h"

/* One thing to say. */
struct piece {
	const struct phrase *phrase; /* NULL: text below */
	const char *text;	     /* with "{}" where slot is */
	const struct stated *stated; /* NULL: the command */
	int fixed;		     /* says an accepted value: not a letter may change */
	enum phrase_form form;
};

struct said {
	struct text *out;
	struct rng *r;
	struct buf *scratch;
	const struct frame *frame;
	int in_question;    /* the sentence that is being written is a question */
	int started;	    /* something was said */
	int after_sentence; /* the last piece was a finite sentence */
	enum phrase_form last;
	int foreign; /* verbs come last */
	int correct; /* this record corrects one value */
	struct composer *c;
	const struct stated *late; /* the value that is corrected at the end */
	const char *wrong;	   /* what is said for it before; NULL: nothing */
};

/* compose_chatter.c: what stands around the clauses. */
const struct frame *compose_draw_frame(
	struct composer *c, const struct piece *command, struct rng *r, unsigned *index);
void say_chatter_before(struct said *s);
void say_unwanted(struct said *s, const struct label *label);
void say_chatter_after(struct said *s);
/* Adds a joint, or a comma where it would let a word stand twice. */
void say_joint(struct said *s, const char *joint, const char *text);

#endif
