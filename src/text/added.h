/*
 * added.h - finds added tokens in text, as `tokenizers` does: leftmost, longest
 * first, not overlapping; a trie.
 */
#ifndef TEXT_ADDED_H
#define TEXT_ADDED_H

#include <stddef.h>
#include <stdint.h>
#include "text/map64.h"

struct added_entry {
	const char *content; /* as it is looked for (normalized, if so); not owned */
	size_t len;
	int32_t id;
	unsigned char special, single_word, lstrip, rstrip, normalized;
};

/* Zero-initialised is empty and valid. */
struct added_trie {
	struct map64 edges;		   /* node << 8 | byte -> node */
	struct map64 ends;		   /* node -> index of the entry */
	const struct added_entry *entries; /* not owned */
	void *word; /* pattern of a word character, where single_word needs it */
	uint64_t n_nodes;
};

/* Puts entries[index] in; all entries of a trie are of one array that stays. */
void added_trie_add(struct added_trie *t, const struct added_entry *entries, size_t index);
void added_trie_release(struct added_trie *t);

/* The next added token in text from *scan on: its entry and the part
 * [*from, *to) of the text that it takes (stripped blanks included), or NULL and len; *scan is
 * moved behind the match.  floor: where the text that is not yet used begins.
 * skip_special: special tokens are found, but count as plain text. */
const struct added_entry *added_trie_next(const struct added_trie *t, const char *text, size_t len,
	int skip_special, size_t floor, size_t *scan, size_t *from, size_t *to);

#endif
