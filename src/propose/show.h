/* show.h - an answer for people: the command, how sure it is, what each word does. */
#ifndef PROPOSE_SHOW_H
#define PROPOSE_SHOW_H

#include "propose/proposer.h"

/* Appends the text: printable ASCII only. */
void answer_show(const struct spec *spec, const struct answer *answer, struct buf *out);

#endif
