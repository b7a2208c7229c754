/* workspace.c - memory for one batch, and the batch's shape on the device. */
#include "model/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

static void *device_memory(struct workspace *w, size_t count, size_t size, struct error *err)
{
	w->bytes += count * size;
	return w->m->device->alloc(count * size, err);
}

#define FLOATS(field, count)                                                                       \
	(((field) = device_memory(w, (size_t)(count), sizeof(float), err)) != NULL)
#define INDICES(field, count)                                                                      \
	(((field) = device_memory(w, (size_t)(count), sizeof(int32_t), err)) != NULL)

static int alloc_values(struct workspace *w, struct error *err)
{
	const struct model_config *c = &w->m->config;
	const size_t n = (size_t)w->max_rows, h = (size_t)c->hidden_size;
	const size_t f = (size_t)c->intermediate_size, e = (size_t)w->max_edges;
	const size_t attended = (size_t)c->n_heads * (size_t)c->head_dim;

	for (int i = 0; i < c->n_layers; i++)
		if (layer_buffers_alloc(&w->layers[i], w->m, w->max_rows, &w->bytes, err) != 0)
			return -1;
	if (rope_tables_alloc(&w->rope, w->m, w->max_rows, &w->bytes, err) != 0 ||
		!(w->probe.index = device_memory(w, 1, sizeof(int64_t), err)) ||
		!FLOATS(w->delta, n * h) || !FLOATS(w->final_x, n * h) ||
		!FLOATS(w->final_y, n * h) || !FLOATS(w->final_inv, n) ||
		!FLOATS(w->head_x, e * h) || !FLOATS(w->head_lse, e) || !FLOATS(w->logprob, e) ||
		!FLOATS(w->entropy, e) || !FLOATS(w->coefficient, e) ||
		!FLOATS(w->scratch, (size_t)HEAD_CHUNK * (size_t)c->vocab_size))
		return -1;
	if (!w->m->grad)
		return 0;
	return FLOATS(w->dx, n * h) && FLOATS(w->dy, n * h) &&
			       FLOATS(w->dqkv, n * (size_t)qkv_width(c)) &&
			       FLOATS(w->dattended, n * attended) &&
			       FLOATS(w->dgate_up, n * 2 * f) && FLOATS(w->dact, n * f) &&
			       FLOATS(w->dlse, n * (size_t)c->n_heads) && FLOATS(w->dhead_x, e * h)
		       ? 0
		       : -1;
}

static int alloc_shape(struct workspace *w, struct error *err)
{
	const size_t n = (size_t)w->max_rows, e = (size_t)w->max_edges;

	w->host = xcalloc(4 * (n > e ? n : e) + 4, sizeof *w->host);
	w->token_count = xcalloc((size_t)w->m->config.vocab_size, sizeof *w->token_count);
	if (!INDICES(w->tokens, n) || !INDICES(w->positions, n) || !INDICES(w->head_rows, e) ||
		!INDICES(w->head_start, e + 1) || !INDICES(w->edge_token, e) ||
		!INDICES(w->choice_start, e) || !INDICES(w->choice_end, e) ||
		!INDICES(w->sum_target, n) || !INDICES(w->sum_start, n + 1) ||
		!INDICES(w->sum_order, e) || !INDICES(w->embed_target, n) ||
		!INDICES(w->embed_start, n + 1) || !INDICES(w->embed_order, n))
		return -1;
	return segments_alloc(&w->segments, w->m->device, w->max_rows, &w->bytes, err);
}

struct workspace *workspace_new(struct model *m, int max_rows, int max_edges, struct error *err)
{
	struct workspace *w;

	if (max_rows < 1 || max_edges < 0) {
		error_set(err, EXIT_INTERNAL, "a workspace of %d rows and %d edges", max_rows,
			max_edges);
		return NULL;
	}
	w = xcalloc(1, sizeof *w);
	w->m = m;
	w->max_rows = max_rows;
	w->max_edges = max_edges;
	w->layers = xcalloc((size_t)m->config.n_layers, sizeof *w->layers);
	if (alloc_values(w, err) != 0 || alloc_shape(w, err) != 0) {
		error_prefix(err, "a batch of %d rows", max_rows);
		workspace_free(w);
		return NULL;
	}
	return w;
}

void workspace_free(struct workspace *w)
{
	if (!w)
		return;
	void *const all[] = {w->probe.index, w->delta, w->final_x, w->final_y, w->final_inv,
		w->head_x, w->head_lse, w->logprob, w->entropy, w->coefficient, w->scratch, w->dx,
		w->dy, w->dqkv, w->dattended, w->dgate_up, w->dact, w->dlse, w->dhead_x, w->tokens,
		w->positions, w->head_rows, w->head_start, w->edge_token, w->choice_start,
		w->choice_end, w->choice, w->sum_target, w->sum_start, w->sum_order,
		w->embed_target, w->embed_start, w->embed_order};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		w->m->device->free(all[i]);
	for (int i = 0; i < w->m->config.n_layers; i++)
		layer_buffers_free(&w->layers[i], w->m);
	rope_tables_free(&w->rope, w->m);
	free(w->layers);
	free(w->host);
	free(w->token_count);
	choice_lists_release(&w->lists);
	segments_free(&w->segments, w->m->device);
	free(w);
}

uint64_t workspace_bytes(const struct workspace *w)
{
	return w->bytes;
}

static int check_tree(const struct workspace *w, const struct tree *t, struct error *err)
{
	const struct model_config *c = &w->m->config;

	if (t->n_rows > w->max_rows || t->n_edges > w->max_edges)
		return error_set(err, EXIT_INTERNAL,
			"a batch of %d rows and %d edges does not fit a workspace of %d and %d",
			(int)t->n_rows, (int)t->n_edges, w->max_rows, w->max_edges);
	for (int32_t r = 0; r < t->n_rows; r++) {
		if (t->tokens[r] < 0 || t->tokens[r] >= c->vocab_size)
			return error_set(err, EXIT_DATA, "token %d is not in a vocabulary of %d",
				(int)t->tokens[r], c->vocab_size);
		if (t->positions[r] >= c->max_positions)
			return error_set(err, EXIT_DATA,
				"a sequence of more than the model's %d positions",
				c->max_positions);
	}
	for (int32_t e = 0; e < t->n_edges; e++) {
		if (t->edge_token[e] < 0 || t->edge_token[e] >= c->vocab_size)
			return error_set(err, EXIT_DATA, "token %d is not in a vocabulary of %d",
				(int)t->edge_token[e], c->vocab_size);
		if (!choices_have(t->edge_choices[e], t->edge_token[e]))
			return error_set(err, EXIT_DATA,
				"token %d is not among the %d choices of its place",
				(int)t->edge_token[e], (int)t->edge_choices[e]->n);
	}
	return 0;
}

/* Rows grouped by token, in order of row: the deterministic sum of the
 * embedding's gradient. */
static void load_embedding_order(struct workspace *w, const struct tree *t)
{
	const size_t n = (size_t)t->n_rows;
	int32_t *target = w->host, *start = w->host + n, *order = start + n + 1;
	int32_t distinct = 0, sum = 0;
	const struct device *d = w->m->device;

	for (size_t r = 0; r < n; r++)
		if (w->token_count[t->tokens[r]]++ == 0)
			target[distinct++] = t->tokens[r];
	for (int32_t u = 0; u < distinct; u++) {
		int32_t count = w->token_count[target[u]];

		start[u] = sum;
		w->token_count[target[u]] = sum;
		sum += count;
	}
	start[distinct] = sum;
	for (size_t r = 0; r < n; r++)
		order[w->token_count[t->tokens[r]]++] = (int32_t)r;
	for (int32_t u = 0; u < distinct; u++)
		w->token_count[target[u]] = 0;
	w->n_tokens_distinct = distinct;
	d->upload(w->embed_target, target, (size_t)distinct * sizeof *target);
	d->upload(w->embed_start, start, ((size_t)distinct + 1) * sizeof *start);
	d->upload(w->embed_order, order, n * sizeof *order);
}

/* Whether edge e is the first of a head row. */
static int begins_head_row(const struct tree *t, int32_t e)
{
	return e == 0 || t->edge_row[e] != t->edge_row[e - 1] ||
	       t->edge_choices[e] != t->edge_choices[e - 1];
}

static void load_edges(struct workspace *w, const struct tree *t)
{
	int32_t *rows = w->host, *start = w->host + t->n_edges;
	const struct device *d = w->m->device;
	int n = 0;

	for (int32_t e = 0; e < t->n_edges; e++) {
		if (begins_head_row(t, e)) {
			rows[n] = t->edge_row[e];
			start[n++] = e;
		}
	}
	start[n] = t->n_edges;
	w->n_head_rows = n;
	d->upload(w->head_rows, rows, (size_t)n * sizeof *rows);
	d->upload(w->head_start, start, ((size_t)n + 1) * sizeof *start);
	d->upload(w->edge_token, t->edge_token, (size_t)t->n_edges * sizeof *t->edge_token);
}

/* The head rows of each row, in order: the deterministic sum of their gradients. */
static void load_head_sums(struct workspace *w, const struct tree *t)
{
	const int n_head = w->n_head_rows;
	int32_t *target = w->host, *start = target + n_head, *order = start + n_head + 1;
	const struct device *d = w->m->device;
	int n = 0, head = 0;

	for (int32_t e = 0; e < t->n_edges; e++) {
		if (!begins_head_row(t, e))
			continue;
		if (e == 0 || t->edge_row[e] != t->edge_row[e - 1]) {
			target[n] = t->edge_row[e];
			start[n++] = head;
		}
		order[head] = head;
		head++;
	}
	start[n] = head;
	w->n_sums = n;
	d->upload(w->sum_target, target, (size_t)n * sizeof *target);
	d->upload(w->sum_start, start, ((size_t)n + 1) * sizeof *start);
	d->upload(w->sum_order, order, (size_t)n_head * sizeof *order);
}

static int upload_lists(struct workspace *w, struct error *err)
{
	const struct device *d = w->m->device;

	if (w->lists.n_ids > w->cap_choice) {
		d->free(w->choice);
		w->bytes -= w->cap_choice * sizeof *w->choice;
		w->cap_choice = w->lists.cap_ids;
		if (!INDICES(w->choice, w->cap_choice)) {
			w->bytes -= w->cap_choice * sizeof *w->choice;
			w->cap_choice = 0;
			return -1;
		}
	}
	d->upload(w->choice, w->lists.ids, w->lists.n_ids * sizeof *w->lists.ids);
	return 0;
}

/* Equal choices are laid out once, whichever rows have them. */
static int load_choices(struct workspace *w, const struct tree *t, struct error *err)
{
	int32_t *start = w->host, *end = w->host + w->n_head_rows;
	const struct device *d = w->m->device;
	int n = 0;

	w->guided = 0;
	choice_lists_clear(&w->lists);
	for (int32_t e = 0; e < t->n_edges; e++) {
		const struct choices *c = t->edge_choices[e];

		if (!begins_head_row(t, e))
			continue;
		start[n] = c ? choice_lists_add(&w->lists, c, w->m->config.vocab_size, err) : 0;
		if (start[n] < 0)
			return -1;
		end[n] = start[n] + (c ? c->n : 0);
		w->guided |= c != NULL;
		n++;
	}
	if (!w->guided)
		return 0;
	d->upload(w->choice_start, start, (size_t)n * sizeof *start);
	d->upload(w->choice_end, end, (size_t)n * sizeof *end);
	return upload_lists(w, err);
}

int workspace_load_tree(struct workspace *w, const struct tree *t, struct error *err)
{
	const struct device *d = w->m->device;

	if (check_tree(w, t, err) != 0 || segments_load(&w->segments, w->m->device, t, err) != 0)
		return -1;
	d->upload(w->tokens, t->tokens, (size_t)t->n_rows * sizeof *t->tokens);
	d->upload(w->positions, t->positions, (size_t)t->n_rows * sizeof *t->positions);
	if (w->m->grad)
		load_embedding_order(w, t);
	load_edges(w, t);
	if (w->m->grad)
		load_head_sums(w, t);
	return load_choices(w, t, err);
}

struct attention_shape workspace_attention(
	const struct workspace *w, const struct tree *t, int layer)
{
	struct attention_shape shape = layer_attention(&w->m->config, layer);

	shape.n_queries = t->n_rows;
	shape.n_segments = t->n_nodes;
	shape.segments = w->segments.segments;
	shape.ranges = w->segments.ranges;
	return shape;
}

struct head_shape workspace_head(const struct workspace *w)
{
	return (struct head_shape){
		.n_rows = w->n_head_rows,
		.hidden = w->m->config.hidden_size,
		.vocab = w->m->config.vocab_size,
		.inverse_temperature = w->inverse_temperature,
		.start = w->head_start,
		.token = w->edge_token,
		.choice_start = w->guided ? w->choice_start : NULL,
		.choice_end = w->choice_end,
		.choice = w->choice,
	};
}
