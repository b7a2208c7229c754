/* pass.c - runs of tokens that go through the model together. */
#include "model/pass.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

void pass_clear(struct pass *p)
{
	p->n_rows = p->n_runs = p->n_heads = p->n_draws = 0;
	p->n_ranges = 0;
}

void pass_free(struct pass *p)
{
	void *const all[] = {p->tokens, p->positions, p->slots, p->runs, p->ranges, p->rows,
		p->start, p->choices, p->uniform, p->drawn, p->logprob, p->part_rows,
		p->part_start};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
	*p = (struct pass){0};
}

uint64_t pass_bytes(const struct pass *p)
{
	return p->cap_rows * 3 * sizeof *p->tokens + p->cap_runs * sizeof *p->runs +
	       p->cap_ranges * sizeof *p->ranges +
	       p->cap_heads * (4 * sizeof *p->rows + sizeof *p->choices) +
	       p->cap_draws * (sizeof *p->uniform + sizeof *p->drawn + sizeof *p->logprob);
}

static void reserve_rows(struct pass *p, size_t n)
{
	if (n > INT32_MAX)
		die(EXIT_INTERNAL, "a pass of %zu tokens", n);
	if (n <= p->cap_rows)
		return;
	p->cap_rows = 2 * n;
	p->tokens = xreallocarray(p->tokens, p->cap_rows, sizeof *p->tokens);
	p->positions = xreallocarray(p->positions, p->cap_rows, sizeof *p->positions);
	p->slots = xreallocarray(p->slots, p->cap_rows, sizeof *p->slots);
}

int32_t pass_add_run(
	struct pass *p, const int32_t *tokens, int32_t n, int32_t position, int32_t slot)
{
	reserve_rows(p, (size_t)p->n_rows + (size_t)n);
	memcpy(p->tokens + p->n_rows, tokens, (size_t)n * sizeof *tokens);
	for (int32_t i = 0; i < n; i++) {
		p->positions[p->n_rows + i] = position + i;
		p->slots[p->n_rows + i] = slot + i;
	}
	p->runs = array_grow(p->runs, &p->cap_runs, (size_t)p->n_runs, sizeof *p->runs);
	p->runs[p->n_runs] = (struct attention_segment){
		.query = p->n_rows,
		.n_queries = n,
		.own = slot,
		.first_range = (int32_t)p->n_ranges,
	};
	p->n_rows += n;
	return p->n_runs++;
}

void pass_add_past(struct pass *p, struct key_range range)
{
	struct attention_segment *run = &p->runs[p->n_runs - 1];
	struct key_range *last = run->n_ranges ? &p->ranges[p->n_ranges - 1] : NULL;

	if (last && last->start + last->len == range.start) {
		last->len += range.len;
		return;
	}
	p->ranges = array_grow(p->ranges, &p->cap_ranges, p->n_ranges, sizeof *p->ranges);
	p->ranges[p->n_ranges++] = range;
	run->n_ranges++;
}

void pass_add_past_of(struct pass *p, const struct pass *from, int32_t run, int32_t row)
{
	const struct attention_segment s = from->runs[run];

	for (int32_t i = 0; i < s.n_ranges; i++)
		pass_add_past(p, from->ranges[s.first_range + i]);
	pass_add_past(p, (struct key_range){s.own, row - s.query + 1});
}

void pass_add_tree(struct pass *p, const struct tree *t)
{
	for (int32_t i = 0; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		pass_add_run(p, t->tokens + n->start, n->len, n->position, n->start);
		if (n->parent >= 0)
			pass_add_past_of(p, p, n->parent,
				t->nodes[n->parent].start + t->nodes[n->parent].len - 1);
	}
}

void pass_add_head(struct pass *p, int32_t row, const struct choices *choices)
{
	const size_t n = (size_t)p->n_heads;

	if (n == p->cap_heads) {
		p->rows = array_grow(p->rows, &p->cap_heads, n, sizeof *p->rows);
		p->start = xreallocarray(p->start, p->cap_heads + 1, sizeof *p->start);
		p->choices = xreallocarray(p->choices, p->cap_heads, sizeof *p->choices);
		p->part_rows = xreallocarray(p->part_rows, p->cap_heads, sizeof *p->part_rows);
		p->part_start =
			xreallocarray(p->part_start, p->cap_heads + 1, sizeof *p->part_start);
	}
	p->rows[n] = row;
	p->choices[n] = choices;
	p->start[n] = p->start[n + 1] = p->n_draws;
	p->n_heads++;
}

void pass_add_draw(struct pass *p, double uniform)
{
	const size_t n = (size_t)p->n_draws;

	if (n == p->cap_draws) {
		p->uniform = array_grow(p->uniform, &p->cap_draws, n, sizeof *p->uniform);
		p->drawn = xreallocarray(p->drawn, p->cap_draws, sizeof *p->drawn);
		p->logprob = xreallocarray(p->logprob, p->cap_draws, sizeof *p->logprob);
	}
	p->uniform[n] = uniform;
	p->start[p->n_heads] = ++p->n_draws;
}

/* A part of a pass: some of its rows, and the heads among them. */
struct part {
	int32_t from, to, run; /* rows; the first run that reaches into them */
	int32_t head, n_heads;
};

/* Moves on to the next part, 0 at the end. */
static int next_part(struct part *part, const struct pass *p, const struct cache *c)
{
	part->from = part->to;
	if (part->from == p->n_rows)
		return 0;
	part->to = p->n_rows - part->from > c->max_rows ? part->from + c->max_rows : p->n_rows;
	while (p->runs[part->run].query + p->runs[part->run].n_queries <= part->from)
		part->run++;
	part->head += part->n_heads;
	part->n_heads = 0;
	while (part->head + part->n_heads < p->n_heads &&
		p->rows[part->head + part->n_heads] < part->to)
		part->n_heads++;
	return 1;
}

/* The runs of a part, for the cache.  What was cut off before it is its past. */
static struct cache_rows load_part(const struct part *part, const struct pass *p, struct cache *c)
{
	struct segments *s = &c->segments;
	int n = 0;

	s->n_ranges = 0;
	for (int32_t r = part->run; r < p->n_runs && p->runs[r].query < part->to; r++) {
		struct attention_segment run = p->runs[r];
		int32_t skip = run.query < part->from ? part->from - run.query : 0;
		const size_t first = s->n_ranges;

		for (int32_t i = 0; i < run.n_ranges; i++)
			segments_add_range(s, first, p->ranges[run.first_range + i]);
		if (skip)
			segments_add_range(s, first, (struct key_range){run.own, skip});
		run.query += skip - part->from;
		run.own += skip;
		run.n_queries -= skip;
		if (run.query + run.n_queries > part->to - part->from)
			run.n_queries = part->to - part->from - run.query;
		run.first_range = (int32_t)first;
		run.n_ranges = (int32_t)(s->n_ranges - first);
		run.reach = run.query + run.n_queries;
		s->host_segments[n++] = run;
	}
	return (struct cache_rows){part->to - part->from, n, p->tokens + part->from,
		p->positions + part->from, p->slots + part->from};
}

static void load_heads(const struct part *part, struct pass *p)
{
	for (int32_t i = 0; i < part->n_heads; i++)
		p->part_rows[i] = p->rows[part->head + i] - part->from;
	for (int32_t i = 0; i < part->n_heads + 1 && part->n_heads; i++)
		p->part_start[i] = p->start[part->head + i] - p->start[part->head];
}

int pass_draw(struct pass *p, struct cache *c, float inverse_temperature, struct error *err)
{
	struct part part = {0};

	while (next_part(&part, p, c)) {
		const int32_t first = part.n_heads ? p->start[part.head] : 0;
		const struct cache_rows rows = load_part(&part, p, c);
		const struct cache_draws draws = {.n = part.n_heads,
			.rows = p->part_rows,
			.start = p->part_start,
			.uniform = p->uniform + first,
			.inverse_temperature = inverse_temperature,
			.choices = p->choices + part.head,
			.token = p->drawn + first,
			.logprob = p->logprob + first};

		load_heads(&part, p);
		if (cache_run(c, &rows, &draws, err) != 0)
			return -1;
	}
	return 0;
}

int pass_score(struct pass *p, struct cache *c, float *logprob, struct error *err)
{
	struct part part = {0};

	while (next_part(&part, p, c)) {
		const struct cache_rows rows = load_part(&part, p, c);
		const struct cache_scores scores = {.n = part.n_heads,
			.rows = p->part_rows,
			.choices = p->choices + part.head,
			.logprob = logprob};

		load_heads(&part, p);
		if (cache_score(c, &rows, &scores, err) != 0)
			return -1;
		for (int32_t i = 0; i < part.n_heads; i++)
			logprob += p->choices[part.head + i]->n;
	}
	return 0;
}
