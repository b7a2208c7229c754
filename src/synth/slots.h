/* slots.h - fills the {slots} of templates with fresh values: {port} {file} {dir}
 * {url} {image} {name} {version} {host} {n} {id} {db} {cmd} {words} {email}
 * {branch}, and {stem}, which is a plain word. */
#ifndef SYNTH_SLOTS_H
#define SYNTH_SLOTS_H

#include "synth/text.h"

/* Appends one value for the slot's name (len bytes, without its braces). */
void slot_add(const char *name, size_t len, struct rng *r, struct buf *scratch, struct text *out);

/* Appends a template whose only special parts are slots. */
void slots_fill(const char *template, struct rng *r, struct buf *scratch, struct text *out);

#endif
