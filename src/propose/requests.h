/*
 * requests.h - where requests come from when none is given on the command line:
 * records, lines of text, or a person at the terminal.
 */
#ifndef PROPOSE_REQUESTS_H
#define PROPOSE_REQUESTS_H

#include "base/error.h"
#include "base/mem.h"

enum input_kind {
	INPUT_RECORDS,
	INPUT_LINES,
	INPUT_PERSON
};

/* Looks at standard input without taking anything from it: a terminal is a person;
 * what begins as a zstd frame or, blanks aside, with a brace is records; else lines. */
int input_kind(enum input_kind *kind, struct error *err);

enum {
	REQUEST_LINE_MAX = 1 << 24
};

/* Reads a line of standard input, its end (LF or CR LF) removed.  1; 0 at the end;
 * -1 on failure or where it is longer than REQUEST_LINE_MAX. */
int request_line(struct buf *line, struct error *err);

#endif
