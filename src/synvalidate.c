/*
 * synvalidate - strict validation of (request, argv) pairs, and their splits.
 *
 * Each record passes the checks of src/synth/check.h in their order; the first
 * that fails rejects it.  Accepted records get `verdict` and `split` and go to
 * the output, rejected ones get `verdict` and `reason` {check, message} and go
 * to --rejects, in the order of the input.  Accepted and rejected records
 * together are the inputs.
 *
 * A record whose argv is valid but not in canonical form is rejected with its
 * canonical form in the reason, rather than rewritten: labels come from a
 * grammar that is canonical, so another spelling means that its maker is broken.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "stream/filter.h"
#include "synth/check.h"
#include "synth/split.h"
#include "synth/summary.h"

struct options {
	struct filter_options filter;
	const char *spec, *rejects;
	unsigned checks;
	double shares[SIDE_COUNT];
	int with_splits; /* -1: where the check schema is made */
	uint64_t seed;
};

/* One run; static so that the end of the program, wherever it comes from (a
 * closed pipe ends it within filter_put), finds what is to be finished. */
static struct run {
	struct options options;
	struct filter filter;
	struct spec *spec;
	struct checker *checker;
	struct splitter splitter;
	struct summary summary;
	struct jsonl_writer *rejects;
	json_t *verdict_ok;
} run;

enum {
	KEY_SPEC = 256,
	KEY_CHECKS,
	KEY_SPLITS,
	KEY_SEED,
	KEY_REJECTS
};

static const struct argp_option argp_options[] = {
	{"spec", KEY_SPEC, "FILE", 0, "the CLI's spec (required)", 0},
	{"checks", KEY_CHECKS, "LIST", 0,
		"checks to make, separated by commas: schema, length, verdict, canonical, "
		"leftovers, grounded, contradictions, duplicates, near-duplicates, or all "
		"(the default)",
		0},
	{"splits", KEY_SPLITS, "A,B,C", 0,
		"shares of train, valid and test (default 90,5,5); field split is added where this "
		"is given or the check schema is made",
		0},
	{"seed", KEY_SEED, "N", 0, "which phrasings and shapes are held out (default 0)", 0},
	{"rejects", KEY_REJECTS, "FILE", 0,
		"rejected records go to FILE with reason {check, message}; without it they are "
		"only "
		"counted",
		0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		return 0;
	case KEY_SPEC:
		o->spec = arg;
		return 0;
	case KEY_CHECKS:
		if (checks_parse(arg, &o->checks, &err) != 0)
			argp_error(state, "--checks: %s", err.message);
		return 0;
	case KEY_SPLITS:
		if (split_shares_parse(arg, o->shares) != 0)
			argp_error(state, "--splits: '%s' is not three numbers like 90,5,5", arg);
		o->with_splits = 1;
		return 0;
	case KEY_SEED:
		o->seed = option_seed(state, arg);
		return 0;
	case KEY_REJECTS:
		o->rejects = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->spec)
			argp_error(state, "--spec is missing");
		if (o->rejects &&
			(strcmp(o->rejects, "-") == 0 ||
				(o->filter.output && strcmp(o->rejects, o->filter.output) == 0)))
			argp_error(state, "--rejects: '%s' is where the accepted records go",
				o->rejects);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child argp_children[] = {{&filter_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {argp_options, parse, NULL,
	"Validate (request, argv) pairs strictly and divide them into train, valid and test."
	"\v"
	"Phrasings (origin.template) and argv shapes of two or more options are held out as "
	"a whole: none of test or valid occurs in train.  `--checks verdict` makes this a "
	"verifier of records that have only an argv.  Near duplicates have the same argv and "
	"requests that differ only in case, punctuation, blanks or misspelt words; of two pairs "
	"that contradict each other the later one is rejected.",
	argp_children, NULL, NULL};

/* Publishes the rejects and prints the summary, also when the reader of the
 * output has closed it early; a program that fails leaves the rejects unpublished. */
static void finish(int status, void *unused)
{
	struct buf text = {0};
	struct error err;

	(void)unused;
	if (run.rejects && status != EXIT_OK) {
		jsonl_abort(run.rejects);
	} else if (run.rejects && jsonl_finish(run.rejects, &err) != 0) {
		warn("%s", err.message);
		_exit(err.code);
	}
	run.rejects = NULL;
	if (status != EXIT_OK)
		return;
	if (run.summary.inputs > 0 && run.summary.accepted == 0)
		warn("all %lld records were rejected: see --rejects", run.summary.inputs);
	if (run.options.filter.quiet)
		return;
	summary_print(&run.summary, run.options.checks, run.options.with_splits, &text);
	/* Nothing can be done about a standard error that cannot be written. */
	if (text.len && write(STDERR_FILENO, text.data, text.len) < 0)
		_exit(EXIT_IO);
	buf_release(&text);
}

static void reject(struct record *r, const struct checked *c)
{
	struct error err;

	run.summary.rejected[c->failed]++;
	if (!run.rejects)
		return;
	if (c->has_verdict)
		record_set(r, "verdict", verdict_json(&c->verdict));
	record_set(r, "reason",
		json_pack("{s:s, s:s}", "check", check_names[c->failed], "message", c->message));
	if (jsonl_write(run.rejects, r, &err) != 0)
		die_error(&err);
}

static void accept(struct record *r, const struct checked *c)
{
	if (c->has_verdict)
		record_set(r, "verdict",
			c->verdict.code == VERDICT_OK ? json_incref(run.verdict_ok)
						      : verdict_json(&c->verdict));
	if (run.options.with_splits) {
		struct split_parts parts;
		enum side split = split_record(&run.splitter,
			json_object_get(json_object_get(r->json, "origin"), "template"), c->request,
			c->request_len, c->meaning, &parts);

		summary_accept(&run.summary, split, &parts);
		record_set(r, "split", json_string(side_names[split]));
	}
	run.summary.accepted++;
	filter_put(&run.filter, r);
}

static void start(void)
{
	const struct options *o = &run.options;
	struct verdict ok = {.code = VERDICT_OK};
	struct error err;

	run.spec = spec_load(o->spec, &err);
	if (!run.spec)
		die_error(&err);
	filter_open(&run.filter, &o->filter);
	if (o->rejects) {
		run.rejects = jsonl_create(o->rejects, o->filter.plain, &err);
		if (!run.rejects)
			die_error(&err);
	}
	if (on_exit(finish, NULL) != 0)
		die(EXIT_INTERNAL, "cannot register the end of the program");
	run.checker = checker_new(run.spec, o->checks);
	splitter_init(&run.splitter, o->seed, o->shares);
	run.verdict_ok = verdict_json(&ok);
}

int main(int argc, char **argv)
{
	struct record record;
	struct checked checked;
	int status;

	run.options =
		(struct options){.checks = CHECKS_ALL, .shares = {90, 5, 5}, .with_splits = -1};
	options_parse(&argp, argc, argv, &run.options);
	if (run.options.with_splits < 0)
		run.options.with_splits = run.options.checks >> CHECK_SCHEMA & 1;
	start();
	record_init(&record);
	while (filter_next(&run.filter, &record)) {
		run.summary.inputs++;
		if (checker_run(run.checker, &record, &checked))
			accept(&record, &checked);
		else
			reject(&record, &checked);
		filter_progress(&run.filter, run.summary.inputs);
	}
	record_release(&record);
	status = filter_close(&run.filter);
	checker_free(run.checker);
	json_decref(run.verdict_ok);
	spec_free(run.spec);
	return status;
}
