/* backward.c - gradients of a weighted sum of the edges' log-probabilities. */
#include "model/workspace.h"

#include <math.h>

struct backward {
	struct workspace *w;
	const struct tree *t;
	struct decoder_pass pass;
};

/* y[n, out] = x[n, in] w^T: adds to dw, and gives dx. */
static void linear_backward(const struct backward *s, const struct tensor *first, int out, int in,
	const float *dy, const float *x, float *dx)
{
	const struct device *d = s->w->m->device;
	const int n = s->t->n_rows;

	d->matmul(TRANSPOSED, PLAIN, out, in, n, 1.0f, dy, out, x, in, 1.0f, first->grad, in);
	d->matmul(PLAIN, PLAIN, n, in, out, 1.0f, dy, out, first->data, in, 0.0f, dx, in);
}

/* Head and final norm; leaves in w->dx the gradient of the residual stream. */
static int backward_head(const struct backward *s, struct error *err)
{
	struct workspace *w = s->w;
	const struct model *m = w->m;
	const struct device *d = m->device;
	const struct head_shape shape = workspace_head(w);
	const int h = shape.hidden, n = s->t->n_rows;

	d->head_backward(&shape, w->dhead_x, m->layout->head->grad, w->coefficient, w->head_x,
		m->layout->head->data, w->head_lse, w->scratch);
	d->zero(w->dy, (size_t)n * h * sizeof *w->dy);
	d->scatter_add_rows(
		w->dy, w->dhead_x, w->sum_target, w->sum_start, w->sum_order, w->n_sums, h);
	if (probe_check(&s->pass, w->dy, (int64_t)n * h, -1, "the head's gradient", err) != 0)
		return -1;
	d->zero(w->dx, (size_t)n * h * sizeof *w->dx);
	d->rmsnorm_backward(w->dx, m->layout->norm->grad, w->dy, w->final_x, w->final_inv,
		m->layout->norm->data, n, h);
	return probe_check(&s->pass, w->dx, (int64_t)n * h, -1, "the final norm's gradient", err);
}

/* The gradient with regard to x[n, hidden], whose norm was added to the residual stream,
 * in w->dy; without a norm that of the stream itself. */
static const float *norm_backward(
	const struct backward *s, const struct tensor *norm, const float *x, const float *inv)
{
	struct workspace *w = s->w;
	const struct device *d = w->m->device;
	const int n = s->t->n_rows, h = w->m->config.hidden_size;

	if (!norm)
		return w->dx;
	d->zero(w->dy, (size_t)n * h * sizeof *w->dy);
	d->rmsnorm_backward(w->dy, norm->grad, w->dx, x, inv, norm->data, n, h);
	return w->dy;
}

static int backward_mlp(const struct backward *s, int layer, struct error *err)
{
	struct workspace *w = s->w;
	const struct layer_tensors *l = &w->m->layout->layers[layer];
	const struct layer_buffers *b = &w->layers[layer];
	const struct device *d = w->m->device;
	const int n = s->t->n_rows, h = w->m->config.hidden_size;
	const int f = w->m->config.intermediate_size;
	const int gelu = architecture_of(w->m->config.architecture)->gelu;

	linear_backward(s, l->down, h, f, norm_backward(s, l->output_norm, b->down_out, b->inv4),
		b->act, w->dact);
	(gelu ? d->geglu_backward : d->swiglu_backward)(w->dgate_up, w->dact, b->gate_up, n, f);
	linear_backward(s, l->gate, 2 * f, h, w->dgate_up, b->y2, w->dy);
	d->rmsnorm_backward(
		w->dx, l->mlp_norm->grad, w->dy, b->mid, b->inv2, l->mlp_norm->data, n, h);
	return probe_check(&s->pass, w->dx, (int64_t)n * h, layer, "the mlp's gradient", err);
}

static int backward_attention(const struct backward *s, int layer, struct error *err)
{
	struct workspace *w = s->w;
	const struct model_config *c = &w->m->config;
	const struct layer_tensors *l = &w->m->layout->layers[layer];
	const struct layer_buffers *b = &w->layers[layer];
	const struct device *d = w->m->device;
	const struct attention_shape shape = workspace_attention(w, s->t, layer);
	const int n = s->t->n_rows, h = c->hidden_size, width = qkv_width(c);
	const int keys = c->n_heads * c->head_dim, values = keys + c->n_kv_heads * c->head_dim;

	linear_backward(s, l->o, h, keys, norm_backward(s, l->attention_norm, b->o_out, b->inv3),
		b->attended, w->dattended);
	d->attention_backward(&shape, w->dqkv, w->dqkv + keys, w->dqkv + values, w->dattended,
		b->attended, b->lse, b->qkv, width, b->qkv + keys, b->qkv + values, width, w->dlse);
	if (probe_check(
		    &s->pass, w->dqkv, (int64_t)n * width, layer, "attention's gradient", err) != 0)
		return -1;
	d->rope(w->dqkv, width, w->positions, rope_table(&w->rope, c, layer), n,
		c->n_heads + c->n_kv_heads, c->head_dim, 1);
	if (l->q_norm) {
		d->head_rmsnorm_backward(w->dqkv, width, l->q_norm->grad, b->qk, values, b->inv_q,
			l->q_norm->data, n, c->n_heads, c->head_dim);
		d->head_rmsnorm_backward(w->dqkv + keys, width, l->k_norm->grad, b->qk + keys,
			values, b->inv_k, l->k_norm->data, n, c->n_kv_heads, c->head_dim);
	}
	if (l->q_bias)
		d->bias_backward(l->q_bias->grad, w->dqkv, width, n, width);
	linear_backward(s, l->q, width, h, w->dqkv, b->y1, w->dy);
	d->rmsnorm_backward(
		w->dx, l->input_norm->grad, w->dy, b->x, b->inv1, l->input_norm->data, n, h);
	return probe_check(
		&s->pass, w->dx, (int64_t)n * h, layer, "the attention block's gradient", err);
}

static int run(const struct backward *s, struct error *err)
{
	struct workspace *w = s->w;

	if (backward_head(s, err) != 0)
		return -1;
	for (int i = w->m->config.n_layers - 1; i >= 0; i--)
		if (backward_mlp(s, i, err) != 0 || backward_attention(s, i, err) != 0)
			return -1;
	return 0;
}

/* What went wrong anywhere has reached the gradient of the embedded rows. */
static int is_finite(const struct backward *s)
{
	struct workspace *w = s->w;
	int64_t index;

	w->m->device->find_nonfinite(
		w->probe.index, w->dx, (int64_t)s->t->n_rows * w->m->config.hidden_size);
	w->m->device->download(&index, w->probe.index, sizeof index);
	return index < 0;
}

int model_backward(struct model *m, struct workspace *w, const struct tree *t,
	const float *coefficient, struct error *err)
{
	const struct backward s = {
		.w = w,
		.t = t,
		.pass = {.m = m, .n = t->n_rows, .probe = &w->probe},
	};

	if (w->m != m || !m->grad)
		return error_set(err, EXIT_INTERNAL,
			w->m != m ? "the workspace belongs to another model"
				  : "the model has no gradients");
	for (int32_t e = 0; e < t->n_edges; e++)
		if (!isfinite(coefficient[e]))
			return error_set(
				err, EXIT_DATA, "the coefficient of edge %d is not finite", (int)e);
	if (t->n_edges == 0)
		return 0;
	m->device->upload(w->coefficient, coefficient, (size_t)t->n_edges * sizeof *coefficient);
	if (run(&s, err) != 0)
		return -1;
	if (!is_finite(&s)) {
		w->probe.on = 1;
		if (run(&s, err) == 0)
			error_set(err, EXIT_DATA, "a NaN or infinity arose in the gradients");
		w->probe.on = 0;
		return -1;
	}
	if (architecture_of(m->config.architecture)->scaled_embedding)
		m->device->axpby(w->dx, w->dx, (int64_t)t->n_rows * m->config.hidden_size,
			sqrtf((float)m->config.hidden_size), 0.0f);
	m->device->scatter_add_rows(m->layout->embedding->grad, w->dx, w->embed_target,
		w->embed_start, w->embed_order, w->n_tokens_distinct, m->config.hidden_size);
	return m->device->sync(err);
}
