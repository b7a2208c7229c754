/* forward.c - a tree through the model, to the log-probabilities of its edges. */
#include "model/workspace.h"

#include <math.h>

static struct decoder_pass pass_of(struct workspace *w, const struct tree *t)
{
	return (struct decoder_pass){
		.m = w->m,
		.n = t->n_rows,
		.positions = w->positions,
		.rope = &w->rope,
		.probe = &w->probe,
	};
}

/* The layers and the final norm. */
static int run_layers(struct workspace *w, const struct tree *t, struct error *err)
{
	const struct model *m = w->m;
	const struct model_config *c = &m->config;
	const struct device *d = m->device;
	const struct decoder_pass p = pass_of(w, t);
	const int h = c->hidden_size, width = qkv_width(c), n = t->n_rows;
	const int keys = c->n_heads * c->head_dim, values = keys + c->n_kv_heads * c->head_dim;
	const float *previous = w->layers[0].x, *delta = NULL;

	layers_enter(&p, w->layers[0].x, w->tokens);
	for (int i = 0; i < c->n_layers; i++) {
		struct layer_buffers *b = &w->layers[i];
		const struct attention_shape shape = workspace_attention(w, t, i);

		if (layer_begin(&p, i, b, previous, delta, err) != 0)
			return -1;
		d->attention(&shape, b->attended, b->lse, b->qkv, width, b->qkv + keys,
			b->qkv + values, width);
		if (layer_end(&p, i, b, w->delta, err) != 0)
			return -1;
		previous = b->mid;
		delta = w->delta;
	}
	d->add_rmsnorm(w->final_x, w->final_y, w->final_inv, previous, delta, m->layout->norm->data,
		c->rms_norm_eps, n, h);
	return probe_check(&p, w->final_y, (int64_t)n * h, -1, "the final norm", err);
}

static int run_head(
	struct workspace *w, float *logprob, float *entropy, int n_edges, struct error *err)
{
	const struct device *d = w->m->device;
	const struct head_shape shape = workspace_head(w);
	const int h = shape.hidden;

	d->gather_rows(w->head_x, h, w->final_y, h, w->head_rows, shape.n_rows, h);
	d->head_forward(&shape, w->head_lse, w->logprob, entropy ? w->entropy : NULL, w->head_x,
		w->m->layout->head->data, w->scratch);
	d->download(logprob, w->logprob, (size_t)n_edges * sizeof *logprob);
	if (entropy)
		d->download(entropy, w->entropy, (size_t)n_edges * sizeof *entropy);
	return d->sync(err);
}

int model_forward(struct model *m, struct workspace *w, const struct tree *t, float temperature,
	float *logprob, float *entropy, struct error *err)
{
	float check = 0.0f;

	if (w->m != m)
		return error_set(err, EXIT_INTERNAL, "the workspace belongs to another model");
	if (!(temperature > 0.0f) || !isfinite(temperature))
		return error_set(
			err, EXIT_INTERNAL, "temperature %g is not positive", (double)temperature);
	if (workspace_load_tree(w, t, err) != 0)
		return -1;
	w->inverse_temperature = 1.0f / temperature;
	if (t->n_rows == 0)
		return 0;
	if (run_layers(w, t, err) != 0 || run_head(w, logprob, entropy, t->n_edges, err) != 0)
		return -1;
	/* Anything not finite makes this sum a NaN; then look where it came from. */
	for (int32_t e = 0; e < t->n_edges; e++)
		check += logprob[e] * 0.0f;
	if (check == 0.0f)
		return 0;
	w->probe.on = 1;
	if (run_layers(w, t, err) == 0)
		error_set(err, EXIT_DATA, "a NaN or infinity arose in the output head (lm_head)");
	w->probe.on = 0;
	return -1;
}

int model_logits(struct model *m, struct workspace *w, const struct tree *t, float *logits,
	struct error *err)
{
	const int h = m->config.hidden_size, v = m->config.vocab_size;

	if (w->m != m)
		return error_set(err, EXIT_INTERNAL, "the workspace belongs to another model");
	if (workspace_load_tree(w, t, err) != 0 || (t->n_rows && run_layers(w, t, err) != 0))
		return -1;
	for (int from = 0; from < t->n_rows; from += HEAD_CHUNK) {
		int rows = t->n_rows - from < HEAD_CHUNK ? t->n_rows - from : HEAD_CHUNK;

		m->device->matmul(PLAIN, TRANSPOSED, rows, v, h, 1.0f,
			w->final_y + (size_t)from * h, h, m->layout->head->data, h, 0.0f,
			w->scratch, v);
		m->device->download(
			logits + (size_t)from * v, w->scratch, (size_t)rows * v * sizeof *logits);
	}
	return m->device->sync(err);
}
