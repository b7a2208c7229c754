/*
 * seeds.h - seed pairs: read, verified, and made into templates by finding the
 * values of the argv in the request.
 */
#ifndef SYNTH_SEEDS_H
#define SYNTH_SEEDS_H

#include "synth/label.h"
#include "synth/text.h"

/* A stretch of a seed's request, and the value that follows it. */
struct seed_piece {
	const char *literal;
	int stated; /* index into the set; -1: nothing follows */
};

struct seed {
	const char *request;
	int argc;	   /* -1: out of scope */
	const char **argv; /* canonical */
	const char *id;	   /* "seed/7" */
	/* Where new values can be put in: */
	const struct synth_command *command; /* NULL: only as it is */
	struct item_set set;
	struct seed_piece *pieces;
	unsigned n_pieces, n_slots;
};

struct seeds {
	struct seed *at;
	unsigned n;
	unsigned short *draw; /* templates, those with slots more often */
	unsigned n_draw;
	unsigned short *refusals; /* seeds out of scope */
	unsigned n_refusals;
	size_t cap;
	struct arena arena;
};

/* Reads one file (NULL: none are read).  0, or -1 and a message with file and line. */
int seeds_read(struct seeds *seeds, const struct plan *plan, const char *path, struct error *err);
/* Call once after the last file. */
void seeds_finish(struct seeds *seeds);
void seeds_release(struct seeds *seeds);

/* Writes a template with the values of a label drawn for its set. */
void seed_fill(const struct seed *seed, const struct label *label, struct rng *r, struct text *out);

#endif
