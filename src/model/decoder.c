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

	*b = (struct layer_buffers){0};
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
		b->inv2, b->gate_up, b->act};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		m->device->free(all[i]);
	*b = (struct layer_buffers){0};
}

/* The angles are rounded to fp32 as transformers rounds them. */
float *rope_table_new(const struct model *m, int n, struct error *err)
{
	const int half = m->config.head_dim / 2;
	size_t bytes = (size_t)n * m->config.head_dim * sizeof(float);
	float *host = xmalloc(bytes), *table = m->device->alloc(bytes, err);

	for (int d = 0; d < half; d++) {
		double exponent = (double)(2 * d) / m->config.head_dim;
		float frequency = (float)(1.0 / pow((double)m->config.rope_theta, exponent));

		for (int i = 0; i < n; i++) {
			float angle = (float)i * frequency;
			float *row = host + (size_t)i * m->config.head_dim;

			row[d] = (float)cos((double)angle);
			row[half + d] = (float)sin((double)angle);
		}
	}
	if (table)
		m->device->upload(table, host, bytes);
	free(host);
	return table;
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
	d->matmul(
		PLAIN, TRANSPOSED, n, width, h, 1.0f, b->y1, h, l->q->data, h, 0.0f, b->qkv, width);
	d->rope(b->qkv, width, p->positions, p->cos_sin, n, c->n_heads + c->n_kv_heads, c->head_dim,
		0);
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
		attended, 0.0f, delta, h);
	if (probe_check(p, delta, (int64_t)n * h, layer, "o_proj", err) != 0)
		return -1;
	d->add_rmsnorm(
		b->mid, b->y2, b->inv2, b->x, delta, l->post_norm->data, c->rms_norm_eps, n, h);
	if (probe_check(p, b->y2, (int64_t)n * h, layer, "post_attention_layernorm", err) != 0)
		return -1;
	d->matmul(PLAIN, TRANSPOSED, n, 2 * f, h, 1.0f, b->y2, h, l->gate->data, h, 0.0f,
		b->gate_up, 2 * f);
	if (probe_check(p, b->gate_up, (int64_t)n * 2 * f, layer, "gate_proj or up_proj", err) != 0)
		return -1;
	d->swiglu(b->act, b->gate_up, n, f);
	if (probe_check(p, b->act, (int64_t)n * f, layer, "the activation", err) != 0)
		return -1;
	d->matmul(PLAIN, TRANSPOSED, n, h, f, 1.0f, b->act, f, l->down->data, f, 0.0f, delta, h);
	return probe_check(p, delta, (int64_t)n * h, layer, "down_proj", err);
}
