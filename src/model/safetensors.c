/* safetensors.c - reading: map, check, convert. */
#include "model/safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/mem.h"
#include "model/dequant.h"
#include "model/mapping.h"

enum {
	MAX_HEADER = 100 << 20
}; /* what the reference implementation allows */

struct safetensors {
	struct mapping file;
	struct safetensors_entry *entries; /* sorted by name */
	int n_entries;
	struct arena arena;
};

static const struct {
	const char *name;
	int bytes;
} type_sizes[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8}, {"I64", 8}, {"I32", 4},
	{"I16", 2}, {"I8", 1}, {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1}, {"BOOL", 1},
	{"F8_E4M3", 1}, {"F8_E5M2", 1}};

static int parse_type(struct safetensors_entry *e, const char *name)
{
	for (size_t i = 0; i < sizeof type_sizes / sizeof type_sizes[0]; i++) {
		if (strcmp(name, type_sizes[i].name) == 0) {
			e->type_name = type_sizes[i].name;
			e->type = i < SAFETENSORS_OTHER ? (enum safetensors_type)i
							: SAFETENSORS_OTHER;
			return type_sizes[i].bytes;
		}
	}
	return -1;
}

static int parse_shape(struct safetensors_entry *e, const json_t *shape, struct error *err)
{
	size_t n = json_array_size(shape);

	if (!json_is_array(shape) || n > SAFETENSORS_MAX_DIMS)
		return error_set(err, EXIT_DATA,
			"tensor '%s': its shape is not an array of at most %d numbers", e->name,
			SAFETENSORS_MAX_DIMS);
	e->n_dims = (int)n;
	e->n_elements = 1;
	for (size_t i = 0; i < n; i++) {
		const json_t *dim = json_array_get(shape, i);
		int64_t value = json_is_integer(dim) ? json_integer_value(dim) : -1;

		if (value < 0 || (value > 0 && e->n_elements > INT64_MAX / value))
			return error_set(err, EXIT_DATA, "tensor '%s': impossible shape", e->name);
		e->dims[i] = value;
		e->n_elements *= value;
	}
	return 0;
}

static int parse_entry(struct safetensors_entry *e, const json_t *value, const unsigned char *data,
	uint64_t data_size, struct error *err)
{
	const json_t *offsets = json_object_get(value, "data_offsets");
	const json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
	const char *type = json_string_value(json_object_get(value, "dtype"));
	int64_t begin, end;
	int width;

	if (!type || (width = parse_type(e, type)) < 0)
		return error_set(err, EXIT_DATA, "tensor '%s': unknown dtype '%s'", e->name,
			type ? type : "");
	if (parse_shape(e, json_object_get(value, "shape"), err) != 0)
		return -1;
	if (json_array_size(offsets) != 2 || !json_is_integer(from) || !json_is_integer(to))
		return error_set(
			err, EXIT_DATA, "tensor '%s': data_offsets are not two numbers", e->name);
	begin = json_integer_value(from);
	end = json_integer_value(to);
	if (begin < 0 || end < begin || (uint64_t)end > data_size)
		return error_set(err, EXIT_DATA,
			"tensor '%s': data_offsets [%lld, %lld] lie outside the file's %llu bytes "
			"of data",
			e->name, (long long)begin, (long long)end, (unsigned long long)data_size);
	e->bytes = (uint64_t)(end - begin);
	if (e->n_elements > INT64_MAX / width || e->bytes != (uint64_t)(e->n_elements * width))
		return error_set(err, EXIT_DATA,
			"tensor '%s': %llu bytes do not fit its shape and dtype %s", e->name,
			(unsigned long long)e->bytes, type);
	e->data = data + begin;
	return 0;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct safetensors_entry *x = *(const struct safetensors_entry *const *)a;
	const struct safetensors_entry *y = *(const struct safetensors_entry *const *)b;

	if (x->data != y->data)
		return x->data < y->data ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct safetensors_entry *)a)->name,
		((const struct safetensors_entry *)b)->name);
}

/* Tensors must tile the data: no overlap, no gap, nothing left over. */
static int check_tiling(const struct safetensors *f, const unsigned char *data, uint64_t data_size,
	struct error *err)
{
	const struct safetensors_entry **order = xcalloc((size_t)f->n_entries, sizeof *order);
	uint64_t at = 0;
	int result = 0;

	for (int i = 0; i < f->n_entries; i++)
		order[i] = &f->entries[i];
	if (f->n_entries)
		qsort(order, (size_t)f->n_entries, sizeof *order, compare_offsets);
	for (int i = 0; i < f->n_entries && result == 0; i++) {
		if (order[i]->data != data + at)
			result = error_set(err, EXIT_DATA,
				"tensor '%s': its data overlaps another's or leaves a gap",
				order[i]->name);
		at += order[i]->bytes;
	}
	if (result == 0 && at != data_size)
		result = error_set(err, EXIT_DATA,
			"%llu bytes of data belong to no tensor (a damaged or truncated file)",
			(unsigned long long)(data_size - at));
	free(order);
	return result;
}

static int parse_header(struct safetensors *f, const char *text, size_t len,
	const unsigned char *data, uint64_t data_size, struct error *err)
{
	json_error_t fault;
	json_t *header = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault), *value;
	const char *name;
	int result = 0;

	if (!json_is_object(header)) {
		json_decref(header);
		return error_set(err, EXIT_DATA, "the header is not a JSON object: %s",
			header ? "another value" : fault.text);
	}
	f->entries = xcalloc(json_object_size(header) + 1, sizeof *f->entries);
	json_object_foreach(header, name, value)
	{
		struct safetensors_entry *e = &f->entries[f->n_entries];

		if (strcmp(name, "__metadata__") == 0)
			continue;
		e->name = arena_strdup(&f->arena, name);
		f->n_entries++;
		if ((result = parse_entry(e, value, data, data_size, err)) != 0)
			break;
	}
	json_decref(header);
	if (result != 0 || check_tiling(f, data, data_size, err) != 0)
		return -1;
	qsort(f->entries, (size_t)f->n_entries, sizeof *f->entries, compare_names);
	return 0;
}

struct safetensors *safetensors_open(const char *path, struct error *err)
{
	struct safetensors *f = xcalloc(1, sizeof *f);
	uint64_t header = 0;

	if (mapping_open(&f->file, path, "safetensors", 8, "shorter than 8 bytes", err) != 0)
		goto fail;
	for (int i = 7; i >= 0; i--)
		header = header << 8 | f->file.data[i];
	if (header > MAX_HEADER || header > f->file.size - 8) {
		error_set(err, EXIT_DATA, "a header of %llu bytes in a file of %zu",
			(unsigned long long)header, f->file.size);
		goto fail;
	}
	if (parse_header(f, (const char *)f->file.data + 8, (size_t)header,
		    f->file.data + 8 + header, f->file.size - 8 - header, err) != 0)
		goto fail;
	return f;
fail:
	error_prefix(err, "%s", path);
	safetensors_close(f);
	return NULL;
}

void safetensors_close(struct safetensors *f)
{
	if (!f)
		return;
	mapping_close(&f->file);
	free(f->entries);
	arena_release(&f->arena);
	free(f);
}

int safetensors_count(const struct safetensors *f)
{
	return f->n_entries;
}

const struct safetensors_entry *safetensors_entry(const struct safetensors *f, int index)
{
	return &f->entries[index];
}

const struct safetensors_entry *safetensors_find(const struct safetensors *f, const char *name)
{
	const struct safetensors_entry key = {.name = name};

	return bsearch(&key, f->entries, (size_t)f->n_entries, sizeof *f->entries, compare_names);
}

void safetensors_hash(const struct safetensors *f, char hash[65])
{
	sha256_hex(f->file.data, f->file.size, hash);
}

static float from_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint32_t little_endian(const unsigned char *p, int bytes)
{
	uint32_t x = 0;

	for (int i = bytes - 1; i >= 0; i--)
		x = x << 8 | p[i];
	return x;
}

int safetensors_floats(const struct safetensors_entry *entry, float *out, struct error *err)
{
	const unsigned char *p = entry->data;

	switch (entry->type) {
	case SAFETENSORS_F32:
		for (int64_t i = 0; i < entry->n_elements; i++)
			out[i] = from_bits(little_endian(p + 4 * i, 4));
		return 0;
	case SAFETENSORS_F16:
		for (int64_t i = 0; i < entry->n_elements; i++)
			out[i] = dequant_half(little_endian(p + 2 * i, 2));
		return 0;
	case SAFETENSORS_BF16:
		for (int64_t i = 0; i < entry->n_elements; i++)
			out[i] = from_bits(little_endian(p + 2 * i, 2) << 16);
		return 0;
	case SAFETENSORS_OTHER:
		break;
	}
	return error_set(err, EXIT_DATA, "tensor '%s': dtype %s; F32, F16 or BF16 are read",
		entry->name, entry->type_name);
}
