/* gguf_internal.h - what the files of the reader share. */
#ifndef MODEL_GGUF_INTERNAL_H
#define MODEL_GGUF_INTERNAL_H

#include "base/mem.h"
#include "model/gguf.h"
#include "model/mapping.h"

enum {
	GGUF_N_TYPES = GGUF_FLOAT64 + 1
};

struct gguf_type_name {
	const char *name;
	int bytes; /* 0: not of one size */
};
extern const struct gguf_type_name gguf_types[GGUF_N_TYPES];

struct gguf_pair {
	const char *name;
	enum gguf_type type;
	const unsigned char *value;
};

struct gguf {
	struct mapping file;
	uint32_t version;
	struct gguf_pair *pairs; /* sorted by name */
	int n_pairs;
	struct gguf_tensor *tensors; /* sorted by name */
	int n_tensors;
	struct arena arena;
};

/* A little-endian number of at most 8 bytes. */
uint64_t gguf_number_at(const unsigned char *p, int bytes);
int gguf_compare_pairs(const void *a, const void *b);

#endif
