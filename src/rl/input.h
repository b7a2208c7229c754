/*
 * input.h - records for programs that read streams and write none (a model comes
 * out, not records): the input half of stream/filter.h, with the same options.
 * As there, a stream that fails ends the program.
 */
#ifndef RL_INPUT_H
#define RL_INPUT_H

#include "base/options.h"
#include "stream/jsonl.h"

struct input_options {
	const char **files; /* file operands; none: standard input */
	size_t n_files;
	const char *skip_bad; /* --skip-bad FILE */
	int quiet;
};

/* argp child: --skip-bad, --quiet and file operands. */
extern const struct argp input_argp;

struct input {
	const struct input_options *options;
	struct jsonl_reader *in;
	struct jsonl_writer *bad;
	size_t next_file;
	long long n_bad;
};

void input_open(struct input *in, const struct input_options *options);
/* Next good record of all inputs: 1, or 0 at the end. */
int input_next(struct input *in, struct record *r);
/* A record that parsed but cannot be used: exit 65, or diverted by --skip-bad. */
void input_bad(struct input *in, const struct record *r, const char *fmt, ...) ATTR_PRINTF(3, 4);
void input_close(struct input *in);

#endif
