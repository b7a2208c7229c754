/*
 * tree.h - a batch of token sequences packed as a prefix forest.
 *
 * Sequences that begin alike share nodes: a node is a run of tokens computed
 * once, attending to itself causally and to its ancestors.  Packing flat (no
 * sharing: one node a sequence) gives the plain batch.
 *
 * The loss is attached to edges.  An edge is (row, next token): the position
 * whose hidden state predicts, and what it is to predict.  Samples that pass
 * through the same edge share it; their coefficients are summed.
 *
 * An edge may have choices: the set of tokens among which its own was one, over which
 * alone its probability is normalised.  A token without alternatives has no edge at
 * all: its log-probability is 0, and there is nothing to learn.
 */
#ifndef MODEL_TREE_H
#define MODEL_TREE_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"
#include "text/guide.h"

struct tree_node {
	int32_t parent;	  /* index of the parent node, smaller than its own; -1: a root */
	int32_t start;	  /* first row (token) of the node */
	int32_t len;	  /* number of tokens, at least 1 */
	int32_t position; /* position of its first token within its sequences */
};

struct tree {
	/* Tokens in all nodes; a node's rows are contiguous, and its descendants'
	 * rows follow them without a gap. */
	int32_t n_rows;
	int32_t *tokens, *positions; /* [n_rows] */
	int32_t n_nodes;
	struct tree_node *nodes; /* parents before children */
	int32_t n_edges;
	int32_t *edge_row, *edge_token; /* [n_edges], ordered by row, then by choices */
	/* [n_edges]; NULL: the whole vocabulary.  Edges of one row with equal choices are
	 * neighbours and hold the same pointer. */
	const struct choices **edge_choices;
	int32_t n_sequences;
	/* For sequence s, token i (i >= 1) is predicted by edge
	 * sequence_edges[sequence_start[s] + i - 1]; tokens of s: sequence_length[s]. */
	int32_t *sequence_start, *sequence_length, *sequence_edges;
	/* Row of the last token of s that has one: nothing needs the rows from its last
	 * edge's target on, so they have none unless others go on from there.  -1: it has
	 * targets, but all are certain, and no row at all. */
	int32_t *sequence_last_row;
	int64_t flat_rows; /* what n_rows would be without sharing */
	/* private */
	struct tree_private *priv;
};

struct tree *tree_new(void);
void tree_free(struct tree *t);
void tree_clear(struct tree *t); /* forgets the sequences, keeps the memory */

/* Adds a sequence of len >= 1 tokens; its index.  Edges are made for targets
 * i >= first_target only (1: all; len: none); earlier entries of sequence_edges
 * are -1. */
int32_t tree_add(struct tree *t, const int32_t *tokens, int32_t len, int32_t first_target);

/* The same where completions are guided: choices[i] are those of token i (NULL: the
 * whole vocabulary; entries before first_target are not looked at).  Token i must be
 * one of them (model_forward() says where one is not).  A token that is the only choice gets no
 * edge: EDGE_CERTAIN stands in sequence_edges.  Choices must live until the tree is cleared. */
enum {
	EDGE_CERTAIN = -2
};
int32_t tree_add_guided(struct tree *t, const int32_t *tokens, int32_t len, int32_t first_target,
	const struct choices *const *choices);

/* Builds the arrays above from the sequences added.  flat: share nothing. */
void tree_pack(struct tree *t, int flat);

#endif
