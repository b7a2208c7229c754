/* datareport - how good a dataset is: text for a terminal, and one HTML page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/options.h"
#include "stream/file.h"
#include "synth/report_data.h"

struct options {
	const char *spec, *html;
	const char **inputs, **rejects;
	size_t n_inputs, n_rejects;
	long long samples, width;
};

enum {
	KEY_SPEC = 256,
	KEY_HTML,
	KEY_REJECTS,
	KEY_SAMPLES,
	KEY_WIDTH
};

static const struct argp_option option_table[] = {
	{"spec", KEY_SPEC, "FILE", 0, "The CLI: an OpenCLI document (required)", 0},
	{"rejects", KEY_REJECTS, "FILE", 0,
		"Records that were rejected, as synvalidate writes them (may be repeated)", 0},
	{"html", KEY_HTML, "FILE", 0, "Write one HTML page that needs nothing else", 0},
	{"samples", KEY_SAMPLES, "N", 0, "Samples of each kind (default 5, at most 50)", 0},
	{"width", KEY_WIDTH, "N", 0, "Columns of the text (default: the terminal's, or 80)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_SPEC:
		o->spec = arg;
		return 0;
	case KEY_HTML:
		o->html = arg;
		return 0;
	case KEY_REJECTS:
		o->rejects = xreallocarray(o->rejects, o->n_rejects + 1, sizeof *o->rejects);
		o->rejects[o->n_rejects++] = arg;
		return 0;
	case KEY_SAMPLES:
		o->samples = option_integer(state, "--samples", arg, 0, GROUP_SAMPLES_MAX);
		return 0;
	case KEY_WIDTH:
		o->width = option_integer(state, "--width", arg, 40, 1000);
		return 0;
	case ARGP_KEY_ARG:
		o->inputs = xreallocarray(o->inputs, o->n_inputs + 1, sizeof *o->inputs);
		o->inputs[o->n_inputs++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->spec)
			argp_error(state, "--spec is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {option_table, parse, "[FILE...]",
	"Report on the quality of a dataset of (request, argv) pairs.\v"
	"Prints what the records cover of the CLI, how they are balanced, how long, varied and "
	"alike their requests are, why records were rejected, and samples of each kind.",
	NULL, NULL, NULL};

static void read_all(struct data_report *r, const char *path,
	int (*add)(struct data_report *, const struct record *, struct error *))
{
	struct jsonl_reader *in;
	struct record record;
	struct error err;
	int got;

	in = jsonl_open(path, &err);
	if (!in)
		die_error(&err);
	record_init(&record);
	while ((got = jsonl_read(in, &record, &err)) == 1) {
		if (add(r, &record, &err) < 0) {
			error_prefix(&err, "%s:%ld", record.file, record.line);
			got = -1;
			break;
		}
	}
	if (got < 0)
		die_error(&err);
	record_release(&record);
	jsonl_close(in);
}

static unsigned columns(const struct options *o)
{
	struct winsize size;

	if (o->width)
		return (unsigned)o->width;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		return size.ws_col;
	return 80;
}

int main(int argc, char **argv)
{
	struct options o = {.samples = 5};
	struct data_report *report = xcalloc(1, sizeof *report);
	struct buf text = {0}, html = {0};
	struct error err;
	struct spec *spec;
	struct plan *plan;

	options_parse(&argp, argc, argv, &o);
	spec = spec_load(o.spec, &err);
	if (!spec)
		die_error(&err);
	plan = plan_new(spec, &err);
	if (!plan)
		die(err.code, "%s: %s", o.spec, err.message);
	data_report_init(report, plan, (unsigned)o.samples);
	for (size_t i = 0; i < o.n_inputs; i++)
		read_all(report, o.inputs[i], data_report_add);
	if (!o.n_inputs)
		read_all(report, NULL, data_report_add);
	for (size_t i = 0; i < o.n_rejects; i++)
		read_all(report, o.rejects[i], data_report_add_reject);
	data_report_finish(report);
	if (o.html) {
		data_report_html(report, &html);
		if (file_publish(o.html, html.data, html.len, &err) < 0)
			die_error(&err);
	}
	data_report_text(report, columns(&o), &text);
	if (fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0)
		die(EXIT_IO, "standard output: %m");
	data_report_release(report);
	buf_release(&text);
	buf_release(&html);
	plan_free(plan);
	spec_free(spec);
	free(report);
	free(o.inputs);
	free(o.rejects);
	return EXIT_OK;
}
