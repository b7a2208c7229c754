/*
 * normalize.h - the field "normalizer" of a tokenizer.json: what is done to a text
 * before it is cut (NFC, NFD, Prepend, Replace, Strip, Sequence of them).
 */
#ifndef TEXT_NORMALIZE_H
#define TEXT_NORMALIZE_H

#include <jansson.h>
#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

struct normalizer;

/* NULL and a message where the description has what is not supported. */
struct normalizer *normalizer_new(json_t *description, struct error *err);
void normalizer_free(struct normalizer *n);

/* The text, normalized: good until the next call.  Bytes that are not UTF-8 stay. */
const struct buf *normalizer_run(struct normalizer *n, const char *text, size_t len);

#endif
