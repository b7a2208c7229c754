/*
 * cover.h - a pairwise covering array of the CLI: rows of options and values such
 * that every visible command, option, accepted value, and every legal pair of
 * options of a command occurs in some row.
 *
 * Built greedily, in the manner of AETG (Cohen, Dalal, Fredman, Patton: "The AETG
 * System", IEEE TSE 23(7), 1997): each row starts from an uncovered pair and takes
 * in the items that cover most further pairs, as long as a person might still say it.
 */
#ifndef SYNTH_COVER_H
#define SYNTH_COVER_H

#include "synth/synth.h"

struct cover_row {
	unsigned command;
	struct item_set set;
};

struct cover {
	struct cover_row *rows;
	unsigned n_rows;
};

/* Rows take turns between commands.  Memory is the arena's. */
void cover_build(struct cover *cover, const struct plan *plan, struct arena *arena);

#endif
