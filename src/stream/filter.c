/* filter.c - what every record filter does the same way. */
#include "stream/filter.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	KEY_SKIP_BAD = 0x10000,
	KEY_PLAIN,
	KEY_QUIET
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "Write records to FILE, at once when all are there", 0},
	{"skip-bad", KEY_SKIP_BAD, "FILE", 0, "Put malformed lines into FILE and go on", 0},
	{"plain", KEY_PLAIN, 0, 0, "Write plain text, not zstd", 0},
	{"quiet", KEY_QUIET, 0, 0, "No progress and no notes on standard error", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct filter_options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case KEY_SKIP_BAD:
		o->skip_bad = arg;
		return 0;
	case KEY_PLAIN:
		o->plain = 1;
		return 0;
	case KEY_QUIET:
		o->quiet = 1;
		note_enable(0);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The operands are the tail of argv, which outlives the program's options. */
static error_t parse_with_operands(int key, char *arg, struct argp_state *state)
{
	struct filter_options *o = state->input;

	if (key != ARGP_KEY_ARGS)
		return parse_option(key, arg, state);
	o->inputs = (const char **)(state->argv + state->next);
	o->n_inputs = (size_t)(state->argc - state->next);
	return 0;
}

const struct argp filter_argp = {options, parse_with_operands, "[FILE...]", 0, 0, 0, 0};
const struct argp filter_output_argp = {options, parse_option, 0, 0, 0, 0, 0};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void clear_progress(struct filter *f)
{
	static const char clear[] = "\r\033[K";

	if (f->shown > 0 && write(STDERR_FILENO, clear, sizeof clear - 1) < 0)
		f->show = 0;
	f->shown = 0;
}

static void drop_all(struct filter *f)
{
	clear_progress(f);
	jsonl_close(f->in);
	jsonl_abort(f->out);
	jsonl_abort(f->bad);
	f->in = NULL;
	f->out = f->bad = NULL;
}

/* The output stays unfinished: nobody may take it for whole. */
static void __attribute__((noreturn)) fail(struct filter *f, const struct error *err)
{
	drop_all(f);
	die_error(err);
}

static void finish_bad(struct filter *f)
{
	struct jsonl_writer *bad = f->bad;
	struct error err;

	f->bad = NULL;
	if (bad && jsonl_finish(bad, &err) != 0)
		fail(f, &err);
}

/* The output failed.  Nobody reads it any more: the work is done, quietly. */
static void __attribute__((noreturn)) output_failed(struct filter *f, const struct error *err)
{
	if (err->system != EPIPE)
		fail(f, err);
	finish_bad(f);
	drop_all(f);
	exit(EXIT_OK);
}

void filter_open(struct filter *f, const struct filter_options *o)
{
	struct error err;

	*f = (struct filter){.options = o};
	/* Find a mistyped name before hours of work, not after. */
	for (size_t i = 0; i < o->n_inputs; i++)
		if (strcmp(o->inputs[i], "-") != 0 && access(o->inputs[i], R_OK) != 0)
			die_errno(EXIT_NOINPUT, "cannot open '%s'", o->inputs[i]);
	f->show = !o->quiet && isatty(STDERR_FILENO) && (o->output || !isatty(STDOUT_FILENO));
	f->started = now();
	if (o->skip_bad) {
		f->bad = jsonl_create(o->skip_bad, o->plain, &err);
		if (!f->bad)
			fail(f, &err);
	}
	f->out = jsonl_create(o->output, o->plain, &err);
	if (!f->out)
		output_failed(f, &err);
}

static void divert(struct filter *f, const struct record *r, const struct error *why)
{
	struct error err;

	if (!f->bad)
		fail(f, why);
	f->n_bad++;
	if (jsonl_write_text(f->bad, r->text.data ? r->text.data : "", r->text.len, &err) != 0)
		fail(f, &err);
}

void filter_bad(struct filter *f, const struct record *r, const char *fmt, ...)
{
	struct error why;
	va_list args;
	char text[sizeof why.message];

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	error_set(&why, EXIT_DATA, "%s", text);
	if (r->file)
		error_prefix(&why, "%s:%ld", r->file, r->line);
	divert(f, r, &why);
}

/* Opens the next operand: 1, or 0 where there is none. */
static int next_input(struct filter *f)
{
	const struct filter_options *o = f->options;
	struct error err;

	if (f->next_input >= (o->n_inputs ? o->n_inputs : 1))
		return 0;
	f->in = jsonl_open(o->n_inputs ? o->inputs[f->next_input] : NULL, &err);
	if (!f->in)
		fail(f, &err);
	f->next_input++;
	return 1;
}

/* The reader's name dies with it; records may be kept longer. */
static const char *input_name(const struct filter *f)
{
	const struct filter_options *o = f->options;
	const char *path = o->n_inputs ? o->inputs[f->next_input - 1] : "-";

	return strcmp(path, "-") == 0 ? "standard input" : path;
}

int filter_next(struct filter *f, struct record *r)
{
	struct error err;

	while (f->in || next_input(f)) {
		int rc = jsonl_read(f->in, r, &err);

		r->file = input_name(f);
		switch (rc) {
		case 1:
			f->n_read++;
			if (!f->item)
				filter_progress(f, f->n_read);
			return 1;
		case 0:
			jsonl_close(f->in);
			f->in = NULL;
			break;
		case -1:
			divert(f, r, &err);
			break;
		default:
			fail(f, &err);
		}
	}
	return 0;
}

void filter_put(struct filter *f, const struct record *r)
{
	struct error err;

	if (jsonl_write(f->out, r, &err) != 0)
		output_failed(f, &err);
	f->n_written++;
}

void filter_flush(struct filter *f)
{
	struct error err;

	if (jsonl_flush(f->out, &err) != 0)
		output_failed(f, &err);
}

void filter_progress(struct filter *f, long long done)
{
	double t, rate;
	char line[160];
	int len;

	if (!f->show)
		return;
	t = now();
	if (t - (f->shown > 0 ? f->shown : f->started) < 0.2)
		return;
	f->shown = t;
	rate = (double)done / (t - f->started);
	len = snprintf(line, sizeof line, "\r%s: %lld %s, %.0f/s", program_name(), done,
		f->item ? f->item : "records", rate);
	if (f->total > done && rate > 0)
		len += snprintf(line + len, sizeof line - (size_t)len, ", %.0f s left",
			(double)(f->total - done) / rate);
	len += snprintf(line + len, sizeof line - (size_t)len, "\033[K");
	if (len >= (int)sizeof line || write(STDERR_FILENO, line, (size_t)len) < 0)
		f->show = 0;
}

int filter_close(struct filter *f)
{
	struct jsonl_writer *out = f->out;
	struct error err;

	f->out = NULL;
	if (jsonl_finish(out, &err) != 0)
		output_failed(f, &err);
	finish_bad(f);
	drop_all(f);
	if (f->n_bad)
		note("%lld malformed lines put into '%s'", f->n_bad, f->options->skip_bad);
	return EXIT_OK;
}
