/*
 * generate.c - sampling over prefix trees.
 *
 * The prompts of all requests are one prefix forest, computed at once.  Then all
 * living branches of all requests take a step together.  A branch is a set of
 * samples that have the same tokens; it keeps its keys in runs of slots, which the
 * first of its children continues; the others begin new ones and attend to those that
 * they share.  Where a guide leaves one token only, it is appended at once, and its row
 * goes through the model with that of the next token drawn.
 */
#include "model/generate.h"

#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "model/follow.h"
#include "model/front.h"

enum {
	/* Rows of a pass; longer ones are cut.  Their activations fit a core's cache. */
	PASS_ROWS = 256,
	/* Slots to begin with, and those that a new branch takes at once: ranges stay
	 * few, and slots at most this many times the rows. */
	FIRST_SLOTS = 1024,
	SLOTS_AHEAD = 8
};

struct generator {
	struct model *m;
	int max_requests, max_prompt, max_samples, max_tokens;
	struct cache cache;
	struct tree *prompts;
	struct front now, next;
	struct groups groups;
	int32_t n_slots;       /* taken */
	int32_t *run;	       /* [max_tokens] of a branch, being put together */
	int32_t *sequence;     /* [max_prompt + max_tokens] */
	int32_t *samples;      /* [max_samples] */
	struct branch *starts; /* [max_requests] one for each sequence of prompts */
	int32_t *order;	       /* [max_requests] these sequences by their last rows */
	int32_t *out_tokens;   /* [request, sample, position] */
	float *out_logprobs;
	struct generator_counts counts;
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

static void alloc_host(struct generator *g, size_t draws)
{
	const size_t out = draws * (size_t)g->max_tokens, vocab = (size_t)g->m->config.vocab_size;
	const size_t sequence = (size_t)g->max_prompt + (size_t)g->max_tokens;

	g->prompts = tree_new();
	front_init(&g->now, draws);
	front_init(&g->next, draws);
	groups_init(&g->groups, (size_t)g->max_samples, g->m->config.vocab_size);
	g->run = xcalloc((size_t)g->max_tokens, sizeof *g->run);
	g->sequence = xcalloc(sequence, sizeof *g->sequence);
	g->samples = xcalloc((size_t)g->max_samples, sizeof *g->samples);
	g->starts = xcalloc((size_t)g->max_requests, sizeof *g->starts);
	g->order = xcalloc((size_t)g->max_requests, sizeof *g->order);
	g->out_tokens = xcalloc(out, sizeof *g->out_tokens);
	g->out_logprobs = xcalloc(out, sizeof *g->out_logprobs);
	g->bytes = out * 8 + 4 * (vocab + sequence) + 2 * draws * (sizeof(struct branch) + 24);
}

struct generator *generator_new(struct model *m, int max_requests, int max_prompt,
	const struct generate_options *o, struct error *err)
{
	struct generator *g;
	int64_t draws, rows, slots;

	if (check_options(o, err) != 0)
		return NULL;
	draws = (int64_t)max_requests * o->n_samples;
	/* The prompts with what is certain behind them; then a step of all samples. */
	rows = (int64_t)max_requests * ((int64_t)max_prompt + o->max_tokens);
	slots = rows + draws * SLOTS_AHEAD * o->max_tokens;
	rows = rows > draws * o->max_tokens ? rows : draws * o->max_tokens;
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
	alloc_host(g, (size_t)draws);
	if (cache_alloc(&g->cache, m, slots < FIRST_SLOTS ? (int)slots : FIRST_SLOTS,
		    rows < PASS_ROWS ? (int)rows : PASS_ROWS, (int)draws,
		    max_prompt + o->max_tokens, err) != 0) {
		generator_free(g);
		return NULL;
	}
	return g;
}

void generator_free(struct generator *g)
{
	if (!g)
		return;
	cache_free(&g->cache);
	tree_free(g->prompts);
	front_free(&g->now);
	front_free(&g->next);
	groups_free(&g->groups);
	free(g->run);
	free(g->sequence);
	free(g->samples);
	free(g->starts);
	free(g->order);
	free(g->out_tokens);
	free(g->out_logprobs);
	free(g);
}

uint64_t generator_bytes(const struct generator *g)
{
	return g->bytes + g->cache.bytes + pass_bytes(&g->now.pass) + pass_bytes(&g->next.pass);
}

uint64_t generator_rows(const struct generator *g)
{
	return g->counts.rows;
}

struct generator_counts generator_counts(const struct generator *g)
{
	return g->counts;
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

/* Appends to the run of g->run what is certain behind it, the completion having
 * `depth` tokens before it; as follow_certain(). */
static int follow(const struct run *r, int32_t request, int32_t depth, int32_t *state, int32_t *n,
	struct error *err)
{
	int alive = follow_certain(r->requests[request].guide, state, r->g->run, n,
		r->o->max_tokens - depth, r->o->end_id, r->g->m->config.vocab_size, err);

	return alive < 0 ? error_prefix(err, "request %d", (int)request) : alive;
}

/* Records the run for some samples; all but its first token, where one was drawn, were
 * certain. */
static void record(struct run *r, int32_t request, const int32_t *samples, int32_t n_samples,
	int32_t n_run, float logprob)
{
	const int32_t *run = r->g->run;

	for (int32_t i = 0; i < n_samples && n_run; i++) {
		struct completion *c = &r->completions[request * r->o->n_samples + samples[i]];

		for (int32_t k = 0; k < n_run; k++) {
			c->tokens[c->n_tokens] = run[k];
			c->logprobs[c->n_tokens++] = k ? 0.0f : logprob;
		}
		c->stopped = run[n_run - 1] == r->o->end_id;
	}
	r->g->counts.tokens += (uint64_t)n_run * (uint64_t)n_samples;
}

/* Asks for a draw for each sample of a branch of the next front. */
static void add_draws(struct run *r, struct front *f, const struct branch *b)
{
	const struct generate_request *q = &r->requests[b->request];

	pass_add_head(&f->pass, b->row, q->guide ? q->guide->choices(q->guide, b->state) : NULL);
	for (int32_t s = 0; s < b->n_samples; s++)
		pass_add_draw(&f->pass,
			rng_at(r->o->seed, RNG_SAMPLE, r->o->step, q->group,
				(uint32_t)f->samples[b->first_sample + s], (uint32_t)b->depth));
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

static int by_row(const void *x, const void *y, void *context)
{
	const int32_t *row = ((const struct tree *)context)->sequence_last_row;
	int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;

	return row[a] != row[b] ? (row[a] < row[b] ? -1 : 1) : a < b ? -1 : a > b;
}

/* The prompts, with what is certain behind them, as a tree: a sequence, and a branch in
 * g->starts, for each request that goes on. */
static int begin_requests(struct run *r, int n, struct error *err)
{
	struct generator *g = r->g;
	struct tree *t = g->prompts;

	tree_clear(t);
	for (int32_t i = 0; i < r->o->n_samples; i++)
		g->samples[i] = i;
	for (int32_t i = 0; i < n; i++) {
		const struct generate_request *q = &r->requests[i];
		struct branch b = {.request = i, .n_samples = r->o->n_samples};
		int alive = follow(r, i, 0, &b.state, &b.depth, err);

		if (alive < 0)
			return -1;
		record(r, i, g->samples, b.n_samples, b.depth, 0.0f);
		if (!alive)
			continue;
		memcpy(g->sequence, q->prompt, (size_t)q->n_prompt * sizeof *g->sequence);
		memcpy(g->sequence + q->n_prompt, g->run, (size_t)b.depth * sizeof *g->run);
		g->order[t->n_sequences] = t->n_sequences;
		g->starts[tree_add(t, g->sequence, q->n_prompt + b.depth, INT32_MAX)] = b;
	}
	return 0;
}

/* The first front: the prompts, and one branch for each request with all its samples. */
static int begin(struct run *r, int n, struct error *err)
{
	struct generator *g = r->g;
	struct tree *t = g->prompts;

	if (begin_requests(r, n, err) != 0)
		return -1;
	front_clear(&g->now);
	if (t->n_sequences == 0)
		return 0;
	tree_pack(t, 0);
	pass_add_tree(&g->now.pass, t);
	g->n_slots = t->n_rows;
	qsort_r(g->order, (size_t)t->n_sequences, sizeof *g->order, by_row, t);
	for (int32_t i = 0; i < t->n_sequences; i++) {
		struct branch *b = &g->starts[g->order[i]];

		b->row = t->sequence_last_row[g->order[i]];
		b->run = node_of(t, b->row);
		add_draws(r, &g->now, front_add(&g->now, b, g->samples));
	}
	return 0;
}

/* Slots for a run of n rows behind a branch: the rest of those that the branch reserved,
 * if the run is its first child's and fits, or new ones. */
static int32_t take_slots(
	struct run *r, const struct branch *b, int32_t n, int is_first, int32_t *end)
{
	struct generator *g = r->g;
	int32_t next = g->now.pass.slots[b->row] + 1, ahead = r->o->max_tokens - b->depth;

	if (is_first && b->slots_end - next >= n) {
		*end = b->slots_end;
		return next;
	}
	if (ahead > SLOTS_AHEAD)
		ahead = SLOTS_AHEAD;
	next = g->n_slots;
	g->n_slots += n > ahead ? n : ahead;
	*end = g->n_slots;
	return next;
}

/* Samples of branch b have drawn the same token: records it and what is certain behind
 * it; a branch of the next front, unless they have all ended. */
static int add_child(struct run *r, const struct branch *b, const int32_t *draws, int32_t n,
	int is_first, struct error *err)
{
	struct generator *g = r->g;
	struct front *f = &g->next;
	const int32_t first = g->now.pass.start[b - g->now.branches];
	struct branch c = {.request = b->request, .state = b->state, .n_samples = n};
	int32_t n_run = 1, slot;
	int alive;

	for (int32_t i = 0; i < n; i++)
		g->samples[i] = g->now.samples[b->first_sample + draws[i]];
	g->run[0] = g->now.pass.drawn[first + draws[0]];
	alive = follow(r, b->request, b->depth, &c.state, &n_run, err);
	if (alive < 0)
		return -1;
	record(r, b->request, g->samples, n, n_run, g->now.pass.logprob[first + draws[0]]);
	g->counts.drawn += (uint64_t)n;
	if (!alive)
		return 0;
	slot = take_slots(r, b, n_run, is_first, &c.slots_end);
	c.depth = b->depth + n_run;
	c.run = pass_add_run(
		&f->pass, g->run, n_run, r->requests[b->request].n_prompt + b->depth, slot);
	c.row = f->pass.n_rows - 1;
	pass_add_past_of(&f->pass, &g->now.pass, b->run, b->row);
	add_draws(r, f, front_add(f, &c, g->samples));
	return 1;
}

/* The next front: a child for each distinct token that a branch has drawn, in the order
 * of first appearance; flat: one for each sample. */
static int advance(struct run *r, struct error *err)
{
	struct generator *g = r->g;
	const struct front swap = g->now;

	front_clear(&g->next);
	for (int32_t i = 0; i < g->now.n; i++) {
		const struct branch *b = &g->now.branches[i];
		int children = 0;

		groups_make(&g->groups, g->now.pass.drawn + g->now.pass.start[i], b->n_samples,
			r->o->flat);
		for (int32_t k = 0; k < g->groups.n; k++) {
			int32_t from = g->groups.first[k], to = g->groups.first[k + 1];
			int made = add_child(
				r, b, g->groups.draw + from, to - from, children == 0, err);

			if (made < 0)
				return -1;
			children += made;
		}
	}
	g->now = g->next;
	g->next = swap;
	return 0;
}

int generate(struct generator *g, const struct generate_request *requests, int n,
	const struct generate_options *o, struct completion *completions, struct error *err)
{
	struct run r = {g, requests, o, completions};
	const float inverse = o->temperature > 0.0f ? 1.0f / o->temperature : 0.0f;

	if (check_call(&r, n, err) != 0)
		return -1;
	for (int i = 0; i < n * o->n_samples; i++)
		completions[i] = (struct completion){
			.tokens = g->out_tokens + (size_t)i * (size_t)g->max_tokens,
			.logprobs = g->out_logprobs + (size_t)i * (size_t)g->max_tokens,
		};
	if (begin(&r, n, err) != 0)
		return -1;
	while (g->now.n) {
		g->counts.rows += (uint64_t)g->now.pass.n_rows;
		g->counts.passes += (uint64_t)g->now.pass.n_heads;
		if (cache_reserve(&g->cache, g->n_slots, err) != 0 ||
			pass_draw(&g->now.pass, &g->cache, inverse, err) != 0 ||
			advance(&r, err) != 0)
			return -1;
	}
	return 0;
}
