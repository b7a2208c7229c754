/*
 * split.h - train, valid and test without leaks: by phrasing and by argv shape.
 *
 * A record consists of components: the phrasings it was composed of
 * (origin.template: strings "KEY/N", phrasing N of KEY) and the shape of its argv
 * (command path, set of options, number of positional arguments).  Each
 * component belongs to one side for ever, by a hash of the seed and its name,
 * and a record goes to test if any of its components does, else to valid if any
 * does, else to train.  So no phrasing and no shape that is held out occurs in
 * train, nor one of test in valid, whatever the records are and wherever they
 * are processed.
 *
 * Never held out: phrasing 0 of every KEY, and shapes with less than two options,
 * so that every command, option and accepted value still occurs in train.
 *
 * A record without origin.template has one phrasing: its request with the values
 * of its argv cut out, in lower case.
 */
#ifndef SYNTH_SPLIT_H
#define SYNTH_SPLIT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/verify.h"

enum side {
	SIDE_TRAIN,
	SIDE_VALID,
	SIDE_TEST,
	SIDE_COUNT
};
extern const char *const side_names[]; /* NULL-terminated */

struct splitter {
	uint64_t seed;
	/* Chance of valid and of test: for a component of a composed record, and
	 * for the one phrasing of a record without origin.template. */
	double valid, test, whole_valid, whole_test;
};

/* shares: of records, by enum side; their sum is not 0.  The chance of one
 * component is chosen so that the shares come about for records of
 * SPLIT_COMPONENTS components that may be held out. */
enum {
	SPLIT_COMPONENTS = 3
};
void splitter_init(struct splitter *s, uint64_t seed, const double shares[SIDE_COUNT]);

/* The side of one component by its name. */
enum side split_component(const struct splitter *s, const char *name, size_t len);

/* Appends the name of an argv's shape: "tool sub --a --b +1".  *options: how many. */
void shape_name(const struct meaning *m, struct buf *out, size_t *options);

/* What a record consists of, for the caller's statistics: hashes of its
 * phrasings and of its shape. */
struct split_parts {
	uint64_t phrasings[32]; /* the first n_phrasings */
	size_t n_phrasings;
	uint64_t shape; /* 0: no argv */
};

/* The side of a record.  components: origin.template or NULL; m: the meaning of
 * its argv, NULL where it is null or not valid; request: plain text. */
enum side split_record(const struct splitter *s, const json_t *components, const char *request,
	size_t len, const struct meaning *m, struct split_parts *parts);

/* "90,5,5" to shares; 0, or -1 where it is not three numbers >= 0 with a sum > 0. */
int split_shares_parse(const char *text, double shares[SIDE_COUNT]);

#endif
