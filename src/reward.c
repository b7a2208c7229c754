/*
 * reward - the verifiable reward of each rollout.
 *
 * Adds reward, reward_parts and verdict to every record that it reads; a record
 * that has them already is scored anew.  Where the record itself is at fault (its
 * expected argv is missing or does not verify) reward is null and reward_parts
 * says why: no result, never a made-up number.
 *
 * The output is flushed whenever the input has nothing more to offer at once, so
 * that a batch reaches the trainer when the sampler has written it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "rl/reward.h"
#include "stream/filter.h"
#include "text/utf8.h"

struct options {
	struct filter_options filter;
	const char *spec;
	enum reward_scheme scheme;
	struct reward_weight *weights;
	size_t n_weights, cap_weights;
};

enum {
	KEY_SPEC = 256,
	KEY_SCHEME
};

static const struct argp_option argp_options[] = {
	{"spec", KEY_SPEC, "FILE", 0, "the CLI's spec (required)", 0},
	{"scheme", KEY_SCHEME, "NAME", 0, "graded (the default) or strict: +1 match, -1 else", 0},
	{"weight", 'w', "OPTION=WEIGHT", 0,
		"how much an option (--name) or a positional argument (its name) counts among the "
		"items of a partly right command; default 1; may be given again",
		0},
	{0},
};

static void add_weight(struct options *o, const char *arg, struct argp_state *state)
{
	const char *equals = strrchr(arg, '=');
	struct reward_weight *w;

	if (!equals || equals == arg)
		argp_error(state, "--weight: '%s' is not OPTION=WEIGHT", arg);
	o->weights = array_grow(o->weights, &o->cap_weights, o->n_weights, sizeof *o->weights);
	w = &o->weights[o->n_weights++];
	w->name = xstrndup(arg, (size_t)(equals - arg));
	w->weight = option_real(state, "--weight", equals + 1, 0, 1e6);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		return 0;
	case KEY_SPEC:
		o->spec = arg;
		return 0;
	case KEY_SCHEME:
		o->scheme = (enum reward_scheme)option_choice(
			state, "--scheme", arg, reward_scheme_names);
		return 0;
	case 'w':
		add_weight(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!o->spec)
			argp_error(state, "--spec is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child argp_children[] = {{&filter_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {argp_options, parse, NULL,
	"Add the verifiable reward to rollouts: compare `answer` with the expected `argv`."
	"\v"
	"graded: 1 for the expected command (defaults left out) or the refusal that was due; "
	"-0.85 to -0.5 for the right command by the F1 of its (option, value) pairs; -0.75 for a "
	"refusal where a command was due; -0.95 for another command; -1 where there is no argv, "
	"the tool would refuse it, or a refusal was due.  A command that is off by little is worth "
	"more than a refusal, another command less; every wrong answer loses, so neither guessing "
	"nor refusing everything pays.\n\n"
	"A record whose expected argv is missing or does not verify gets reward null.",
	argp_children, NULL, NULL};

/* Replaces each weight's name by the primary one; a name that the spec does not
 * know is a mistake. */
static void resolve_weights(struct options *o, const struct spec *spec)
{
	for (size_t i = 0; i < o->n_weights; i++) {
		const char *name = o->weights[i].name, *primary = NULL;

		for (size_t c = 0; c < spec->n_commands && !primary; c++) {
			const struct option *option = option_find(spec->commands[c], name);

			if (option)
				primary = option->name;
			for (size_t a = 0; a < spec->commands[c]->n_arguments && !primary; a++) {
				if (strcmp(spec->commands[c]->arguments[a]->name, name) == 0)
					primary = name;
			}
		}
		if (!primary)
			die(EXIT_USAGE, "--weight: no command of %s has '%s'", spec->name, name);
		o->weights[i].name = primary;
	}
}

static json_t *parts_json(const struct reward_parts *p)
{
	return json_pack("{s:f, s:f, s:f, s:b}", "valid", p->valid, "command", p->command, "items",
		p->items, "exact", p->exact);
}

/* Scores one record; 0 where there is no result. */
static int score(
	const struct options *o, const struct spec *spec, struct record *r, struct arena *arena)
{
	struct reward_parts parts;
	struct error err;
	int expected_argc, answer_argc, failed;
	const char **expected, **answer;

	arena_clear(arena);
	/* What cannot be read as an argv is a bad answer, not a bad record: any
	 * program may have put it there. */
	if (record_argv(r, "answer", arena, &answer_argc, &answer, &err) != 0)
		answer_argc = -2;
	failed = record_argv(r, "argv", arena, &expected_argc, &expected, &err);
	if (!failed)
		failed = reward_score_weighted(spec, o->scheme, o->weights, o->n_weights,
			expected_argc, (const char *const *)expected, answer_argc,
			(const char *const *)answer, arena, &parts, &err);
	if (failed) {
		record_set(r, "reward", json_null());
		record_set(r, "reward_parts",
			json_pack("{s:s%}", "error", err.message,
				utf8_valid(err.message, strlen(err.message))));
		record_set(r, "verdict", json_null());
		return 0;
	}
	record_set(r, "reward", json_real(parts.total));
	record_set(r, "reward_parts", parts_json(&parts));
	record_set(r, "verdict", verdict_json(&parts.verdict));
	return 1;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct filter filter;
	struct record record;
	struct arena arena = {0};
	struct spec *spec;
	struct error err;
	long long done = 0, no_result = 0;
	int status;

	options_parse(&argp, argc, argv, &options);
	spec = spec_load(options.spec, &err);
	if (!spec)
		die_error(&err);
	resolve_weights(&options, spec);
	filter_open(&filter, &options.filter);
	record_init(&record);
	while (filter_next(&filter, &record)) {
		no_result += !score(&options, spec, &record, &arena);
		filter_put(&filter, &record);
		if (!jsonl_pending(filter.in))
			filter_flush(&filter);
		filter_progress(&filter, ++done);
	}
	record_release(&record);
	status = filter_close(&filter);
	if (no_result)
		warn("%lld of %lld records have no result (reward null): see reward_parts.error",
			no_result, done);
	arena_release(&arena);
	spec_free(spec);
	return status;
}
