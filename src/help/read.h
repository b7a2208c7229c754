/* read.h - one help text into a command. */
#ifndef HELP_READ_H
#define HELP_READ_H

#include "help/model.h"

/* Reads the help of a command: options, arguments, children (added to it, unread).
 * Never fails: what is not understood is listed in c->unread.  Strings are copied
 * to the arena. */
void help_read(struct help_command *c, const char *data, size_t len, struct arena *arena);
/* Arguments of commands that have no help of their own, from what lists them. */
void help_read_listed(struct help_command *root, struct arena *arena);
/* The dialect that most speaks for, of the whole tree. */
enum dialect help_dialect(const struct help_command *root);

#endif
