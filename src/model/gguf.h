/*
 * gguf.h - reads GGUF files, versions 2 and 3 (ggml-org/ggml, docs/gguf.md): metadata,
 * then a table of tensors, then their data.
 *
 * A file comes from a stranger: when one is opened, every length, name, type, shape and
 * offset is checked, so that what the functions below return can be used without further
 * thought.  Nothing is copied: strings and data lie in the file's memory, are good until
 * gguf_close(), and are not followed by a NUL (names of keys and tensors are).
 */
#ifndef MODEL_GGUF_H
#define MODEL_GGUF_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "model/dequant.h"

enum gguf_type {
	GGUF_UINT8,
	GGUF_INT8,
	GGUF_UINT16,
	GGUF_INT16,
	GGUF_UINT32,
	GGUF_INT32,
	GGUF_FLOAT32,
	GGUF_BOOL,
	GGUF_STRING,
	GGUF_ARRAY,
	GGUF_UINT64,
	GGUF_INT64,
	GGUF_FLOAT64
};

enum {
	GGUF_MAX_DIMS = 4
};

struct gguf_tensor {
	const char *name;
	const struct dequant_format *format;
	int n_dims;
	int64_t dims[GGUF_MAX_DIMS]; /* the first is that of neighbours: [in, out] of a matrix */
	int64_t n_elements;	     /* the product of dims */
	const unsigned char *data;
	uint64_t bytes;
};

struct gguf;

/* Maps the file and checks it.  NULL and a message that names path and key or tensor. */
struct gguf *gguf_open(const char *path, struct error *err);
void gguf_close(struct gguf *f);

/* Whether a file begins as GGUF does (0 also where it cannot be read). */
int gguf_is(const char *path);

int gguf_version(const struct gguf *f);
int gguf_count(const struct gguf *f);
/* In the order of names. */
const struct gguf_tensor *gguf_tensor(const struct gguf *f, int index);
/* By name; NULL where there is none. */
const struct gguf_tensor *gguf_find(const struct gguf *f, const char *name);
/* SHA-256 of the whole file, 64 digits and a NUL. */
void gguf_hash(const struct gguf *f, char hash[65]);

/* n numbers from the first one on, as fp32; both are multiples of the format's block
 * (whole rows are). */
void gguf_floats(const struct gguf_tensor *tensor, int64_t first, int64_t n, float *out);

/* Metadata.  Each returns 0, or -1 where the key is not there or has another type;
 * with err (may be NULL) a message that says which. */
int gguf_integer(const struct gguf *f, const char *key, int64_t *value, struct error *err);
int gguf_number(const struct gguf *f, const char *key, double *value, struct error *err);
int gguf_bool(const struct gguf *f, const char *key, int *value, struct error *err);
/* NULL where there is none. */
const char *gguf_string(const struct gguf *f, const char *key, size_t *len, struct error *err);

/* An array, read from its start: n counts down. */
struct gguf_array {
	enum gguf_type type;
	uint64_t n;
	const unsigned char *at;
};
int gguf_array(const struct gguf *f, const char *key, enum gguf_type type, struct gguf_array *array,
	struct error *err);
/* The next item, while n > 0: of an array of strings; of integers or booleans; of
 * floating-point numbers. */
const char *gguf_next_string(struct gguf_array *array, size_t *len);
int64_t gguf_next_integer(struct gguf_array *array);
double gguf_next_number(struct gguf_array *array);

/* Keys, to list them: in the order of names. */
int gguf_n_keys(const struct gguf *f);
const char *gguf_key(const struct gguf *f, int index, enum gguf_type *type);

#endif
