/*
 * generator.h - the k-th record of a seed.
 */
#ifndef SYNTH_GENERATOR_H
#define SYNTH_GENERATOR_H

#include "synth/compose.h"
#include "synth/cover.h"
#include "synth/oos.h"
#include "synth/seeds.h"
#include "synth/style.h"

struct generator {
	const struct plan *plan;
	const struct seeds *seeds;
	uint64_t seed;
	double out_of_scope; /* share of records */
	struct style style;
	struct cover cover;
	struct composer composer;
	struct oos oos;
	struct arena tables, arena;
	struct text draft, text;
	struct buf scratch;
};

/* What a record is, for the report. */
struct generated {
	const struct label *label; /* NULL: a refusal, or a seed as it stands */
	struct label own;
	int refusal, seed;
};

/* seeds must be finished; plan and seeds must outlive the generator. */
void generator_init(struct generator *g, const struct plan *plan, const struct seeds *seeds,
	uint64_t seed, double out_of_scope);
/* What is written beside the usual; to be called before the first record. */
void generator_style(struct generator *g, const struct style *style);
void generator_release(struct generator *g);

/* Appends the JSON text of record k, without a line end.  A pure function of what
 * generator_init() was given and k. */
void generator_record(struct generator *g, uint64_t k, struct buf *json, struct generated *what);

#endif
