/* gguf_tokenizer.h - the tokenizer that a GGUF file carries. */
#ifndef MODEL_GGUF_TOKENIZER_H
#define MODEL_GGUF_TOKENIZER_H

#include "base/error.h"
#include "model/gguf.h"
#include "text/tokenizer.h"

/* From the keys tokenizer.ggml.*.  NULL and a message that names the key (not the
 * file). */
struct tokenizer *gguf_tokenizer(const struct gguf *f, struct error *err);

#endif
