/*
 * reword.h - one phrase said otherwise: by what is not to be, or in the order of words
 * of another language.
 */
#ifndef SYNTH_REWORD_H
#define SYNTH_REWORD_H

#include "base/mem.h"

/* "don't open the browser" as "without opening the browser".  1, or 0 where the phrase
 * is no such imperative.  Appends to out. */
int reword_without(const char *text, struct buf *out);

/* "start the server" as "the server start"; 1, or 0 where the phrase is no verb of one
 * word with something behind it that can stand alone.  Appends to out. */
int reword_verb_last(const char *text, struct buf *out);

#endif
