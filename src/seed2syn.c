/* seed2syn - synthesises pairs of request and argv from a CLI's spec and seeds. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "stream/file.h"
#include "stream/filter.h"
#include "synth/generator.h"
#include "synth/preview.h"
#include "synth/report.h"

struct options {
	struct filter_options filter;
	const char *spec, *report;
	long long count, from, preview;
	uint64_t seed;
	double out_of_scope;
	int difficulty;
	double rate[RATE_COUNT]; /* below 0: the level's */
	const char **weights;	 /* "deploy.list=2.5" */
	size_t n_weights;
	const char **seeds;
	size_t n_seeds;
};

enum {
	KEY_SPEC = 256,
	KEY_SEED,
	KEY_REPORT,
	KEY_FROM,
	KEY_OUT_OF_SCOPE,
	KEY_PREVIEW,
	KEY_DIFFICULTY,
	KEY_WEIGHT,
	KEY_RATE /* and on, by enum style_rate */
};

static const struct argp_option option_table[] = {
	{"spec", KEY_SPEC, "FILE", 0, "The CLI: an OpenCLI document", 0},
	{"count", 'n', "N", 0, "How many records to make (default 100000)", 0},
	{"seed", KEY_SEED, "S", 0, "Same seed, same records (default 0)", 0},
	{"from", KEY_FROM, "K", 0,
		"Begin with record K, counted from 0: N records from K on are "
		"the same as those of a longer run",
		0},
	{"out-of-scope", KEY_OUT_OF_SCOPE, "P", 0,
		"Share of requests that must be declined (default 0.1)", 0},
	{"weight", KEY_WEIGHT, "COMMAND=W", 0,
		"Draw a command ('deploy.list') W times as often as usual, beside the records that "
		"cover it; may be repeated",
		0},
	{"difficulty", KEY_DIFFICULTY, "LEVEL", 0,
		"From 1 (one option at most, said plainly) to 5; sets all of the rates below, and "
		"how many options are asked for (default 3: the usual, where they are 0 or as "
		"people are)",
		0},
	{"spoken", KEY_RATE + RATE_SPOKEN, "P", 0,
		"Share of numbers in words, with separators, with their units", 0},
	{"spaces", KEY_RATE + RATE_SPACES, "P", 0,
		"Share of file names and texts with blanks and quotes in them", 0},
	{"corrections", KEY_RATE + RATE_CORRECTION, "P", 0,
		"Share of requests that correct a value: 'port 80, no, 8080'", 0},
	{"negations", KEY_RATE + RATE_NEGATION, "P", 0,
		"Share of flags that are said as 'without opening the browser'", 0},
	{"unwanted", KEY_RATE + RATE_UNWANTED, "P", 0,
		"Share of requests that name a flag in order not to have it", 0},
	{"word-order", KEY_RATE + RATE_ORDER, "P", 0,
		"Share of requests with the words in the order of other languages", 0},
	{"hard-negatives", KEY_RATE + RATE_HARD, "P", 0,
		"Share of the declined that are one word away from a valid request", 0},
	{"typos", KEY_RATE + RATE_TYPOS, "P", 0, "Share of requests with typing errors", 0},
	{"chatter", KEY_RATE + RATE_CHATTER, "P", 0,
		"Share of requests with greetings, thanks and stories around them", 0},
	{"units", KEY_RATE + RATE_UNITS, "P", 0,
		"Share of amounts in another unit than the option counts: 'two minutes' for 120 "
		"(default 0.25)",
		0},
	{"preview", KEY_PREVIEW, "K", 0,
		"Print K of the N records, spread evenly, for people to read, and no others", 0},
	{"report", KEY_REPORT, "FILE", 0, "Write what was covered of the CLI, as JSON", 0}, {0}};

static double parse_rate(struct argp_state *state, int rate, const char *arg)
{
	char name[64];

	snprintf(name, sizeof name, "--%s", style_rate_names[rate]);
	return option_real(state, name, arg, 0, 1);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key >= KEY_RATE && key < KEY_RATE + RATE_COUNT) {
		o->rate[key - KEY_RATE] = parse_rate(state, key - KEY_RATE, arg);
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < RATE_COUNT; i++)
			o->rate[i] = AS_EVER;
		state->child_inputs[0] = &o->filter;
		return 0;
	case KEY_SPEC:
		o->spec = arg;
		return 0;
	case 'n':
		o->count = option_integer(state, "--count", arg, 0, 1LL << 48);
		return 0;
	case KEY_SEED:
		o->seed = option_seed(state, arg);
		return 0;
	case KEY_FROM:
		o->from = option_integer(state, "--from", arg, 0, 1LL << 48);
		return 0;
	case KEY_OUT_OF_SCOPE:
		o->out_of_scope = option_real(state, "--out-of-scope", arg, 0, 1);
		return 0;
	case KEY_PREVIEW:
		o->preview = option_integer(state, "--preview", arg, 1, 1LL << 20);
		return 0;
	case KEY_WEIGHT:
		o->weights = xreallocarray(o->weights, o->n_weights + 1, sizeof *o->weights);
		o->weights[o->n_weights++] = arg;
		return 0;
	case KEY_DIFFICULTY:
		o->difficulty = (int)option_integer(state, "--difficulty", arg, 1, STYLE_LEVELS);
		return 0;
	case KEY_REPORT:
		o->report = arg;
		return 0;
	case ARGP_KEY_ARG:
		o->seeds = xreallocarray(o->seeds, o->n_seeds + 1, sizeof *o->seeds);
		o->seeds[o->n_seeds++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->spec)
			argp_error(state, "--spec is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&filter_output_argp, 0, "Streams", 0}, {0}};
static const struct argp argp = {option_table, parse, "[SEEDS.jsonl...]",
	"Synthesise requests in plain English, each with the argv that answers it.\v"
	"Labels come first: an argv is drawn from the spec, then put into words. The first "
	"records cover every visible command, option, accepted value and legal pair of options, "
	"mixed with free draws. SEEDS are pairs of request and argv written by people; their "
	"phrasings are used with new values.",
	children, NULL, NULL};

static void write_report(const struct options *o, const struct report *report)
{
	struct error err;
	json_t *json = report_json(report);
	char *text = json_dumps(json, JSON_INDENT(1));
	struct buf out = {0};

	json_decref(json);
	buf_addf(&out, "%s\n", text);
	free(text);
	if (file_publish(o->report, out.data, out.len, &err) < 0)
		die_error(&err);
	buf_release(&out);
}

/* A closed pipe downstream ends the program quietly: nobody wants more. */
static void __attribute__((noreturn)) output_failed(struct filter *f, const struct error *err)
{
	jsonl_abort(f->out);
	if (err->system != EPIPE)
		die_error(err);
	exit(EXIT_OK);
}

static void generate(
	const struct options *o, struct generator *g, struct report *report, struct filter *f)
{
	struct buf json = {0};
	struct generated *what = xcalloc(1, sizeof *what);
	struct error err;

	for (long long i = 0; i < o->count; i++) {
		buf_clear(&json);
		generator_record(g, (uint64_t)(o->from + i), &json, what);
		report_add(report, what->label, what->refusal, what->seed);
		if (jsonl_write_text(f->out, json.data, json.len, &err) != 0)
			output_failed(f, &err);
		f->n_written++;
		if (i % 1024 == 0)
			filter_progress(f, i);
	}
	free(what);
	buf_release(&json);
}

static int write_records(const struct options *o, struct generator *g, struct report *report)
{
	struct filter filter;

	filter_open(&filter, &o->filter);
	filter.item = "records";
	filter.total = o->count;
	generate(o, g, report, &filter);
	return filter_close(&filter);
}

/* "request" and, indented, the command that answers it. */
static void preview(const struct options *o, struct generator *g)
{
	long long n = o->preview < o->count ? o->preview : o->count;
	struct generated *what = xcalloc(1, sizeof *what);
	struct buf json = {0}, text = {0};
	struct record record;
	struct arena arena = {0};
	struct error err;

	record_init(&record);
	for (long long i = 0; i < n; i++) {
		const char *request, **argv;
		int argc;

		buf_clear(&json);
		arena_clear(&arena);
		generator_record(g, (uint64_t)(o->from + i * (o->count / n)), &json, what);
		if (record_parse(&record, json.data, json.len, &err) < 0 ||
			record_string(&record, "request", &request, &err) < 0 ||
			record_argv(&record, "argv", &arena, &argc, &argv, &err) < 0)
			die_error(&err);
		preview_text(request, &text);
		buf_adds(&text, "\n    ");
		preview_argv(argc, argc < 0 ? NULL : argv, &text);
		buf_addc(&text, '\n');
	}
	if (fwrite(text.data ? text.data : "", 1, text.len, stdout) != text.len ||
		fflush(stdout) != 0)
		die(EXIT_IO, "standard output: %m");
	record_release(&record);
	arena_release(&arena);
	buf_release(&json);
	buf_release(&text);
	free(what);
}

/* "deploy.list=2.5" */
static void set_weight(const struct plan *plan, const char *text)
{
	const char *equals = strrchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : 0;
	struct error err;
	double weight;

	if (!equals || number_real(equals + 1, 0, 1e6, &weight, &err) < 0)
		die(EXIT_USAGE, "--weight takes COMMAND=W, W from 0 to 1e6, not '%s'", text);
	for (unsigned i = 0; i < plan->n_commands; i++) {
		struct synth_command *c = &plan->commands[i];

		if (strlen(c->key) == len && memcmp(c->key, text, len) == 0) {
			c->weight *= weight;
			return;
		}
	}
	die(EXIT_USAGE, "--weight: %s has no command '%.*s'", plan->spec->name, (int)len, text);
}

static void set_style(const struct options *o, struct generator *g)
{
	struct style style;

	style_level(&style, o->difficulty);
	for (int i = 0; i < RATE_COUNT; i++)
		if (o->rate[i] >= 0)
			style.rate[i] = o->rate[i];
	generator_style(g, &style);
}

int main(int argc, char **argv)
{
	struct options o = {.count = 100000, .out_of_scope = 0.1, .difficulty = STYLE_LEVEL_USUAL};
	struct seeds seeds = {0};
	struct generator generator;
	struct report report;
	struct error err;
	struct spec *spec;
	struct plan *plan;
	int code;

	options_parse(&argp, argc, argv, &o);
	spec = spec_load(o.spec, &err);
	if (!spec)
		die_error(&err);
	plan = plan_new(spec, &err);
	if (!plan)
		die(err.code, "%s: %s", o.spec, err.message);
	for (size_t i = 0; i < o.n_seeds; i++)
		if (seeds_read(&seeds, plan, o.seeds[i], &err) < 0)
			die_error(&err);
	seeds_finish(&seeds);
	for (size_t i = 0; i < o.n_weights; i++)
		set_weight(plan, o.weights[i]);
	generator_init(&generator, plan, &seeds, o.seed, o.out_of_scope);
	set_style(&o, &generator);
	report_init(&report, plan);
	if (o.preview) {
		preview(&o, &generator);
		code = EXIT_OK;
	} else {
		code = write_records(&o, &generator, &report);
	}
	if (o.report && !o.preview)
		write_report(&o, &report);
	report_release(&report);
	generator_release(&generator);
	seeds_release(&seeds);
	plan_free(plan);
	spec_free(spec);
	free(o.seeds);
	free(o.weights);
	return code;
}
