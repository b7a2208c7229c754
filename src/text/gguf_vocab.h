/*
 * gguf_vocab.h - a tokenizer from the vocabulary that a GGUF file carries.  It is
 * written out as the tokenizer.json that means the same, and read as one: it can be
 * saved, and hashed, like any other.
 */
#ifndef TEXT_GGUF_VOCAB_H
#define TEXT_GGUF_VOCAB_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "text/tokenizer.h"

/* Values of tokenizer.ggml.token_type. */
enum gguf_token_type {
	GGUF_TOKEN_NORMAL = 1,
	GGUF_TOKEN_UNKNOWN,
	GGUF_TOKEN_CONTROL,
	GGUF_TOKEN_USER_DEFINED,
	GGUF_TOKEN_UNUSED,
	GGUF_TOKEN_BYTE
};

struct gguf_text {
	const char *data; /* not followed by a NUL */
	size_t len;
};

struct gguf_vocab {
	struct gguf_text model; /* tokenizer.ggml.model: "gpt2", "llama" */
	struct gguf_text pre;	/* tokenizer.ggml.pre; only for gpt2 */
	size_t n_tokens;
	const struct gguf_text *tokens;
	const int32_t *types; /* NULL: all normal */
	const float *scores;  /* of SentencePiece's; NULL: none */
	size_t n_merges;
	const struct gguf_text *merges; /* "a b" */
	int64_t unknown;		/* tokenizer.ggml.unknown_token_id; -1: none */
	int add_space_prefix;
};

/* NULL and a message that names the key where something is not supported.  Byte-level
 * vocabularies ("gpt2") of the layouts gpt-2, llama-bpe, qwen2, smollm and others (see
 * the table in gguf_vocab.c), and SentencePiece's ("llama"): merges are then those that
 * its scores mean, in the order in which `transformers` converts them
 * (tokenization_utils, generate_merges). */
struct tokenizer *gguf_vocab_tokenizer(const struct gguf_vocab *v, struct error *err);

#endif
