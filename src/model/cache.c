/* cache.c - passes of rows over cached keys and values. */
#include "model/cache.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"

static void *memory(struct cache *c, size_t count, size_t size, struct error *err)
{
	c->bytes += count * size;
	return c->m->device->alloc(count * size, err);
}

static int alloc_rows(struct cache *c, size_t rows, struct error *err)
{
	const size_t h = (size_t)c->m->config.hidden_size;

	if (layer_buffers_alloc(&c->buffers, c->m, c->max_rows, &c->bytes, err) != 0 ||
		!(c->x = memory(c, rows * h, sizeof(float), err)) ||
		!(c->delta = memory(c, rows * h, sizeof(float), err)) ||
		!(c->y = memory(c, rows * h, sizeof(float), err)) ||
		!(c->inv = memory(c, rows, sizeof(float), err)) ||
		!(c->tokens = memory(c, rows, sizeof(int32_t), err)) ||
		!(c->positions = memory(c, rows, sizeof(int32_t), err)) ||
		!(c->slots = memory(c, rows, sizeof(int32_t), err)) ||
		!(c->asked = memory(c, rows, sizeof(int32_t), err)) ||
		!(c->probe.index = memory(c, 1, sizeof(int64_t), err)))
		return -1;
	return segments_alloc(&c->segments, c->m->device, c->max_rows, &c->bytes, err);
}

int cache_alloc(struct cache *c, struct model *m, int max_slots, int max_rows, int max_draws,
	int max_positions, struct error *err)
{
	const size_t width = 2 * (size_t)m->config.n_kv_heads * (size_t)m->config.head_dim;

	*c = (struct cache){.m = m, .max_slots = max_slots, .max_rows = max_rows};
	c->kv = xcalloc((size_t)m->config.n_layers, sizeof *c->kv);
	for (int i = 0; i < m->config.n_layers; i++)
		if (!(c->kv[i] = memory(c, (size_t)max_slots * width, sizeof(float), err)))
			return -1;
	if (rope_tables_alloc(&c->rope, m, max_positions, &c->bytes, err) != 0)
		return -1;
	if (alloc_rows(c, (size_t)max_rows, err) != 0)
		return -1;
	c->host.rows = xcalloc((size_t)max_rows, sizeof *c->host.rows);
	c->host.place = xcalloc((size_t)max_rows, sizeof *c->host.place);
	c->host.heads = xcalloc((size_t)max_draws, sizeof *c->host.heads);
	return cache_head_alloc(&c->head, m, max_draws, &c->bytes, err);
}

void cache_free(struct cache *c)
{
	if (!c->m)
		return;
	void *const all[] = {c->x, c->delta, c->y, c->inv, c->tokens, c->positions, c->slots,
		c->asked, c->probe.index};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		c->m->device->free(all[i]);
	for (int i = 0; i < c->m->config.n_layers; i++)
		c->m->device->free(c->kv[i]);
	free(c->kv);
	free(c->host.rows);
	free(c->host.place);
	free(c->host.heads);
	rope_tables_free(&c->rope, c->m);
	cache_head_free(&c->head, c->m->device);
	layer_buffers_free(&c->buffers, c->m);
	segments_free(&c->segments, c->m->device);
	*c = (struct cache){0};
}

int cache_reserve(struct cache *c, int64_t n, struct error *err)
{
	const struct device *d = c->m->device;
	const size_t width = 2 * (size_t)c->m->config.n_kv_heads * (size_t)c->m->config.head_dim;
	const size_t slot = width * sizeof(float), old = (size_t)c->max_slots;
	int64_t more = 2 * (int64_t)c->max_slots;

	if (n <= c->max_slots)
		return 0;
	if (n > INT32_MAX)
		return error_set(err, EXIT_DATA, "more than %d tokens at once", INT32_MAX);
	more = more < n ? n : more > INT32_MAX ? INT32_MAX : more;
	for (int i = 0; i < c->m->config.n_layers; i++) {
		float *kv = d->alloc((size_t)more * slot, err);

		if (!kv)
			return error_prefix(err, "keys and values of %lld tokens", (long long)more);
		d->copy(kv, c->kv[i], old * slot);
		d->free(c->kv[i]);
		c->kv[i] = kv;
	}
	c->bytes += (uint64_t)c->m->config.n_layers * ((size_t)more - old) * slot;
	c->max_slots = (int)more;
	return 0;
}

/* Moves what the second half of the last layer reads of the rows asked of to the
 * front: nobody looks at the other rows any more. */
static void take_asked(struct cache *c, struct layer_buffers *b, int n)
{
	const struct model_config *config = &c->m->config;
	const struct device *d = c->m->device;
	const int h = config->hidden_size, attended = config->n_heads * config->head_dim;
	struct layer_buffers from = *b;

	b->x = c->x;
	b->attended = from.qkv; /* which is in the cache now */
	d->gather_rows(b->x, h, from.x, h, c->asked, n, h);
	d->gather_rows(b->attended, attended, from.attended, attended, c->asked, n, attended);
}

/* Leaves the final states of the n_asked rows c->asked in c->y, in that order; of all
 * rows where it is -1. */
static int run_layers(
	struct cache *c, const struct cache_rows *rows, int n_asked, struct error *err)
{
	const struct model *m = c->m;
	const struct model_config *config = &m->config;
	const struct device *d = m->device;
	const int n = rows->n, h = config->hidden_size, hd = config->head_dim;
	const int width = qkv_width(config), keys = config->n_heads * hd;
	const int kv_width = config->n_kv_heads * hd;
	struct layer_buffers buffers = c->buffers, *b = &buffers;
	struct decoder_pass p = {
		.m = m, .n = n, .positions = c->positions, .rope = &c->rope, .probe = &c->probe};

	layers_enter(&p, b->x, c->tokens);
	for (int i = 0; i < config->n_layers; i++) {
		struct attention_shape shape = layer_attention(config, i);

		shape.n_queries = n;
		shape.n_segments = rows->n_segments;
		shape.segments = c->segments.segments;
		shape.ranges = c->segments.ranges;
		if (layer_begin(&p, i, b, i ? b->mid : b->x, i ? c->delta : NULL, err) != 0)
			return -1;
		d->scatter_rows(
			c->kv[i], 2 * kv_width, b->qkv + keys, width, c->slots, n, 2 * kv_width);
		if (i == config->n_layers - 1 && n_asked == 0)
			return 0;
		d->attention(&shape, b->attended, b->lse, b->qkv, width, c->kv[i],
			c->kv[i] + kv_width, 2 * kv_width);
		if (i == config->n_layers - 1 && n_asked >= 0) {
			take_asked(c, b, n_asked);
			p.n = n_asked;
		}
		if (layer_end(&p, i, b, c->delta, err) != 0)
			return -1;
	}
	d->add_rmsnorm(c->x, c->y, c->inv, b->mid, c->delta, m->layout->norm->data,
		config->rms_norm_eps, p.n, h);
	return probe_check(&p, c->y, (int64_t)p.n * h, -1, "the final norm", err);
}

/* Lists the rows that the heads ask of, each once: heads may share a row. */
static void list_asked(struct cache *c, int n_rows, const int32_t *of_head, int n_heads)
{
	c->host.n = 0;
	for (int i = 0; i < n_rows; i++)
		c->host.place[i] = -1;
	for (int i = 0; i < n_heads; i++) {
		int32_t *place = &c->host.place[of_head[i]];

		if (*place < 0) {
			*place = c->host.n;
			c->host.rows[c->host.n++] = of_head[i];
		}
		c->host.heads[i] = *place;
	}
}

/* Then the final states are in c->y, that of head i in row c->host.heads[i]. */
static int run_rows(struct cache *c, const struct cache_rows *rows, const int32_t *of_head,
	int n_heads, struct error *err)
{
	const struct device *d = c->m->device;
	const size_t n = (size_t)rows->n;

	if (rows->n > c->max_rows || n_heads > c->head.max_heads)
		return error_set(
			err, EXIT_INTERNAL, "a pass of %d rows and %d heads", rows->n, n_heads);
	list_asked(c, rows->n, of_head, n_heads);
	d->upload(c->tokens, rows->tokens, n * sizeof *rows->tokens);
	d->upload(c->positions, rows->positions, n * sizeof *rows->positions);
	d->upload(c->slots, rows->slots, n * sizeof *rows->slots);
	if (c->host.n)
		d->upload(c->asked, c->host.rows, (size_t)c->host.n * sizeof *c->host.rows);
	if (segments_upload(&c->segments, d, rows->n_segments, err) != 0)
		return -1;
	return run_layers(c, rows, c->host.n, err);
}

/* Runs the rows once more, looking for what is not finite; -1. */
static int find_fault(struct cache *c, const struct cache_rows *rows, struct error *err)
{
	c->probe.on = 1;
	if (run_layers(c, rows, -1, err) == 0)
		error_set(err, EXIT_DATA, "a NaN or infinity arose in the output head (lm_head)");
	c->probe.on = 0;
	return -1;
}

int cache_run(struct cache *c, const struct cache_rows *rows, const struct cache_draws *draws,
	struct error *err)
{
	struct cache_draws at_place = *draws;

	at_place.rows = c->host.heads;
	if (run_rows(c, rows, draws->rows, draws->n, err) != 0 ||
		(draws->n && cache_head_draw(&c->head, c->m, c->y, &at_place, &c->bytes, err) != 0))
		return -1;
	for (int i = 0; draws->n && i < draws->start[draws->n]; i++)
		if (draws->token[i] < 0)
			return find_fault(c, rows, err);
	return 0;
}

int cache_score(struct cache *c, const struct cache_rows *rows, const struct cache_scores *scores,
	struct error *err)
{
	const float *logprob = scores->logprob;
	struct cache_scores at_place = *scores;
	float check = 0.0f;

	at_place.rows = c->host.heads;
	if (run_rows(c, rows, scores->rows, scores->n, err) != 0 ||
		(scores->n &&
			cache_head_score(&c->head, c->m, c->y, &at_place, &c->bytes, err) != 0))
		return -1;
	/* Anything not finite makes this sum a NaN. */
	for (int i = 0; i < scores->n; i++)
		for (int32_t k = 0; k < scores->choices[i]->n; k++)
			check += *logprob++ * 0.0f;
	return check == 0.0f ? 0 : find_fault(c, rows, err);
}
