/*
 * token_trie.h - the tokens of a vocabulary by their bytes, as a trie.
 */
#ifndef TEXT_TOKEN_TRIE_H
#define TEXT_TOKEN_TRIE_H

#include "text/tokenizer.h"

struct trie_node {
	int32_t token; /* that ends here; -1: none */
	int32_t first; /* its children are neighbours, in order of their bytes */
	uint16_t n_children;
	unsigned char byte;
};

struct token_trie {
	struct trie_node *nodes; /* 0: the root */
	int32_t n_nodes;
	size_t bytes; /* of memory */
};

/* All tokens that have bytes and are not special; of several with the same bytes the
 * one with the lowest id.  plain: only those that the tokenizer itself makes of their
 * bytes where no added token is matched. */
struct token_trie *token_trie_new(struct tokenizer *t, int plain);
void token_trie_free(struct token_trie *t);

/* The child of a node by its byte; -1: none. */
int32_t token_trie_child(const struct token_trie *t, int32_t node, unsigned char byte);

#endif
