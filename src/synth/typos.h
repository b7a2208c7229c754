/*
 * typos.h - maps a misspelt word to the established word it stands for.
 *
 * A word is established once it was learnt TYPOS_ESTABLISHED times (or taught
 * outright, from the spec).  A word of ASCII letters, 3 to 24 of them, that is one
 * slip away (a letter more, less, other, or two neighbours swapped) from an
 * established word of 4 or more stands for that word: if it is not established
 * itself, or is not taught and that word is twenty times as frequent.
 * Established words are found by their deletion neighbourhoods (the index of
 * Garbe's SymSpell), so that a look-up costs one probe a letter.
 */
#ifndef SYNTH_TYPOS_H
#define SYNTH_TYPOS_H

#include <stddef.h>
#include <stdint.h>

enum {
	TYPOS_ESTABLISHED = 3,
	TYPOS_WORDS_MAX = 1 << 16
};

struct typos;

struct typos *typos_new(void);
void typos_free(struct typos *t);

/* Every word of the text is established at once. */
void typos_teach(struct typos *t, const char *text);

/* Counts one more sighting of a word.  hash is word_hash(word).  A new word
 * beyond TYPOS_WORDS_MAX is not remembered. */
void typos_learn(struct typos *t, uint64_t hash, const char *word, size_t len);

/* word_hash of the established word that this one stands for, or its own. */
uint64_t typos_resolve(const struct typos *t, uint64_t hash, const char *word, size_t len);

#endif
