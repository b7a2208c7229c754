/* sft.c - supervised steps. */
#include "rl/sft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rl/example.h"

struct sft {
	struct policy *policy;
	struct optimizer *optimizer;
	struct dataset *data;
	struct sft_options options;
	long long cursor;
	struct workspace *workspace;
	struct tree *tree;
	struct example example;
	struct record record;
	int32_t *n_prompt; /* [sequence] of the batch */
	size_t cap_prompts;
	struct walk **walks; /* of the batch: its choices are theirs */
	size_t n_walks, cap_walks;
	const struct choices **choices; /* [max_positions] of a sequence */
	struct error unsaid;		/* the last one */
	float *logprob, *coefficient;	/* [edge] */
	int max_rows;
};

struct sft *sft_new(struct policy *policy, struct optimizer *optimizer, struct dataset *data,
	const struct sft_options *o, long long cursor, struct error *err)
{
	struct sft *s = xcalloc(1, sizeof *s);

	s->policy = policy;
	s->optimizer = optimizer;
	s->data = data;
	s->options = *o;
	s->cursor = cursor;
	/* The last record of a batch may begin one token before it is full. */
	s->max_rows = o->batch_tokens + policy->model->config.max_positions;
	s->workspace = workspace_new(policy->model, s->max_rows, s->max_rows, err);
	s->tree = tree_new();
	s->logprob = xcalloc((size_t)s->max_rows, sizeof *s->logprob);
	s->coefficient = xcalloc((size_t)s->max_rows, sizeof *s->coefficient);
	s->choices = xcalloc((size_t)policy->model->config.max_positions, sizeof *s->choices);
	if (!s->workspace) {
		sft_free(s);
		return NULL;
	}
	return s;
}

static void free_walks(struct sft *s)
{
	for (size_t i = 0; i < s->n_walks; i++)
		walk_free(s->walks[i]);
	s->n_walks = 0;
}

void sft_free(struct sft *s)
{
	if (!s)
		return;
	free_walks(s);
	free(s->walks);
	free(s->choices);
	workspace_free(s->workspace);
	tree_free(s->tree);
	example_release(&s->example);
	record_release(&s->record);
	free(s->n_prompt);
	free(s->logprob);
	free(s->coefficient);
	free(s);
}

long long sft_cursor(const struct sft *s)
{
	return s->cursor;
}

uint64_t sft_bytes(const struct sft *s)
{
	return workspace_bytes(s->workspace);
}

const char *sft_unsaid(const struct sft *s)
{
	return s->unsaid.message;
}

/* Puts the example that was encoded last into the tree; its number there. */
static int32_t add_example(struct sft *s)
{
	struct example *x = &s->example;
	int32_t first = s->options.prompt_loss > 0 ? 1 : (int32_t)x->n_prompt;

	if (!x->walk)
		return tree_add(s->tree, x->ids.data, (int32_t)x->ids.len, first);
	s->walks = array_grow(s->walks, &s->cap_walks, s->n_walks, sizeof *s->walks);
	s->walks[s->n_walks++] = x->walk;
	x->walk = NULL;
	memset(s->choices, 0, x->n_prompt * sizeof *s->choices);
	memcpy(s->choices + x->n_prompt, x->choices.data, x->choices.len * sizeof *s->choices);
	return tree_add_guided(s->tree, x->ids.data, (int32_t)x->ids.len, first, s->choices);
}

static int encode(struct sft *s, struct rng *rng, struct error *err)
{
	const struct sft_options *o = &s->options;
	const struct prompter *p = &s->policy->prompter;

	if (o->constraint)
		return (int)example_encode_guided(
			&s->example, p, o->constraint, &s->record, &o->noise, rng, err);
	return example_encode(&s->example, p, &s->record, 1, &o->noise, rng, err);
}

/* Adds the record at the cursor to the batch: 1; 0 where it is too long or cannot be
 * said (counted in *unsaid). */
static int add_record(struct sft *s, long long *unsaid, struct error *err)
{
	const struct model_config *c = &s->policy->model->config;
	size_t item = dataset_shuffled(s->data, s->options.seed, (uint64_t)s->cursor);
	struct example *x = &s->example;
	struct rng rng;
	int32_t index;

	rng_init(&rng, s->options.seed, RNG_DROPOUT, (uint64_t)s->cursor, 0);
	dataset_get(s->data, item, &s->record);
	s->cursor++;
	x->walk = NULL;
	switch (encode(s, &rng, err)) {
	case EXAMPLE_OK:
		break;
	case EXAMPLE_UNSAID:
		error_prefix(err, "%s:%ld", s->record.file, s->record.line);
		s->unsaid = *err;
		++*unsaid;
		return 0;
	default:
		return error_prefix(err, "%s:%ld", s->record.file, s->record.line);
	}
	if (x->ids.len > (size_t)c->max_positions) {
		walk_free(x->walk);
		return 0;
	}
	index = add_example(s);
	if ((size_t)index >= s->cap_prompts)
		s->n_prompt = array_grow(
			s->n_prompt, &s->cap_prompts, (size_t)index, sizeof *s->n_prompt);
	s->n_prompt[index] = (int32_t)x->n_prompt;
	return 1;
}

static int fill_batch(struct sft *s, struct sft_result *result, struct error *err)
{
	size_t tried = 0;

	tree_clear(s->tree);
	free_walks(s);
	while (result->tokens < s->options.batch_tokens) {
		long long unsaid = 0;
		int added = add_record(s, &unsaid, err);

		if (added < 0)
			return -1;
		if (added) {
			result->records++;
			result->tokens += (long long)s->example.ids.len;
		} else {
			result->skipped += !unsaid;
			result->unsaid += unsaid;
		}
		if (++tried >= dataset_count(s->data) && !result->records && s->unsaid.message[0]) {
			*err = s->unsaid;
			return -1;
		}
		if (tried >= dataset_count(s->data) && !result->records)
			return error_set(err, EXIT_DATA,
				"every record is longer than the model's %d positions",
				s->policy->model->config.max_positions);
	}
	tree_pack(s->tree, s->options.flat);
	result->rows = s->tree->n_rows;
	return 0;
}

struct sums {
	double loss, weight, answer_loss, n_answer;
};

/* Sums over all predicted tokens; where scale is not 0, also the coefficients. */
static struct sums add_up(struct sft *s, double scale)
{
	const struct tree *t = s->tree;
	struct sums sums = {0};

	for (int32_t q = 0; q < t->n_sequences; q++) {
		int32_t start = t->sequence_start[q];

		for (int32_t i = 1; i < t->sequence_length[q]; i++) {
			int32_t edge = t->sequence_edges[start + i - 1];
			int answer = i >= s->n_prompt[q];
			double weight = answer ? 1 : s->options.prompt_loss;

			/* A token that was certain is learnt already. */
			sums.n_answer += edge == EDGE_CERTAIN;
			if (edge < 0)
				continue;
			sums.weight += weight;
			sums.loss -= weight * s->logprob[edge];
			if (answer) {
				sums.answer_loss -= s->logprob[edge];
				sums.n_answer++;
			}
			s->coefficient[edge] -= (float)(weight * scale);
		}
	}
	return sums;
}

int sft_step(struct sft *s, double schedule, struct sft_result *result, struct error *err)
{
	struct model *m = s->policy->model;
	struct sums sums;

	memset(result, 0, sizeof *result);
	if (fill_batch(s, result, err) != 0)
		return -1;
	if (model_forward(m, s->workspace, s->tree, 1, s->logprob, NULL, err) != 0)
		return -1;
	sums = add_up(s, 0);
	memset(s->coefficient, 0, (size_t)s->tree->n_edges * sizeof *s->coefficient);
	add_up(s, 1 / sums.weight);
	result->loss = sums.loss / sums.weight;
	result->answer_loss = sums.n_answer > 0 ? sums.answer_loss / sums.n_answer : 0;
	model_grad_zero(m);
	if (model_backward(m, s->workspace, s->tree, s->coefficient, err) != 0)
		return -1;
	return optimizer_step(s->optimizer, schedule, &result->grad_norm, err);
}
