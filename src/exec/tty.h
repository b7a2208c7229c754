/*
 * tty.h - the conversation with the person, on /dev/tty and nowhere else:
 * standard input is data, whatever it is connected to.
 */
#ifndef EXEC_TTY_H
#define EXEC_TTY_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

enum {
	TTY_NO = 1,
	TTY_LATE
};

/* Opens the controlling terminal: a descriptor (close-on-exec), or -1. */
int tty_open(struct error *err);

/* Writes all of text. */
int tty_write(int tty, const char *text, size_t len, struct error *err);

/* Lines and columns; 0 where the terminal does not tell. */
void tty_size(int tty, unsigned *lines, unsigned *columns);

/* Throws away what was typed ahead, asks, and reads one line (without its end; a line
 * of more than 64 bytes is no answer) into answer, in the terminal's line mode with
 * echo whatever mode it was left in.  0; TTY_NO at end of file, where the terminal is
 * gone or a signal came; TTY_LATE when seconds have passed without a whole line; -1 on
 * failure.  SIGINT, SIGTERM, SIGHUP and SIGQUIT are let in while it waits: block them
 * before, or one that comes just before the wait is lost. */
int tty_ask(int tty, const char *question, int seconds, struct buf *answer, struct error *err);

#endif
