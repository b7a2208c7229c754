/*
 * propose - one verified command for each request, or a refusal with its reason.
 *
 * Requests are operands, lines of text, records, or what a person types.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "exec/grammar.h"
#include "exec/visible.h"
#include "propose/proposer.h"
#include "propose/requests.h"
#include "propose/show.h"
#include "stream/filter.h"
#include "text/utf8.h"

enum {
	KEY_SPEC = 256,
	KEY_TRIES,
	KEY_MIN_CONFIDENCE,
	KEY_DANGER_CONFIDENCE,
	KEY_TEMPERATURE,
	KEY_MAX_TOKENS,
	KEY_SEED,
	KEY_EXPLAIN,
	KEY_DEVICE,
	KEY_THREADS,
	KEY_PLAN
};

static const struct argp_option option_list[] = {
	{"model", 'm', "DIR", 0, "The policy: a model directory or a run", 0},
	{"spec", KEY_SPEC, "FILE", 0,
		"The CLI's grammar (default: cli.json in the model directory, or "
		"seeds/CLI/cli.json beside the programs)",
		0},
	{"count", 'n', "N", 0, "Write up to N different commands a request, best first (1)", 0},
	{"min-confidence", KEY_MIN_CONFIDENCE, "P", 0,
		"Refuse where the best command is less probable than this (0.5)", 0},
	{"danger-confidence", KEY_DANGER_CONFIDENCE, "P", 0,
		"The same for commands that the grammar marks as dangerous (0.9; at least "
		"--min-confidence)",
		0},
	{"max-tokens", KEY_MAX_TOKENS, "N", 0, "Longest answer (64)", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "Write text for people (the default on a terminal)", 0},
	{"tries", KEY_TRIES, "N", 0,
		"With --free: answers sampled beside the most probable one (8)", 0},
	{"temperature", KEY_TEMPERATURE, "T", 0, "With --free: of the sampled answers (1)", 0},
	{"seed", KEY_SEED, "N", 0, "With --free: of the sampled answers (0)", 0},
	{"device", KEY_DEVICE, "NAME", 0, "auto, cpu (default), cuda, cuda:N", 0},
	{"threads", KEY_THREADS, "N", 0, "CPU threads (1); 0: all cores", 0},
	{"plan", KEY_PLAN, NULL, 0, "Print the memory that answering takes, and stop", 0}, {0}};

struct options {
	struct filter_options filter;
	struct proposer_options proposer;
	const char *model, *spec, *device;
	int threads, explain, plan;
	struct buf request; /* the operands, joined by blanks */
	int has_request, danger_given;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->proposer.guidance;
		break;
	case 'm':
		o->model = arg;
		break;
	case KEY_SPEC:
		o->spec = arg;
		break;
	case KEY_TRIES:
		o->proposer.tries = (int)option_integer(state, "--tries", arg, 0, 4096);
		break;
	case 'n':
		o->proposer.count = (int)option_integer(state, "--count", arg, 1, 4096);
		break;
	case KEY_MIN_CONFIDENCE:
		o->proposer.min_confidence = option_real(state, "--min-confidence", arg, 0, 1);
		break;
	case KEY_DANGER_CONFIDENCE:
		o->proposer.danger_confidence =
			option_real(state, "--danger-confidence", arg, 0, 1);
		o->danger_given = 1;
		break;
	case KEY_TEMPERATURE:
		o->proposer.temperature = (float)option_real(state, "--temperature", arg, 0, 100);
		break;
	case KEY_MAX_TOKENS:
		o->proposer.max_tokens = (int)option_integer(state, "--max-tokens", arg, 1, 4096);
		break;
	case KEY_SEED:
		o->proposer.seed = option_seed(state, arg);
		break;
	case KEY_EXPLAIN:
		o->explain = 1;
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
	case ARGP_KEY_ARG:
		if (o->has_request)
			buf_addc(&o->request, ' ');
		buf_adds(&o->request, arg);
		o->has_request = 1;
		break;
	case ARGP_KEY_END:
		if (!o->model)
			argp_error(state, "--model is needed");
		if (o->danger_given && o->proposer.danger_confidence < o->proposer.min_confidence)
			argp_error(state, "--danger-confidence is below --min-confidence");
		if (o->proposer.danger_confidence < o->proposer.min_confidence)
			o->proposer.danger_confidence = o->proposer.min_confidence;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&filter_output_argp, 0, "Streams", 0},
	{&guidance_argp, 0, "What answers are held to", 0}, {0}};
static const struct argp argp = {option_list, parse_option, "[REQUEST...]",
	"Proposes one verified command for each request, or refuses and says why.  The request "
	"is the operands; without any, each line of standard input is one, or each record (its "
	"field request; the other fields pass through).  Verified is what the CLI's own parser "
	"accepts, in canonical form, every value taken from the request."
	"\vThe fields of a proposal: proposal (the words, canonical; null: a refusal, with its "
	"reason), confidence (the exact probability that the policy gives the canonical spelling "
	"of the answer), verdict, spans, text.  Exit status 0 for refusals too.\n\n"
	"At a terminal the prompt is \"> \".  Where standard output is a pipe, as in\n"
	"    propose -m POLICY | confirm-exec\n"
	"one request is taken, explained on the terminal and handed on.\n\n"
	"--plain writes records on a terminal too.",
	children, NULL, NULL};

struct program {
	struct options options;
	struct filter filter; /* the output, where records are written */
	struct policy *policy;
	struct spec *spec;
	struct proposer *proposer;
};

/* The policy's own grammar, or, where an older one has none, that of its CLI. */
static struct spec *default_spec(const struct policy *policy, struct error *err)
{
	char *path;
	struct spec *spec = NULL;

	if (policy->grammar.len)
		return spec_parse(policy->grammar.data, policy->grammar.len, "cli.json", err);
	path = grammar_find(policy->cli, err);
	if (!path)
		return NULL;
	spec = spec_load(path, err);
	if (spec && strcmp(spec->hash, policy->spec_hash) != 0) {
		error_set(err, EXIT_DATA,
			"%s is not the grammar that %s was made for; give it by --spec", path,
			policy->dir);
		spec_free(spec);
		spec = NULL;
	}
	free(path);
	return spec;
}

static void open_spec(struct program *p)
{
	const char *given = p->options.spec;
	struct error err;

	p->spec = given ? spec_load(given, &err) : default_spec(p->policy, &err);
	if (!p->spec)
		die_error(&err);
	if (given && strcmp(p->spec->hash, p->policy->spec_hash) != 0)
		warn("%s is not the grammar that %s was made for", given, p->policy->dir);
}

static void open_all(struct program *p)
{
	const struct options *o = &p->options;
	const struct device *device;
	struct error err;

	note_enable(!o->filter.quiet && strcmp(o->device, "cpu") != 0);
	device = device_open(o->device, o->threads, &err);
	if (!device)
		die_error(&err);
	p->policy = policy_open(o->model, device, 0, &err);
	if (!p->policy)
		die_error(&err);
	open_spec(p);
	p->proposer = proposer_new(p->policy, p->spec, &o->proposer, &err);
	if (!p->proposer)
		die_error(&err);
}

static void answer_request(struct program *p, const char *request, size_t len, struct answer *a)
{
	struct error err;

	if (proposer_answer(p->proposer, request, len, a, &err) != 0)
		die_error(&err);
}

/* Seven digits are more than the arithmetic gives. */
static json_t *json_confidence(double p)
{
	char digits[32];

	if (isnan(p))
		return json_null();
	snprintf(digits, sizeof digits, "%.7g", p);
	return json_real(strtod(digits, NULL));
}

static json_t *json_spans(const struct answer *a, const char *request)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->n_spans; i++) {
		const struct span *s = &a->spans[i];

		json_array_append_new(
			list, json_pack("{s:I, s:I, s:s, s:s%}", "from", (json_int_t)s->from, "to",
				      (json_int_t)s->to, "type", span_type_names[s->type], "text",
				      request + s->from, s->to - s->from));
	}
	return list;
}

/* A message that was cut in the middle of a character must not be lost. */
static json_t *json_message(const char *message)
{
	struct buf repaired = {0};
	json_t *json;

	utf8_repair(message, strlen(message), &repaired);
	json = json_stringn(repaired.data ? repaired.data : "", repaired.len);
	buf_release(&repaired);
	return json;
}

static json_t *json_verdict(const struct answer *a)
{
	return json_pack("{s:b, s:s, s:i, s:o}", "ok", a->refusal == REFUSAL_NONE, "code", a->code,
		"at", a->at, "message", json_message(a->message));
}

/* Writes the answer into the record: once, or once for each command. */
static void put_answer(
	struct program *p, struct record *r, const char *request, const struct answer *a)
{
	size_t n = a->n ? a->n : 1;

	for (size_t i = 0; i < n; i++) {
		const struct candidate *c = a->n ? &a->candidates[i] : NULL;

		record_set(r, "proposal", json_from_argv(c ? c->argc : -1, c ? c->argv : NULL));
		record_set(r, "confidence", json_confidence(c ? c->confidence : a->confidence));
		record_set(r, "verdict", json_verdict(a));
		if (!c)
			record_set(r, "reason", json_string(a->reason));
		record_set(r, "spans", json_spans(a, request));
		record_set(r, "text", json_string(c ? c->text : a->text));
		filter_put(&p->filter, r);
	}
	filter_flush(&p->filter);
}

static void write_text(const struct buf *text)
{
	if (fwrite(text->data, 1, text->len, stdout) != text->len || fflush(stdout) != 0)
		die_errno(EXIT_IO, "standard output");
}

/* What people get: the request again where they did not just type it. */
static void show_answer(struct program *p, const char *request, size_t len, const struct answer *a,
	int with_request)
{
	struct buf text = {0};

	if (with_request) {
		visible_plain(&text, request, len);
		buf_addc(&text, '\n');
	}
	answer_show(p->spec, a, &text);
	write_text(&text);
	buf_release(&text);
}

/* A request that came as text: a record of its own. */
static void propose_text(struct program *p, const char *request, size_t len, int with_request)
{
	struct record r;
	struct buf repaired = {0};
	struct answer a;

	answer_request(p, request, len, &a);
	if (p->options.explain) {
		show_answer(p, request, len, &a, with_request);
		return;
	}
	utf8_repair(request, len, &repaired);
	record_init(&r);
	record_set(&r, "cli", json_string(p->spec->name));
	record_set(&r, "request", json_stringn(repaired.data ? repaired.data : "", repaired.len));
	put_answer(p, &r, request, &a);
	record_release(&r);
	buf_release(&repaired);
}

static void propose_record(struct program *p, struct record *r)
{
	json_t *field = json_object_get(r->json, "request");
	struct answer a;
	char *request;
	size_t len;

	if (!json_is_string(field)) {
		filter_bad(&p->filter, r, "no string 'request'");
		return;
	}
	/* Setting fields must not pull the text away from under the answer. */
	len = json_string_length(field);
	request = xmalloc(len + 1);
	memcpy(request, json_string_value(field), len + 1);
	answer_request(p, request, len, &a);
	if (!json_object_get(r->json, "cli"))
		record_set(r, "cli", json_string(p->spec->name));
	if (p->options.explain)
		show_answer(p, request, len, &a, 1);
	else
		put_answer(p, r, request, &a);
	free(request);
}

static void propose_records(struct program *p)
{
	struct record r;

	record_init(&r);
	while (filter_next(&p->filter, &r))
		propose_record(p, &r);
	record_release(&r);
}

static void propose_lines(struct program *p)
{
	struct buf line = {0};
	struct error err;
	int got;

	while ((got = request_line(&line, &err)) == 1)
		propose_text(p, line.data ? line.data : "", line.len, 1);
	if (got < 0)
		die_error(&err);
	buf_release(&line);
}

/* Explains on the terminal what is handed on through the pipe. */
static void explain_on_terminal(struct program *p, int tty, const char *request, size_t len)
{
	struct buf text = {0};
	struct answer a;

	answer_request(p, request, len, &a);
	answer_show(p->spec, &a, &text);
	if (write(tty, text.data, text.len) < 0)
		warn_errno("cannot write to the terminal");
	buf_release(&text);
}

/* Asks until the end of file; into a pipe goes one request, and that is all. */
static void propose_to_person(struct program *p)
{
	int tty = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC), one = !isatty(STDOUT_FILENO);
	struct buf line = {0};
	struct error err;
	int got = 1;

	for (;;) {
		if (tty >= 0 && write(tty, "> ", 2) != 2)
			break;
		got = request_line(&line, &err);
		if (got < 0)
			die_error(&err);
		if (got == 0)
			break;
		if (line.len == 0)
			continue;
		if (one && tty >= 0 && !p->options.explain)
			explain_on_terminal(p, tty, line.data, line.len);
		propose_text(p, line.data, line.len, 0);
		if (one)
			break;
	}
	if (got == 0 && tty >= 0 && write(tty, "\n", 1) != 1)
		warn_errno("cannot write to the terminal");
	if (tty >= 0)
		close(tty);
	buf_release(&line);
}

static void propose_all(struct program *p)
{
	enum input_kind kind;
	struct error err;

	if (p->options.has_request) {
		propose_text(p, p->options.request.data, p->options.request.len, 0);
		return;
	}
	if (input_kind(&kind, &err) != 0)
		die_error(&err);
	if (kind == INPUT_RECORDS)
		propose_records(p);
	else if (kind == INPUT_LINES)
		propose_lines(p);
	else
		propose_to_person(p);
}

int main(int argc, char **argv)
{
	struct program p = {.options = {.device = "cpu",
				    .threads = 1,
				    .proposer = {.tries = 8,
					    .count = 1,
					    .max_tokens = 64,
					    .temperature = 1,
					    .min_confidence = 0.5,
					    .danger_confidence = 0.9}}};
	struct options *o = &p.options;

	options_parse(&argp, argc, argv, o);
	if (!o->filter.plain && !o->filter.output && isatty(STDOUT_FILENO))
		o->explain = 1;
	open_all(&p);
	if (o->plan) {
		printf("%lld parameters, %llu bytes beside them\n",
			(long long)p.policy->model->n_parameters,
			(unsigned long long)proposer_bytes(p.proposer));
		return fclose(stdout) == 0 ? EXIT_OK : EXIT_IO;
	}
	if (o->explain)
		p.filter.options = &o->filter;
	else
		filter_open(&p.filter, &o->filter);
	propose_all(&p);
	proposer_free(p.proposer);
	spec_free(p.spec);
	policy_free(p.policy);
	buf_release(&o->request);
	return o->explain ? EXIT_OK : filter_close(&p.filter);
}
