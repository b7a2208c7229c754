/* decoder.c - the forward pass of one layer. */
#include "model/decoder.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"

static float *floats(const struct model *m, int64_t n, uint64_t *bytes, struct error *err)
{
	*bytes += (uint64_t)n * sizeof(float);
	return m->device->alloc((size_t)n * sizeof(float), err);
}

int layer_buffers_alloc(struct layer_buffers *b, const struct model *m, int max_rows,
	uint64_t *bytes, struct error *err)
{
	const struct model_config *c = &m->config;
	int64_t n = max_rows, h = c->hidden_size, f = c->intermediate_size;
	int64_t attended = (int64_t)c->n_heads * c->head_dim;

	int64_t heads = c->n_heads, kv_heads = c->n_kv_heads;
	const struct architecture *a = architecture_of(c->architecture);

	*b = (struct layer_buffers){0};
	if (a->qk_norm && (!(b->qk = floats(m, n * (heads + kv_heads) * c->head_dim, bytes, err)) ||
				  !(b->inv_q = floats(m, n * heads, bytes, err)) ||
				  !(b->inv_k = floats(m, n * kv_heads, bytes, err))))
		return error_prefix(err, "activations of %d rows", max_rows);
	if (a->post_norms && (!(b->o_out = floats(m, n * h, bytes, err)) ||
				     !(b->inv3 = floats(m, n, bytes, err)) ||
				     !(b->down_out = floats(m, n * h, bytes, err)) ||
				     !(b->inv4 = floats(m, n, bytes, err))))
		return error_prefix(err, "activations of %d rows", max_rows);
	if (!(b->x = floats(m, n * h, bytes, err)) || !(b->y1 = floats(m, n * h, bytes, err)) ||
		!(b->inv1 = floats(m, n, bytes, err)) ||
		!(b->qkv = floats(m, n * qkv_width(c), bytes, err)) ||
		!(b->attended = floats(m, n * attended, bytes, err)) ||
		!(b->lse = floats(m, n * c->n_heads, bytes, err)) ||
		!(b->mid = floats(m, n * h, bytes, err)) ||
		!(b->y2 = floats(m, n * h, bytes, err)) || !(b->inv2 = floats(m, n, bytes, err)) ||
		!(b->gate_up = floats(m, n * 2 * f, bytes, err)) ||
		!(b->act = floats(m, n * f, bytes, err)))
		return error_prefix(err, "activations of %d rows", max_rows);
	return 0;
}

void layer_buffers_free(struct layer_buffers *b, const struct model *m)
{
	float *const all[] = {b->x, b->y1, b->inv1, b->qkv, b->attended, b->lse, b->mid, b->y2,
		b->inv2, b->gate_up, b->act, b->qk, b->inv_q, b->inv_k, b->o_out, b->inv3,
		b->down_out, b->inv4};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		m->device->free(all[i]);
	*b = (struct layer_buffers){0};
}

int probe_check(const struct decoder_pass *p, const float *x, int64_t count, int layer,
	const char *operation, struct error *err)
{
	int64_t index;

	if (!p->probe || !p->probe->on)
		return 0;
	p->m->device->find_nonfinite(p->probe->index, x, count);
	p->m->device->download(&index, p->probe->index, sizeof index);
	if (index < 0)
		return 0;
	if (layer < 0)
		return error_set(err, EXIT_DATA, "a NaN or infinity arose in %s (row %lld)",
			operation, (long long)(index / (count / p->n)));
	return error_set(err, EXIT_DATA, "a NaN or infinity arose in layer %d, %s (row %lld)",
		layer, operation, (long long)(index / (count / p->n)));
}

void layers_enter(const struct decoder_pass *p, float *x, const int32_t *tokens)
{
	const struct model_config *c = &p->m->config;
	const struct device *d = p->m->device;
	const int h = c->hidden_size;

	d->gather_rows(x, h, p->m->layout->embedding->data, h, tokens, p->n, h);
	if (architecture_of(c->architecture)->scaled_embedding)
		d->axpby(x, x, (int64_t)p->n * h, sqrtf((float)h), 0.0f);
}

struct attention_shape layer_attention(const struct model_config *c, int layer)
{
	const float scalar = c->query_scalar > 0.0f ? c->query_scalar : (float)c->head_dim;

	return (struct attention_shape){.n_heads = c->n_heads,
		.n_kv_heads = c->n_kv_heads,
		.head_dim = c->head_dim,
		.scale = 1.0f / sqrtf(scalar),
		.window = model_window(c, layer)};
}

/* y1 to queries, keys and values, not rotated yet. */
static void project(
	const struct decoder_pass *p, const struct layer_tensors *l, const struct layer_buffers *b)
{
	const struct model_config *c = &p->m->config;
	const struct device *d = p->m->device;
	const int n = p->n, h = c->hidden_size, width = qkv_width(c);
	const int keys = c->n_heads * c->head_dim, values = keys + c->n_kv_heads * c->head_dim;

	if (!l->q_norm) {
		d->matmul(PLAIN, TRANSPOSED, n, width, h, 1.0f, b->y1, h, l->q->data, h, 0.0f,
			b->qkv, width);
		if (l->q_bias)
			d->add_bias(b->qkv, width, l->q_bias->data, n, width);
		return;
	}
	d->matmul(PLAIN, TRANSPOSED, n, values, h, 1.0f, b->y1, h, l->q->data, h, 0.0f, b->qk,
		values);
	d->matmul(PLAIN, TRANSPOSED, n, width - values, h, 1.0f, b->y1, h, l->v->data, h, 0.0f,
		b->qkv + values, width);
	if (l->q_bias) {
		d->add_bias(b->qk, values, l->q_bias->data, n, values);
		d->add_bias(b->qkv + values, width, l->v_bias->data, n, width - values);
	}
	d->head_rmsnorm(b->qkv, width, b->inv_q, b->qk, values, l->q_norm->data, c->rms_norm_eps, n,
		c->n_heads, c->head_dim);
	d->head_rmsnorm(b->qkv + keys, width, b->inv_k, b->qk + keys, values, l->k_norm->data,
		c->rms_norm_eps, n, c->n_kv_heads, c->head_dim);
}

int layer_begin(const struct decoder_pass *p, int layer, struct layer_buffers *b,
	const float *previous, const float *delta, struct error *err)
{
	const struct model_config *c = &p->m->config;
	const struct layer_tensors *l = &p->m->layout->layers[layer];
	const struct device *d = p->m->device;
	const int n = p->n, h = c->hidden_size, width = qkv_width(c);

	d->add_rmsnorm(
		b->x, b->y1, b->inv1, previous, delta, l->input_norm->data, c->rms_norm_eps, n, h);
	if (probe_check(p, b->x, (int64_t)n * h, layer, "the residual stream", err) != 0 ||
		probe_check(p, b->y1, (int64_t)n * h, layer, "input_layernorm", err) != 0)
		return -1;
	project(p, l, b);
	d->rope(b->qkv, width, p->positions, rope_table(p->rope, c, layer), n,
		c->n_heads + c->n_kv_heads, c->head_dim, 0);
	return probe_check(p, b->qkv, (int64_t)n * width, layer, "q_proj, k_proj or v_proj", err);
}

int layer_end(const struct decoder_pass *p, int layer, struct layer_buffers *b, float *delta,
	struct error *err)
{
	const struct model_config *c = &p->m->config;
	const struct layer_tensors *l = &p->m->layout->layers[layer];
	const struct device *d = p->m->device;
	const int n = p->n, h = c->hidden_size, f = c->intermediate_size;
	const int attended = c->n_heads * c->head_dim;

	if (probe_check(p, b->attended, (int64_t)n * attended, layer, "attention", err) != 0)
		return -1;
	d->matmul(PLAIN, TRANSPOSED, n, h, attended, 1.0f, b->attended, attended, l->o->data,
		attended, 0.0f, l->attention_norm ? b->o_out : delta, h);
	if (l->attention_norm)
		d->add_rmsnorm(NULL, delta, b->inv3, b->o_out, NULL, l->attention_norm->data,
			c->rms_norm_eps, n, h);
	if (probe_check(p, delta, (int64_t)n * h, layer, "o_proj", err) != 0)
		return -1;
	d->add_rmsnorm(
		b->mid, b->y2, b->inv2, b->x, delta, l->mlp_norm->data, c->rms_norm_eps, n, h);
	if (probe_check(p, b->y2, (int64_t)n * h, layer, "the norm before the mlp", err) != 0)
		return -1;
	d->matmul(PLAIN, TRANSPOSED, n, 2 * f, h, 1.0f, b->y2, h, l->gate->data, h, 0.0f,
		b->gate_up, 2 * f);
	if (probe_check(p, b->gate_up, (int64_t)n * 2 * f, layer, "gate_proj or up_proj", err) != 0)
		return -1;
	(architecture_of(c->architecture)->gelu ? d->geglu : d->swiglu)(b->act, b->gate_up, n, f);
	if (probe_check(p, b->act, (int64_t)n * f, layer, "the activation", err) != 0)
		return -1;
	d->matmul(PLAIN, TRANSPOSED, n, h, f, 1.0f, b->act, f, l->down->data, f, 0.0f,
		l->output_norm ? b->down_out : delta, h);
	if (l->output_norm)
		d->add_rmsnorm(NULL, delta, b->inv4, b->down_out, NULL, l->output_norm->data,
			c->rms_norm_eps, n, h);
	return probe_check(p, delta, (int64_t)n * h, layer, "down_proj", err);
}
