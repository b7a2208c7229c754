/* input.c - the input half of a filter. */
#include "rl/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"

enum {
	KEY_SKIP_BAD = 4096
};

static const struct argp_option option_list[] = {
	{"skip-bad", KEY_SKIP_BAD, "FILE", 0, "put malformed lines there instead of stopping", 0},
	{"quiet", 'q', 0, 0, "no notes and no progress", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input_options *o = state->input;

	switch (key) {
	case KEY_SKIP_BAD:
		o->skip_bad = arg;
		break;
	case 'q':
		o->quiet = 1;
		note_enable(0);
		break;
	case ARGP_KEY_ARG:
		o->files = xreallocarray(o->files, o->n_files + 1, sizeof *o->files);
		o->files[o->n_files++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp input_argp = {option_list, parse, 0, 0, 0, 0, 0};

void input_open(struct input *in, const struct input_options *options)
{
	struct error err;

	memset(in, 0, sizeof *in);
	in->options = options;
	/* A mistyped name is found before the work, not after. */
	for (size_t i = 0; i < options->n_files; i++)
		if (strcmp(options->files[i], "-") != 0 && access(options->files[i], R_OK) != 0)
			die_errno(EXIT_NOINPUT, "cannot open '%s'", options->files[i]);
	if (!options->skip_bad)
		return;
	in->bad = jsonl_create(options->skip_bad, 1, &err);
	if (!in->bad)
		die_error(&err);
}

static void divert(struct input *in, const struct record *r)
{
	struct error err;
	struct buf text = {0};

	if (r->text.len)
		buf_add(&text, r->text.data, r->text.len);
	else
		record_print(r, &text);
	if (jsonl_write_text(in->bad, text.data, text.len, &err) != 0)
		die_error(&err);
	buf_release(&text);
	in->n_bad++;
}

/* The next file of the list, or standard input where there is none: 0 at the end. */
static int open_next(struct input *in)
{
	const struct input_options *o = in->options;
	const char *path = o->n_files ? NULL : "-";
	struct error err;

	if (in->next_file >= (o->n_files ? o->n_files : 1))
		return 0;
	if (o->n_files)
		path = o->files[in->next_file];
	in->next_file++;
	in->in = jsonl_open(path, &err);
	if (!in->in)
		die_error(&err);
	return 1;
}

/* The reader's own name dies with it; records may be kept longer. */
static const char *file_name(const struct input *in)
{
	const char *path = in->options->n_files ? in->options->files[in->next_file - 1] : "-";

	return strcmp(path, "-") == 0 ? "standard input" : path;
}

int input_next(struct input *in, struct record *r)
{
	struct error err;

	for (;;) {
		if (!in->in && !open_next(in))
			return 0;
		int rc = jsonl_read(in->in, r, &err);

		r->file = file_name(in);
		switch (rc) {
		case 1:
			return 1;
		case 0:
			jsonl_close(in->in);
			in->in = NULL;
			break;
		case -1:
			if (!in->bad)
				die_error(&err);
			divert(in, r);
			break;
		default:
			die_error(&err);
		}
	}
}

void input_bad(struct input *in, const struct record *r, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!in->bad)
		die(EXIT_DATA, "%s:%ld: %s", r->file ? r->file : "-", r->line, text);
	divert(in, r);
}

void input_close(struct input *in)
{
	struct error err;

	if (in->in)
		jsonl_close(in->in);
	if (in->n_bad)
		warn("%lld malformed lines went to %s", in->n_bad, in->options->skip_bad);
	if (in->bad && jsonl_finish(in->bad, &err) != 0)
		die_error(&err);
	free(in->options->files);
	memset(in, 0, sizeof *in);
}
