/*
 * model_reference.h - a Llama in plain double-precision code, to compare the model with,
 * and odd sizes to compare it at.
 */
#ifndef T_MODEL_REFERENCE_H
#define T_MODEL_REFERENCE_H

#include "t/model_test.h"

enum {
	MAX_LEN = 16,
	MAX_WIDTH = 128
};

struct reference {
	const struct model *m;
	double *data; /* the model's parameters */
};

static inline const double *weight(const struct reference *r, const char *format, int layer)
{
	char name[128];

	snprintf(name, sizeof name, format, layer);
	for (int i = 0; i < r->m->n_tensors; i++)
		if (strcmp(r->m->tensors[i].name, name) == 0)
			return r->data + (r->m->tensors[i].data - r->m->data);
	fail_msg("no tensor %s", name);
	return NULL;
}

static inline void linear(double *y, const double *w, const double *x, int rows, int cols)
{
	for (int i = 0; i < rows; i++) {
		y[i] = 0.0;
		for (int j = 0; j < cols; j++)
			y[i] += w[i * cols + j] * x[j];
	}
}

static inline void norm(double *y, const double *x, const double *gain, int n, double eps)
{
	double squares = 0.0;

	for (int i = 0; i < n; i++)
		squares += x[i] * x[i];
	for (int i = 0; i < n; i++)
		y[i] = x[i] / sqrt(squares / n + eps) * gain[i];
}

static inline void rotate(double *x, int heads, int hd, int position, double theta)
{
	for (int h = 0; h < heads; h++)
		for (int d = 0; d < hd / 2; d++) {
			double angle = position * pow(theta, -2.0 * d / hd);
			double *a = x + h * hd + d, *b = a + hd / 2, t = *a;

			*a = t * cos(angle) - *b * sin(angle);
			*b = *b * cos(angle) + t * sin(angle);
		}
}

struct cache_row {
	double k[MAX_WIDTH], v[MAX_WIDTH];
};

static inline void attend(double *out, const double *q, const struct cache_row *rows, int n,
	const struct model_config *c)
{
	for (int h = 0; h < c->n_heads; h++) {
		int at = h / (c->n_heads / c->n_kv_heads) * c->head_dim;
		double p[MAX_LEN], sum = 0.0;

		for (int j = 0; j < n; j++) {
			p[j] = 0.0;
			for (int d = 0; d < c->head_dim; d++)
				p[j] += q[h * c->head_dim + d] * rows[j].k[at + d];
			p[j] = exp(p[j] / sqrt(c->head_dim));
			sum += p[j];
		}
		for (int d = 0; d < c->head_dim; d++) {
			out[h * c->head_dim + d] = 0.0;
			for (int j = 0; j < n; j++)
				out[h * c->head_dim + d] += p[j] / sum * rows[j].v[at + d];
		}
	}
}

static inline void layer(
	const struct reference *r, int l, double *x, struct cache_row *cache, int i)
{
	const struct model_config *c = &r->m->config;
	const int h = c->hidden_size, f = c->intermediate_size, hd = c->head_dim;
	double y[MAX_WIDTH], q[MAX_WIDTH], a[MAX_WIDTH], gate[MAX_WIDTH], up[MAX_WIDTH];

	norm(y, x, weight(r, "model.layers.%d.input_layernorm.weight", l), h,
		(double)c->rms_norm_eps);
	linear(q, weight(r, "model.layers.%d.self_attn.q_proj.weight", l), y, c->n_heads * hd, h);
	linear(cache[i].k, weight(r, "model.layers.%d.self_attn.k_proj.weight", l), y,
		c->n_kv_heads * hd, h);
	linear(cache[i].v, weight(r, "model.layers.%d.self_attn.v_proj.weight", l), y,
		c->n_kv_heads * hd, h);
	rotate(q, c->n_heads, hd, i, (double)c->rope_theta);
	rotate(cache[i].k, c->n_kv_heads, hd, i, (double)c->rope_theta);
	attend(a, q, cache, i + 1, c);
	linear(y, weight(r, "model.layers.%d.self_attn.o_proj.weight", l), a, h, c->n_heads * hd);
	for (int j = 0; j < h; j++)
		x[j] += y[j];
	norm(y, x, weight(r, "model.layers.%d.post_attention_layernorm.weight", l), h,
		(double)c->rms_norm_eps);
	linear(gate, weight(r, "model.layers.%d.mlp.gate_proj.weight", l), y, f, h);
	linear(up, weight(r, "model.layers.%d.mlp.up_proj.weight", l), y, f, h);
	for (int j = 0; j < f; j++)
		gate[j] = gate[j] / (1.0 + exp(-gate[j])) * up[j];
	linear(y, weight(r, "model.layers.%d.mlp.down_proj.weight", l), gate, h, f);
	for (int j = 0; j < h; j++)
		x[j] += y[j];
}

/* Whether a token takes part in a distribution, by looking at all of its list. */
static inline int may_be(const struct choices *c, int32_t token)
{
	for (int32_t i = 0; c && i < c->n; i++)
		if (c->ids[i] == token)
			return 1;
	return !c;
}

/* sum over targets of coefficient[i] * log p(tokens[i] | before, choices[i]); choices
 * NULL: of all, the whole vocabulary. */
static inline double reference_sequence(const struct reference *r, const int32_t *tokens, int n,
	const float *coefficient, const struct choices *const *choices, double temperature)
{
	static struct cache_row cache[4][MAX_LEN];
	const struct model_config *c = &r->m->config;
	const int h = c->hidden_size;
	const double *table = weight(r, "model.embed_tokens.weight%.0d", 0);
	const double *head = c->tie_word_embeddings ? table : weight(r, "lm_head.weight%.0d", 0);
	double x[MAX_WIDTH], y[MAX_WIDTH], logits[MAX_WIDTH], loss = 0.0;

	for (int i = 0; i + 1 < n; i++) {
		double sum = 0.0;

		memcpy(x, table + tokens[i] * h, (size_t)h * sizeof *x);
		for (int l = 0; l < c->n_layers; l++)
			layer(r, l, x, cache[l], i);
		norm(y, x, weight(r, "model.norm.weight%.0d", 0), h, (double)c->rms_norm_eps);
		linear(logits, head, y, c->vocab_size, h);
		for (int j = 0; j < c->vocab_size; j++)
			if (may_be(choices ? choices[i + 1] : NULL, j))
				sum += exp(logits[j] / temperature);
		loss += (double)coefficient[i + 1] *
			(logits[tokens[i + 1]] / temperature - log(sum));
	}
	return loss;
}

static const struct model_config configs[] = {
	{.vocab_size = 33,
		.hidden_size = 31,
		.intermediate_size = 33,
		.n_layers = 2,
		.n_heads = 4,
		.n_kv_heads = 2,
		.head_dim = 8,
		.max_positions = 64,
		.rope_theta = 100.0f,
		.rms_norm_eps = 1e-5f,
		.tie_word_embeddings = 0},
	{.vocab_size = 31,
		.hidden_size = 16,
		.intermediate_size = 1,
		.n_layers = 1,
		.n_heads = 2,
		.n_kv_heads = 1,
		.head_dim = 16,
		.max_positions = 64,
		.rope_theta = 1000.0f,
		.rms_norm_eps = 1e-6f,
		.tie_word_embeddings = 1},
	{.vocab_size = 29,
		.hidden_size = 33,
		.intermediate_size = 31,
		.n_layers = 3,
		.n_heads = 3,
		.n_kv_heads = 1,
		.head_dim = 20,
		.max_positions = 64,
		.rope_theta = 1000.0f,
		.rms_norm_eps = 1e-6f,
		.tie_word_embeddings = 1},
	{.vocab_size = 5,
		.hidden_size = 1,
		.intermediate_size = 3,
		.n_layers = 1,
		.n_heads = 1,
		.n_kv_heads = 1,
		.head_dim = 2,
		.max_positions = 64,
		.rope_theta = 10.0f,
		.rms_norm_eps = 1e-2f,
		.tie_word_embeddings = 0},
};
enum {
	N_CONFIGS = sizeof configs / sizeof configs[0]
};

/* Weights at which every part matters. */
static inline struct model *new_model(int config, int threads)
{
	struct error err;
	struct model *m = model_new(&configs[config], test_device(threads), 3, 1, &err);
	struct rng r;

	assert_non_null(m);
	rng_init(&r, 31, RNG_TEST, 0, 0);
	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];
		double scale = t->role == TENSOR_NORM ? 0.2 : 1.2 / sqrt((double)t->cols);

		for (int64_t j = 0; j < t->rows * t->cols; j++)
			t->data[j] = (float)(scale * rng_normal(&r)) +
				     (t->role == TENSOR_NORM ? 1.0f : 0.0f);
	}
	return m;
}

#endif
