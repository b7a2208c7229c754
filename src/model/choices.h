/*
 * choices.h - sets of choices compared, and laid out behind one another for the head.
 */
#ifndef MODEL_CHOICES_H
#define MODEL_CHOICES_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "text/guide.h"

/* An order of sets by their contents (that of the hash first), NULL the lowest: 0
 * where they are equal. */
int choices_compare(const struct choices *a, const struct choices *b);

/* Distinct sets behind one another; zero-initialised: none. */
struct choice_lists {
	int32_t *ids;
	size_t n_ids, cap_ids;
	struct choice_slot *slots; /* private: a hash table */
	size_t n_slots, n_lists;
};

/* Adds a set unless an equal one is there; where in ids it begins.  -1 where it is
 * not ascending, empty or has ids outside 0 .. vocab - 1. */
int32_t choice_lists_add(
	struct choice_lists *l, const struct choices *c, int vocab, struct error *err);
void choice_lists_clear(struct choice_lists *l); /* empties, keeps the memory */
void choice_lists_release(struct choice_lists *l);

#endif
