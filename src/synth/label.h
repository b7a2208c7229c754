/*
 * label.h - labels: which command, which options, which values; as canonical argv.
 */
#ifndef SYNTH_LABEL_H
#define SYNTH_LABEL_H

#include "synth/synth.h"

/* One item as it is stated. */
struct stated {
	const struct synth_item *item;
	unsigned index;	   /* of the item in its command */
	unsigned n_values; /* 0: a flag, or an option without its optional value */
	const char *values[LIST_MAX];
	int accepted; /* index of the accepted value; -1: none */
};

struct label {
	const struct synth_command *command;
	unsigned n;
	struct stated at[SET_MAX];
	int argc;
	const char **argv; /* canonical; then NULL */
};

/* Draws values for a closed set and spells the argv.  Memory is the arena's;
 * scratch is overwritten. */
void label_draw(const struct plan *plan, const struct synth_command *c, const struct item_set *set,
	struct rng *r, struct arena *arena, struct buf *scratch, struct label *label);

/* Spells the argv again where values were changed. */
void label_spell(const struct plan *plan, struct arena *arena, struct label *label);

/* Draws a set of about so many options; what the command needs beside comes in. */
void set_draw_sized(
	const struct synth_command *c, unsigned wanted, struct rng *r, struct item_set *set);

/* Draws a set by the weights of a natural request: mostly 0 to 4 options. */
void set_draw(const struct synth_command *c, struct rng *r, struct item_set *set);

/* A command by its weight. */
const struct synth_command *command_draw(const struct plan *plan, struct rng *r);

#endif
