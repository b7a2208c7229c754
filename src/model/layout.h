/* layout.h - which tensors a model has, in which order, and where each is used. */
#ifndef MODEL_LAYOUT_H
#define MODEL_LAYOUT_H

#include "model/model.h"

/* Within a layer q, k, v lie one after the other in memory, and so do their biases, and
 * gate and up: each group is one matrix product.  NULL: the architecture has none. */
struct layer_tensors {
	struct tensor *input_norm, *q, *k, *v, *o;
	struct tensor *q_bias, *k_bias, *v_bias, *q_norm, *k_norm;
	struct tensor *attention_norm; /* of attention's output */
	struct tensor *mlp_norm;       /* before the MLP */
	struct tensor *gate, *up, *down;
	struct tensor *output_norm; /* of the MLP's output */
};

struct model_layout {
	struct tensor *embedding, *norm, *head; /* head: the embedding where tied */
	struct layer_tensors *layers;		/* [n_layers] */
	struct arena arena;			/* the names */
};

/* A model with its tensors described and no memory for them yet; the config must
 * have passed model_config_check(). */
struct model *model_describe(const struct model_config *config, const struct device *device);
/* Memory for the weights and, where asked, for the gradients (zeroed). */
int model_allocate(struct model *m, int with_grad, struct error *err);

#endif
