/*
 * rollout - samples a group of completions for each request from a policy.
 *
 * Once over given records, or in a closed loop: batch K of the shuffled records is
 * sampled from the policy that the trainer has published as step K (or K - lag).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "rl/checkpoint.h"
#include "rl/dataset.h"
#include "rl/rollout.h"
#include "rl/run.h"
#include "stream/filter.h"

static const char doc[] =
	"Samples completions for the requests of records and writes one record a sample, the "
	"fields of the input record kept."
	"\vOnce: every record of --split (or the first --count of them), in order.  In a loop: "
	"--follow RUN waits for each step that grpo-step publishes there and samples the next "
	"--batch requests from it; started again, it goes on from the newest step.  Draws are "
	"keyed "
	"by seed, step, record id, sample and position: what is sampled together does not matter.  "
	"Greedy completions cannot be trained on.";

enum {
	KEY_TEMPERATURE = 256,
	KEY_DROPOUT,
	KEY_MAX_TOKENS,
	KEY_SEED,
	KEY_STEP,
	KEY_SPLIT,
	KEY_GREEDY,
	KEY_FLAT,
	KEY_LIVE,
	KEY_MERGE_SAME,
	KEY_FOLLOW,
	KEY_BATCH,
	KEY_STEPS,
	KEY_LAG,
	KEY_DEVICE,
	KEY_THREADS,
	KEY_PATIENCE,
	KEY_PLAN,
	KEY_SPAN_NOISE
};

static const struct argp_option option_list[] = {
	{"model", 'm', "DIR", 0, "the policy: a model directory or a run", 1},
	{"group", 'g', "N", 0, "samples a request (8; in one pass with --greedy: 1)", 1},
	{"merge-same", KEY_MERGE_SAME, 0, 0,
		"a group whose samples all say the same is one record, with their number as "
		"'times'",
		1},
	{"count", 'n', "N", 0, "requests to sample (all)", 1},
	{"split", KEY_SPLIT, "NAME", 0,
		"records to take: train, valid, test, all (one pass: all; loop: train)", 1},
	{"batch", KEY_BATCH, "N", 0, "requests sampled together (64)", 1},
	{"temperature", KEY_TEMPERATURE, "T", 0, "of the distribution drawn from (1)", 2},
	{"bpe-dropout", KEY_DROPOUT, "X", 0, "share of merges left out of requests (0)", 2},
	{"span-noise", KEY_SPAN_NOISE, "X", 0,
		"share of requests in which a word is taken for a value (0)", 2},
	{"greedy", KEY_GREEDY, 0, 0, "the most probable token always (temperature 0)", 2},
	{"max-tokens", KEY_MAX_TOKENS, "N", 0, "longest completion, the end token included (40)",
		2},
	{"seed", KEY_SEED, "N", 0, "of all draws (0)", 2},
	{"step", KEY_STEP, "K", 0, "key of the draws (the policy's step)", 2},
	{"flat", KEY_FLAT, 0, 0, "sample each completion by itself: the plain way", 2},
	{"follow", KEY_FOLLOW, "RUN", 0, "loop with the trainer that publishes in RUN", 3},
	{"steps", KEY_STEPS, "N", 0, "end the loop before batch N", 3},
	{"lag", KEY_LAG, "L", 0, "sample batch K from step K - L (0)", 3},
	{"live", KEY_LIVE, "K", 0,
		"go on sampling until K groups do not all say the same, at most 4 batches", 3},
	{"patience", KEY_PATIENCE, "S", 0, "seconds to wait for a trainer to start (60)", 3},
	{"device", KEY_DEVICE, "NAME", 0, "auto (default), cpu, cuda, cuda:N", 4},
	{"threads", KEY_THREADS, "N", 0, "CPU threads; 0 (default): all cores", 4},
	{"plan", KEY_PLAN, 0, 0, "print the memory that sampling takes, and stop", 4}, {0}};

struct options {
	struct filter_options filter;
	struct rollout_options rollout;
	const char *model, *follow, *device;
	enum split split;
	long long count, step, steps, lag, live;
	double patience;
	int threads, plan, split_given, merge_same;
};

static error_t parse_loop(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_FOLLOW:
		o->follow = arg;
		break;
	case KEY_STEPS:
		o->steps = option_integer(state, "--steps", arg, 1, 1LL << 40);
		break;
	case KEY_LAG:
		o->lag = option_integer(state, "--lag", arg, 0, 64);
		break;
	case KEY_LIVE:
		o->live = option_integer(state, "--live", arg, 1, 1 << 20);
		break;
	case KEY_MERGE_SAME:
		o->merge_same = 1;
		break;
	case KEY_PATIENCE:
		o->patience = option_real(state, "--patience", arg, 0, 1e9);
		break;
	case KEY_DEVICE:
		o->device = arg;
		break;
	case KEY_THREADS:
		o->threads = (int)option_integer(state, "--threads", arg, 0, 4096);
		break;
	case KEY_PLAN:
		o->plan = 1;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void check(struct options *o, struct argp_state *state)
{
	if (!o->model == !o->follow)
		argp_error(state, "either --model or --follow is needed");
	if (!o->follow && (o->steps || o->lag || o->live))
		argp_error(state, "--steps, --lag and --live are for --follow");
	if (o->follow && (o->step >= 0 || o->count))
		argp_error(state, "--step and --count are not for --follow");
	if (o->follow && !(o->rollout.temperature > 0))
		argp_error(state, "greedy completions cannot be trained on");
	if (!o->rollout.group)
		o->rollout.group = o->rollout.temperature > 0 ? 8 : 1;
	if (!o->split_given)
		o->split = o->follow ? SPLIT_TRAIN : SPLIT_ALL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->rollout.guidance;
		break;
	case 'm':
		o->model = arg;
		break;
	case 'g':
		o->rollout.group = (int)option_integer(state, "--group", arg, 1, 4096);
		break;
	case 'n':
		o->count = option_integer(state, "--count", arg, 1, 1LL << 40);
		break;
	case KEY_SPLIT:
		o->split = (enum split)option_choice(state, "--split", arg, split_names);
		o->split_given = 1;
		break;
	case KEY_BATCH:
		o->rollout.max_requests = (int)option_integer(state, "--batch", arg, 1, 1 << 20);
		break;
	case KEY_TEMPERATURE:
		o->rollout.temperature = (float)option_real(state, "--temperature", arg, 0, 100);
		break;
	case KEY_DROPOUT:
		o->rollout.noise.bpe_dropout = option_real(state, "--bpe-dropout", arg, 0, 1);
		break;
	case KEY_SPAN_NOISE:
		o->rollout.noise.span_noise = option_real(state, "--span-noise", arg, 0, 1);
		break;
	case KEY_GREEDY:
		o->rollout.temperature = 0;
		break;
	case KEY_MAX_TOKENS:
		o->rollout.max_tokens = (int)option_integer(state, "--max-tokens", arg, 1, 1 << 20);
		break;
	case KEY_SEED:
		o->rollout.seed = option_seed(state, arg);
		break;
	case KEY_STEP:
		o->step = option_integer(state, "--step", arg, 0, 1LL << 40);
		break;
	case KEY_FLAT:
		o->rollout.flat = 1;
		break;
	case ARGP_KEY_END:
		check(o, state);
		break;
	default:
		return parse_loop(key, arg, state);
	}
	return 0;
}

struct program {
	struct options options;
	struct filter filter;
	const struct device *device;
	struct policy *policy;
	struct rollout_batch *batch;
	long long n_long;
};

static void fail(const struct error *err)
{
	die_error(err);
}

static void open_policy(struct program *p, const char *dir)
{
	struct error err;

	p->policy = policy_open(dir, p->device, 0, &err);
	if (!p->policy)
		fail(&err);
	p->batch = rollout_new(p->policy, &p->options.rollout, &err);
	if (!p->batch)
		fail(&err);
}

/* Takes a record into the batch: 1 where it is in. */
static int take(struct program *p, const struct record *r, size_t item)
{
	struct error err;
	int added = rollout_add(p->batch, r, item, &err);

	if (added < 0)
		filter_bad(&p->filter, r, "%s", err.message);
	p->n_long += added == 0;
	return added > 0;
}

static void sample(struct program *p)
{
	struct error err;

	if (rollout_sample(p->batch, &err) != 0)
		fail(&err);
}

/* Records that a group is written as. */
static int records_of(const struct program *p, size_t group)
{
	return p->options.merge_same && rollout_same(p->batch, group) ? 1
								      : p->options.rollout.group;
}

/* Writes every sample of the batch, and flushes. */
static void write_batch(
	struct program *p, const struct dataset *data, const struct rollout_origin *origin)
{
	struct record r = {0};

	for (size_t g = 0; g < rollout_groups(p->batch); g++) {
		dataset_get(data, rollout_item(p->batch, g), &r);
		rollout_strip(&r);
		int n = records_of(p, g);

		for (int s = 0; s < n; s++) {
			rollout_fill(p->batch, g, s, p->options.rollout.group / n, origin, &r);
			filter_put(&p->filter, &r);
		}
	}
	record_release(&r);
	filter_flush(&p->filter);
}

static void one_pass(struct program *p)
{
	const struct options *o = &p->options;
	struct trainer_state state;
	struct rollout_origin origin = {.batch = -1};
	struct record r = {0};
	struct error err;
	long long taken = 0, done = 0;
	int more = 1;

	if (trainer_state_read(p->policy->dir, &state, &err) != 0)
		fail(&err);
	origin.policy_step = state.step;
	p->filter.item = "requests";
	p->filter.total = o->count;
	while (more) {
		struct dataset *chunk = dataset_new();
		int n = 0;

		rollout_clear(p->batch, (uint64_t)(o->step >= 0 ? o->step : state.step));
		while (n < o->rollout.max_requests &&
			(more = (!o->count || taken < o->count) && filter_next(&p->filter, &r))) {
			if (!record_in_split(&r, o->split) || !take(p, &r, dataset_count(chunk)))
				continue;
			dataset_add(chunk, &r);
			taken++;
			n++;
		}
		sample(p);
		write_batch(p, chunk, &origin);
		done += n;
		filter_progress(&p->filter, done);
		dataset_free(chunk);
	}
	record_release(&r);
}

static struct dataset *read_all(struct program *p)
{
	struct dataset *data = dataset_new();
	struct record r = {0};

	while (filter_next(&p->filter, &r)) {
		if (!record_in_split(&r, p->options.split))
			continue;
		if (json_is_string(json_object_get(r.json, "request")))
			dataset_add(data, &r);
		else
			filter_bad(&p->filter, &r, "no string 'request'");
	}
	record_release(&r);
	if (dataset_count(data) == 0)
		die(EXIT_DATA, "no records of the %s split", split_names[p->options.split]);
	return data;
}

/* Waits until step is published.  Leaves the program where nobody reads the output. */
static void wait_for(struct program *p, long long step)
{
	struct error err;

	switch (run_wait(p->options.follow, step, STDOUT_FILENO, p->options.patience, &err)) {
	case RUN_READY:
		return;
	case RUN_CLOSED:
		exit(EXIT_OK);
	case RUN_NO_TRAINER:
		die(EXIT_UNAVAILABLE, "%s: no trainer is there to publish step %lld",
			p->options.follow, step);
	case RUN_FAILED:
		break;
	}
	fail(&err);
}

/* The policy of a step, read anew where it is another one than the last. */
static void load_step(struct program *p, long long step)
{
	struct buf dir = {0};
	struct error err;

	run_step_path(p->options.follow, step, &dir);
	if (access(dir.data, F_OK) != 0)
		die(EXIT_NOINPUT, "%s is gone: grpo-step needs --keep of at least lag + 2",
			dir.data);
	if (!p->policy)
		open_policy(p, dir.data);
	else if (strcmp(p->policy->dir, dir.data) != 0 &&
		 policy_reload(p->policy, dir.data, &err) != 0)
		fail(&err);
	buf_release(&dir);
}

/* A record for --live: long answers are less often all right, so they are taken
 * the rather, in proportion to the square of their words.  A refusal is as hard
 * as LIVE_REFUSAL words. */
static size_t draw_for_live(struct dataset *data, struct rng *rng, struct record *r)
{
	enum {
		LIVE_WORDS = 10, /* from here on always taken */
		LIVE_REFUSAL = 8,
		LIVE_TRIES = 32
	};
	size_t item = 0;

	for (int i = 0; i < LIVE_TRIES; i++) {
		json_t *argv;
		double share;

		item = rng_below(rng, (uint32_t)dataset_count(data));
		dataset_get(data, item, r);
		argv = json_object_get(r->json, "argv");
		share = (double)(json_is_array(argv) ? json_array_size(argv) : LIVE_REFUSAL) /
			LIVE_WORDS;
		if (rng_chance(rng, share * share))
			break;
	}
	return item;
}

/* Items of batch k, and with --live more of them, drawn by a key of their own. */
static void sample_batch(struct program *p, struct dataset *data, long long k)
{
	enum {
		LIVE_ROUNDS = 4
	};
	const struct options *o = &p->options;
	uint64_t n = (uint64_t)o->rollout.max_requests;
	struct record r = {0};
	struct rng rng;
	size_t alive = 0;

	rng_init(&rng, o->rollout.seed, RNG_SHUFFLE, (uint64_t)k, 1);
	rollout_clear(p->batch, (uint64_t)k);
	for (int round = 0; round < LIVE_ROUNDS; round++) {
		size_t from = rollout_groups(p->batch);

		for (uint64_t i = 0; i < n; i++) {
			size_t item;

			if (round == 0) {
				item = dataset_shuffled(data, o->rollout.seed, (uint64_t)k * n + i);
				dataset_get(data, item, &r);
			} else {
				item = draw_for_live(data, &rng, &r);
			}
			take(p, &r, item);
		}
		sample(p);
		alive += rollout_alive(p->batch, from);
		if (!o->live || alive >= (size_t)o->live)
			break;
	}
	record_release(&r);
	if (o->live && alive < (size_t)o->live)
		note("batch %lld: %zu of %zu groups are alive, not %lld", k, alive,
			rollout_groups(p->batch), o->live);
}

static void loop(struct program *p)
{
	const struct options *o = &p->options;
	struct dataset *data = read_all(p);
	long long first;

	wait_for(p, 0);
	first = run_newest(o->follow);
	p->filter.item = "batches";
	p->filter.total = o->steps;
	for (long long k = first; !o->steps || k < o->steps; k++) {
		long long step = k > o->lag ? k - o->lag : 0;
		struct rollout_origin origin = {.policy_step = step, .batch = k};

		wait_for(p, step);
		load_step(p, step);
		sample_batch(p, data, k);
		if (!rollout_groups(p->batch))
			die(EXIT_DATA, "batch %lld: every request is too long for the model", k);
		for (size_t g = 0; g < rollout_groups(p->batch); g++)
			origin.size += records_of(p, g);
		write_batch(p, data, &origin);
		filter_progress(&p->filter, k + 1);
	}
	dataset_free(data);
}

/* What sampling took: tokens that were certain need no pass, and samples share them. */
static void report(const struct program *p)
{
	struct generator_counts c = rollout_counts(p->batch);

	if (!p->options.filter.quiet && c.tokens)
		note("%llu tokens, %llu of them drawn, by %llu passes (%.1f tokens a pass); %llu "
		     "rows with those of prompts",
			(unsigned long long)c.tokens, (unsigned long long)c.drawn,
			(unsigned long long)c.passes, (double)c.tokens / (double)c.passes,
			(unsigned long long)c.rows);
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&filter_argp, 0, "Streams", 0},
		{&guidance_argp, 0, "What completions are held to", 0}, {0}};
	static const struct argp argp = {option_list, parse, "[FILE...]", doc, children, 0, 0};
	struct program p = {
		.options = {.rollout = {.max_requests = 64, .max_tokens = 40, .temperature = 1},
			.device = "auto",
			.step = -1,
			.patience = 60}};
	struct options *o = &p.options;
	struct error err;

	options_parse(&argp, argc, argv, o);
	p.device = device_open(o->device, o->threads, &err);
	if (!p.device)
		fail(&err);
	if (o->model)
		open_policy(&p, o->model);
	if (o->plan && p.batch) {
		printf("%lld parameters, %llu bytes for %d requests of %d samples\n",
			(long long)p.policy->model->n_parameters,
			(unsigned long long)rollout_bytes(p.batch), o->rollout.max_requests,
			o->rollout.group);
		return fclose(stdout) == 0 ? EXIT_OK : EXIT_IO;
	}
	filter_open(&p.filter, &o->filter);
	if (o->follow)
		loop(&p);
	else
		one_pass(&p);
	if (p.n_long)
		warn("%lld requests were too long for the model and left out", p.n_long);
	report(&p);
	rollout_free(p.batch);
	policy_free(p.policy);
	return filter_close(&p.filter);
}
