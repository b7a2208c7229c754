/*
 * tokenizer.h - byte-level BPE with added tokens, read from and written as the
 * tokenizer.json of Hugging Face `tokenizers`, with results identical to its.
 */
#ifndef TEXT_TOKENIZER_H
#define TEXT_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"
#include "base/rng.h"

struct tokenizer;

/* Reads DIR/tokenizer.json.  NULL and a message on failure. */
struct tokenizer *tokenizer_load(const char *path, struct error *err);
int tokenizer_save(const struct tokenizer *t, const char *path, struct error *err);
void tokenizer_free(struct tokenizer *t);

uint32_t tokenizer_size(const struct tokenizer *t);    /* number of ids, added ones included */
const char *tokenizer_hash(const struct tokenizer *t); /* SHA-256 of the saved file's bytes */

/* Growable list of token ids. */
struct ids {
	int32_t *data;
	size_t len, cap;
};
void ids_add(struct ids *ids, int32_t id);
void ids_release(struct ids *ids);

/* Encoding uses room and a cache within t: one thread at a time for a tokenizer. */

/* Text to ids, appended.  Added tokens are matched in the text first, as
 * tokenizers' encode(add_special_tokens=False) does. */
void tokenizer_encode(struct tokenizer *t, const char *text, size_t len, struct ids *out);
/* The same, but special added tokens are plain text (tokenizers' encode_special_tokens). */
void tokenizer_encode_ordinary(struct tokenizer *t, const char *text, size_t len, struct ids *out);
/* The same, but the text is foreign: no added token is ever matched in it.
 * dropout: probability that a merge is skipped (BPE dropout), 0 for none; then
 * rng is used. */
void tokenizer_encode_plain(struct tokenizer *t, const char *text, size_t len, double dropout,
	struct rng *rng, struct ids *out);

/* The bytes of a token (added ones: their content); NULL for an unknown id. */
const char *tokenizer_bytes(const struct tokenizer *t, int32_t id, size_t *len);
int tokenizer_is_special(const struct tokenizer *t, int32_t id);
/* Id of an added token or of a token with exactly this content; -1: none. */
int32_t tokenizer_id(const struct tokenizer *t, const char *content);
/* Bytes of ids, appended; special tokens are left out where skip_special. */
void tokenizer_decode(
	const struct tokenizer *t, const int32_t *ids, size_t n, int skip_special, struct buf *out);

/* Trains a byte-level BPE of n_merges at most on weighted texts.  Added tokens
 * come after the 256 bytes and the merges, in the order given. */
struct added_token {
	const char *content;
	int special;
};
struct tokenizer *tokenizer_train(const char *const *texts, size_t n_texts, size_t n_merges,
	const struct added_token *added, size_t n_added, struct error *err);

#endif
