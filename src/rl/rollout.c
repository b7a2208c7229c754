/* rollout.c - groups of completions. */
#include "rl/rollout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
	PROMPT_MAX = 512
};

struct group {
	size_t item;
	char *id, *request;
	int32_t *prompt;
	int32_t n_prompt;
	struct span spans[SPANS_MAX];
	size_t n_spans;
	struct walk *walk;		/* NULL: free */
	struct completion *completions; /* [options.group], arena memory */
};

struct rollout_batch {
	struct policy *policy;
	struct constraint *constraint; /* NULL: free */
	struct rollout_options options;
	uint64_t step;
	struct generator *generator;
	int max_prompt;
	struct generate_request *requests; /* [max_requests] */
	struct completion *completions;	   /* [max_requests * group] */
	struct group *groups;
	size_t n_groups, cap_groups, n_sampled;
	struct arena arena;
	struct example example;
};

static struct generate_options generate_options_of(const struct rollout_batch *b)
{
	return (struct generate_options){
		.n_samples = b->options.group,
		.max_tokens = b->options.max_tokens,
		.temperature = b->options.temperature,
		.end_id = b->policy->prompter.end_id,
		.seed = b->options.seed,
		.step = b->step,
		.flat = b->options.flat,
	};
}

struct rollout_batch *rollout_new(
	struct policy *p, const struct rollout_options *o, struct error *err)
{
	struct rollout_batch *b = xcalloc(1, sizeof *b);
	struct generate_options g;
	size_t n = (size_t)o->max_requests;

	b->policy = p;
	b->options = *o;
	if (guidance_choose(p, &o->guidance, &b->constraint, err) != 0) {
		free(b);
		return NULL;
	}
	if (b->constraint)
		b->options.max_tokens = constraint_limit(b->constraint, o->max_tokens);
	b->max_prompt = p->model->config.max_positions - b->options.max_tokens;
	if (b->max_prompt > PROMPT_MAX)
		b->max_prompt = PROMPT_MAX;
	if (b->max_prompt < 1) {
		error_set(err, EXIT_USAGE, "--max-tokens %d leaves no room for a prompt",
			o->max_tokens);
		free(b);
		return NULL;
	}
	b->requests = xcalloc(n, sizeof *b->requests);
	b->completions = xcalloc(n * (size_t)o->group, sizeof *b->completions);
	g = generate_options_of(b);
	b->generator = generator_new(p->model, o->max_requests, b->max_prompt, &g, err);
	if (!b->generator) {
		rollout_free(b);
		return NULL;
	}
	return b;
}

static void free_walks(struct rollout_batch *b)
{
	for (size_t i = 0; i < b->n_groups; i++)
		walk_free(b->groups[i].walk);
}

void rollout_free(struct rollout_batch *b)
{
	if (!b)
		return;
	free_walks(b);
	generator_free(b->generator);
	example_release(&b->example);
	arena_release(&b->arena);
	free(b->requests);
	free(b->completions);
	free(b->groups);
	free(b);
}

uint64_t rollout_bytes(const struct rollout_batch *b)
{
	return generator_bytes(b->generator);
}

struct generator_counts rollout_counts(const struct rollout_batch *b)
{
	return generator_counts(b->generator);
}

void rollout_clear(struct rollout_batch *b, uint64_t step)
{
	free_walks(b);
	arena_clear(&b->arena);
	b->n_groups = b->n_sampled = 0;
	b->step = step;
}

/* The record's id, or one that its request gives. */
static int group_id(struct rollout_batch *b, const struct record *r, const char *request, char **id,
	struct error *err)
{
	const char *given;
	char made[32];

	if (record_string(r, "id", &given, err) != 0)
		return -1;
	if (!given) {
		snprintf(made, sizeof made, "r%016llx",
			(unsigned long long)fnv64(FNV64_INIT, request, strlen(request)));
		given = made;
	}
	*id = arena_strdup(&b->arena, given);
	return 0;
}

/* What keys the draws for a record that no other record has any part in. */
static uint32_t record_key(const struct record *r)
{
	const char *request = json_string_value(json_object_get(r->json, "request"));

	return request ? (uint32_t)hash_mix(fnv64(FNV64_INIT, request, strlen(request))) : 0;
}

int rollout_add(struct rollout_batch *b, const struct record *r, size_t item, struct error *err)
{
	struct example *x = &b->example;
	struct group *g;
	struct rng rng;

	rng_init(&rng, b->options.seed, RNG_DROPOUT, b->step, record_key(r));
	if (example_encode(x, &b->policy->prompter, r, 0, &b->options.noise, &rng, err) != 0)
		return -1;
	if (x->ids.len > (size_t)b->max_prompt)
		return 0;
	b->groups = array_grow(b->groups, &b->cap_groups, b->n_groups, sizeof *b->groups);
	g = &b->groups[b->n_groups];
	memset(g, 0, sizeof *g);
	if (group_id(b, r, x->request, &g->id, err) != 0)
		return -1;
	g->item = item;
	g->request = arena_strdup(&b->arena, x->request);
	g->n_prompt = (int32_t)x->ids.len;
	g->prompt = arena_alloc(&b->arena, x->ids.len * sizeof *g->prompt);
	memcpy(g->prompt, x->ids.data, x->ids.len * sizeof *g->prompt);
	memcpy(g->spans, x->spans, sizeof g->spans);
	g->n_spans = x->n_spans;
	if (b->constraint)
		g->walk = walk_new(
			b->constraint, g->request, g->spans, g->n_spans, b->options.max_tokens);
	b->n_groups++;
	return 1;
}

/* The generator's arrays live until it is used again: copy. */
static void keep(struct rollout_batch *b, struct group *g, const struct completion *from)
{
	size_t n = (size_t)b->options.group;

	g->completions = arena_alloc(&b->arena, n * sizeof *g->completions);
	for (size_t s = 0; s < n; s++) {
		size_t tokens = (size_t)from[s].n_tokens;
		struct completion *c = &g->completions[s];

		*c = from[s];
		c->tokens = arena_alloc(&b->arena, tokens * sizeof *c->tokens);
		c->logprobs = arena_alloc(&b->arena, tokens * sizeof *c->logprobs);
		memcpy(c->tokens, from[s].tokens, tokens * sizeof *c->tokens);
		memcpy(c->logprobs, from[s].logprobs, tokens * sizeof *c->logprobs);
	}
}

int rollout_sample(struct rollout_batch *b, struct error *err)
{
	struct generate_options o = generate_options_of(b);
	size_t n = b->n_groups - b->n_sampled;

	for (size_t i = 0; i < n; i++) {
		const struct group *g = &b->groups[b->n_sampled + i];

		b->requests[i] = (struct generate_request){
			.prompt = g->prompt,
			.n_prompt = g->n_prompt,
			.group = (uint32_t)hash_mix(fnv64(FNV64_INIT, g->id, strlen(g->id))),
			.guide = g->walk ? walk_guide(g->walk) : NULL,
		};
	}
	if (n && generate(b->generator, b->requests, (int)n, &o, b->completions, err) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		keep(b, &b->groups[b->n_sampled + i],
			&b->completions[i * (size_t)b->options.group]);
	b->n_sampled = b->n_groups;
	return 0;
}

size_t rollout_groups(const struct rollout_batch *b)
{
	return b->n_sampled;
}

size_t rollout_item(const struct rollout_batch *b, size_t group)
{
	return b->groups[group].item;
}

int rollout_same(const struct rollout_batch *b, size_t group)
{
	const struct completion *c = b->groups[group].completions;

	for (int s = 1; s < b->options.group; s++)
		if (c[s].n_tokens != c[0].n_tokens ||
			memcmp(c[s].tokens, c[0].tokens,
				(size_t)c[0].n_tokens * sizeof *c[0].tokens) != 0)
			return 0;
	return 1;
}

size_t rollout_alive(const struct rollout_batch *b, size_t from)
{
	size_t alive = 0;

	for (size_t i = from; i < b->n_sampled; i++)
		alive += !rollout_same(b, i);
	return alive;
}

static const char *const own_fields[] = {"group", "sample", "times", "policy", "prompt_tokens",
	"tokens", "logprobs", "spans", "text", "finish", "answer", "reward", "reward_parts",
	"verdict"};

void rollout_strip(struct record *r)
{
	for (size_t i = 0; i < sizeof own_fields / sizeof own_fields[0]; i++)
		record_remove(r, own_fields[i]);
}

static json_t *json_from_tokens(const int32_t *tokens, int32_t n)
{
	json_t *list = json_array();

	for (int32_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(tokens[i]));
	return list;
}

static json_t *json_from_logprobs(const float *values, int32_t n)
{
	json_t *list = json_array();

	/* Nine digits say which float it was; the double would print seventeen. */
	for (int32_t i = 0; i < n; i++) {
		char digits[32];

		if (values[i] == 0) {
			json_array_append_new(list, json_real(0));
			continue;
		}
		snprintf(digits, sizeof digits, "%.9g", (double)values[i]);
		json_array_append_new(list, json_real(strtod(digits, NULL)));
	}
	return list;
}

static json_t *json_from_spans(const struct group *g)
{
	json_t *list = json_array();

	for (size_t i = 0; i < g->n_spans; i++) {
		const struct span *s = &g->spans[i];

		json_array_append_new(
			list, json_pack("{s:I, s:I, s:s, s:s%}", "from", (json_int_t)s->from, "to",
				      (json_int_t)s->to, "type", span_type_names[s->type], "text",
				      g->request + s->from, s->to - s->from));
	}
	return list;
}

static json_t *json_from_policy(const struct rollout_batch *b, const struct rollout_origin *o)
{
	json_t *json = json_pack("{s:I, s:s, s:f}", "step", (json_int_t)o->policy_step, "hash",
		b->policy->model->hash, "temperature", (double)b->options.temperature);

	if (b->constraint)
		json_object_set_new(json, "constraint",
			json_from_guidance(
				b->policy, !b->options.guidance.no_ground, b->options.max_tokens));
	if (o->batch >= 0)
		json_object_set_new(json, "batch",
			json_pack("{s:I, s:I}", "index", (json_int_t)o->batch, "size",
				(json_int_t)o->size));
	return json;
}

/* The completion as text, and as argv where it can be read. */
static void fill_text(const struct rollout_batch *b, const struct group *g,
	const struct completion *c, struct record *r)
{
	struct buf text = {0};
	struct arena arena = {0};
	const char **argv;
	int argc, failed;

	failed = answer_decode(&b->policy->prompter, c->tokens, (size_t)c->n_tokens, g->request,
		g->spans, g->n_spans, &arena, &argc, &argv, &text, NULL);
	record_set(r, "text", json_stringn(text.data ? text.data : "", text.len));
	record_set(r, "finish", json_string(c->stopped ? "stop" : "length"));
	if (!failed && c->stopped)
		record_set(r, "answer", json_from_argv(argc, argv));
	else
		record_remove(r, "answer");
	buf_release(&text);
	arena_release(&arena);
}

void rollout_fill(const struct rollout_batch *b, size_t group, int sample, int times,
	const struct rollout_origin *origin, struct record *r)
{
	const struct group *g = &b->groups[group];
	const struct completion *c = &g->completions[sample];

	/* What the samples of a group have in common is there from the first one on. */
	if (sample == 0) {
		record_set(r, "group", json_string(g->id));
		record_set(r, "sample", json_integer(sample));
		record_set(r, "policy", json_from_policy(b, origin));
		record_set(r, "prompt_tokens", json_from_tokens(g->prompt, g->n_prompt));
	}
	record_set(r, "sample", json_integer(sample));
	if (times > 1)
		record_set(r, "times", json_integer(times));
	record_set(r, "tokens", json_from_tokens(c->tokens, c->n_tokens));
	record_set(r, "logprobs", json_from_logprobs(c->logprobs, c->n_tokens));
	if (sample == 0)
		record_set(r, "spans", json_from_spans(g));
	fill_text(b, g, c, r);
}
