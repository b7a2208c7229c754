/*
 * tty.h - the conversation with the person, on /dev/tty and nowhere else:
 * standard input is data, whatever it is connected to.
 */
#ifndef EXEC_TTY_H
#define EXEC_TTY_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

/* Opens the controlling terminal: a descriptor (close-on-exec), or -1. */
int tty_open(struct error *err);

/* Writes all of text. */
int tty_write(int tty, const char *text, size_t len, struct error *err);

/* Throws away what was typed ahead, asks, and reads one line (without its end;
 * at most 4096 bytes, longer ones are cut) into answer, in the terminal's line
 * mode with echo whatever mode it was left in.  0; 1 at end of file or where a
 * signal came; -1 on failure.  SIGINT and SIGTERM are let in while it waits: block
 * them before, or one that comes just before the wait is lost. */
int tty_ask(int tty, const char *question, struct buf *answer, struct error *err);

#endif
