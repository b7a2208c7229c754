/* workspace.h - memory for one batch, and the batch's shape on the device. */
#ifndef MODEL_WORKSPACE_H
#define MODEL_WORKSPACE_H

#include "model/choices.h"
#include "model/decoder.h"
#include "model/segments.h"

struct workspace {
	struct model *m;
	int max_rows, max_edges;
	uint64_t bytes;
	struct layer_buffers *layers; /* [n_layers] */
	struct rope_tables rope;      /* positions below max_rows */
	struct probe probe;

	/* After the layers. */
	float *delta;	/* [rows, hidden] output of a layer, to be added */
	float *final_x; /* [rows, hidden] residual stream after the last layer */
	float *final_y; /* [rows, hidden] its norm */
	float *final_inv;
	/* Head rows: distinct pairs of a row that has edges and their choices. */
	float *head_x;				/* [head rows, hidden] their rows of final_y */
	float *head_lse;			/* [head rows] */
	float *logprob, *entropy, *coefficient; /* [edges] */
	float *scratch;				/* [HEAD_CHUNK, vocab] */

	/* Gradients with regard to activations; NULL where the model has none. */
	float *dx, *dy, *dqkv, *dattended, *dgate_up, *dact, *dlse, *dhead_x;

	/* The tree, as the device sees it. */
	int32_t *tokens, *positions;			   /* [rows] */
	int32_t *head_rows, *head_start;		   /* head rows; their edges */
	int32_t *choice_start, *choice_end;		   /* [head rows], in choice */
	int32_t *choice;				   /* grows as needed */
	int32_t *sum_target, *sum_start, *sum_order;	   /* head rows of each row */
	int32_t *edge_token;				   /* [edges] */
	int32_t *embed_target, *embed_start, *embed_order; /* see scatter_add_rows() */
	struct segments segments;
	size_t cap_choice;
	int guided; /* some edges have choices */
	int n_head_rows, n_sums, n_tokens_distinct;
	float inverse_temperature; /* of the last forward pass */

	/* Host side of the above. */
	int32_t *host, *token_count; /* [4 max(rows, edges) + 4], [vocab] */
	struct choice_lists lists;
};

/* Lays the tree out on the device.  -1 where it does not fit the workspace or
 * the model. */
int workspace_load_tree(struct workspace *w, const struct tree *t, struct error *err);

struct attention_shape workspace_attention(
	const struct workspace *w, const struct tree *t, int layer);
struct head_shape workspace_head(const struct workspace *w);

#endif
