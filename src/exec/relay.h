/*
 * relay.h - passes the output of a command on: as it is into a file or pipe, without
 * anything that a terminal obeys onto a terminal; bounded.
 *
 * The command never holds our terminal, not even as its standard output: from there it
 * could read what the person types, or change how the terminal behaves.
 */
#ifndef EXEC_RELAY_H
#define EXEC_RELAY_H

#include <poll.h>
#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

enum {
	RELAY_STREAMS = 2
};

struct relay_stream {
	int from;	 /* read end of the command's pipe; -1: at its end */
	int to;		 /* ours */
	int terminal;	 /* to is one */
	struct buf text; /* to be written, from .written on */
	size_t written;
	char partial[4]; /* begin of a character whose rest has not come */
	size_t n_partial;
	int was_cr;
};

struct relay {
	struct relay_stream streams[RELAY_STREAMS];
	size_t n;			/* 1 where both of ours are the same file */
	unsigned long long bytes, most; /* read so far; bound */
};

/* Makes the pipes between the command, which gets the write ends as child[0] (its
 * standard output) and child[1] (its errors), and our standard output and errors.
 * most: bytes of both together. */
int relay_open(struct relay *r, unsigned long long most, int child[2], struct error *err);

/* What to wait for: fills at most 2 * RELAY_STREAMS entries, returns their number. */
nfds_t relay_poll(const struct relay *r, struct pollfd *fds);

/* Reads and writes as far as possible without waiting.  1 where the bound was reached:
 * what is beyond it is dropped. */
int relay_move(struct relay *r);

/* All ends were seen and all was written. */
int relay_done(const struct relay *r);

void relay_close(struct relay *r);

/* Appends the text as a terminal may get it: escape sequences and other control
 * characters, those that hide or change the direction of text and bytes that are not
 * UTF-8 in visible notation; a carriage return begins a new line.  Keeps in *s what may
 * be the begin of a longer character, unless last. */
void relay_neutralise(
	struct relay_stream *s, const char *text, size_t len, int last, struct buf *out);

#endif
