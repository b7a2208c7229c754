/* search.c - best-first search over the prefixes of a guide's language. */
#include "model/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "model/follow.h"
#include "model/pass.h"

enum {
	/* Rows of a pass, longer ones are cut; slots to begin with. */
	PASS_ROWS = 256,
	FIRST_SLOTS = 512
};

/* Prefixes that are less probable than the best open one by this factor, as a log, are
 * not worth a pass before their time. */
static const double SPECULATE = 3.0;

enum phase {
	FRESH,	 /* a token was chosen; what is certain behind it is not known yet */
	READY,	 /* has choices to ask the model about, or has asked */
	COMPLETE /* ends with the end token */
};

struct node {
	int32_t parent;	    /* -1: the root */
	int32_t token;	    /* chosen behind the parent's; the root has none */
	int32_t run, n_run; /* in s->tokens: that token and what is certain behind it */
	int32_t depth;	    /* tokens of the completion so far */
	int32_t state;
	int32_t slot, n_rows; /* of the run (the root: of the prompt, too) */
	enum phase phase;
	double logprob;
};

struct search {
	struct model *m;
	int max_prompt, max_tokens, max_batch;
	struct cache cache;
	struct pass pass;
	int64_t n_slots;
	struct node *nodes;
	int32_t *tokens; /* runs */
	int32_t *heap;	 /* open prefixes and completions, the best on top */
	int32_t *aside, *batch;
	float *scores;
	struct found *found;
	int32_t *found_tokens; /* [found, max_tokens] */
	size_t n_nodes, n_tokens, n_heap, n_batch, n_aside;
	size_t cap_nodes, cap_tokens, cap_heap, cap_aside, cap_scores, cap_found;
	int32_t *path, *other_path; /* [max_tokens] */
};

/* What one call works on. */
struct call {
	struct search *s;
	const int32_t *prompt;
	int32_t n_prompt;
	struct guide *guide;
	const struct search_options *o;
	struct search_result *result;
};

struct search *search_new(
	struct model *m, int max_prompt, const struct search_options *o, struct error *err)
{
	struct search *s;

	if (max_prompt < 1 || o->max_tokens < 1 || o->batch < 1 ||
		max_prompt > INT32_MAX / 2 - o->max_tokens) {
		error_set(err, EXIT_INTERNAL, "a search of %d tokens behind %d, %d at once",
			o->max_tokens, max_prompt, o->batch);
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	s->m = m;
	s->max_prompt = max_prompt;
	s->max_tokens = o->max_tokens;
	s->max_batch = o->batch;
	s->batch = xcalloc((size_t)o->batch, sizeof *s->batch);
	s->path = xcalloc((size_t)o->max_tokens, sizeof *s->path);
	s->other_path = xcalloc((size_t)o->max_tokens, sizeof *s->other_path);
	if (cache_alloc(&s->cache, m, FIRST_SLOTS, PASS_ROWS, o->batch, max_prompt + o->max_tokens,
		    err) != 0) {
		search_free(s);
		return NULL;
	}
	return s;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	cache_free(&s->cache);
	pass_free(&s->pass);
	free(s->nodes);
	free(s->tokens);
	free(s->heap);
	free(s->aside);
	free(s->batch);
	free(s->scores);
	free(s->found);
	free(s->found_tokens);
	free(s->path);
	free(s->other_path);
	free(s);
}

uint64_t search_bytes(const struct search *s)
{
	return s->cache.bytes + pass_bytes(&s->pass) + s->cap_nodes * sizeof *s->nodes +
	       (s->cap_tokens + s->cap_heap + s->cap_scores + s->cap_aside) * 4 +
	       s->cap_found * (sizeof *s->found + 4 * (size_t)s->max_tokens);
}

/* The tokens of a prefix into path[max_tokens]; how many. */
static int32_t path_of(const struct search *s, int32_t index, int32_t *path)
{
	const struct node *n = &s->nodes[index];
	int32_t depth = n->depth;

	for (int32_t at = depth; index >= 0; index = n->parent) {
		n = &s->nodes[index];
		at -= n->n_run;
		memcpy(path + at, s->tokens + n->run, (size_t)n->n_run * sizeof *path);
	}
	return depth;
}

/* The more probable first; of equals the one whose tokens come first.  What a prefix is
 * continued to keeps its place among others. */
static int comes_before(const struct search *s, int32_t a, int32_t b)
{
	double p = s->nodes[a].logprob, q = s->nodes[b].logprob;
	int32_t m, n;

	if (p != q)
		return p > q;
	m = path_of(s, a, s->path);
	n = path_of(s, b, s->other_path);
	for (int32_t i = 0; i < m && i < n; i++)
		if (s->path[i] != s->other_path[i])
			return s->path[i] < s->other_path[i];
	return m < n;
}

static void heap_push(struct search *s, int32_t node)
{
	size_t at = s->n_heap;

	s->heap = array_grow(s->heap, &s->cap_heap, s->n_heap++, sizeof *s->heap);
	while (at && comes_before(s, node, s->heap[(at - 1) / 2])) {
		s->heap[at] = s->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	s->heap[at] = node;
}

static int32_t heap_pop(struct search *s)
{
	int32_t top = s->heap[0], node = s->heap[--s->n_heap];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < s->n_heap) {
		if (child + 1 < s->n_heap && comes_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (comes_before(s, node, s->heap[child]))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	if (s->n_heap)
		s->heap[at] = node;
	return top;
}

static void reserve_tokens(struct search *s, size_t n)
{
	if (s->n_tokens + n <= s->cap_tokens)
		return;
	s->cap_tokens = 2 * (s->n_tokens + n);
	s->tokens = xreallocarray(s->tokens, s->cap_tokens, sizeof *s->tokens);
}

/* Opens a prefix: that of the parent and one token, or the root. */
static void open_node(struct call *c, int32_t parent, int32_t token, double logprob)
{
	struct search *s = c->s;
	struct node *n;

	s->nodes = array_grow(s->nodes, &s->cap_nodes, s->n_nodes, sizeof *s->nodes);
	n = &s->nodes[s->n_nodes];
	*n = (struct node){.parent = parent,
		.token = token,
		.run = (int32_t)s->n_tokens,
		.n_run = parent >= 0,
		.depth = parent >= 0 ? s->nodes[parent].depth + 1 : 0,
		.state = parent >= 0 ? s->nodes[parent].state : 0,
		.phase = parent >= 0 && token == c->o->end_id ? COMPLETE : FRESH,
		.logprob = logprob};
	if (parent >= 0) {
		reserve_tokens(s, 1);
		s->tokens[s->n_tokens++] = token;
	}
	heap_push(s, (int32_t)s->n_nodes++);
}

/* Adds what is certain behind a fresh prefix: then it is READY or COMPLETE, 1.  0: it
 * does not end within max_tokens. */
static int settle(struct call *c, int32_t index, struct error *err)
{
	struct search *s = c->s;
	struct node *n = &s->nodes[index];
	int32_t before = n->depth - n->n_run, room = c->o->max_tokens - before;
	int32_t n_run = n->n_run, *run;
	int alive;

	reserve_tokens(s, (size_t)room);
	run = s->tokens + s->n_tokens;
	if (n_run)
		run[0] = n->token;
	alive = follow_certain(
		c->guide, &n->state, run, &n_run, room, c->o->end_id, s->m->config.vocab_size, err);
	if (alive < 0)
		return -1;
	n->run = (int32_t)s->n_tokens;
	n->n_run = n_run;
	n->depth = before + n_run;
	s->n_tokens += (size_t)n_run;
	if (!alive && run[n_run - 1] != c->o->end_id)
		return 0;
	n->phase = alive ? READY : COMPLETE;
	return 1;
}

/* The next best completion. */
static void accept(struct call *c, int32_t index)
{
	struct search *s = c->s;
	size_t i = (size_t)c->result->n++, width = (size_t)s->max_tokens;

	if (i == s->cap_found) {
		s->found = array_grow(s->found, &s->cap_found, i, sizeof *s->found);
		s->found_tokens = xreallocarray(
			s->found_tokens, s->cap_found * width, sizeof *s->found_tokens);
	}
	s->found[i] = (struct found){.n_tokens = path_of(s, index, s->found_tokens + i * width),
		.logprob = s->nodes[index].logprob};
}

static void put_aside(struct search *s, int32_t index)
{
	s->aside = array_grow(s->aside, &s->cap_aside, s->n_aside, sizeof *s->aside);
	s->aside[s->n_aside++] = index;
}

/* Takes one prefix from the heap: a completion on top is the next best; a prefix joins
 * the batch.  0: the batch is as it should be. */
static int take_one(struct call *c, struct error *err)
{
	struct search *s = c->s;
	int32_t index = heap_pop(s);
	struct node *n = &s->nodes[index];
	int there = n->phase == FRESH ? settle(c, index, err) : 1;

	if (there <= 0)
		return there < 0 ? -1 : 1;
	if (n->phase == COMPLETE && s->n_batch == 0) {
		accept(c, index);
		return c->result->n < c->o->count;
	}
	if (n->phase == COMPLETE) {
		/* Nothing behind the last completion that can be wanted is. */
		put_aside(s, index);
		return (size_t)c->result->n + s->n_aside < (size_t)c->o->count;
	}
	if (c->result->expansions + (int)s->n_batch == c->o->max_expansions ||
		(s->n_batch && n->logprob < s->nodes[s->batch[0]].logprob - SPECULATE)) {
		put_aside(s, index);
		return 0;
	}
	s->batch[s->n_batch++] = index;
	return s->n_batch < (size_t)c->o->batch;
}

/* The prefixes to expand next into s->batch; completions that come before them are
 * accepted. */
static int take_batch(struct call *c, struct error *err)
{
	struct search *s = c->s;
	int more = 1;

	s->n_batch = s->n_aside = 0;
	while (s->n_heap && more > 0)
		more = take_one(c, err);
	while (s->n_aside)
		heap_push(s, s->aside[--s->n_aside]);
	return more < 0 ? -1 : 0;
}

/* The rows of all ancestors, the first first. */
static void add_past(struct search *s, int32_t index)
{
	const struct node *n = &s->nodes[index];

	if (n->parent >= 0)
		add_past(s, n->parent);
	pass_add_past(&s->pass, (struct key_range){n->slot, n->n_rows});
}

/* Rows of a prefix of the batch, and the question about its last. */
static void add_rows(struct call *c, int32_t index)
{
	struct search *s = c->s;
	struct node *n = &s->nodes[index];
	const int32_t *run = s->tokens + n->run;

	n->slot = (int32_t)s->n_slots;
	n->n_rows = n->n_run;
	if (n->parent < 0) {
		/* The prompt, and what is certain behind it: one run in two parts. */
		n->n_rows += c->n_prompt;
		pass_add_run(&s->pass, c->prompt, c->n_prompt, 0, n->slot);
		if (n->n_run) {
			pass_add_run(&s->pass, run, n->n_run, c->n_prompt, n->slot + c->n_prompt);
			pass_add_past(&s->pass, (struct key_range){n->slot, c->n_prompt});
		}
	} else {
		pass_add_run(&s->pass, run, n->n_run, c->n_prompt + n->depth - n->n_run, n->slot);
		add_past(s, n->parent);
	}
	s->n_slots += n->n_rows;
	pass_add_head(&s->pass, s->pass.n_rows - 1, c->guide->choices(c->guide, n->state));
}

/* Each choice opens a prefix, unless it is below the floor. */
static void add_children(
	struct call *c, int32_t index, const struct choices *choices, const float *score)
{
	for (int32_t k = 0; k < choices->n; k++) {
		/* Rounding must not make a prefix more probable than its beginning. */
		double logprob = c->s->nodes[index].logprob + fmin((double)score[k], 0.0);

		if (logprob >= c->o->floor)
			open_node(c, index, choices->ids[k], logprob);
		else if (logprob > c->result->bound)
			c->result->bound = logprob;
	}
}

static int expand_batch(struct call *c, struct error *err)
{
	struct search *s = c->s;
	size_t n_scores = 0;
	const float *score;

	pass_clear(&s->pass);
	for (size_t i = 0; i < s->n_batch; i++)
		add_rows(c, s->batch[i]);
	for (size_t i = 0; i < s->n_batch; i++)
		n_scores += (size_t)s->pass.choices[i]->n;
	if (n_scores > s->cap_scores) {
		s->cap_scores = 2 * n_scores;
		s->scores = xreallocarray(s->scores, s->cap_scores, sizeof *s->scores);
	}
	if (cache_reserve(&s->cache, s->n_slots, err) != 0 ||
		pass_score(&s->pass, &s->cache, s->scores, err) != 0)
		return -1;
	c->result->expansions += (int)s->n_batch;
	c->result->rows += (int)s->pass.n_rows;
	score = s->scores;
	for (size_t i = 0; i < s->n_batch; i++) {
		add_children(c, s->batch[i], s->pass.choices[i], score);
		score += s->pass.choices[i]->n;
	}
	return 0;
}

static int check_call(const struct call *c, struct error *err)
{
	const struct search *s = c->s;
	const struct search_options *o = c->o;

	if (o->count < 1 || o->max_expansions < 0 || o->batch < 1 || o->batch > s->max_batch ||
		o->max_tokens < 1 || o->max_tokens > s->max_tokens || isnan(o->floor) || !c->guide)
		return error_set(err, EXIT_INTERNAL,
			"a search for %d completions of %d tokens, %d of %d prefixes at once",
			o->count, o->max_tokens, o->batch, o->max_expansions);
	if (c->n_prompt < 1 || c->n_prompt > s->max_prompt)
		return error_set(err, EXIT_DATA, "a prompt of %d tokens; 1 to %d are possible",
			(int)c->n_prompt, s->max_prompt);
	if ((int64_t)c->n_prompt + o->max_tokens > s->m->config.max_positions)
		return error_set(err, EXIT_DATA,
			"%d prompt tokens and %d new ones exceed the model's %d positions",
			(int)c->n_prompt, o->max_tokens, s->m->config.max_positions);
	for (int32_t i = 0; i < c->n_prompt; i++)
		if (c->prompt[i] < 0 || c->prompt[i] >= s->m->config.vocab_size)
			return error_set(err, EXIT_DATA, "token %d is not in a vocabulary of %d",
				(int)c->prompt[i], s->m->config.vocab_size);
	return 0;
}

int search_best(struct search *s, const int32_t *prompt, int32_t n_prompt, struct guide *guide,
	const struct search_options *o, struct search_result *result, struct error *err)
{
	struct call c = {s, prompt, n_prompt, guide, o, result};

	*result = (struct search_result){.bound = -INFINITY};
	if (check_call(&c, err) != 0)
		return -1;
	s->n_nodes = s->n_tokens = s->n_heap = 0;
	s->n_slots = 0;
	open_node(&c, -1, -1, 0.0);
	do {
		if (take_batch(&c, err) != 0)
			return -1;
		if (s->n_batch && expand_batch(&c, err) != 0)
			return -1;
	} while (s->n_batch);
	result->exact = result->n == o->count || s->n_heap == 0;
	if (s->n_heap && s->nodes[s->heap[0]].logprob > result->bound)
		result->bound = s->nodes[s->heap[0]].logprob;
	result->found = s->found;
	for (int i = 0; i < result->n; i++)
		s->found[i].tokens = s->found_tokens + (size_t)i * (size_t)s->max_tokens;
	return 0;
}
