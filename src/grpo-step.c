/*
 * grpo-step - GRPO updates from rewarded rollouts: by hand (-o), or as the trainer
 * of a closed loop (--publish).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "rl/checkpoint.h"
#include "rl/input.h"
#include "rl/metrics.h"
#include "rl/run.h"
#include "rl/trainer.h"
#include "rl/training_options.h"
#include "stream/file.h"

static const char doc[] =
	"Reads rewarded rollouts and updates the policy by group relative policy optimisation, one "
	"update (or --inner-epochs of them) a batch."
	"\vWith --publish RUN each step is published as RUN/step-N, together with the optimizer, "
	"and the same command goes on from the newest one; RUN/step-0 is the model given.  With -o "
	"DIR the policy after the last batch is written there.  A reward of null stands for no "
	"result and is left out.  A batch whose groups are all dead (every sample of a group has "
	"the same reward) changes no weight, but is a step.";

enum {
	KEY_PUBLISH = 256,
	KEY_LOSS,
	KEY_SCALE,
	KEY_LOW,
	KEY_HIGH,
	KEY_BETA,
	KEY_REF,
	KEY_INNER,
	KEY_MICRO,
	KEY_KEEP,
	KEY_LAG,
	KEY_MASK,
	KEY_LENGTH,
	KEY_FLAT,
	KEY_PLAN
};

static const struct argp_option option_list[] = {
	{"model", 'm', "DIR", 0, "the policy to start from", 1},
	{"publish", KEY_PUBLISH, "RUN", 0, "publish every step in RUN, and go on from the newest",
		1},
	{"output", 'o', "DIR", 0, "write the policy there at the end", 1},
	{"keep", KEY_KEEP, "N", 0, "newest steps to keep in RUN (3, at least lag + 2)", 1},
	{"lag", KEY_LAG, "L", 0, "batches come from up to L steps ago (0)", 1},
	{"loss", KEY_LOSS, "NAME", 0, "dapo (default), grpo, dr_grpo, bnpo", 2},
	{"scale", KEY_SCALE, "NAME", 0,
		"divide advantages by the std of: group (default), batch, none", 2},
	{"epsilon-low", KEY_LOW, "X", 0, "ratios below 1 - X are clipped (0.2)", 2},
	{"epsilon-high", KEY_HIGH, "X", 0, "ratios above 1 + X are clipped (0.28)", 2},
	{"beta", KEY_BETA, "X", 0, "weight of the divergence from the reference (0)", 2},
	{"ref", KEY_REF, "DIR", 0, "the reference (what --model names)", 2},
	{"inner-epochs", KEY_INNER, "N", 0, "updates a batch (1)", 2},
	{"max-completion-length", KEY_LENGTH, "N", 0, "divisor of dr_grpo (40)", 2},
	{"mask-truncated", KEY_MASK, 0, 0, "completions that did not end count for nothing", 2},
	{"micro-rows", KEY_MICRO, "N", 0, "most rows run through the model at once (4096)", 2},
	{"flat", KEY_FLAT, 0, 0, "share no prefixes: the plain way, to compare with", 2},
	{"plan", KEY_PLAN, 0, 0, "print the memory that training takes, and stop", 2}, {0}};

struct options {
	struct input_options input;
	struct training_options training;
	struct trainer_options trainer;
	const char *model, *publish, *output, *reference;
	long long keep, lag;
	int plan;
};

static error_t parse_loss(int key, char *arg, struct argp_state *state)
{
	struct trainer_options *o = &((struct options *)state->input)->trainer;

	switch (key) {
	case KEY_LOSS:
		o->grpo.loss = (enum loss_kind)option_choice(state, "--loss", arg, loss_kind_names);
		break;
	case KEY_SCALE:
		o->grpo.scale = (enum advantage_scale)option_choice(
			state, "--scale", arg, advantage_scale_names);
		break;
	case KEY_LOW:
		o->grpo.epsilon_low = option_real(state, "--epsilon-low", arg, 0, 1);
		break;
	case KEY_HIGH:
		o->grpo.epsilon_high = option_real(state, "--epsilon-high", arg, 0, 1e9);
		break;
	case KEY_BETA:
		o->grpo.beta = option_real(state, "--beta", arg, 0, 1e9);
		break;
	case KEY_INNER:
		o->inner_epochs = (int)option_integer(state, "--inner-epochs", arg, 1, 1000);
		break;
	case KEY_LENGTH:
		o->grpo.max_completion_length =
			(int)option_integer(state, "--max-completion-length", arg, 1, 1 << 24);
		break;
	case KEY_MASK:
		o->grpo.mask_truncated = 1;
		break;
	case KEY_MICRO:
		o->micro_rows = (int)option_integer(state, "--micro-rows", arg, 16, 1 << 26);
		break;
	case KEY_FLAT:
		o->flat = 1;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->training;
		state->child_inputs[1] = &o->input;
		break;
	case 'm':
		o->model = arg;
		break;
	case 'o':
		o->output = arg;
		break;
	case KEY_PUBLISH:
		o->publish = arg;
		break;
	case KEY_REF:
		o->reference = arg;
		break;
	case KEY_KEEP:
		o->keep = option_integer(state, "--keep", arg, 1, 1LL << 40);
		break;
	case KEY_LAG:
		o->lag = option_integer(state, "--lag", arg, 0, 64);
		break;
	case KEY_PLAN:
		o->plan = 1;
		break;
	case ARGP_KEY_END:
		if (!o->model)
			argp_error(state, "--model is needed");
		if (!o->publish == !o->output && !o->plan)
			argp_error(state, "either --publish or --output is needed");
		if (o->training.schedule == SCHEDULE_COSINE && !o->training.steps)
			argp_error(state, "--schedule cosine needs --steps");
		if (o->training.warmup > 0 && !o->training.steps)
			argp_error(state, "--warmup is a share of --steps, which is needed");
		if (o->keep < o->lag + 2)
			o->keep = o->lag + 2;
		break;
	default:
		return parse_loss(key, arg, state);
	}
	return 0;
}

struct program {
	struct options options;
	const struct device *device;
	struct policy *policy, *reference;
	struct optimizer *optimizer;
	struct trainer *trainer;
	struct trainer_state state;
	struct metrics metrics;
	double publish_seconds; /* of the last step */
	int lock;
};

/* The options that the result depends on, as one string. */
static void describe_options(const struct options *o, char *out, size_t size)
{
	const struct optimizer_options *p = &o->training.optimizer;
	const struct grpo_options *g = &o->trainer.grpo;

	snprintf(out, size,
		"%s/%s low=%g high=%g beta=%g inner=%d len=%d mask=%d lr=%g muon=%g b=%g,%g "
		"mu=%g wd=%g clip=%g %s warmup=%g floor=%g steps=%lld lag=%lld",
		loss_kind_names[g->loss], advantage_scale_names[g->scale], g->epsilon_low,
		g->epsilon_high, g->beta, o->trainer.inner_epochs, g->max_completion_length,
		g->mask_truncated, p->lr, p->muon_lr, p->beta1, p->beta2, p->muon_momentum,
		p->weight_decay, p->clip, schedule_kind_names[o->training.schedule],
		o->training.warmup, o->training.floor, o->training.steps, o->lag);
}

static void publish(struct program *p)
{
	const char *run = p->options.publish;
	struct buf temporary = {0}, path = {0};
	struct error err;
	double started = seconds_now();

	run_temporary_path(run, p->state.step, &temporary);
	run_step_path(run, p->state.step, &path);
	if (checkpoint_publish(
		    p->policy, p->optimizer, &p->state, temporary.data, path.data, &err) != 0 ||
		run_prune(run, p->state.step, p->options.keep, &err) != 0)
		die_error(&err);
	p->publish_seconds = seconds_now() - started;
	buf_release(&temporary);
	buf_release(&path);
}

/* The start: the newest step of the run, or the model given. */
static void open_policy(struct program *p)
{
	const struct options *o = &p->options;
	long long newest = o->publish ? run_newest(o->publish) : -1;
	const char *from = newest >= 0 ? o->publish : o->model;
	char options[sizeof p->state.options];
	struct error err;

	p->policy = policy_open(from, p->device, 1, &err);
	if (!p->policy)
		die_error(&err);
	p->optimizer = optimizer_new(p->policy->model, &o->training.optimizer, &err);
	if (!p->optimizer || trainer_state_read(p->policy->dir, &p->state, &err) != 0)
		die_error(&err);
	if (newest < 0 && (o->training.fresh || strcmp(p->state.kind, "grpo") != 0 || o->publish))
		memset(&p->state, 0, sizeof p->state);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	else if (optimizer_load(p->optimizer, p->policy->dir, &err) != 0)
		die_error(&err);
	describe_options(o, options, sizeof options);
	if (newest >= 0) {
		note("%s: going on from step %lld", o->publish, newest);
		if (strcmp(options, p->state.options) != 0)
			warn("%s was begun with other options (%s)", o->publish, p->state.options);
		if (newest != p->state.step ||
			strcmp(p->state.policy_hash, p->policy->model->hash) != 0)
			die(EXIT_DATA, "%s: weights and trainer_state.json do not belong together",
				p->policy->dir);
	}
	strcpy(p->state.kind, "grpo");
	p->state.seed = o->training.seed;
	memcpy(p->state.options, options, sizeof options);
}

static void open_reference(struct program *p)
{
	const struct options *o = &p->options;
	struct error err;

	if (!(o->trainer.grpo.beta > 0))
		return;
	p->reference = policy_open(o->reference ? o->reference : o->model, p->device, 0, &err);
	if (!p->reference)
		die_error(&err);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	if (strcmp(tokenizer_hash(p->reference->tokenizer), tokenizer_hash(p->policy->tokenizer)) !=
		0)
		die(EXIT_DATA, "%s: the reference has another tokenizer", p->reference->dir);
}

/* Hash of the weights of an earlier step of the run, "" where it is gone. */
static void step_hash(const struct program *p, long long step, char hash[65])
{
	struct trainer_state state = {0};
	struct buf dir = {0};

	run_step_path(p->options.publish, step, &dir);
	if (trainer_state_read(dir.data, &state, NULL) != 0)
		state.policy_hash[0] = '\0';
	memcpy(hash, state.policy_hash, sizeof state.policy_hash);
	buf_release(&dir);
}

/* Was the batch sampled by a policy that may have sampled it?  1 where by the
 * present one. */
static int check_origin(const struct program *p, const struct rewarded_batch *b)
{
	char hash[65] = "";

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	if (strcmp(b->policy_hash, p->policy->model->hash) == 0)
		return 1;
	if (p->options.publish && b->policy_step < p->state.step &&
		b->policy_step >= p->state.step - p->options.lag) {
		step_hash(p, b->policy_step, hash);
		if (strcmp(hash, b->policy_hash) == 0)
			return 0;
	} else if (!p->options.publish && p->options.lag > 0) {
		return 0;
	}
	die(EXIT_DATA,
		"%s: sampled by policy %.12s (step %lld), but this is %.12s (step %lld): sample "
		"from "
		"the present policy, or allow older ones with --lag",
		b->samples[0].name, b->policy_hash, b->policy_step, p->policy->model->hash,
		p->state.step);
}

static double share(size_t part, size_t of)
{
	return of ? (double)part / (double)of : 0;
}

static json_t *figures(const struct program *p, const struct rewarded_batch *b,
	const struct trainer_result *r, double rate, double wait)
{
	const struct optimizer_options *o = &p->options.training.optimizer;
	json_t *json = json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:I, s:f}", "step",
		(json_int_t)p->state.step, "policy_step", (json_int_t)b->policy_step, "samples",
		(json_int_t)r->n_samples, "reward_mean", r->reward_mean, "reward_std",
		r->reward_std, "exact", share(r->n_exact, r->n_samples - r->n_unscored), "unscored",
		(json_int_t)r->n_unscored, "groups", (json_int_t)r->n_groups, "dead_groups",
		(json_int_t)r->n_dead, "dead_share", share(r->n_dead, r->n_groups));
	json_t *loss = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "loss",
		r->grpo.loss, "kl", r->grpo.kl, "clip_low", r->grpo.clip_low, "clip_high",
		r->grpo.clip_high, "ratio_mean", r->grpo.ratio_mean, "ratio_max_gap",
		r->grpo.ratio_max_gap, "entropy", r->entropy, "grad_norm", r->grad_norm, "lr",
		o->lr * rate, "muon_lr", o->muon_lr * rate, "truncated",
		share(r->n_truncated, r->n_samples));
	json_t *cost = json_pack("{s:I, s:f, s:I, s:I, s:I, s:{s:f, s:f, s:f, s:f, s:f}, s:I}",
		"tokens", (json_int_t)r->tokens, "length_mean", r->length_mean, "rows",
		(json_int_t)r->rows, "flat_rows", (json_int_t)r->flat_rows, "micro_batches",
		(json_int_t)r->micro_batches, "seconds", "wait", wait, "forward", r->forward,
		"backward", r->backward, "optimizer", r->optimizer, "publish", p->publish_seconds,
		"peak_memory", (json_int_t)memory_peak());

	json_object_update(json, loss);
	json_object_update(json, cost);
	json_decref(loss);
	json_decref(cost);
	return json;
}

/* Explains a run whose every group is dead; a loss of 0 is not an error. */
static void explain_dead(struct program *p, const struct trainer_result *r)
{
	enum {
		DEAD_STEPS = 20
	};

	p->state.dead = r->n_dead == r->n_groups ? p->state.dead + 1 : 0;
	if (p->state.dead > 0 && p->state.dead % DEAD_STEPS == 0)
		note("for %lld steps every sample of each group had the same reward, so nothing "
		     "could be learnt (mean reward %.3f): the task is solved, or too hard, or the "
		     "samples do not differ (more samples a group, a higher temperature, rollout "
		     "--live)",
			p->state.dead, r->reward_mean);
}

static void step(struct program *p, const struct rewarded_batch *b, double wait)
{
	const struct training_options *t = &p->options.training;
	struct trainer_result result;
	struct error err;
	char text[64];
	double rate = training_schedule(t, p->state.step, t->steps ? t->steps : 1LL << 40);
	int on_policy = check_origin(p, b);

	if (trainer_update(p->trainer, b, rate, on_policy, &result, &err) != 0) {
		error_prefix(&err, "step %lld", p->state.step + 1);
		die_error(&err);
	}
	p->state.step++;
	explain_dead(p, &result);
	/* The line comes before the step: a killed trainer writes it again. */
	if (metrics_write(&p->metrics, figures(p, b, &result, rate, wait), &err) != 0)
		die_error(&err);
	if (p->options.publish)
		publish(p);
	snprintf(text, sizeof text, "reward %.3f", result.reward_mean);
	metrics_progress(&p->metrics, p->state.step, t->steps ? t->steps : p->state.step, text);
}

/* 1 where the batch is the next one; 0 where it is one that was trained on before
 * this program went on. */
static int is_next(const struct program *p, const struct rewarded_batch *b)
{
	if (!p->options.publish || b->index < 0 || b->index == p->state.step)
		return 1;
	if (b->index > p->state.step)
		die(EXIT_DATA, "batch %lld came where %lld was due: is rollout following %s?",
			b->index, p->state.step, p->options.publish);
	note("batch %lld was trained on before; left out", b->index);
	return 0;
}

static void train(struct program *p)
{
	const struct options *o = &p->options;
	struct rewarded_batch batch = {0};
	struct input in;
	struct error err;
	long long steps = 0;
	int got;

	input_open(&in, &o->input);
	while (!o->training.steps || p->state.step < o->training.steps) {
		double before = seconds_now();

		got = rewarded_read(&batch, &in, p->policy, &err);
		if (got < 0)
			die_error(&err);
		if (got == 0)
			break;
		if (!is_next(p, &batch))
			continue;
		step(p, &batch, seconds_now() - before);
		steps++;
	}
	if (o->training.steps && p->state.step < o->training.steps)
		warn("the input ended after step %lld of %lld", p->state.step, o->training.steps);
	else if (!steps)
		note("nothing to do: no batch, or all steps are there");
	rewarded_release(&batch);
	input_close(&in);
}

static void write_output(struct program *p)
{
	struct buf temporary = {0};
	struct error err;

	buf_addf(&temporary, "%s.new.%ld", p->options.output, (long)getpid());
	if (checkpoint_publish(p->policy, p->optimizer, &p->state, temporary.data,
		    p->options.output, &err) != 0)
		die_error(&err);
	buf_release(&temporary);
}

static void program_open(struct program *p)
{
	const struct options *o = &p->options;
	struct error err;

	p->device = device_open(o->training.device, o->training.threads, &err);
	if (!p->device)
		die_error(&err);
	p->lock = -1;
	if (o->publish && !o->plan && (p->lock = run_lock(o->publish, &err)) < 0)
		die_error(&err);
	open_policy(p);
	open_reference(p);
	p->trainer = trainer_new(p->policy, p->reference ? p->reference->model : NULL, p->optimizer,
		&o->trainer, &err);
	if (!p->trainer)
		die_error(&err);
	if (o->plan)
		return;
	if (metrics_open(&p->metrics, o->training.metrics, p->state.step, o->input.quiet, &err) !=
		0)
		die_error(&err);
	if (o->publish && run_newest(o->publish) < 0)
		publish(p);
	else if (o->publish && run_prune(o->publish, p->state.step, o->keep, &err) != 0)
		die_error(&err);
}

static void program_close(struct program *p)
{
	trainer_free(p->trainer);
	optimizer_free(p->optimizer);
	policy_free(p->policy);
	policy_free(p->reference);
	if (p->lock >= 0)
		close(p->lock);
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&training_argp, 0, "Training", 0}, {&input_argp, 0, "Input", 0}, {0}};
	static const struct argp argp = {option_list, parse, "[FILE...]", doc, children, 0, 0};
	static struct program p = {.options = {.training = {.optimizer = {.lr = 4e-4,
								    .muon_lr = 2e-3,
								    .beta1 = 0.9,
								    .beta2 = 0.95,
								    .eps = 1e-8,
								    .muon_momentum = 0.95,
								    .clip = 1},
						       .schedule = SCHEDULE_CONSTANT,
						       .floor = 0.05,
						       .device = "auto"},
					   .trainer = {.grpo = {.epsilon_low = 0.2,
							       .epsilon_high = 0.28,
							       .max_completion_length = 40},
						   .inner_epochs = 1,
						   .micro_rows = 4096,
						   .tolerance = 1e-4},
					   .keep = 3}};
	struct error err;

	options_parse(&argp, argc, argv, &p.options);
	if (p.options.output && access(p.options.output, F_OK) == 0)
		die(EXIT_USAGE, "%s exists already", p.options.output);
	program_open(&p);
	if (p.options.plan) {
		printf("%lld parameters, %llu bytes for %d rows\n",
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
			(long long)p.policy->model->n_parameters,
			(unsigned long long)trainer_bytes(p.trainer), p.options.trainer.micro_rows);
	} else {
		train(&p);
		if (p.options.output)
			write_output(&p);
		if (metrics_close(&p.metrics, &err) != 0)
			die_error(&err);
	}
	program_close(&p);
	return fclose(stdout) == 0 ? EXIT_OK : EXIT_IO;
}
