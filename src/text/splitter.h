/*
 * splitter.h - what `tokenizers` calls a pre-tokenizer: cuts text into the words
 * within which BPE merges.  A list of stages, each cutting the pieces of the one
 * before; read from tokenizer.json (ByteLevel, Digits, Metaspace, Split, Sequence of
 * them).
 */
#ifndef TEXT_SPLITTER_H
#define TEXT_SPLITTER_H

#include <jansson.h>
#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

struct splitter;

/* From the field "pre_tokenizer" of a tokenizer.json (null, absent: a text is one
 * piece); NULL and a message where it has what is not supported. */
struct splitter *splitter_new(json_t *description, struct error *err);
void splitter_free(struct splitter *s);
/* Whether the words' bytes are to be taken for the characters of bytelevel.h. */
int splitter_has_bytelevel(const struct splitter *s);

/* Calls word(arg, text, len) for each piece of text (valid UTF-8), in order.
 * at_start: the text begins an input (some layouts put a blank there only).
 * The pieces are only valid during the call. */
typedef void splitter_word(void *arg, const char *text, size_t len);
void splitter_run(struct splitter *s, const char *text, size_t len, int at_start,
	splitter_word *word, void *arg);

/* A compiled pattern with Oniguruma's classes; literal: no metacharacters.  what names
 * the field in messages.  A pcre2_code. */
void *splitter_pattern(const char *pattern, int literal, const char *what, struct error *err);

#endif
