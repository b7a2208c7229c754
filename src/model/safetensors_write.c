/* safetensors_write.c - writing arrays, in the order they were declared. */
#include "model/safetensors.h"

#include <endian.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/mem.h"

struct safetensors_writer {
	FILE *file;
	char *path;
	struct buf header;
	int64_t *lengths; /* elements of each array */
	size_t n_arrays, cap_arrays, n_written;
	uint64_t offset;
	struct sha256_ctx sha;
	int unhashed;
};

struct safetensors_writer *safetensors_create(const char *path, struct error *err)
{
	struct safetensors_writer *w = xcalloc(1, sizeof *w);

	w->path = xstrdup(path);
	w->file = fopen(path, "wbe");
	if (!w->file) {
		error_set_errno(err, EXIT_IO, "%s: cannot create it", path);
		free(w->path);
		free(w);
		return NULL;
	}
	sha256_init(&w->sha);
	/* transformers refuses a file that does not say where it comes from. */
	buf_adds(&w->header, "{\"__metadata__\":{\"format\":\"pt\"}");
	return w;
}

void safetensors_unhashed(struct safetensors_writer *w)
{
	w->unhashed = 1;
}

void safetensors_declare(
	struct safetensors_writer *w, const char *name, int n_dims, const int64_t *dims)
{
	json_t *string = json_string(name);
	char *quoted = json_dumps(string, JSON_ENCODE_ANY);
	int64_t n = 1;

	if (!quoted)
		die(EXIT_INTERNAL, "tensor name '%s' is not UTF-8", name);
	buf_addf(&w->header, ",%s:{\"dtype\":\"F32\",\"shape\":[", quoted);
	for (int i = 0; i < n_dims; i++) {
		buf_addf(&w->header, "%s%lld", i ? "," : "", (long long)dims[i]);
		n *= dims[i];
	}
	buf_addf(&w->header, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)w->offset,
		(unsigned long long)w->offset + 4 * (unsigned long long)n);
	w->offset += 4 * (uint64_t)n;
	w->lengths = array_grow(w->lengths, &w->cap_arrays, w->n_arrays, sizeof *w->lengths);
	w->lengths[w->n_arrays++] = n;
	free(quoted);
	json_decref(string);
}

static int put(struct safetensors_writer *w, const void *data, size_t len, struct error *err)
{
	if (len && fwrite(data, 1, len, w->file) != len)
		return error_set_errno(err, EXIT_IO, "%s: cannot write it", w->path);
	if (!w->unhashed)
		sha256_update(&w->sha, len, data);
	return 0;
}

static int put_header(struct safetensors_writer *w, struct error *err)
{
	unsigned char length[8];

	buf_addc(&w->header, '}');
	while (w->header.len % 8)
		buf_addc(&w->header, ' ');
	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(w->header.len >> (8 * i));
	if (put(w, length, sizeof length, err) != 0)
		return -1;
	return put(w, w->header.data, w->header.len, err);
}

int safetensors_write(struct safetensors_writer *w, const float *data, struct error *err)
{
	enum {
		BLOCK = 16384
	};
	uint32_t words[BLOCK]; /* in the file's order of bytes */
	int64_t n;

	if (w->n_written == w->n_arrays)
		return error_set(err, EXIT_INTERNAL, "%s: more arrays than declared", w->path);
	if (w->n_written == 0 && put_header(w, err) != 0)
		return -1;
	n = w->lengths[w->n_written++];
	for (int64_t from = 0; from < n; from += BLOCK) {
		int64_t len = n - from < BLOCK ? n - from : BLOCK;

		for (int64_t i = 0; i < len; i++) {
			uint32_t bits;

			memcpy(&bits, &data[from + i], sizeof bits);
			words[i] = htole32(bits);
		}
		if (put(w, words, (size_t)len * sizeof *words, err) != 0)
			return -1;
	}
	return 0;
}

int safetensors_finish(struct safetensors_writer *w, char hash[65], struct error *err)
{
	int result = 0;

	if (w->n_arrays == 0)
		result = put_header(w, err);
	if (w->n_written != w->n_arrays)
		result = error_set(err, EXIT_INTERNAL, "%s: %zu arrays of %zu were written",
			w->path, w->n_written, w->n_arrays);
	if (result == 0 && fflush(w->file) != 0)
		result = error_set_errno(err, EXIT_IO, "%s: cannot write it", w->path);
	if (fclose(w->file) != 0 && result == 0)
		result = error_set_errno(err, EXIT_IO, "%s: cannot write it", w->path);
	if (hash)
		sha256_end(&w->sha, hash);
	buf_release(&w->header);
	free(w->lengths);
	free(w->path);
	free(w);
	return result;
}
