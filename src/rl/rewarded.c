/* rewarded.c - from records to the batch of an update. */
#include "rl/rewarded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "rl/guidance.h"

struct origin {
	long long index, size, step;
	const char *hash;
	double temperature;
};

static int read_origin(const struct record *r, struct origin *o, struct error *err)
{
	json_int_t step, index = -1, size = -1;
	const json_t *policy = json_object_get(r->json, "policy");
	json_t *batch = json_object_get(policy, "batch");

	if (!policy || json_unpack((json_t *)policy, "{s:I, s:s, s:F}", "step", &step, "hash",
			       &o->hash, "temperature", &o->temperature) != 0)
		return error_set(err, EXIT_DATA,
			"field 'policy': not {step, hash, temperature}: is this the output of "
			"rollout?");
	if (batch && (json_unpack(batch, "{s:I, s:I}", "index", &index, "size", &size) != 0 ||
			     index < 0 || size < 1))
		return error_set(err, EXIT_DATA, "field 'policy.batch': not {index, size}");
	if (step < 0 || strlen(o->hash) > 64)
		return error_set(err, EXIT_DATA, "field 'policy': a step or hash that cannot be");
	if (!(o->temperature > 0))
		return error_set(err, EXIT_DATA,
			"sampled greedily (temperature 0): nothing can be learnt from it");
	o->step = step;
	o->index = index;
	o->size = size;
	return 0;
}

/* An array of token ids, each one in the vocabulary. */
static int read_tokens(const struct record *r, const char *key, int vocab_size, struct arena *arena,
	int *n, int32_t **tokens, struct error *err)
{
	int *values;

	if (record_integers(r, key, arena, n, &values, err) != 0)
		return -1;
	if (*n < 1)
		return error_set(err, EXIT_DATA, "no tokens in '%s'", key);
	for (int i = 0; i < *n; i++)
		if (values[i] < 0 || values[i] >= vocab_size)
			return error_set(err, EXIT_DATA,
				"field '%s': token %d is not in the model's vocabulary of %d", key,
				values[i], vocab_size);
	*tokens = values;
	return 0;
}

static int read_logprobs(
	const struct record *r, struct rewarded *s, struct arena *arena, struct error *err)
{
	double *values;
	int n;

	if (record_reals(r, "logprobs", arena, &n, &values, err) != 0)
		return -1;
	if (n != s->n_tokens)
		return error_set(
			err, EXIT_DATA, "%d tokens, but %d logprobs", s->n_tokens, n > 0 ? n : 0);
	s->logp_old = arena_alloc(arena, (size_t)n * sizeof *s->logp_old);
	for (int i = 0; i < n; i++) {
		if (!(values[i] <= 1e-4 && values[i] >= -1e30))
			return error_set(err, EXIT_DATA,
				"field 'logprobs': %g is no logarithm of a probability", values[i]);
		s->logp_old[i] = (float)values[i];
	}
	return 0;
}

/* Absent or null: the scorer has no result. */
static int read_reward(const struct record *r, struct rewarded *s, struct error *err)
{
	const json_t *reward = json_object_get(r->json, "reward");
	const json_t *exact = json_object_get(json_object_get(r->json, "reward_parts"), "exact");

	s->reward = NAN;
	if (!reward)
		return error_set(err, EXIT_DATA, "no field 'reward' (null stands for no result)");
	if (!json_is_null(reward) && record_real(r, "reward", &s->reward, err) != 0)
		return -1;
	if (isinf(s->reward))
		return error_set(err, EXIT_DATA, "field 'reward': not finite");
	s->exact = exact ? json_is_true(exact) || json_number_value(exact) == 1 : s->reward == 1;
	return 0;
}

/* The walk of the record at hand: that of the record before it where both are of one
 * request. */
static struct walk *walk_of(
	struct rewarded_batch *b, struct constraint *c, int limit, struct error *err)
{
	const char *request = json_string_value(json_object_get(b->record.json, "request"));
	json_t *spans = json_object_get(b->record.json, "spans");
	struct walk *w;

	if (b->n_walks && b->walk_constraint == c && b->walk_limit == limit && request && spans &&
		strcmp(request, b->walk_request) == 0 && json_equal(spans, b->walk_spans))
		return b->walks[b->n_walks - 1];
	w = guidance_walk(c, limit, b->record.json, err);
	if (!w)
		return NULL;
	b->walks = array_grow(b->walks, &b->cap_walks, b->n_walks, sizeof *b->walks);
	b->walks[b->n_walks++] = w;
	b->walk_constraint = c;
	b->walk_limit = limit;
	b->walk_request = arena_strdup(&b->arena, request);
	json_decref(b->walk_spans);
	b->walk_spans = json_incref(spans);
	return w;
}

/* What each token of the completion was one of. */
static int read_choices(
	struct rewarded_batch *b, struct policy *policy, struct rewarded *s, struct error *err)
{
	const json_t *origin = json_object_get(b->record.json, "policy");
	struct choice_list list = {0};
	struct constraint *c;
	struct walk *w;
	size_t at;
	int limit;

	if (guidance_read(policy, json_object_get(origin, "constraint"), &c, &limit, err) != 0)
		return -1;
	if (!c)
		return 0;
	w = walk_of(b, c, limit, err);
	if (!w)
		return -1;
	if (walk_follow(w, s->tokens, (size_t)s->n_tokens, &list, &at) != 0) {
		choice_list_release(&list);
		return error_set(err, EXIT_DATA,
			"token %zu of the completion (id %d) is not possible there under the "
			"grammar: were tokens, request or spans changed since the rollout?",
			at, s->tokens[at]);
	}
	s->choices = arena_alloc(&b->arena, list.len * sizeof *s->choices);
	memcpy(s->choices, list.data, list.len * sizeof *s->choices);
	choice_list_release(&list);
	return 0;
}

static int read_sample(
	struct rewarded_batch *b, struct policy *policy, struct rewarded *s, struct error *err)
{
	const int vocab_size = policy->model->config.vocab_size;
	const struct record *r = &b->record;
	const char *group = NULL, *finish = NULL;
	long long sample = -1;
	char name[512];

	memset(s, 0, sizeof *s);
	if (record_string(r, "group", &group, err) != 0 ||
		record_string(r, "finish", &finish, err) != 0 ||
		record_integer(r, "sample", &sample, err) != 0 || read_reward(r, s, err) != 0)
		return -1;
	if (!group || !finish)
		return error_set(err, EXIT_DATA, "no 'group' or no 'finish'");
	s->group = (long long)fnv64(FNV64_INIT, group, strlen(group));
	s->truncated = strcmp(finish, "stop") != 0;
	snprintf(name, sizeof name, "%s:%ld (group %s, sample %lld)", r->file, r->line, group,
		sample);
	s->name = arena_strdup(&b->arena, name);
	if (read_tokens(r, "prompt_tokens", vocab_size, &b->arena, &s->n_prompt, &s->prompt, err) !=
			0 ||
		read_tokens(r, "tokens", vocab_size, &b->arena, &s->n_tokens, &s->tokens, err) != 0)
		return -1;
	if (read_logprobs(r, s, &b->arena, err) != 0)
		return -1;
	return read_choices(b, policy, s, err);
}

/* How many samples of its group the record stands for. */
static int read_times(const struct record *r, long long *times, struct error *err)
{
	enum {
		MOST_TIMES = 4096
	};

	if (record_integer(r, "times", times, err) != 0)
		return -1;
	if (*times < 1 || *times > MOST_TIMES)
		return error_set(err, EXIT_DATA, "field 'times': %lld is not within 1 and %d",
			*times, MOST_TIMES);
	return 0;
}

/* 1 where the record's origin is that of the batch. */
static int belongs(const struct rewarded_batch *b, const struct origin *o)
{
	return o->index == b->index && o->step == b->policy_step;
}

static void begin(struct rewarded_batch *b, const struct origin *o)
{
	b->index = o->index;
	b->size = o->size;
	b->policy_step = o->step;
	b->temperature = o->temperature;
	snprintf(b->policy_hash, sizeof b->policy_hash, "%s", o->hash);
}

/* Adds b->record: 1; 0 where it belongs to the next batch. */
static int add_record(struct rewarded_batch *b, struct input *in, struct policy *policy)
{
	struct rewarded s;
	struct origin o;
	struct error err;
	long long times = 1;

	if (read_origin(&b->record, &o, &err) != 0) {
		input_bad(in, &b->record, "%s", err.message);
		return 1;
	}
	/* What belongs to the next batch is read then. */
	if (b->n && !belongs(b, &o))
		return 0;
	if (read_sample(b, policy, &s, &err) != 0 || read_times(&b->record, &times, &err) != 0) {
		input_bad(in, &b->record, "%s", err.message);
		return 1;
	}
	if (!b->n)
		begin(b, &o);
	if (strcmp(o.hash, b->policy_hash) != 0 || o.temperature != b->temperature ||
		o.size != b->size) {
		input_bad(in, &b->record,
			"another policy, temperature or batch size than the records before it");
		return 1;
	}
	for (; times > 0; times--) {
		b->samples = array_grow(b->samples, &b->cap, b->n, sizeof *b->samples);
		b->samples[b->n++] = s;
	}
	b->n_records++;
	return 1;
}

static void free_walks(struct rewarded_batch *b)
{
	for (size_t i = 0; i < b->n_walks; i++)
		walk_free(b->walks[i]);
	b->n_walks = 0;
}

int rewarded_read(
	struct rewarded_batch *b, struct input *in, struct policy *policy, struct error *err)
{
	long long bad = in->n_bad;

	free_walks(b);
	arena_clear(&b->arena);
	b->n = b->n_records = 0;
	b->index = b->size = -1;
	for (;;) {
		/* Diverted records of a batch of known size do not come any more. */
		if (b->n && b->size >= 0 && (long long)b->n_records + (in->n_bad - bad) >= b->size)
			return 1;
		if (!b->pending && !b->ended)
			b->ended = !input_next(in, &b->record);
		if (b->ended)
			break;
		b->pending = !add_record(b, in, policy);
		if (b->pending)
			break;
	}
	if (b->n && b->size >= 0)
		return error_set(err, EXIT_DATA, "batch %lld: %zu records instead of %lld",
			b->index, b->n_records, b->size);
	return b->n > 0;
}

void rewarded_release(struct rewarded_batch *b)
{
	free_walks(b);
	free(b->walks);
	json_decref(b->walk_spans);
	arena_release(&b->arena);
	free(b->samples);
	record_release(&b->record);
	memset(b, 0, sizeof *b);
}
