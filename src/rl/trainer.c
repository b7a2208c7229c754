/* trainer.c - GRPO updates. */
#include "rl/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rl/metrics.h"

struct trainer {
	struct policy *policy;
	struct model *reference;
	struct optimizer *optimizer;
	struct trainer_options options;
	struct workspace *workspace, *reference_workspace;
	struct tree *tree;
	float *logprob, *edge_coefficient; /* [micro_rows] */
	/* of the batch at hand */
	struct arena arena;
	struct grpo_sample *samples; /* [n] */
	float **coefficient;	     /* [n][n_tokens] */
	size_t *order;		     /* samples that are run, groups together */
	size_t n_order;
	size_t *cuts; /* [n_micro + 1] places in order where micro-batches begin */
	size_t n_micro;
	struct grpo_window window;
	struct ids ids;
	struct choice_list choices;
};

struct trainer *trainer_new(struct policy *policy, struct model *reference,
	struct optimizer *optimizer, const struct trainer_options *o, struct error *err)
{
	struct trainer *t = xcalloc(1, sizeof *t);

	t->policy = policy;
	t->reference = o->grpo.beta != 0 ? reference : NULL;
	t->optimizer = optimizer;
	t->options = *o;
	t->tree = tree_new();
	t->logprob = xcalloc((size_t)o->micro_rows, sizeof *t->logprob);
	t->edge_coefficient = xcalloc((size_t)o->micro_rows, sizeof *t->edge_coefficient);
	t->workspace = workspace_new(policy->model, o->micro_rows, o->micro_rows, err);
	if (t->workspace && t->reference)
		t->reference_workspace =
			workspace_new(t->reference, o->micro_rows, o->micro_rows, err);
	if (!t->workspace || (t->reference && !t->reference_workspace)) {
		trainer_free(t);
		return NULL;
	}
	return t;
}

void trainer_free(struct trainer *t)
{
	if (!t)
		return;
	workspace_free(t->workspace);
	workspace_free(t->reference_workspace);
	tree_free(t->tree);
	arena_release(&t->arena);
	ids_release(&t->ids);
	choice_list_release(&t->choices);
	free(t->logprob);
	free(t->edge_coefficient);
	free(t);
}

uint64_t trainer_bytes(const struct trainer *t)
{
	return workspace_bytes(t->workspace) +
	       (t->reference_workspace ? workspace_bytes(t->reference_workspace) : 0);
}

/* What the batch is like, before any forward pass. */
static void describe(const struct rewarded_batch *b, struct trainer_result *r)
{
	double sum = 0, squares = 0, surprise = 0;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct rewarded *s = &b->samples[i];

		for (int k = 0; k < s->n_tokens; k++)
			surprise -= s->logp_old[k];
		r->tokens += (size_t)s->n_tokens;
		r->n_truncated += (size_t)s->truncated;
		r->n_exact += (size_t)s->exact;
		if (isnan(s->reward))
			r->n_unscored++;
		else
			sum += s->reward;
	}
	n = b->n - r->n_unscored;
	r->n_samples = b->n;
	r->reward_mean = n ? sum / (double)n : 0;
	for (size_t i = 0; i < b->n; i++)
		if (!isnan(b->samples[i].reward))
			squares += pow(b->samples[i].reward - r->reward_mean, 2);
	r->reward_std = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	r->entropy = r->tokens ? surprise / (double)r->tokens : 0;
	r->length_mean = b->n ? (double)r->tokens / (double)b->n : 0;
}

/* Advantages, denominators, and which samples are run at all. */
static void prepare(struct trainer *t, const struct rewarded_batch *b, struct trainer_result *r)
{
	const struct grpo_options *o = &t->options.grpo;
	double *reward, *advantage;
	long long *group;

	arena_clear(&t->arena);
	t->samples = arena_zalloc(&t->arena, b->n * sizeof *t->samples);
	t->coefficient = arena_zalloc(&t->arena, b->n * sizeof *t->coefficient);
	t->order = arena_alloc(&t->arena, b->n * sizeof *t->order);
	reward = arena_alloc(&t->arena, b->n * sizeof *reward);
	advantage = arena_alloc(&t->arena, b->n * sizeof *advantage);
	group = arena_alloc(&t->arena, b->n * sizeof *group);
	for (size_t i = 0; i < b->n; i++) {
		reward[i] = b->samples[i].reward;
		group[i] = b->samples[i].group;
	}
	grpo_advantages(b->n, reward, group, o->scale, advantage, &r->n_groups, &r->n_dead);
	memset(&t->window, 0, sizeof t->window);
	t->n_order = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct rewarded *s = &b->samples[i];
		size_t bytes = (size_t)s->n_tokens * sizeof(float);

		t->samples[i] = (struct grpo_sample){
			.advantage = advantage[i],
			.n_tokens = s->n_tokens,
			.counted = !isnan(s->reward) && !(o->mask_truncated && s->truncated),
			.logp_old = s->logp_old,
			.logp = arena_alloc(&t->arena, bytes),
			.logp_ref = t->reference ? arena_alloc(&t->arena, bytes) : NULL,
		};
		t->coefficient[i] = arena_alloc(&t->arena, bytes);
		grpo_window_add(&t->window, &t->samples[i]);
		if (t->samples[i].counted && (advantage[i] != 0 || t->reference))
			t->order[t->n_order++] = i;
	}
}

/* Rows that sample `at` of the order adds to a tree with those from `from` on. */
static long long rows_added(
	const struct trainer *t, const struct rewarded_batch *b, size_t from, size_t at)
{
	const struct rewarded *s = &b->samples[t->order[at]];
	int shared = -1;

	for (size_t k = at; !t->options.flat && k-- > from;) {
		const struct rewarded *o = &b->samples[t->order[k]];
		int n = 0, most = s->n_tokens < o->n_tokens ? s->n_tokens : o->n_tokens;

		if (o->group != s->group)
			break;
		while (n < most && o->tokens[n] == s->tokens[n])
			n++;
		if (n > shared)
			shared = n;
	}
	return shared < 0 ? (long long)s->n_prompt + s->n_tokens : s->n_tokens - shared;
}

/* Cuts the order into micro-batches that fit; between groups where that can be. */
static int cut(struct trainer *t, const struct rewarded_batch *b, struct error *err)
{
	long long rows = 0;
	size_t from = 0, group_start = 0;

	t->cuts = arena_alloc(&t->arena, (t->n_order + 1) * sizeof *t->cuts);
	t->n_micro = 0;
	t->cuts[0] = 0;
	for (size_t i = 0; i < t->n_order;) {
		const struct rewarded *s = &b->samples[t->order[i]];
		long long more = rows_added(t, b, from, i);

		if (i == 0 || b->samples[t->order[i - 1]].group != s->group)
			group_start = i;
		if (rows + more <= t->options.micro_rows) {
			rows += more;
			i++;
			continue;
		}
		if (i == from)
			return error_set(err, EXIT_DATA, "%s: %d tokens do not fit --micro-rows %d",
				s->name, s->n_prompt + s->n_tokens, t->options.micro_rows);
		from = group_start > from ? group_start : i;
		t->cuts[++t->n_micro] = from;
		rows = 0;
		i = from;
	}
	if (t->n_order)
		t->cuts[++t->n_micro] = t->n_order;
	return 0;
}

static void add_sequence(struct trainer *t, const struct rewarded *s)
{
	t->ids.len = 0;
	for (int k = 0; k < s->n_prompt; k++)
		ids_add(&t->ids, s->prompt[k]);
	for (int k = 0; k < s->n_tokens; k++)
		ids_add(&t->ids, s->tokens[k]);
	if (!s->choices) {
		tree_add(t->tree, t->ids.data, (int32_t)t->ids.len, s->n_prompt);
		return;
	}
	t->choices.len = 0;
	for (int k = 0; k < s->n_prompt + s->n_tokens; k++) {
		t->choices.data = array_grow(
			t->choices.data, &t->choices.cap, t->choices.len, sizeof *t->choices.data);
		t->choices.data[t->choices.len++] =
			k < s->n_prompt ? NULL : s->choices[k - s->n_prompt];
	}
	tree_add_guided(t->tree, t->ids.data, (int32_t)t->ids.len, s->n_prompt, t->choices.data);
}

/* Edge of token k of a completion that is sequence q of the tree; negative: it was
 * certain. */
static int32_t edge_of(const struct tree *tree, int32_t q, const struct rewarded *s, int k)
{
	return tree->sequence_edges[tree->sequence_start[q] + s->n_prompt + k - 1];
}

/* A forward pass failed: finds the first sample for which it fails alone. */
static int blame(struct trainer *t, struct model *m, struct workspace *w,
	const struct rewarded_batch *b, size_t from, size_t to, struct error *err)
{
	for (size_t i = from; i < to; i++) {
		struct error one;

		tree_clear(t->tree);
		add_sequence(t, &b->samples[t->order[i]]);
		tree_pack(t->tree, 1);
		if (model_forward(m, w, t->tree, (float)b->temperature, t->logprob, NULL, &one) ==
			0)
			continue;
		*err = one;
		return error_prefix(err, "%s", b->samples[t->order[i]].name);
	}
	return -1;
}

/* Log-probabilities of the micro-batch's tokens under m, into logp or logp_ref. */
static int forward(struct trainer *t, struct model *m, struct workspace *w,
	const struct rewarded_batch *b, size_t from, size_t to, struct error *err)
{
	if (model_forward(m, w, t->tree, (float)b->temperature, t->logprob, NULL, err) != 0)
		return blame(t, m, w, b, from, to, err);
	for (size_t i = from; i < to; i++) {
		const struct rewarded *s = &b->samples[t->order[i]];
		struct grpo_sample *g = &t->samples[t->order[i]];
		float *out = (float *)(m == t->reference ? g->logp_ref : g->logp);

		for (int k = 0; k < s->n_tokens; k++) {
			int32_t edge = edge_of(t->tree, (int32_t)(i - from), s, k);

			out[k] = edge < 0 ? 0 : t->logprob[edge];
		}
	}
	return 0;
}

/* The policy that sampled a batch must find its own log-probabilities again. */
static int check_ratio(const struct trainer *t, const struct rewarded_batch *b, size_t from,
	size_t to, struct error *err)
{
	for (size_t i = from; i < to; i++) {
		const struct rewarded *s = &b->samples[t->order[i]];
		const struct grpo_sample *g = &t->samples[t->order[i]];

		for (int k = 0; k < s->n_tokens; k++) {
			double ratio = exp((double)g->logp[k] - g->logp_old[k]);

			if (fabs(ratio - 1) <= t->options.tolerance)
				continue;
			return error_set(err, EXIT_INTERNAL,
				"%s: token %d of the completion (id %d) has log-probability %.6f "
				"under the policy that sampled it, but %.6f was recorded (ratio "
				"%.6f, not 1): were tokens, logprobs or temperature changed since "
				"the rollout, or was it made by another build or device?",
				s->name, k, s->tokens[k], (double)g->logp[k],
				(double)g->logp_old[k], ratio);
		}
	}
	return 0;
}

static void pack(struct trainer *t, const struct rewarded_batch *b, size_t from, size_t to)
{
	tree_clear(t->tree);
	for (size_t i = from; i < to; i++)
		add_sequence(t, &b->samples[t->order[i]]);
	tree_pack(t->tree, t->options.flat);
}

/* Coefficients of the micro-batch's samples, summed on the edges they share. */
static void edge_coefficients(struct trainer *t, const struct rewarded_batch *b, size_t from,
	size_t to, struct grpo_sums *sums)
{
	memset(t->edge_coefficient, 0, (size_t)t->tree->n_edges * sizeof(float));
	for (size_t i = from; i < to; i++) {
		size_t k = t->order[i];
		const struct rewarded *s = &b->samples[k];

		grpo_loss_part(
			1, &t->samples[k], &t->options.grpo, &t->window, &t->coefficient[k], sums);
		for (int j = 0; j < s->n_tokens; j++) {
			int32_t edge = edge_of(t->tree, (int32_t)(i - from), s, j);

			if (edge >= 0)
				t->edge_coefficient[edge] += t->coefficient[k][j];
		}
	}
}

static int micro_batch(struct trainer *t, const struct rewarded_batch *b, size_t from, size_t to,
	int first_epoch, int on_policy, struct grpo_sums *sums, struct trainer_result *r,
	struct error *err)
{
	struct model *m = t->policy->model;
	double start = seconds_now(), middle;

	pack(t, b, from, to);
	if (t->reference && first_epoch &&
		forward(t, t->reference, t->reference_workspace, b, from, to, err) != 0)
		return error_prefix(err, "the reference");
	if (forward(t, m, t->workspace, b, from, to, err) != 0)
		return -1;
	if (on_policy && first_epoch && check_ratio(t, b, from, to, err) != 0)
		return -1;
	edge_coefficients(t, b, from, to, sums);
	if (!isfinite(sums->loss))
		return error_set(err, EXIT_INTERNAL,
			"the loss is not finite between %s and %s: ratios are up to %g",
			b->samples[t->order[from]].name, b->samples[t->order[to - 1]].name,
			sums->ratio_max_gap + 1);
	middle = seconds_now();
	r->forward += middle - start;
	if (model_backward(m, t->workspace, t->tree, t->edge_coefficient, err) != 0)
		return -1;
	r->backward += seconds_now() - middle;
	r->rows += t->tree->n_rows;
	r->flat_rows += t->tree->flat_rows;
	return 0;
}

static int epoch(struct trainer *t, const struct rewarded_batch *b, int first_epoch, int on_policy,
	struct trainer_result *r, struct error *err)
{
	struct grpo_sums sums = {0};

	r->rows = r->flat_rows = 0;
	model_grad_zero(t->policy->model);
	for (size_t k = 0; k < t->n_micro; k++)
		if (micro_batch(t, b, t->cuts[k], t->cuts[k + 1], first_epoch, on_policy, &sums, r,
			    err) != 0)
			return -1;
	grpo_metrics_of(&sums, &r->grpo);
	return 0;
}

static int start(struct trainer *t, const struct rewarded_batch *b, struct trainer_result *r,
	struct error *err)
{
	memset(r, 0, sizeof *r);
	describe(b, r);
	prepare(t, b, r);
	if (cut(t, b, err) != 0)
		return -1;
	r->micro_batches = (int)t->n_micro;
	return 0;
}

int trainer_gradient(struct trainer *t, const struct rewarded_batch *b, int on_policy,
	struct trainer_result *result, struct error *err)
{
	if (start(t, b, result, err) != 0)
		return -1;
	return epoch(t, b, 1, on_policy, result, err);
}

int trainer_update(struct trainer *t, const struct rewarded_batch *b, double schedule,
	int on_policy, struct trainer_result *result, struct error *err)
{
	if (start(t, b, result, err) != 0)
		return -1;
	for (int e = 0; e < t->options.inner_epochs && t->n_order; e++) {
		double before;

		if (epoch(t, b, e == 0, on_policy, result, err) != 0)
			return -1;
		before = seconds_now();
		if (optimizer_step(t->optimizer, schedule, &result->grad_norm, err) != 0)
			return -1;
		result->optimizer += seconds_now() - before;
	}
	return 0;
}
