/* decoder.h - the forward pass of one layer, shared by training and sampling. */
#ifndef MODEL_DECODER_H
#define MODEL_DECODER_H

#include "model/layout.h"

/* Activations of one layer for n rows, device memory. */
struct layer_buffers {
	float *x;	 /* [n, hidden] residual stream that enters */
	float *y1;	 /* [n, hidden] its norm */
	float *inv1;	 /* [n] */
	float *qkv;	 /* [n, (n_heads + 2 n_kv_heads) head_dim] after rotation */
	float *attended; /* [n, n_heads head_dim] */
	float *lse;	 /* [n, n_heads] */
	float *mid;	 /* [n, hidden] residual stream after attention */
	float *y2;	 /* [n, hidden] its norm */
	float *inv2;	 /* [n] */
	float *gate_up;	 /* [n, 2 intermediate] */
	float *act;	 /* [n, intermediate] */

	/* NULL where the architecture has no such norms. */
	float *qk;		/* [n, (n_heads + n_kv_heads) head_dim] before their norms */
	float *inv_q;		/* [n, n_heads] */
	float *inv_k;		/* [n, n_kv_heads] */
	float *o_out, *inv3;	/* [n, hidden] of o_proj before its norm; [n] */
	float *down_out, *inv4; /* of down_proj; [n] */
};

/* Cosines and sines for rope() in kernels/device.h, device memory.  Zero-initialised:
 * none. */
struct rope_tables {
	float *all;   /* of positions 0 .. n - 1 */
	float *local; /* of windowed layers; NULL: the same */
};

/* Looks for the operation whose output is not finite: off in normal runs, where
 * only results are checked; a run that went wrong is repeated with it on. */
struct probe {
	int on;
	int64_t *index; /* device memory */
};

struct decoder_pass {
	const struct model *m;
	int n;
	const int32_t *positions; /* [n], device memory */
	const struct rope_tables *rope;
	struct probe *probe;
};

/* Elements of a row of qkv. */
static inline int qkv_width(const struct model_config *c)
{
	return (c->n_heads + 2 * c->n_kv_heads) * c->head_dim;
}

/* Device memory for the activations of max_rows rows; -1 and a message. */
int layer_buffers_alloc(struct layer_buffers *b, const struct model *m, int max_rows,
	uint64_t *bytes, struct error *err);
void layer_buffers_free(struct layer_buffers *b, const struct model *m);

/* Tables for n positions; the bytes are added.  -1 and a message: free them, too. */
int rope_tables_alloc(
	struct rope_tables *r, const struct model *m, int n, uint64_t *bytes, struct error *err);
void rope_tables_free(struct rope_tables *r, const struct model *m);
const float *rope_table(const struct rope_tables *r, const struct model_config *c, int layer);

/* The embedded tokens of the pass, in x[n, hidden]. */
void layers_enter(const struct decoder_pass *p, float *x, const int32_t *tokens);
/* What attention is in a layer; the caller adds queries, segments and ranges. */
struct attention_shape layer_attention(const struct model_config *c, int layer);

/* x = previous + delta (layer 0: delta NULL, previous == b->x), norm, q, k, v,
 * rotation.  Then the caller attends, and the second half leaves in delta what
 * is to be added to b->mid. */
int layer_begin(const struct decoder_pass *p, int layer, struct layer_buffers *b,
	const float *previous, const float *delta, struct error *err);
int layer_end(const struct decoder_pass *p, int layer, struct layer_buffers *b, float *delta,
	struct error *err);

/* -1 and an error naming layer (-1: outside of the layers) and operation where
 * the probe is on and x[count] is not finite. */
int probe_check(const struct decoder_pass *p, const float *x, int64_t count, int layer,
	const char *operation, struct error *err);

#endif
