#include "propose/sampled.h"

#include <stdlib.h>

struct sampled {
	struct policy *policy;
	struct sampled_options options;
	struct generator *generator;
	struct completion *completions; /* [tries, at least 1] */
	struct workspace *workspace;
	struct tree *tree;
	float *logprob; /* [max_edges] */
	int max_edges;
};

static struct generate_options generate_options_of(const struct sampled *s, int greedy)
{
	return (struct generate_options){
		.n_samples = greedy ? 1 : s->options.tries,
		.max_tokens = s->options.max_tokens,
		.temperature = greedy ? 0 : s->options.temperature,
		.end_id = s->policy->prompter.end_id,
		.seed = s->options.seed,
	};
}

struct sampled *sampled_new(
	struct policy *policy, const struct sampled_options *o, struct error *err)
{
	struct sampled *s = xcalloc(1, sizeof *s);
	struct generate_options g;

	s->policy = policy;
	s->options = *o;
	s->completions = xcalloc((size_t)o->tries + 1, sizeof *s->completions);
	s->tree = tree_new();
	g = generate_options_of(s, o->tries == 0);
	s->generator = generator_new(policy->model, 1, o->max_prompt, &g, err);
	/* A canonical answer may have a token or two more than the sampled one. */
	s->max_edges = (o->tries + 2) * 2 * o->max_tokens;
	s->logprob = xcalloc((size_t)s->max_edges, sizeof *s->logprob);
	if (s->generator)
		s->workspace = workspace_new(
			policy->model, o->max_prompt + s->max_edges, s->max_edges, err);
	if (s->workspace)
		return s;
	sampled_free(s);
	return NULL;
}

void sampled_free(struct sampled *s)
{
	if (!s)
		return;
	workspace_free(s->workspace);
	generator_free(s->generator);
	tree_free(s->tree);
	free(s->completions);
	free(s->logprob);
	free(s);
}

uint64_t sampled_bytes(const struct sampled *s)
{
	return generator_bytes(s->generator) + workspace_bytes(s->workspace);
}

int sampled_answers(struct sampled *s, const struct ids *prompt, uint32_t key, int greedy,
	const struct completion **completions, int *n, struct error *err)
{
	struct generate_options o = generate_options_of(s, greedy);
	struct generate_request r = {
		.prompt = prompt->data,
		.n_prompt = (int32_t)prompt->len,
		.group = key,
	};

	*completions = s->completions;
	*n = o.n_samples;
	return generate(s->generator, &r, 1, &o, s->completions, err);
}

int sampled_score(struct sampled *s, const struct ids *prompt, const struct ids *answers, int n,
	double *logprob, struct error *err)
{
	int32_t first = (int32_t)prompt->len;
	struct ids ids = {0};
	int failed;

	tree_clear(s->tree);
	for (int i = 0; i < n; i++) {
		ids.len = 0;
		for (size_t k = 0; k < prompt->len; k++)
			ids_add(&ids, prompt->data[k]);
		for (size_t k = 0; k < answers[i].len && k < 2 * (size_t)s->options.max_tokens; k++)
			ids_add(&ids, answers[i].data[k]);
		tree_add(s->tree, ids.data, (int32_t)ids.len, first);
	}
	ids_release(&ids);
	tree_pack(s->tree, 0);
	failed = model_forward(s->policy->model, s->workspace, s->tree, 1, s->logprob, NULL, err);
	for (int i = 0; !failed && i < n; i++) {
		const int32_t *edges = s->tree->sequence_edges + s->tree->sequence_start[i];

		logprob[i] = 0;
		for (int32_t k = first; k < s->tree->sequence_length[i]; k++)
			logprob[i] += (double)s->logprob[edges[k - 1]];
	}
	return failed;
}
