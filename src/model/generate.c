/*
 * generate.c - sampling over prefix trees.
 *
 * The prompts of all requests are one prefix forest, computed at once.  Then all
 * living branches of all requests take a step together.  A branch is a set of
 * samples that have drawn the same tokens; it keeps its keys in a run of slots of
 * its own, which the first of its children continues; the others begin new runs
 * and attend to the part of the old ones that they share.
 */
#include "model/generate.h"

#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "model/cache.h"

struct branch {
	int32_t request, depth;		 /* tokens drawn so far */
	int32_t slot;			 /* of its row, that of the token drawn last */
	int32_t first_range, n_ranges;	 /* of its past, in path_ranges */
	int32_t first_sample, n_samples; /* in the list of samples */
};

/* The branches of one step, their samples and their past. */
struct front {
	struct branch *branches;
	int n;
	int32_t *samples; /* index of a sample within its request */
	struct key_range *ranges;
	size_t n_ranges, cap_ranges;
};

struct generator {
	struct model *m;
	int max_requests, max_prompt, max_samples, max_tokens;
	struct cache cache;
	struct tree *prompts;
	struct front now, next;
	int32_t n_slots; /* taken */
	int32_t *tokens, *positions, *slots, *rows, *start, *drawn;
	float *logprob;
	double *uniform;
	int32_t *out_tokens; /* [request, sample, position] */
	float *out_logprobs;
	uint64_t n_rows;
	uint64_t bytes;
};

/* What one call of generate() works on. */
struct run {
	struct generator *g;
	const struct generate_request *requests;
	const struct generate_options *o;
	struct completion *completions;
};

static int check_options(const struct generate_options *o, struct error *err)
{
	enum {
		MAX_SAMPLES = 1 << 20
	};

	if (o->n_samples < 1 || o->n_samples > MAX_SAMPLES || o->max_tokens < 1)
		return error_set(err, EXIT_INTERNAL, "%d samples of at most %d tokens",
			o->n_samples, o->max_tokens);
	if (!(o->temperature >= 0.0f) || !(o->temperature <= 1e6f))
		return error_set(err, EXIT_INTERNAL, "temperature %g", (double)o->temperature);
	return 0;
}

static void alloc_host(struct generator *g, size_t rows, size_t draws)
{
	const size_t out = draws * (size_t)g->max_tokens;

	g->tokens = xcalloc(rows, sizeof *g->tokens);
	g->positions = xcalloc(rows, sizeof *g->positions);
	g->slots = xcalloc(rows, sizeof *g->slots);
	g->rows = xcalloc(draws, sizeof *g->rows);
	g->start = xcalloc(draws + 1, sizeof *g->start);
	g->drawn = xcalloc(draws, sizeof *g->drawn);
	g->logprob = xcalloc(draws, sizeof *g->logprob);
	g->uniform = xcalloc(draws, sizeof *g->uniform);
	g->out_tokens = xcalloc(out, sizeof *g->out_tokens);
	g->out_logprobs = xcalloc(out, sizeof *g->out_logprobs);
	for (int i = 0; i < 2; i++) {
		struct front *f = i ? &g->now : &g->next;

		f->branches = xcalloc(draws, sizeof *f->branches);
		f->samples = xcalloc(draws, sizeof *f->samples);
		f->cap_ranges = 4 * draws;
		f->ranges = xcalloc(f->cap_ranges, sizeof *f->ranges);
	}
	g->bytes = rows * 12 + draws * 32 + out * 8 +
		   2 * draws * (sizeof(struct branch) + 4 + 4 * sizeof(struct key_range));
}

struct generator *generator_new(struct model *m, int max_requests, int max_prompt,
	const struct generate_options *o, struct error *err)
{
	struct generator *g;
	int64_t draws, prompt_rows, slots;

	if (check_options(o, err) != 0)
		return NULL;
	draws = (int64_t)max_requests * o->n_samples;
	prompt_rows = (int64_t)max_requests * max_prompt;
	slots = prompt_rows + draws * o->max_tokens;
	if (max_requests < 1 || max_prompt < 1 || slots > INT32_MAX) {
		error_set(err, EXIT_DATA,
			"%d requests of %d tokens with %d samples of %d tokens: too many",
			max_requests, max_prompt, o->n_samples, o->max_tokens);
		return NULL;
	}
	g = xcalloc(1, sizeof *g);
	g->m = m;
	g->max_requests = max_requests;
	g->max_prompt = max_prompt;
	g->max_samples = o->n_samples;
	g->max_tokens = o->max_tokens;
	g->prompts = tree_new();
	alloc_host(g, (size_t)(prompt_rows > draws ? prompt_rows : draws), (size_t)draws);
	if (cache_alloc(&g->cache, m, (int)slots, (int)(prompt_rows > draws ? prompt_rows : draws),
		    (int)draws, max_prompt + o->max_tokens, err) != 0) {
		generator_free(g);
		return NULL;
	}
	return g;
}

static void front_free(struct front *f)
{
	free(f->branches);
	free(f->samples);
	free(f->ranges);
}

void generator_free(struct generator *g)
{
	if (!g)
		return;
	cache_free(&g->cache);
	tree_free(g->prompts);
	front_free(&g->now);
	front_free(&g->next);
	free(g->tokens);
	free(g->positions);
	free(g->slots);
	free(g->rows);
	free(g->start);
	free(g->drawn);
	free(g->logprob);
	free(g->uniform);
	free(g->out_tokens);
	free(g->out_logprobs);
	free(g);
}

uint64_t generator_bytes(const struct generator *g)
{
	return g->bytes + g->cache.bytes;
}

uint64_t generator_rows(const struct generator *g)
{
	return g->n_rows;
}

static void front_add_range(struct front *f, struct branch *b, struct key_range range)
{
	struct key_range *last = b->n_ranges ? &f->ranges[f->n_ranges - 1] : NULL;

	if (last && last->start + last->len == range.start) {
		last->len += range.len;
		return;
	}
	f->ranges = array_grow(f->ranges, &f->cap_ranges, f->n_ranges, sizeof *f->ranges);
	f->ranges[f->n_ranges++] = range;
	b->n_ranges++;
}

static int check_request(const struct run *r, int i, struct error *err)
{
	const struct generator *g = r->g;
	const struct generate_request *q = &r->requests[i];
	const struct model_config *c = &g->m->config;

	if (q->n_prompt < 1 || q->n_prompt > g->max_prompt)
		return error_set(err, EXIT_DATA,
			"request %d: a prompt of %d tokens; 1 to %d are possible", i,
			(int)q->n_prompt, g->max_prompt);
	if ((int64_t)q->n_prompt + r->o->max_tokens > c->max_positions)
		return error_set(err, EXIT_DATA,
			"request %d: %d prompt tokens and %d new ones exceed the model's %d "
			"positions",
			i, (int)q->n_prompt, r->o->max_tokens, c->max_positions);
	for (int32_t t = 0; t < q->n_prompt; t++)
		if (q->prompt[t] < 0 || q->prompt[t] >= c->vocab_size)
			return error_set(err, EXIT_DATA,
				"request %d: token %d is not in a vocabulary of %d", i,
				(int)q->prompt[t], c->vocab_size);
	return 0;
}

static int check_call(const struct run *r, int n, struct error *err)
{
	const struct generator *g = r->g;

	if (check_options(r->o, err) != 0)
		return -1;
	if (n > g->max_requests || r->o->n_samples > g->max_samples ||
		r->o->max_tokens > g->max_tokens)
		return error_set(err, EXIT_INTERNAL,
			"%d requests, %d samples, %d tokens: the generator was made for %d, %d, %d",
			n, r->o->n_samples, r->o->max_tokens, g->max_requests, g->max_samples,
			g->max_tokens);
	for (int i = 0; i < n; i++)
		if (check_request(r, i, err) != 0)
			return -1;
	return 0;
}

/* The node that holds a row: nodes are in order of their rows. */
static int32_t node_of(const struct tree *t, int32_t row)
{
	int32_t lo = 0, hi = t->n_nodes - 1;

	while (lo < hi) {
		int32_t mid = (lo + hi + 1) / 2;

		if (t->nodes[mid].start <= row)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

/* Packs the prompts; one branch a request, with all its samples.  Rows and slots
 * of the prompts are the same numbers. */
static int begin(struct run *r, int n, struct error *err)
{
	struct generator *g = r->g;
	struct tree *t = g->prompts;
	struct front *f = &g->now;

	tree_clear(t);
	for (int i = 0; i < n; i++)
		tree_add(t, r->requests[i].prompt, r->requests[i].n_prompt, INT32_MAX);
	tree_pack(t, 0);
	if (segments_load(&g->cache.segments, g->m->device, t, err) != 0)
		return -1;
	f->n = 0;
	f->n_ranges = 0;
	for (int i = 0; i < n; i++) {
		struct branch *b = &f->branches[f->n++];
		int32_t row = t->sequence_last_row[i];
		const struct attention_segment *s =
			&g->cache.segments.host_segments[node_of(t, row)];

		*b = (struct branch){
			.request = i,
			.first_range = (int32_t)f->n_ranges,
			.first_sample = i * r->o->n_samples,
			.n_samples = r->o->n_samples,
		};
		for (int32_t a = 0; a < s->n_ranges; a++)
			front_add_range(f, b, g->cache.segments.host_ranges[s->first_range + a]);
		front_add_range(f, b, (struct key_range){s->own, row - s->own + 1});
		for (int k = 0; k < r->o->n_samples; k++)
			f->samples[b->first_sample + k] = k;
		g->rows[i] = row;
	}
	for (int32_t i = 0; i < t->n_rows; i++)
		g->slots[i] = i;
	g->n_slots = t->n_rows;
	return 0;
}

/* Uniforms for every sample of every branch; draws are in order of branches. */
static void prepare_draws(struct run *r)
{
	struct generator *g = r->g;
	const struct front *f = &g->now;
	int32_t n = 0;

	for (int i = 0; i < f->n; i++) {
		const struct branch *b = &f->branches[i];

		g->start[i] = n;
		for (int32_t s = 0; s < b->n_samples; s++)
			g->uniform[n++] = rng_at(r->o->seed, RNG_SAMPLE, r->o->step,
				r->requests[b->request].group,
				(uint32_t)f->samples[b->first_sample + s], (uint32_t)b->depth);
	}
	g->start[f->n] = n;
}

/* Records the draw of one sample; 1 where it goes on. */
static int record(
	struct run *r, const struct branch *b, int32_t sample, int32_t token, float logprob)
{
	struct completion *c = &r->completions[b->request * r->o->n_samples + sample];

	c->tokens[c->n_tokens] = token;
	c->logprobs[c->n_tokens++] = logprob;
	c->stopped = token == r->o->end_id;
	return !c->stopped && c->n_tokens < r->o->max_tokens;
}

/* Starts a child of b in the next front.  Its past is b's and the row of b itself
 * (that of a prompt's end is in its ranges already); its own row comes next, for
 * the first child in b's run of slots. */
static struct branch *add_child(struct run *r, const struct branch *b, int is_first)
{
	struct generator *g = r->g;
	struct front *f = &g->next;
	struct branch *c = &f->branches[f->n];

	*c = (struct branch){
		.request = b->request,
		.depth = b->depth + 1,
		.slot = b->slot + 1,
		.first_range = (int32_t)f->n_ranges,
		.first_sample =
			f->n ? f->branches[f->n - 1].first_sample + f->branches[f->n - 1].n_samples
			     : 0,
	};
	if (!is_first || b->depth == 0) {
		c->slot = g->n_slots;
		g->n_slots += r->o->max_tokens - c->depth;
	}
	for (int32_t a = 0; a < b->n_ranges; a++)
		front_add_range(f, c, g->now.ranges[b->first_range + a]);
	if (b->depth)
		front_add_range(f, c, (struct key_range){b->slot, 1});
	f->n++;
	return c;
}

/* Sorts the draws of branch i into children: one for each distinct token that goes
 * on, in the order of first appearance; flat: one for each sample. */
static void branch_out(struct run *r, int i)
{
	struct generator *g = r->g;
	struct front *f = &g->next;
	const struct branch *b = &g->now.branches[i];
	const int32_t *drawn = g->drawn + g->start[i];
	int first = f->n;

	for (int32_t s = 0; s < b->n_samples; s++) {
		struct branch *child = NULL;
		int32_t sample = g->now.samples[b->first_sample + s];
		int seen = 0;

		if (!record(r, b, sample, drawn[s], g->logprob[g->start[i] + s]))
			continue;
		for (int32_t u = 0; u < s && !r->o->flat && !seen; u++)
			seen = drawn[u] == drawn[s];
		if (seen)
			continue;
		child = add_child(r, b, f->n == first);
		g->tokens[f->n - 1] = drawn[s];
		for (int32_t u = s; u < (r->o->flat ? s + 1 : b->n_samples); u++)
			if (drawn[u] == drawn[s])
				f->samples[child->first_sample + child->n_samples++] =
					g->now.samples[b->first_sample + u];
	}
}

/* Lays the next front out as the rows of a pass and makes it the current one. */
static void advance(struct run *r)
{
	struct generator *g = r->g;
	struct segments *s = &g->cache.segments;
	struct front swap;

	g->next.n = 0;
	g->next.n_ranges = 0;
	for (int i = 0; i < g->now.n; i++)
		branch_out(r, i);
	swap = g->now;
	g->now = g->next;
	g->next = swap;
	s->n_ranges = 0;
	for (int i = 0; i < g->now.n; i++) {
		struct branch *b = &g->now.branches[i];
		size_t first = s->n_ranges;

		g->positions[i] = r->requests[b->request].n_prompt + b->depth - 1;
		g->slots[i] = b->slot;
		g->rows[i] = i;
		for (int32_t a = 0; a < b->n_ranges; a++)
			segments_add_range(s, first, g->now.ranges[b->first_range + a]);
		s->host_segments[i] = (struct attention_segment){
			.query = i,
			.n_queries = 1,
			.own = b->slot,
			.first_range = (int32_t)first,
			.n_ranges = (int32_t)(s->n_ranges - first),
			.reach = i + 1,
		};
	}
}

int generate(struct generator *g, const struct generate_request *requests, int n,
	const struct generate_options *o, struct completion *completions, struct error *err)
{
	struct run r = {g, requests, o, completions};
	struct tree *t = g->prompts;
	struct cache_rows rows;
	struct cache_draws draws;

	if (check_call(&r, n, err) != 0)
		return -1;
	for (int i = 0; i < n * o->n_samples; i++)
		completions[i] = (struct completion){
			.tokens = g->out_tokens + (size_t)i * (size_t)g->max_tokens,
			.logprobs = g->out_logprobs + (size_t)i * (size_t)g->max_tokens,
		};
	if (n == 0)
		return 0;
	if (begin(&r, n, err) != 0)
		return -1;
	rows = (struct cache_rows){t->n_rows, t->n_nodes, t->tokens, t->positions, g->slots};
	while (g->now.n) {
		prepare_draws(&r);
		draws = (struct cache_draws){.n = g->now.n,
			.rows = g->rows,
			.start = g->start,
			.uniform = g->uniform,
			.inverse_temperature = o->temperature > 0.0f ? 1.0f / o->temperature : 0.0f,
			.token = g->drawn,
			.logprob = g->logprob};
		if (cache_run(&g->cache, &rows, &draws, err) != 0)
			return -1;
		g->n_rows += (uint64_t)rows.n;
		advance(&r);
		rows = (struct cache_rows){g->now.n, g->now.n, g->tokens, g->positions, g->slots};
	}
	return 0;
}
