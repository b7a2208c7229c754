/* rewarded.c - from records to the batch of an update. */
#include "rl/rewarded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

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

static int read_sample(
	struct rewarded_batch *b, int vocab_size, struct rewarded *s, struct error *err)
{
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
	return read_logprobs(r, s, &b->arena, err);
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
static int add_record(struct rewarded_batch *b, struct input *in, int vocab_size)
{
	struct rewarded s;
	struct origin o;
	struct error err;

	if (read_origin(&b->record, &o, &err) != 0 || read_sample(b, vocab_size, &s, &err) != 0) {
		input_bad(in, &b->record, "%s", err.message);
		return 1;
	}
	if (!b->n)
		begin(b, &o);
	else if (!belongs(b, &o))
		return 0;
	if (strcmp(o.hash, b->policy_hash) != 0 || o.temperature != b->temperature ||
		o.size != b->size) {
		input_bad(in, &b->record,
			"another policy, temperature or batch size than the records before it");
		return 1;
	}
	b->samples = array_grow(b->samples, &b->cap, b->n, sizeof *b->samples);
	b->samples[b->n++] = s;
	return 1;
}

int rewarded_read(struct rewarded_batch *b, struct input *in, int vocab_size)
{
	long long bad = in->n_bad;

	arena_clear(&b->arena);
	b->n = 0;
	b->index = b->size = -1;
	for (;;) {
		/* Diverted records of a batch of known size do not come any more. */
		if (b->n && b->size >= 0 && (long long)b->n + (in->n_bad - bad) >= b->size)
			return 1;
		if (!b->pending && !b->ended)
			b->ended = !input_next(in, &b->record);
		if (b->ended)
			break;
		b->pending = !add_record(b, in, vocab_size);
		if (b->pending)
			break;
	}
	if (b->n && b->size >= 0)
		die(EXIT_DATA, "batch %lld: %zu records instead of %lld", b->index, b->n, b->size);
	return b->n > 0;
}

void rewarded_release(struct rewarded_batch *b)
{
	arena_release(&b->arena);
	free(b->samples);
	record_release(&b->record);
	memset(b, 0, sizeof *b);
}
