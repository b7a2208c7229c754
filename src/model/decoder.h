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
	const float *cos_sin;	  /* see rope() in kernels/device.h */
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

/* Cosines and sines of positions 0 .. n - 1, device memory; NULL and a message. */
float *rope_table_new(const struct model *m, int n, struct error *err);

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
