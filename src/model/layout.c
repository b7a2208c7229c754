/* layout.c - the tensors of a model, their memory and their first values. */
#include "model/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"

static struct tensor *add(
	struct model *m, char *name, enum tensor_role role, int64_t rows, int64_t cols)
{
	struct tensor *t = &m->tensors[m->n_tensors++];

	*t = (struct tensor){.name = name, .role = role, .rows = rows, .cols = cols};
	m->n_parameters += rows * cols;
	return t;
}

static struct tensor *add_to_layer(struct model *m, int layer, const char *what,
	enum tensor_role role, int64_t rows, int64_t cols)
{
	struct buf name = {0};
	struct tensor *t;

	buf_addf(&name, "model.layers.%d.%s.%s", layer, what,
		role == TENSOR_BIAS ? "bias" : "weight");
	t = add(m, arena_strdup(&m->layout->arena, name.data), role, rows, cols);
	if (role == TENSOR_NORM)
		t->shift = architecture_of(m->config.architecture)->norm_shift;
	buf_release(&name);
	return t;
}

static void describe_attention(struct model *m, int i)
{
	const struct model_config *c = &m->config;
	const struct architecture *a = architecture_of(c->architecture);
	int64_t h = c->hidden_size;
	int64_t q = (int64_t)c->n_heads * c->head_dim, kv = (int64_t)c->n_kv_heads * c->head_dim;
	struct layer_tensors *l = &m->layout->layers[i];

	l->q = add_to_layer(m, i, "self_attn.q_proj", TENSOR_MATRIX, q, h);
	l->k = add_to_layer(m, i, "self_attn.k_proj", TENSOR_MATRIX, kv, h);
	l->v = add_to_layer(m, i, "self_attn.v_proj", TENSOR_MATRIX, kv, h);
	if (a->qkv_bias) {
		l->q_bias = add_to_layer(m, i, "self_attn.q_proj", TENSOR_BIAS, q, 1);
		l->k_bias = add_to_layer(m, i, "self_attn.k_proj", TENSOR_BIAS, kv, 1);
		l->v_bias = add_to_layer(m, i, "self_attn.v_proj", TENSOR_BIAS, kv, 1);
	}
	if (a->qk_norm) {
		l->q_norm = add_to_layer(m, i, "self_attn.q_norm", TENSOR_NORM, c->head_dim, 1);
		l->k_norm = add_to_layer(m, i, "self_attn.k_norm", TENSOR_NORM, c->head_dim, 1);
	}
	l->o = add_to_layer(m, i, "self_attn.o_proj", TENSOR_MATRIX, h, q);
}

static void describe_layer(struct model *m, int i)
{
	const struct model_config *c = &m->config;
	const int post = architecture_of(c->architecture)->post_norms;
	int64_t h = c->hidden_size, f = c->intermediate_size;
	struct layer_tensors *l = &m->layout->layers[i];

	l->input_norm = add_to_layer(m, i, "input_layernorm", TENSOR_NORM, h, 1);
	describe_attention(m, i);
	if (post)
		l->attention_norm =
			add_to_layer(m, i, "post_attention_layernorm", TENSOR_NORM, h, 1);
	l->mlp_norm = add_to_layer(m, i,
		post ? "pre_feedforward_layernorm" : "post_attention_layernorm", TENSOR_NORM, h, 1);
	l->gate = add_to_layer(m, i, "mlp.gate_proj", TENSOR_MATRIX, f, h);
	l->up = add_to_layer(m, i, "mlp.up_proj", TENSOR_MATRIX, f, h);
	l->down = add_to_layer(m, i, "mlp.down_proj", TENSOR_MATRIX, h, f);
	if (post)
		l->output_norm =
			add_to_layer(m, i, "post_feedforward_layernorm", TENSOR_NORM, h, 1);
}

struct model *model_describe(const struct model_config *config, const struct device *device)
{
	enum {
		TENSORS_PER_LAYER = 16
	};
	struct model *m = xcalloc(1, sizeof *m);
	struct model_layout *layout = m->layout = xcalloc(1, sizeof *m->layout);
	struct arena *names = &layout->arena;

	m->config = *config;
	m->device = device;
	m->tensors = xcalloc((size_t)config->n_layers * TENSORS_PER_LAYER + 3, sizeof *m->tensors);
	layout->layers = xcalloc((size_t)config->n_layers, sizeof *layout->layers);
	layout->embedding = add(m, arena_strdup(names, "model.embed_tokens.weight"),
		TENSOR_EMBEDDING, config->vocab_size, config->hidden_size);
	for (int i = 0; i < config->n_layers; i++)
		describe_layer(m, i);
	layout->norm = add(
		m, arena_strdup(names, "model.norm.weight"), TENSOR_NORM, config->hidden_size, 1);
	layout->norm->shift = architecture_of(config->architecture)->norm_shift;
	layout->head = layout->embedding;
	if (!config->tie_word_embeddings)
		layout->head = add(m, arena_strdup(names, "lm_head.weight"), TENSOR_HEAD,
			config->vocab_size, config->hidden_size);
	return m;
}

/* Devices may compute the plain Llama block only (kernels/device.h). */
static int check_device(const struct model *m, struct error *err)
{
	const struct architecture *a = architecture_of(m->config.architecture);

	if (m->device->head_rmsnorm ||
		!(a->qkv_bias || a->qk_norm || a->post_norms || a->gelu || m->config.window))
		return 0;
	return error_set(err, EXIT_UNAVAILABLE,
		"%s models%s are not computed on the device %s; use the CPU", a->model_type,
		m->config.window ? " with windows" : "", m->device->name);
}

int model_allocate(struct model *m, int with_grad, struct error *err)
{
	size_t bytes = (size_t)m->n_parameters * sizeof *m->data, at = 0;

	if (check_device(m, err) != 0)
		return -1;
	if (!(m->data = m->device->alloc(bytes, err)) ||
		(with_grad && !(m->grad = m->device->alloc(bytes, err))))
		return error_prefix(err, "a model of %lld parameters", (long long)m->n_parameters);
	for (int i = 0; i < m->n_tensors; i++) {
		struct tensor *t = &m->tensors[i];

		t->data = m->data + at;
		t->grad = with_grad ? m->grad + at : NULL;
		at += (size_t)(t->rows * t->cols);
	}
	model_grad_zero(m);
	return 0;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	m->device->free(m->data);
	m->device->free(m->grad);
	arena_release(&m->layout->arena);
	free(m->layout->layers);
	free(m->layout);
	free(m->tensors);
	free(m);
}

void model_grad_zero(struct model *m)
{
	if (m->grad)
		m->device->zero(m->grad, (size_t)m->n_parameters * sizeof *m->grad);
}

int model_copy(struct model *dst, const struct model *src, struct error *err)
{
	if (dst->device != src->device || dst->n_parameters != src->n_parameters ||
		dst->n_tensors != src->n_tensors)
		return error_set(err, EXIT_INTERNAL, "model_copy: the models differ in shape");
	src->device->copy(dst->data, src->data, (size_t)src->n_parameters * sizeof *src->data);
	memcpy(dst->hash, src->hash, sizeof dst->hash);
	return 0;
}

/* GPT-2's initialisation: what is added to the residual stream is scaled down by
 * the number of additions.  Each tensor has its own stream of draws. */
static void fill_randomly(struct model *m, int index, float *values, uint64_t seed)
{
	const struct tensor *t = &m->tensors[index];
	double deviation = 0.02;
	struct rng r;

	rng_init(&r, seed, RNG_INIT, (uint64_t)index, 0);
	for (int i = 0; i < m->config.n_layers; i++)
		if (t == m->layout->layers[i].o || t == m->layout->layers[i].down)
			deviation = 0.02 / sqrt(2.0 * m->config.n_layers);
	for (int64_t i = 0; i < t->rows * t->cols; i++)
		values[i] = t->role == TENSOR_NORM   ? 1.0f
			    : t->role == TENSOR_BIAS ? 0.0f
						     : (float)(deviation * rng_normal(&r));
}

struct model *model_new(const struct model_config *config, const struct device *device,
	uint64_t seed, int with_grad, struct error *err)
{
	struct model *m;
	float *values;
	int64_t largest = 0;

	if (model_config_check(config, err) != 0)
		return NULL;
	m = model_describe(config, device);
	if (model_allocate(m, with_grad, err) != 0) {
		model_free(m);
		return NULL;
	}
	for (int i = 0; i < m->n_tensors; i++)
		if (m->tensors[i].rows * m->tensors[i].cols > largest)
			largest = m->tensors[i].rows * m->tensors[i].cols;
	values = xreallocarray(NULL, (size_t)largest, sizeof *values);
	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];

		fill_randomly(m, i, values, seed);
		device->upload(t->data, values, (size_t)(t->rows * t->cols) * sizeof *values);
	}
	free(values);
	return m;
}
