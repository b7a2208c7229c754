/*
 * sentencepiece.h - what SentencePiece's vocabularies have and byte-level ones have
 * not: a mark for the blank, tokens <0xNN> for single bytes, and a decoder that
 * translates both.
 */
#ifndef TEXT_SENTENCEPIECE_H
#define TEXT_SENTENCEPIECE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"

#define SENTENCEPIECE_MARK "\xe2\x96\x81" /* U+2581 */

/* What a token's text becomes.  Zero-initialised: itself. */
struct piece_decoder {
	struct piece_rule {
		char *from, *to;
	} rules[4]; /* replacements, in order */
	size_t n_rules;
	int bytes; /* <0xNN> is the byte */
	int strip; /* at most so many of strip_byte are taken off the start of a text */
	char strip_byte;
	int strip_first; /* the first token of a text loses all its marks (Metaspace) */
};

/* From the field "decoder" of a tokenizer.json: Replace, ByteFallback, Fuse, Strip at
 * the start, Metaspace, or a Sequence of them.  -1 and a message for others. */
int piece_decoder_read(struct piece_decoder *d, json_t *description, struct error *err);
void piece_decoder_release(struct piece_decoder *d);

/* Appends the bytes that a token of this text stands for. */
void piece_decode(const struct piece_decoder *d, const char *name, struct buf *out);
/* Appends the text of the token that would stand for bytes (which have no NUL). */
void piece_encode(const struct piece_decoder *d, const char *bytes, struct buf *out);

/* The byte of a token <0xNN>; -1: another token. */
int piece_byte(const char *name);

#endif
