/*
 * filter.h - the skeleton of a record filter: shared options, inputs in order,
 * bad lines, the output, progress, and the one way out.
 *
 *	static const struct argp_child children[] = {{&filter_argp, 0, "Streams", 0}, {0}};
 *	...
 *	case ARGP_KEY_INIT: state->child_inputs[0] = &options->filter; break;
 *
 *	filter_open(&f, &options.filter);
 *	while (filter_next(&f, &record))
 *		{ ...; filter_put(&f, &record); }
 *	return filter_close(&f);
 *
 * All functions end the program with the right exit code when a stream fails:
 * they are for programs, not for libraries.
 */
#ifndef STREAM_FILTER_H
#define STREAM_FILTER_H

#include <argp.h>
#include "stream/jsonl.h"

struct filter_options {
	const char **inputs; /* file operands; none: standard input */
	size_t n_inputs;
	const char *output;   /* -o, --output FILE; NULL: standard output */
	const char *skip_bad; /* --skip-bad FILE: malformed lines go there */
	int plain, quiet;     /* --plain, --quiet */
};

/* argp child: -o/--output, --skip-bad, --plain, --quiet and file operands. */
extern const struct argp filter_argp;
/* The same without file operands (for programs whose operands are not records). */
extern const struct argp filter_output_argp;

struct filter {
	const struct filter_options *options;
	struct jsonl_reader *in;
	struct jsonl_writer *out, *bad;
	size_t next_input;
	long long n_read, n_written, n_bad;
	/* What progress counts.  NULL: records read, shown by filter_next() itself;
	 * a program that sets it calls filter_progress(). */
	const char *item;
	long long total; /* for the time left; 0: unknown */
	int show;	 /* standard error is a terminal, and nobody said --quiet */
	double started, shown;
};

void filter_open(struct filter *f, const struct filter_options *options);
/* Next good record of all inputs: 1, or 0 at the end.  r->file stays valid.  A malformed one ends
 * the program with exit 65 (output left unfinished) unless --skip-bad was given. */
int filter_next(struct filter *f, struct record *r);
/* A record that parsed but that the program cannot use: same treatment. */
void filter_bad(struct filter *f, const struct record *r, const char *fmt, ...) ATTR_PRINTF(3, 4);
/* A closed pipe downstream (EPIPE) ends the program quietly with exit 0. */
void filter_put(struct filter *f, const struct record *r);
void filter_flush(struct filter *f);
/* Shows "N items, rate, time left" on standard error when it is a terminal. */
void filter_progress(struct filter *f, long long done);
/* Finishes the output; the program's exit code. */
int filter_close(struct filter *f);

#endif
