/*
 * ground_values.h - the other direction of ground.h: which values of an argument does a
 * request state?
 *
 * Found are accepted values, the default and examples of the spec where the request
 * names them; and, where any value will do, parts of the request of at most
 * GROUND_WORDS words, bounded on both sides, numbers with thousands separators or
 * in words as digits, numbers with their unit apart as one word, and quantities in the
 * argument's unit.  Each is a value
 * for which ground_value() is 1, that value_check() takes, and that is spelled
 * canonically.
 */
#ifndef TEXT_GROUND_VALUES_H
#define TEXT_GROUND_VALUES_H

#include "base/mem.h"
#include "cli/grammar.h"

enum {
	GROUND_WORDS = 8,	 /* of a value that is not quoted */
	GROUND_BYTES = 512,	 /* of a value */
	GROUND_VALUES_MAX = 4096 /* of one argument and request: more are not looked for */
};

/* A request as plain text (words_plain). */
struct grounding {
	const char *request;
	size_t len;
	const char *const *skip; /* n_skip texts that are not to be found: they have */
	size_t n_skip;		 /* another way of being said */
	uint64_t pieces[16];	 /* which runs of letters and digits it may have */
	long said[16];		 /* numbers in words */
	size_t n_said;
	struct arena *scratch; /* for checks; emptied by each */
};

/* Fills *g in; request, skip and scratch stay the caller's. */
void grounding_init(struct grounding *g, const char *request, size_t len, const char *const *skip,
	size_t n_skip, struct arena *scratch);

/* What is looked for: what fits a piece of the grammar; of a list, one item. */
struct ground_want {
	const struct grammar *grammar;
	const struct grammar_piece *piece;
};

/* Values that the spec lists for the argument and the request names; their number.
 * The array is arena memory. */
size_t ground_listed_values(const struct grounding *g, const struct ground_want *want,
	struct arena *arena, const char ***values);

/* Values taken from the request itself, sorted, each once; none where the argument
 * has accepted values.  Not those of ground_listed_values(), unless stated literally. */
size_t ground_free_values(const struct grounding *g, const struct ground_want *want,
	struct arena *arena, const char ***values);

/* One that ground_free_values() would find, mostly a short one; NULL where there is none. */
const char *ground_first_free_value(
	const struct grounding *g, const struct ground_want *want, struct arena *arena);

/* 1 where text is a value as wanted, in canonical spelling. */
int ground_fits(const struct ground_want *want, const char *text, struct arena *arena);

#endif
