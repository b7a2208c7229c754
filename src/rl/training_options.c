/* training_options.c - options shared by sft-step and grpo-step. */
#include "rl/training_options.h"

#include <math.h>

enum {
	KEY_LR = 8192,
	KEY_MUON_LR,
	KEY_BETA1,
	KEY_BETA2,
	KEY_WEIGHT_DECAY,
	KEY_MOMENTUM,
	KEY_CLIP,
	KEY_SCHEDULE,
	KEY_WARMUP,
	KEY_FLOOR,
	KEY_STEPS,
	KEY_SEED,
	KEY_DEVICE,
	KEY_THREADS,
	KEY_METRICS,
	KEY_FRESH
};

static const struct argp_option option_list[] = {
	{"lr", KEY_LR, "X", 0, "peak rate of AdamW: embeddings, head, norms", 1},
	{"muon-lr", KEY_MUON_LR, "X", 0, "peak rate of Muon: matrices; 0: AdamW there too", 1},
	{"beta1", KEY_BETA1, "X", 0, "AdamW's first decay (0.9)", 1},
	{"beta2", KEY_BETA2, "X", 0, "AdamW's second decay (0.95)", 1},
	{"momentum", KEY_MOMENTUM, "X", 0, "Muon's momentum (0.95)", 1},
	{"weight-decay", KEY_WEIGHT_DECAY, "X", 0, "decoupled decay of all but norms", 1},
	{"clip", KEY_CLIP, "X", 0, "largest global gradient norm (1); 0: no clipping", 1},
	{"schedule", KEY_SCHEDULE, "NAME", 0, "constant or cosine", 2},
	{"warmup", KEY_WARMUP, "SHARE", 0, "of the steps, with a linearly rising rate", 2},
	{"floor", KEY_FLOOR, "SHARE", 0, "of the peak, where a cosine ends (0.05)", 2},
	{"steps", KEY_STEPS, "N", 0, "updates in all", 2},
	{"seed", KEY_SEED, "N", 0, "of the order of the data and all draws (0)", 3},
	{"device", KEY_DEVICE, "NAME", 0, "auto (default), cpu, cuda, cuda:N", 3},
	{"threads", KEY_THREADS, "N", 0, "CPU threads; 0 (default): all cores", 3},
	{"metrics", KEY_METRICS, "FILE", 0, "append one JSON object a step", 3},
	{"fresh", KEY_FRESH, 0, 0, "drop the optimizer's state that the model comes with", 3}, {0}};

static error_t parse_rates(int key, char *arg, struct argp_state *state)
{
	struct optimizer_options *o = &((struct training_options *)state->input)->optimizer;

	switch (key) {
	case KEY_LR:
		o->lr = option_real(state, "--lr", arg, 0, 100);
		break;
	case KEY_MUON_LR:
		o->muon_lr = option_real(state, "--muon-lr", arg, 0, 100);
		break;
	case KEY_BETA1:
		o->beta1 = option_real(state, "--beta1", arg, 0, 0.999999);
		break;
	case KEY_BETA2:
		o->beta2 = option_real(state, "--beta2", arg, 0, 0.999999);
		break;
	case KEY_MOMENTUM:
		o->muon_momentum = option_real(state, "--momentum", arg, 0, 0.999999);
		break;
	case KEY_WEIGHT_DECAY:
		o->weight_decay = option_real(state, "--weight-decay", arg, 0, 100);
		break;
	case KEY_CLIP:
		o->clip = option_real(state, "--clip", arg, 0, 1e9);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct training_options *o = state->input;

	switch (key) {
	case KEY_SCHEDULE:
		o->schedule = (enum schedule_kind)option_choice(
			state, "--schedule", arg, schedule_kind_names);
		break;
	case KEY_WARMUP:
		o->warmup = option_real(state, "--warmup", arg, 0, 1);
		break;
	case KEY_FLOOR:
		o->floor = option_real(state, "--floor", arg, 0, 1);
		break;
	case KEY_STEPS:
		o->steps = option_integer(state, "--steps", arg, 1, 1LL << 40);
		break;
	case KEY_SEED:
		o->seed = option_seed(state, arg);
		break;
	case KEY_DEVICE:
		o->device = arg;
		break;
	case KEY_THREADS:
		o->threads = (int)option_integer(state, "--threads", arg, 0, 4096);
		break;
	case KEY_METRICS:
		o->metrics = arg;
		break;
	case KEY_FRESH:
		o->fresh = 1;
		break;
	default:
		return parse_rates(key, arg, state);
	}
	return 0;
}

const struct argp training_argp = {option_list, parse, 0, 0, 0, 0, 0};

double training_schedule(const struct training_options *o, long long step, long long total)
{
	long long warmup = (long long)ceil(o->warmup * (double)total);

	return schedule_at(o->schedule, step, warmup, total, o->floor);
}
