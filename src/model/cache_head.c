/*
 * cache_head.c - draws and scores from the output head.
 *
 * Rows are taken in parts, so that their choices never need more memory than some rows
 * of logits, whatever their number.
 */
#include "model/cache_head.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

int cache_head_alloc(struct cache_head *h, const struct model *m, int max_heads, uint64_t *bytes,
	struct error *err)
{
	const struct device *d = m->device;
	const size_t n = (size_t)max_heads, width = (size_t)m->config.hidden_size;
	const size_t scratch = HEAD_CHUNK * (size_t)m->config.vocab_size * sizeof(float);

	*h = (struct cache_head){.max_heads = max_heads};
	h->host_start = xcalloc(n + 1, sizeof *h->host_start);
	h->host_end = xcalloc(n, sizeof *h->host_end);
	*bytes += n * (width + 2) * sizeof(float) + n * sizeof(double) +
		  (5 * n + 2) * sizeof(int32_t) + scratch;
	if (!(h->x = d->alloc(n * width * sizeof *h->x, err)) ||
		!(h->lse = d->alloc(n * sizeof *h->lse, err)) ||
		!(h->rows = d->alloc(n * sizeof *h->rows, err)) ||
		!(h->start = d->alloc((n + 1) * sizeof *h->start, err)) ||
		!(h->drawn = d->alloc(n * sizeof *h->drawn, err)) ||
		!(h->logprob = d->alloc(n * sizeof *h->logprob, err)) ||
		!(h->uniform = d->alloc(n * sizeof *h->uniform, err)) ||
		!(h->choice_start = d->alloc((n + 1) * sizeof *h->choice_start, err)) ||
		!(h->choice_end = d->alloc(n * sizeof *h->choice_end, err)) ||
		!(h->scratch = d->alloc(scratch, err)))
		return -1;
	return 0;
}

void cache_head_free(struct cache_head *h, const struct device *d)
{
	void *const all[] = {h->x, h->lse, h->scratch, h->rows, h->start, h->drawn, h->logprob,
		h->uniform, h->choice_start, h->choice_end, h->choice, h->score};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		d->free(all[i]);
	free(h->host_start);
	free(h->host_end);
	free(h->host_choice);
	choice_lists_release(&h->lists);
	*h = (struct cache_head){0};
}

/* Room for n choices on the device. */
static int reserve_choices(
	struct cache_head *h, const struct device *d, size_t n, uint64_t *bytes, struct error *err)
{
	const size_t size = sizeof *h->choice + sizeof *h->score;

	if (n <= h->cap_choices)
		return 0;
	d->free(h->choice);
	d->free(h->score);
	*bytes -= h->cap_choices * size;
	h->cap_choices = 0;
	h->score = NULL;
	h->choice = d->alloc(2 * n * sizeof *h->choice, err);
	if (!h->choice || !(h->score = d->alloc(2 * n * sizeof *h->score, err)))
		return error_prefix(err, "choices of %zu tokens", n);
	h->cap_choices = 2 * n;
	*bytes += h->cap_choices * size;
	return 0;
}

/* Choices that a part has room for. */
static size_t part_choices(const struct model *m)
{
	return (size_t)HEAD_CHUNK * (size_t)m->config.vocab_size;
}

static struct head_shape shape_of(const struct model *m)
{
	return (struct head_shape){.hidden = m->config.hidden_size,
		.vocab = m->config.vocab_size,
		.inverse_temperature = 1.0f};
}

static void gather_rows(
	struct cache_head *h, const struct model *m, const float *y, const int32_t *rows, int n)
{
	const int width = m->config.hidden_size;

	m->device->upload(h->rows, rows, (size_t)n * sizeof *rows);
	m->device->gather_rows(h->x, width, y, width, h->rows, n, width);
}

/* Lays out the choices of rows from..n of a call, equal ones once, as many rows as there
 * is room for; *to is the first that did not fit. */
static int load_lists(struct cache_head *h, const struct model *m,
	const struct choices *const *choices, int from, int n, int *to, uint64_t *bytes,
	struct error *err)
{
	const struct device *d = m->device;
	int i;

	choice_lists_clear(&h->lists);
	for (i = from; i < n; i++) {
		const size_t more = choices[i] ? (size_t)choices[i]->n : 0;
		int32_t start = 0;

		if (i > from && h->lists.n_ids + more > part_choices(m))
			break;
		if (more)
			start = choice_lists_add(&h->lists, choices[i], m->config.vocab_size, err);
		if (start < 0)
			return -1;
		h->host_start[i - from] = start;
		h->host_end[i - from] = start + (int32_t)more;
	}
	*to = i;
	if (h->lists.n_ids == 0)
		return 0;
	if (reserve_choices(h, d, h->lists.n_ids, bytes, err) != 0)
		return -1;
	d->upload(h->choice_start, h->host_start, (size_t)(i - from) * sizeof *h->host_start);
	d->upload(h->choice_end, h->host_end, (size_t)(i - from) * sizeof *h->host_end);
	d->upload(h->choice, h->lists.ids, h->lists.n_ids * sizeof *h->choice);
	return 0;
}

int cache_head_draw(struct cache_head *h, const struct model *m, const float *y,
	const struct cache_draws *draws, uint64_t *bytes, struct error *err)
{
	const struct device *d = m->device;
	const size_t n_draws = (size_t)draws->start[draws->n];
	struct head_shape shape = shape_of(m);

	if (draws->n > h->max_heads || n_draws > (size_t)h->max_heads)
		return error_set(err, EXIT_INTERNAL, "%zu draws at once", n_draws);
	d->upload(h->start, draws->start, ((size_t)draws->n + 1) * sizeof *draws->start);
	d->upload(h->uniform, draws->uniform, n_draws * sizeof *draws->uniform);
	gather_rows(h, m, y, draws->rows, draws->n);
	shape.inverse_temperature = draws->inverse_temperature;
	for (int from = 0, to = draws->n; from < draws->n; from = to) {
		to = draws->n;
		if (draws->choices &&
			load_lists(h, m, draws->choices, from, draws->n, &to, bytes, err) != 0)
			return -1;
		shape.n_rows = to - from;
		shape.start = h->start + from;
		shape.choice_start = draws->choices && h->lists.n_ids ? h->choice_start : NULL;
		shape.choice_end = h->choice_end;
		shape.choice = h->choice;
		d->head_sample(&shape, h->drawn, h->logprob, h->uniform,
			h->x + (size_t)from * (size_t)shape.hidden, m->layout->head->data,
			h->scratch);
	}
	d->download(draws->token, h->drawn, n_draws * sizeof *draws->token);
	d->download(draws->logprob, h->logprob, n_draws * sizeof *draws->logprob);
	return d->sync(err);
}

/* Lays out the choices of rows from..n behind one another: they are the edges, too. */
static int load_edges(struct cache_head *h, const struct model *m,
	const struct choices *const *choices, int from, int n, int *to, uint64_t *bytes,
	struct error *err)
{
	const struct device *d = m->device;
	size_t sum = 0;
	int i;

	h->host_start[0] = 0;
	for (i = from; i < n && (i == from || sum + (size_t)choices[i]->n <= part_choices(m));
		i++) {
		sum += (size_t)choices[i]->n;
		h->host_start[i - from + 1] = (int32_t)sum;
	}
	*to = i;
	if (sum > h->cap_host_choices) {
		h->cap_host_choices = 2 * sum;
		h->host_choice =
			xreallocarray(h->host_choice, h->cap_host_choices, sizeof *h->host_choice);
	}
	for (i = from; i < *to; i++)
		memcpy(h->host_choice + h->host_start[i - from], choices[i]->ids,
			(size_t)choices[i]->n * sizeof *h->host_choice);
	if (reserve_choices(h, d, sum, bytes, err) != 0)
		return -1;
	d->upload(
		h->choice_start, h->host_start, ((size_t)(*to - from) + 1) * sizeof *h->host_start);
	d->upload(h->choice, h->host_choice, sum * sizeof *h->choice);
	return 0;
}

int cache_head_score(struct cache_head *h, const struct model *m, const float *y,
	const struct cache_scores *scores, uint64_t *bytes, struct error *err)
{
	const struct device *d = m->device;
	struct head_shape shape = shape_of(m);
	float *logprob = scores->logprob;

	if (scores->n > h->max_heads)
		return error_set(err, EXIT_INTERNAL, "scores of %d rows at once", scores->n);
	gather_rows(h, m, y, scores->rows, scores->n);
	for (int from = 0, to; from < scores->n; from = to) {
		size_t n;

		if (load_edges(h, m, scores->choices, from, scores->n, &to, bytes, err) != 0)
			return -1;
		n = (size_t)h->host_start[to - from];
		shape.n_rows = to - from;
		shape.start = shape.choice_start = h->choice_start;
		shape.token = shape.choice = h->choice;
		d->head_forward(&shape, h->lse, h->score, NULL,
			h->x + (size_t)from * (size_t)shape.hidden, m->layout->head->data,
			h->scratch);
		d->download(logprob, h->score, n * sizeof *logprob);
		logprob += n;
	}
	return d->sync(err);
}
