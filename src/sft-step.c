/*
 * sft-step - supervised steps: teaches a model the expected answers of training
 * records, and writes a checkpoint.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "rl/checkpoint.h"
#include "rl/dataset.h"
#include "rl/guidance.h"
#include "rl/input.h"
#include "rl/metrics.h"
#include "rl/sft.h"
#include "rl/training_options.h"
#include "stream/file.h"

static const char doc[] =
	"Trains a model on records with `request` and `argv` (those that belong to the train split "
	"or to none) and writes it to a new directory."
	"\vThe same model, records, options and seed give the same bytes on a given device with a "
	"given number of threads; --seconds does not, since it asks the clock.  An optimizer state "
	"that the model's directory holds from an earlier sft-step is continued, and so is the "
	"order of the records.";

enum {
	KEY_SECONDS = 256,
	KEY_BATCH,
	KEY_PROMPT_LOSS,
	KEY_DROPOUT,
	KEY_FLAT,
	KEY_PLAN,
	KEY_SPAN_NOISE
};

static const struct argp_option option_list[] = {
	{"model", 'm', "DIR", 0, "the model to start from", 1},
	{"output", 'o', "DIR", 0, "the new directory, which must not exist", 1},
	{"seconds", KEY_SECONDS, "T", 0,
		"train so long instead of --steps; the schedule follows the time", 2},
	{"batch-tokens", KEY_BATCH, "N", 0, "tokens of a batch (1000)", 2},
	{"prompt-loss", KEY_PROMPT_LOSS, "X", 0,
		"weight of a request's tokens; an answer's count 1 (0.1)", 2},
	{"bpe-dropout", KEY_DROPOUT, "X", 0, "share of merges left out of requests (0.05)", 2},
	{"span-noise", KEY_SPAN_NOISE, "X", 0,
		"share of requests in which a word is taken for a value (0)", 2},
	{"flat", KEY_FLAT, 0, 0, "share no prefixes: the plain way, to compare with", 2},
	{"plan", KEY_PLAN, 0, 0, "print the memory that training takes, and stop", 2}, {0}};

struct options {
	struct input_options input;
	struct training_options training;
	struct sft_options sft;
	struct guidance_options guidance;
	const char *model, *output;
	double seconds;
	int plan;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->training;
		state->child_inputs[1] = &o->input;
		state->child_inputs[2] = &o->guidance;
		break;
	case 'm':
		o->model = arg;
		break;
	case 'o':
		o->output = arg;
		break;
	case KEY_SECONDS:
		o->seconds = option_real(state, "--seconds", arg, 0.001, 1e9);
		break;
	case KEY_BATCH:
		o->sft.batch_tokens = (int)option_integer(state, "--batch-tokens", arg, 1, 1 << 24);
		break;
	case KEY_PROMPT_LOSS:
		o->sft.prompt_loss = option_real(state, "--prompt-loss", arg, 0, 1);
		break;
	case KEY_DROPOUT:
		o->sft.noise.bpe_dropout = option_real(state, "--bpe-dropout", arg, 0, 1);
		break;
	case KEY_SPAN_NOISE:
		o->sft.noise.span_noise = option_real(state, "--span-noise", arg, 0, 1);
		break;
	case KEY_FLAT:
		o->sft.flat = 1;
		break;
	case KEY_PLAN:
		o->plan = 1;
		break;
	case ARGP_KEY_END:
		if (!o->model || (!o->output && !o->plan))
			argp_error(state, "--model and --output are needed");
		if (o->seconds > 0 && o->training.steps)
			argp_error(state, "--steps and --seconds exclude each other");
		if (!(o->seconds > 0) && !o->training.steps && !o->plan)
			argp_error(state, "--steps or --seconds is needed");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static struct dataset *read_records(const struct options *o)
{
	struct dataset *data = dataset_new();
	struct input in;
	struct record r = {0};

	input_open(&in, &o->input);
	while (input_next(&in, &r)) {
		if (!record_in_split(&r, SPLIT_TRAIN))
			continue;
		if (!json_is_string(json_object_get(r.json, "request")) ||
			!json_object_get(r.json, "argv"))
			input_bad(&in, &r, "a training record needs 'request' and 'argv'");
		else
			dataset_add(data, &r);
	}
	record_release(&r);
	input_close(&in);
	if (dataset_count(data) == 0)
		die(EXIT_DATA, "no training records (split absent or \"train\")");
	return data;
}

static json_t *figures(const struct sft_result *r, long long step, double lr, double seconds)
{
	return json_pack("{s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I}",
		"step", (json_int_t)step, "loss", r->loss, "answer_loss", r->answer_loss,
		"grad_norm", r->grad_norm, "lr", lr, "records", (json_int_t)r->records, "skipped",
		(json_int_t)r->skipped, "unsaid", (json_int_t)r->unsaid, "tokens",
		(json_int_t)r->tokens, "rows", (json_int_t)r->rows, "tokens_per_second",
		(double)r->tokens / seconds, "seconds", seconds, "peak_memory",
		(json_int_t)memory_peak());
}

/* The loop.  Counts in state. */
static void train(const struct options *o, struct sft *sft, struct trainer_state *state)
{
	const struct training_options *t = &o->training;
	struct metrics metrics;
	struct error err;
	long long first = state->step, skipped = 0, unsaid = 0;
	double started = seconds_now(), share;

	if (metrics_open(&metrics, t->metrics, first, o->input.quiet, &err) != 0)
		die_error(&err);
	for (long long done = 0; !t->steps || done < t->steps; done++) {
		double before = seconds_now(), schedule;
		struct sft_result result;
		char text[64];

		share = (before - started) / o->seconds;
		if (!t->steps && share >= 1)
			break;
		schedule = t->steps ? training_schedule(t, done, t->steps)
				    : training_schedule(t, (long long)(share * 1e6), 1000000);
		if (sft_step(sft, schedule, &result, &err) != 0) {
			error_prefix(&err, "step %lld", first + done + 1);
			die_error(&err);
		}
		state->step++;
		state->cursor = sft_cursor(sft);
		skipped += result.skipped;
		unsaid += result.unsaid;
		if (metrics_write(&metrics,
			    figures(&result, state->step, t->optimizer.lr * schedule,
				    seconds_now() - before),
			    &err) != 0)
			die_error(&err);
		snprintf(text, sizeof text, "loss %.3f", result.loss);
		metrics_progress(&metrics, t->steps ? done + 1 : (long long)(share * 1000),
			t->steps ? t->steps : 1000, text);
	}
	if (metrics_close(&metrics, &err) != 0)
		die_error(&err);
	if (skipped)
		warn("%lld records were too long for the model and left out", skipped);
	if (unsaid)
		warn("%lld records were left out, whose answers cannot be said (%s); --no-ground "
		     "or --free takes them",
			unsaid, sft_unsaid(sft));
}

static void publish(struct policy *p, const struct optimizer *opt, struct trainer_state *state,
	const char *output)
{
	struct buf temporary = {0};
	struct error err;

	buf_addf(&temporary, "%s.new.%ld", output, (long)getpid());
	if (checkpoint_publish(p, opt, state, temporary.data, output, &err) != 0)
		die_error(&err);
	buf_release(&temporary);
}

/* State and optimizer of an earlier sft-step, unless --fresh drops them. */
static void resume(const struct options *o, struct policy *p, struct optimizer *opt,
	struct trainer_state *state)
{
	struct error err;

	if (trainer_state_read(p->dir, state, &err) != 0)
		die_error(&err);
	if (o->training.fresh || strcmp(state->kind, "sft") != 0)
		memset(state, 0, sizeof *state);
	else if (optimizer_load(opt, p->dir, &err) != 0)
		die_error(&err);
	strcpy(state->kind, "sft");
	state->seed = o->training.seed;
	snprintf(state->options, sizeof state->options,
		"batch_tokens=%d prompt_loss=%g bpe_dropout=%g span_noise=%g free=%d no_ground=%d",
		o->sft.batch_tokens, o->sft.prompt_loss, o->sft.noise.bpe_dropout,
		o->sft.noise.span_noise, o->guidance.free, o->guidance.no_ground);
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&training_argp, 0, "Training", 0},
		{&input_argp, 0, "Input", 0}, {&guidance_argp, 0, "What answers are held to", 0},
		{0}};
	static const struct argp argp = {option_list, parse, "[FILE...]", doc, children, 0, 0};
	struct options o = {.training = {.optimizer = {.lr = 4e-3,
						 .muon_lr = 0.02,
						 .beta1 = 0.9,
						 .beta2 = 0.95,
						 .eps = 1e-8,
						 .weight_decay = 0.05,
						 .muon_momentum = 0.95,
						 .clip = 1},
				    .schedule = SCHEDULE_COSINE,
				    .warmup = 0.04,
				    .floor = 0.05,
				    .device = "auto"},
		.sft = {.batch_tokens = 1000, .prompt_loss = 0.1, .noise = {.bpe_dropout = 0.05}}};
	struct trainer_state state;
	struct error err;

	options_parse(&argp, argc, argv, &o);
	o.sft.seed = o.training.seed;
	if (o.output && access(o.output, F_OK) == 0)
		die(EXIT_USAGE, "%s exists already", o.output);
	const struct device *device = device_open(o.training.device, o.training.threads, &err);
	if (!device)
		die_error(&err);
	struct policy *p = policy_open(o.model, device, 1, &err);
	if (!p)
		die_error(&err);
	struct optimizer *opt = optimizer_new(p->model, &o.training.optimizer, &err);
	if (!opt)
		die_error(&err);
	if (guidance_choose(p, &o.guidance, &o.sft.constraint, &err) != 0)
		die_error(&err);
	resume(&o, p, opt, &state);
	struct dataset *data = o.plan ? dataset_new() : read_records(&o);
	struct sft *sft = sft_new(p, opt, data, &o.sft, state.cursor, &err);
	if (!sft)
		die_error(&err);
	if (o.plan) {
		printf("%lld parameters, %llu bytes for a batch of %d tokens\n",
			(long long)p->model->n_parameters, (unsigned long long)sft_bytes(sft),
			o.sft.batch_tokens);
	} else {
		train(&o, sft, &state);
		publish(p, opt, &state, o.output);
	}
	sft_free(sft);
	dataset_free(data);
	optimizer_free(opt);
	policy_free(p);
	return fclose(stdout) == 0 ? EXIT_OK : EXIT_IO;
}
