/*
 * gguf_params.h - a GGUF file's tensors by the names, and in the order of rows, that
 * Hugging Face's checkpoints of the same model have.  What differs: the names; rows of
 * query and key projections of llama models, which are stored so that the pairs that
 * rotary embeddings turn are neighbours (llama.cpp, convert_hf_to_gguf.py, permute); and
 * the norms of gemma models, which are stored with 1 added.
 */
#ifndef MODEL_GGUF_PARAMS_H
#define MODEL_GGUF_PARAMS_H

#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"
#include "model/gguf.h"

struct gguf_param {
	const struct gguf_tensor *tensor;
	int64_t rows, columns; /* a vector is one row */
	int64_t head;	       /* rows (of a bias: numbers) of a head, if their order differs; 0 */
	float shift;	       /* to be added to each number */
};

/* Appends the file's name for a parameter, as "blk.3.attn_q.weight" for
 * "model.layers.3.self_attn.q_proj.weight".  architecture is the value of the key
 * general.architecture.  -1, and nothing appended, for what has no name there. */
int gguf_param_name(const char *architecture, const char *name, struct buf *out);

/* A parameter by Hugging Face's name: 1; 0 where the file has none of that name; -1 and a
 * message where it is not what its name says. */
int gguf_param_find(
	const struct gguf *f, const char *name, struct gguf_param *param, struct error *err);

/* n rows from row first on, as fp32, in Hugging Face's order and meaning. */
void gguf_param_rows(const struct gguf_param *param, int64_t first, int64_t n, float *out);

#endif
