/*
 * safetensors.h - named arrays in a file (Hugging Face safetensors): 8 bytes of
 * header length, little-endian, a JSON header, then the data.
 *
 * A file comes from a stranger: when one is opened, every name, shape, type and
 * offset is checked, so that the entries can be used without further thought.
 */
#ifndef MODEL_SAFETENSORS_H
#define MODEL_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

enum safetensors_type {
	SAFETENSORS_F32,
	SAFETENSORS_F16,
	SAFETENSORS_BF16,
	SAFETENSORS_OTHER
};

enum {
	SAFETENSORS_MAX_DIMS = 8
};

struct safetensors_entry {
	const char *name;
	const char *type_name; /* "F32", as the file says it */
	enum safetensors_type type;
	int n_dims;
	int64_t dims[SAFETENSORS_MAX_DIMS];
	int64_t n_elements;	   /* the product of dims */
	const unsigned char *data; /* bytes of them, in the file's memory */
	uint64_t bytes;
};

struct safetensors;

/* Maps the file and checks it.  NULL and a message that names path and tensor. */
struct safetensors *safetensors_open(const char *path, struct error *err);
void safetensors_close(struct safetensors *f);

int safetensors_count(const struct safetensors *f);
const struct safetensors_entry *safetensors_entry(const struct safetensors *f, int index);
/* By name; NULL where there is none. */
const struct safetensors_entry *safetensors_find(const struct safetensors *f, const char *name);
/* SHA-256 of the whole file, 64 digits and a NUL. */
void safetensors_hash(const struct safetensors *f, char hash[65]);

/* n_elements numbers as fp32, from F32, F16 or BF16; -1 for other types. */
int safetensors_floats(const struct safetensors_entry *entry, float *out, struct error *err);

/* Writing: open, declare every array, then give their numbers in that order.
 * The file is created at `path` (an existing one is overwritten; not atomic by
 * itself) and the same arrays give the same bytes. */
struct safetensors_writer;
struct safetensors_writer *safetensors_create(const char *path, struct error *err);
/* No hash is wanted (the larger part of what writing costs): safetensors_finish()
 * is to be called without one. */
void safetensors_unhashed(struct safetensors_writer *w);
/* An F32 array.  The name is copied. */
void safetensors_declare(
	struct safetensors_writer *w, const char *name, int n_dims, const int64_t *dims);
/* The next array's numbers (host memory).  0, or -1. */
int safetensors_write(struct safetensors_writer *w, const float *data, struct error *err);
/* Closes and frees, in any case (not synced: the directory that holds the file is
 * published as a whole, see stream/file.h).  hash (may be NULL): of the
 * file.  -1 where something failed, or where arrays were declared and not given. */
int safetensors_finish(struct safetensors_writer *w, char hash[65], struct error *err);

#endif
