/*
 * dedup.h - duplicates, near duplicates and contradictions among pairs, in one
 * pass and bounded memory: 20 bytes an entry, 25 to 38 bytes an accepted record
 * (a table at most 4/5 full that grows by half), and 4 MiB for the spelling of words.
 *
 * The measure.  Two pairs with the same argv are
 *   duplicates       where their requests are equal but for blanks;
 *   near duplicates  where their requests are equal word by word (words.h: case,
 *                    punctuation and blanks do not count), a misspelt word
 *                    counting as the word it stands for (typos.h).
 * Two pairs contradict each other where their requests are equal word by word,
 * spelling counted, and their argvs are not, compared in the same loose way (so
 * that `name it Foo` and `name it foo` may differ in just that).
 * Requests in another order of words, or with another word, are different.
 *
 * Hashes stand for texts: with n records, the chance of any false finding is
 * below n^2 / 2^64.
 */
#ifndef SYNTH_DEDUP_H
#define SYNTH_DEDUP_H

#include <stddef.h>
#include <stdint.h>

struct dedup;

enum dedup_finding {
	DEDUP_DUPLICATE = 1,
	DEDUP_NEAR = 2,
	DEDUP_CONTRADICTION = 4
};

struct dedup *dedup_new(void);
void dedup_free(struct dedup *d);
/* Words of this text count as well spelt from the beginning. */
void dedup_teach(struct dedup *d, const char *text);

/* What the pair is to those that were added: a set of enum dedup_finding.
 * argc < 0: null.  request is plain text (words_plain). */
unsigned dedup_find(
	struct dedup *d, const char *request, size_t len, int argc, const char *const *argv);
/* Adds the pair of the last dedup_find(); its strings must still be there. */
void dedup_add(struct dedup *d);

size_t dedup_entries(const struct dedup *d);

#endif
