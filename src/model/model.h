/*
 * model.h - a decoder-only transformer of the Llama family on any device: RMSNorm,
 * rotary positions, grouped-query attention, gated MLP, tied or separate head, and what
 * the architectures of model/architecture.h add to that.
 *
 * Checkpoints are Hugging Face model directories (config.json, model.safetensors), or
 * GGUF files; weights are named as transformers names them.  Parameters live on the
 * device in fp32.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdint.h>
#include "base/error.h"
#include "kernels/device.h"
#include "model/architecture.h"
#include "model/tree.h"

enum {
	MODEL_MAX_LAYERS = 1024
};

/* Frequencies of rotary positions are changed so that longer texts fit. */
enum rope_scaling {
	ROPE_PLAIN,
	ROPE_LINEAR, /* all divided by factor */
	ROPE_LLAMA3  /* low ones divided by factor, a smooth passage between */
};

struct model_config {
	enum architecture_id architecture;
	int vocab_size, hidden_size, intermediate_size;
	int n_layers, n_heads, n_kv_heads, head_dim;
	int max_positions;
	float rope_theta, rms_norm_eps;
	int tie_word_embeddings;
	int32_t end_token_id; /* config.json's eos_token_id; 0 or less: null */
	enum rope_scaling rope_scaling;
	float rope_factor, rope_low, rope_high; /* ROPE_LLAMA3: in turns of the original ... */
	int rope_original;			/* ... number of positions */
	float rope_local_theta;			/* of windowed layers, where that differs */
	float query_scalar;			/* 0: head_dim */
	int window; /* keys that a windowed layer sees, its own included */
	uint32_t windowed[MODEL_MAX_LAYERS / 32]; /* a bit for each layer */
};

/* Keys that a layer sees, its own included; 0: all. */
static inline int model_window(const struct model_config *c, int layer)
{
	return c->windowed[layer / 32] >> layer % 32 & 1 ? c->window : 0;
}

enum tensor_role {
	TENSOR_EMBEDDING, /* embed_tokens */
	TENSOR_HEAD,	  /* lm_head, where it is not tied */
	TENSOR_NORM,	  /* a vector */
	TENSOR_BIAS,	  /* a vector */
	TENSOR_MATRIX	  /* q, k, v, o, gate, up, down: what Muon updates */
};

/* A parameter: rows x cols, row-major, y = x W^T as in torch.nn.Linear. */
struct tensor {
	const char *name; /* "model.layers.0.self_attn.q_proj.weight" */
	enum tensor_role role;
	int64_t rows, cols; /* a vector has cols 1 in memory and shape [rows] in files */
	float *data, *grad; /* device memory; grad NULL where the model is not trained */
	float shift;	    /* data is what files hold plus this */
};

static inline int tensor_is_vector(const struct tensor *t)
{
	return t->role == TENSOR_NORM || t->role == TENSOR_BIAS;
}

struct model {
	struct model_config config;
	const struct device *device;
	struct tensor *tensors;
	int n_tensors;
	int64_t n_parameters;
	float *data, *grad;	     /* all parameters, all gradients: one block each */
	char hash[65];		     /* SHA-256 of model.safetensors, "" where never saved */
	struct model_layout *layout; /* private: tensors by layer and place */
};

/* config.json: what is not computed here is an error that names it, never ignored. */
int model_config_read(struct model_config *config, const char *path, struct error *err);
int model_config_write(const struct model_config *config, const char *path, struct error *err);
/* 0, or -1 where the sizes cannot be those of a model that we run. */
int model_config_check(const struct model_config *config, struct error *err);

/* Reads DIR/config.json and DIR/model.safetensors, or the shards that
 * DIR/model.safetensors.index.json lists; or a GGUF file of that name.  with_grad: space for
 * gradients. */
struct model *model_load(
	const char *dir, const struct device *device, int with_grad, struct error *err);
/* A new model with random weights: normal(0, 0.02), residual outputs scaled by
 * 1/sqrt(2 n_layers), norms 1; keyed by seed. */
struct model *model_new(const struct model_config *config, const struct device *device,
	uint64_t seed, int with_grad, struct error *err);
/* Writes config.json and model.safetensors into an existing directory (not
 * atomic by itself: the caller publishes the directory); updates model->hash. */
int model_save(struct model *m, const char *dir, struct error *err);
void model_free(struct model *m);
/* Copies the weights (not the gradients) of a model of the same shape on the
 * same device. */
int model_copy(struct model *dst, const struct model *src, struct error *err);
void model_grad_zero(struct model *m);

/* Room for one batch: planned for at most max_rows rows and max_edges edges. */
struct workspace;
struct workspace *workspace_new(struct model *m, int max_rows, int max_edges, struct error *err);
void workspace_free(struct workspace *w);
uint64_t workspace_bytes(const struct workspace *w);

/* Runs the tree through the model and, for each edge, gives
 *   logprob[e]  = log softmax(logits[row] / temperature)[token]   (natural log)
 *   entropy[e]  = entropy of that distribution, nats (NULL: not wanted)
 * in host memory.  Keeps what the backward pass needs.  0, or -1 (a NaN or an
 * infinity names the layer and the operation). */
int model_forward(struct model *m, struct workspace *w, const struct tree *t, float temperature,
	float *logprob, float *entropy, struct error *err);

/* Adds to the gradients those of  sum_e coefficient[e] * logprob[e]  for the tree
 * of the last model_forward (host memory, n_edges numbers). */
int model_backward(struct model *m, struct workspace *w, const struct tree *t,
	const float *coefficient, struct error *err);

/* Logits of every row, host memory [n_rows, vocab_size]: for tests. */
int model_logits(struct model *m, struct workspace *w, const struct tree *t, float *logits,
	struct error *err);

#endif
