/* cache.c - passes of rows over cached keys and values. */
#include "model/cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
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
		!(c->probe.index = memory(c, 1, sizeof(int64_t), err)))
		return -1;
	return segments_alloc(&c->segments, c->m->device, c->max_rows, &c->bytes, err);
}

static int alloc_draws(struct cache *c, size_t draws, struct error *err)
{
	const size_t h = (size_t)c->m->config.hidden_size;
	const size_t v = (size_t)c->m->config.vocab_size;

	if (!(c->head_x = memory(c, draws * h, sizeof(float), err)) ||
		!(c->head_rows = memory(c, draws, sizeof(int32_t), err)) ||
		!(c->head_start = memory(c, draws + 1, sizeof(int32_t), err)) ||
		!(c->drawn = memory(c, draws, sizeof(int32_t), err)) ||
		!(c->logprob = memory(c, draws, sizeof(float), err)) ||
		!(c->uniform = memory(c, draws, sizeof(double), err)) ||
		!(c->choice_start = memory(c, draws + 1, sizeof(int32_t), err)) ||
		!(c->lse = memory(c, draws, sizeof(float), err)) ||
		!(c->scratch = memory(c, HEAD_CHUNK * v, sizeof(float), err)))
		return -1;
	return 0;
}

int cache_alloc(struct cache *c, struct model *m, int max_slots, int max_rows, int max_draws,
	int max_positions, struct error *err)
{
	const size_t width = 2 * (size_t)m->config.n_kv_heads * (size_t)m->config.head_dim;

	*c = (struct cache){
		.m = m, .max_slots = max_slots, .max_rows = max_rows, .max_heads = max_draws};
	c->kv = xcalloc((size_t)m->config.n_layers, sizeof *c->kv);
	for (int i = 0; i < m->config.n_layers; i++)
		if (!(c->kv[i] = memory(c, (size_t)max_slots * width, sizeof(float), err)))
			return -1;
	c->bytes += (size_t)max_positions * (size_t)m->config.head_dim * sizeof(float);
	if (!(c->cos_sin = rope_table_new(m, max_positions, err)))
		return -1;
	if (alloc_rows(c, (size_t)max_rows, err) != 0)
		return -1;
	c->host_choice_start = xcalloc((size_t)max_draws + 1, sizeof *c->host_choice_start);
	return alloc_draws(c, (size_t)max_draws, err);
}

void cache_free(struct cache *c)
{
	if (!c->m)
		return;
	void *const all[] = {c->x, c->delta, c->y, c->inv, c->head_x, c->scratch, c->cos_sin,
		c->tokens, c->positions, c->slots, c->head_rows, c->head_start, c->drawn,
		c->logprob, c->uniform, c->choice_start, c->choice, c->score, c->lse,
		c->probe.index};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		c->m->device->free(all[i]);
	for (int i = 0; i < c->m->config.n_layers; i++)
		c->m->device->free(c->kv[i]);
	free(c->kv);
	free(c->host_choice_start);
	free(c->host_choice);
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

static int run_layers(struct cache *c, const struct cache_rows *rows, struct error *err)
{
	const struct model *m = c->m;
	const struct model_config *config = &m->config;
	const struct device *d = m->device;
	const int n = rows->n, h = config->hidden_size, hd = config->head_dim;
	const int width = qkv_width(config), keys = config->n_heads * hd;
	const int kv_width = config->n_kv_heads * hd;
	struct layer_buffers *b = &c->buffers;
	const struct decoder_pass p = {.m = m,
		.n = n,
		.positions = c->positions,
		.cos_sin = c->cos_sin,
		.probe = &c->probe};
	const struct attention_shape shape = {.n_heads = config->n_heads,
		.n_kv_heads = config->n_kv_heads,
		.head_dim = hd,
		.scale = 1.0f / sqrtf((float)hd),
		.n_queries = n,
		.n_segments = rows->n_segments,
		.segments = c->segments.segments,
		.ranges = c->segments.ranges};

	d->gather_rows(b->x, h, m->layout->embedding->data, h, c->tokens, n, h);
	for (int i = 0; i < config->n_layers; i++) {
		if (layer_begin(&p, i, b, i ? b->mid : b->x, i ? c->delta : NULL, err) != 0)
			return -1;
		d->scatter_rows(
			c->kv[i], 2 * kv_width, b->qkv + keys, width, c->slots, n, 2 * kv_width);
		d->attention(&shape, b->attended, b->lse, b->qkv, width, c->kv[i],
			c->kv[i] + kv_width, 2 * kv_width);
		if (layer_end(&p, i, b, c->delta, err) != 0)
			return -1;
	}
	d->add_rmsnorm(c->x, c->y, c->inv, b->mid, c->delta, m->layout->norm->data,
		config->rms_norm_eps, n, h);
	return probe_check(&p, c->y, (int64_t)n * h, -1, "the final norm", err);
}

/* Room for the choices of some rows of the head. */
static int reserve_choices(struct cache *c, size_t n, struct error *err)
{
	const struct device *d = c->m->device;
	size_t more = n > 2 * c->cap_choices ? n : 2 * c->cap_choices;

	if (n <= c->cap_choices)
		return 0;
	d->free(c->choice);
	d->free(c->score);
	c->bytes -= c->cap_choices * (sizeof *c->choice + sizeof *c->score);
	c->cap_choices = 0;
	c->choice = d->alloc(more * sizeof *c->choice, err);
	c->score = d->alloc(more * sizeof *c->score, err);
	c->host_choice = xreallocarray(c->host_choice, more, sizeof *c->host_choice);
	if (!c->choice || !c->score)
		return error_prefix(err, "choices of %zu tokens", n);
	c->cap_choices = more;
	c->bytes += more * (sizeof *c->choice + sizeof *c->score);
	return 0;
}

/* Rows of the head are computed in parts, so that all their choices never need more
 * memory than some rows of logits.  Loads those of the rows from `from` on, as many as
 * fit; *to is the first that did not. */
static int load_choices(struct cache *c, const struct choices *const *choices, int from, int n,
	int *to, struct error *err)
{
	const struct device *d = c->m->device;
	const size_t most = (size_t)HEAD_CHUNK * (size_t)c->m->config.vocab_size;
	size_t sum = 0;
	int i;

	c->host_choice_start[0] = 0;
	for (i = from; i < n; i++) {
		size_t more = choices[i] ? (size_t)choices[i]->n : 0;

		if (i > from && sum + more > most)
			break;
		sum += more;
		c->host_choice_start[i - from + 1] = (int32_t)sum;
	}
	*to = i;
	if (reserve_choices(c, sum, err) != 0)
		return -1;
	for (i = from; i < *to; i++)
		if (choices[i])
			memcpy(c->host_choice + c->host_choice_start[i - from], choices[i]->ids,
				(size_t)choices[i]->n * sizeof *c->host_choice);
	d->upload(c->choice_start, c->host_choice_start,
		((size_t)(*to - from) + 1) * sizeof *c->choice_start);
	d->upload(c->choice, c->host_choice, sum * sizeof *c->choice);
	return 0;
}

static struct head_shape head_shape_of(const struct cache *c)
{
	return (struct head_shape){.hidden = c->m->config.hidden_size,
		.vocab = c->m->config.vocab_size,
		.inverse_temperature = 1.0f};
}

/* The final states of the rows that something is asked of. */
static void gather_heads(struct cache *c, const int32_t *rows, int n)
{
	const int h = c->m->config.hidden_size;

	c->m->device->upload(c->head_rows, rows, (size_t)n * sizeof *rows);
	c->m->device->gather_rows(c->head_x, h, c->y, h, c->head_rows, n, h);
}

static int draw(struct cache *c, const struct cache_draws *draws, struct error *err)
{
	const struct device *d = c->m->device;
	const size_t n_draws = (size_t)draws->start[draws->n];
	struct head_shape shape = head_shape_of(c);

	d->upload(c->head_start, draws->start, ((size_t)draws->n + 1) * sizeof *draws->start);
	d->upload(c->uniform, draws->uniform, n_draws * sizeof *draws->uniform);
	gather_heads(c, draws->rows, draws->n);
	shape.inverse_temperature = draws->inverse_temperature;
	for (int from = 0, to = draws->n; from < draws->n; from = to) {
		to = draws->n;
		if (draws->choices &&
			load_choices(c, draws->choices, from, draws->n, &to, err) != 0)
			return -1;
		shape.n_rows = to - from;
		shape.start = c->head_start + from;
		if (draws->choices && c->host_choice_start[to - from]) {
			shape.choice_start = c->choice_start;
			shape.choice = c->choice;
		} else {
			shape.choice_start = shape.choice = NULL;
		}
		d->head_sample(&shape, c->drawn, c->logprob, c->uniform,
			c->head_x + (size_t)from * shape.hidden, c->m->layout->head->data,
			c->scratch);
	}
	d->download(draws->token, c->drawn, n_draws * sizeof *draws->token);
	d->download(draws->logprob, c->logprob, n_draws * sizeof *draws->logprob);
	return d->sync(err);
}

/* An edge for each choice. */
static int score(struct cache *c, const struct cache_scores *scores, struct error *err)
{
	const struct device *d = c->m->device;
	struct head_shape shape = head_shape_of(c);
	float *logprob = scores->logprob;

	gather_heads(c, scores->rows, scores->n);
	for (int from = 0, to; from < scores->n; from = to) {
		if (load_choices(c, scores->choices, from, scores->n, &to, err) != 0)
			return -1;
		shape.n_rows = to - from;
		shape.start = shape.choice_start = c->choice_start;
		shape.token = shape.choice = c->choice;
		d->head_forward(&shape, c->lse, c->score, NULL,
			c->head_x + (size_t)from * shape.hidden, c->m->layout->head->data,
			c->scratch);
		d->download(logprob, c->score,
			(size_t)c->host_choice_start[to - from] * sizeof *logprob);
		logprob += c->host_choice_start[to - from];
	}
	return d->sync(err);
}

static int run_rows(struct cache *c, const struct cache_rows *rows, struct error *err)
{
	const struct device *d = c->m->device;
	const size_t n = (size_t)rows->n;

	if (rows->n > c->max_rows)
		return error_set(err, EXIT_INTERNAL, "a pass of %d rows", rows->n);
	d->upload(c->tokens, rows->tokens, n * sizeof *rows->tokens);
	d->upload(c->positions, rows->positions, n * sizeof *rows->positions);
	d->upload(c->slots, rows->slots, n * sizeof *rows->slots);
	if (segments_upload(&c->segments, d, rows->n_segments, err) != 0)
		return -1;
	return run_layers(c, rows, err);
}

/* Runs the rows once more, looking for what is not finite; -1. */
static int find_fault(struct cache *c, const struct cache_rows *rows, struct error *err)
{
	c->probe.on = 1;
	if (run_layers(c, rows, err) == 0)
		error_set(err, EXIT_DATA, "a NaN or infinity arose in the output head (lm_head)");
	c->probe.on = 0;
	return -1;
}

int cache_run(struct cache *c, const struct cache_rows *rows, const struct cache_draws *draws,
	struct error *err)
{
	if (run_rows(c, rows, err) != 0 || (draws->n && draw(c, draws, err) != 0))
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
	float check = 0.0f;

	if (run_rows(c, rows, err) != 0 || (scores->n && score(c, scores, err) != 0))
		return -1;
	/* Anything not finite makes this sum a NaN. */
	for (int i = 0; i < scores->n; i++)
		for (int32_t k = 0; k < scores->choices[i]->n; k++)
			check += *logprob++ * 0.0f;
	return check == 0.0f ? 0 : find_fault(c, rows, err);
}
