/* gguf.c - map, check, look up. */
#include "model/gguf_internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/mem.h"

enum {
	KEY_BYTES_MIN = 8 + 4 + 1, /* the least that a pair of key and value takes */
	TENSOR_BYTES_MIN = 8 + 4 + 4 + 8,
	NAME_MAX_BYTES = 65535,
	NESTING_MAX = 4,
	ALIGNMENT_MAX = 1 << 20
};

/* What is left of the part of the file that is read in order. */
struct cursor {
	const unsigned char *at;
	size_t left;
};

static int take(struct cursor *c, uint64_t bytes, const unsigned char **p)
{
	if (bytes > c->left)
		return -1;
	*p = c->at;
	c->at += bytes;
	c->left -= bytes;
	return 0;
}

static int take_number(struct cursor *c, int bytes, uint64_t *x)
{
	const unsigned char *p;

	if (take(c, (uint64_t)bytes, &p) != 0)
		return -1;
	*x = gguf_number_at(p, bytes);
	return 0;
}

static int cut_short(struct error *err)
{
	return error_set(err, EXIT_DATA, "the file ends within it (damaged or cut short)");
}

/* A name: not empty, printable, with no NUL. */
static int take_name(struct gguf *f, struct cursor *c, const char **name, struct error *err)
{
	const unsigned char *p;
	uint64_t len;

	if (take_number(c, 8, &len) != 0 || len > c->left)
		return cut_short(err);
	if (len == 0 || len > NAME_MAX_BYTES)
		return error_set(err, EXIT_DATA, "a name of %llu bytes", (unsigned long long)len);
	take(c, len, &p);
	for (uint64_t i = 0; i < len; i++) {
		if (p[i] < 0x20 || p[i] == 0x7f)
			return error_set(
				err, EXIT_DATA, "a name with a control character in it (damaged)");
	}
	*name = arena_strndup(&f->arena, (const char *)p, len);
	return 0;
}

/* Steps over a value of this type. */
static int skip_value(struct cursor *c, uint64_t type, int depth, struct error *err)
{
	const unsigned char *p;
	uint64_t len, item;

	if (type >= GGUF_N_TYPES)
		return error_set(
			err, EXIT_DATA, "unknown type %llu of a value", (unsigned long long)type);
	if (gguf_types[type].bytes)
		return take(c, (uint64_t)gguf_types[type].bytes, &p) == 0 ? 0 : cut_short(err);
	if (type == GGUF_STRING)
		return take_number(c, 8, &len) == 0 && take(c, len, &p) == 0 ? 0 : cut_short(err);
	if (take_number(c, 4, &item) != 0 || take_number(c, 8, &len) != 0)
		return cut_short(err);
	if (item < GGUF_N_TYPES && gguf_types[item].bytes) {
		if (len > c->left / (uint64_t)gguf_types[item].bytes)
			return cut_short(err);
		return take(c, len * (uint64_t)gguf_types[item].bytes, &p);
	}
	if (depth == NESTING_MAX)
		return error_set(err, EXIT_DATA, "arrays nested more than %d deep", NESTING_MAX);
	for (uint64_t i = 0; i < len; i++) {
		if (skip_value(c, item, depth + 1, err) != 0)
			return -1;
	}
	return 0;
}

int gguf_compare_pairs(const void *a, const void *b)
{
	return strcmp(((const struct gguf_pair *)a)->name, ((const struct gguf_pair *)b)->name);
}

static int read_pairs(struct gguf *f, struct cursor *c, uint64_t n, struct error *err)
{
	if (n > c->left / KEY_BYTES_MIN || n > INT32_MAX)
		return error_set(err, EXIT_DATA, "%llu keys in a file of %zu bytes",
			(unsigned long long)n, f->file.size);
	f->pairs = xcalloc(n + 1, sizeof *f->pairs);
	for (; (uint64_t)f->n_pairs < n; f->n_pairs++) {
		struct gguf_pair *pair = &f->pairs[f->n_pairs];
		uint64_t type;

		if (take_name(f, c, &pair->name, err) != 0)
			return error_prefix(err, "key number %d", f->n_pairs + 1);
		if (take_number(c, 4, &type) != 0)
			return cut_short(err), error_prefix(err, "key '%.200s'", pair->name);
		pair->value = c->at;
		if (skip_value(c, type, 0, err) != 0)
			return error_prefix(err, "key '%.200s'", pair->name);
		pair->type = (enum gguf_type)type;
	}
	qsort(f->pairs, (size_t)f->n_pairs, sizeof *f->pairs, gguf_compare_pairs);
	for (int i = 1; i < f->n_pairs; i++) {
		if (strcmp(f->pairs[i - 1].name, f->pairs[i].name) == 0)
			return error_set(
				err, EXIT_DATA, "key '%.200s' is there twice", f->pairs[i].name);
	}
	return 0;
}

static int read_shape(struct gguf_tensor *t, struct cursor *c, struct error *err)
{
	uint64_t n_dims, dim;

	if (take_number(c, 4, &n_dims) != 0)
		return cut_short(err);
	if (n_dims > GGUF_MAX_DIMS)
		return error_set(err, EXIT_DATA, "%llu dimensions; at most %d are possible",
			(unsigned long long)n_dims, GGUF_MAX_DIMS);
	t->n_dims = (int)n_dims;
	t->n_elements = 1;
	for (int i = 0; i < t->n_dims; i++) {
		if (take_number(c, 8, &dim) != 0)
			return cut_short(err);
		if (dim > INT64_MAX || (dim > 0 && t->n_elements > INT64_MAX / (int64_t)dim))
			return error_set(err, EXIT_DATA, "impossible shape");
		t->dims[i] = (int64_t)dim;
		t->n_elements *= (int64_t)dim;
	}
	return 0;
}

/* What is said of a tensor; its offset stays in *offset. */
static int read_tensor(struct gguf_tensor *t, struct cursor *c, uint64_t *offset, struct error *err)
{
	uint64_t type;
	int64_t row, blocks;

	if (read_shape(t, c, err) != 0)
		return -1;
	if (take_number(c, 4, &type) != 0 || take_number(c, 8, offset) != 0)
		return cut_short(err);
	t->format = dequant_format((uint32_t)type);
	if (!t->format)
		return error_set(err, EXIT_DATA,
			"type %llu (%s) is not supported; F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, "
			"Q5_1 and Q2_K to Q6_K are",
			(unsigned long long)type, dequant_name((uint32_t)type));
	row = t->n_dims ? t->dims[0] : 1;
	if (row % t->format->block)
		return error_set(err, EXIT_DATA, "rows of %lld numbers are not whole blocks of %s",
			(long long)row, t->format->name);
	blocks = t->n_elements / t->format->block;
	if (blocks > INT64_MAX / t->format->bytes)
		return error_set(err, EXIT_DATA, "impossible shape");
	t->bytes = (uint64_t)blocks * (uint64_t)t->format->bytes;
	return 0;
}

static int compare_tensors(const void *a, const void *b)
{
	return strcmp(((const struct gguf_tensor *)a)->name, ((const struct gguf_tensor *)b)->name);
}

static int compare_data(const void *a, const void *b)
{
	const struct gguf_tensor *x = *(const struct gguf_tensor *const *)a;
	const struct gguf_tensor *y = *(const struct gguf_tensor *const *)b;

	if (x->data != y->data)
		return x->data < y->data ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* No name twice, no byte in two tensors. */
static int check_tensors(struct gguf *f, struct error *err)
{
	const struct gguf_tensor **order = xcalloc((size_t)f->n_tensors + 1, sizeof *order);
	int result = 0;

	qsort(f->tensors, (size_t)f->n_tensors, sizeof *f->tensors, compare_tensors);
	for (int i = 0; i < f->n_tensors; i++) {
		order[i] = &f->tensors[i];
		if (i && strcmp(f->tensors[i - 1].name, f->tensors[i].name) == 0)
			result = error_set(err, EXIT_DATA, "tensor '%.200s' is there twice",
				f->tensors[i].name);
	}
	qsort(order, (size_t)f->n_tensors, sizeof *order, compare_data);
	for (int i = 1; i < f->n_tensors && result == 0; i++) {
		if (order[i - 1]->data + order[i - 1]->bytes > order[i]->data)
			result = error_set(err, EXIT_DATA,
				"tensor '%.200s': its data overlaps that of '%.200s'",
				order[i]->name, order[i - 1]->name);
	}
	free(order);
	return result;
}

/* Where the data begins: behind the table, at the alignment that a key may state. */
static int read_alignment(const struct gguf *f, uint64_t *alignment, struct error *err)
{
	int64_t value = 32;

	if (gguf_integer(f, "general.alignment", &value, NULL) == 0 &&
		(value < 1 || value > ALIGNMENT_MAX || (value & (value - 1))))
		return error_set(err, EXIT_DATA,
			"key 'general.alignment': %lld is not a power of two up to %d",
			(long long)value, ALIGNMENT_MAX);
	*alignment = (uint64_t)value;
	return 0;
}

static int place_tensors(
	struct gguf *f, const struct cursor *c, const uint64_t *offsets, struct error *err)
{
	uint64_t alignment = 32, start, size;

	if (read_alignment(f, &alignment, err) != 0)
		return -1;
	start = ((uint64_t)(c->at - f->file.data) + alignment - 1) / alignment * alignment;
	size = start < f->file.size ? f->file.size - start : 0;
	for (int i = 0; i < f->n_tensors; i++) {
		struct gguf_tensor *t = &f->tensors[i];

		if (offsets[i] % alignment)
			return error_set(err, EXIT_DATA,
				"tensor '%.200s': its offset %llu is no multiple of %llu", t->name,
				(unsigned long long)offsets[i], (unsigned long long)alignment);
		if (offsets[i] > size || t->bytes > size - offsets[i])
			return error_set(err, EXIT_DATA,
				"tensor '%.200s': %llu bytes at offset %llu lie outside the file's "
				"%llu bytes of data",
				t->name, (unsigned long long)t->bytes,
				(unsigned long long)offsets[i], (unsigned long long)size);
		t->data = f->file.data + (t->bytes ? start + offsets[i] : 0);
	}
	return check_tensors(f, err);
}

static int read_tensors(struct gguf *f, struct cursor *c, uint64_t n, struct error *err)
{
	uint64_t *offsets;
	int result = 0;

	if (n > c->left / TENSOR_BYTES_MIN || n > INT32_MAX)
		return error_set(err, EXIT_DATA, "%llu tensors in a file of %zu bytes",
			(unsigned long long)n, f->file.size);
	f->tensors = xcalloc(n + 1, sizeof *f->tensors);
	offsets = xcalloc(n + 1, sizeof *offsets);
	for (; (uint64_t)f->n_tensors < n && result == 0; f->n_tensors++) {
		struct gguf_tensor *t = &f->tensors[f->n_tensors];

		result = take_name(f, c, &t->name, err);
		if (result != 0) {
			error_prefix(err, "tensor number %d", f->n_tensors + 1);
			break;
		}
		result = read_tensor(t, c, &offsets[f->n_tensors], err);
		if (result != 0)
			error_prefix(err, "tensor '%.200s'", t->name);
	}
	if (result == 0)
		result = place_tensors(f, c, offsets, err);
	free(offsets);
	return result;
}

/* A large model may be cut into several files. */
static int check_whole(const struct gguf *f, struct error *err)
{
	int64_t parts = 1;

	if (gguf_integer(f, "split.count", &parts, NULL) != 0 || parts <= 1)
		return 0;
	return error_set(err, EXIT_DATA,
		"key 'split.count': one of %lld files of a model; join them first "
		"(llama-gguf-split --merge)",
		(long long)parts);
}

static int read_file(struct gguf *f, struct error *err)
{
	struct cursor c = {f->file.data, f->file.size};
	const unsigned char *magic;
	uint64_t version, n_tensors, n_pairs;

	if (take(&c, 4, &magic) != 0 || memcmp(magic, "GGUF", 4) != 0)
		return error_set(err, EXIT_DATA, "not a GGUF file");
	if (take_number(&c, 4, &version) != 0)
		return error_set(err, EXIT_DATA, "a GGUF file of 4 bytes (cut short)");
	if (version != 2 && version != 3)
		return error_set(err, EXIT_DATA, "GGUF of version %llu%s; 2 and 3 are supported",
			(unsigned long long)version,
			version & 0xffff ? "" : " (of big-endian numbers)");
	f->version = (uint32_t)version;
	if (take_number(&c, 8, &n_tensors) != 0 || take_number(&c, 8, &n_pairs) != 0)
		return cut_short(err), error_prefix(err, "the header");
	if (read_pairs(f, &c, n_pairs, err) != 0 || check_whole(f, err) != 0)
		return -1;
	return read_tensors(f, &c, n_tensors, err);
}

struct gguf *gguf_open(const char *path, struct error *err)
{
	struct gguf *f = xcalloc(1, sizeof *f);

	if (mapping_open(&f->file, path, "GGUF", 1, "it is empty", err) == 0 &&
		read_file(f, err) == 0)
		return f;
	error_prefix(err, "%s", path);
	gguf_close(f);
	return NULL;
}

void gguf_close(struct gguf *f)
{
	if (!f)
		return;
	mapping_close(&f->file);
	free(f->pairs);
	free(f->tensors);
	arena_release(&f->arena);
	free(f);
}

int gguf_is(const char *path)
{
	char magic[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, magic, sizeof magic);

	if (fd >= 0)
		close(fd);
	return n == 4 && memcmp(magic, "GGUF", 4) == 0;
}

int gguf_version(const struct gguf *f)
{
	return (int)f->version;
}

int gguf_count(const struct gguf *f)
{
	return f->n_tensors;
}

const struct gguf_tensor *gguf_tensor(const struct gguf *f, int index)
{
	return &f->tensors[index];
}

const struct gguf_tensor *gguf_find(const struct gguf *f, const char *name)
{
	const struct gguf_tensor key = {.name = name};

	return bsearch(&key, f->tensors, (size_t)f->n_tensors, sizeof *f->tensors, compare_tensors);
}

void gguf_hash(const struct gguf *f, char hash[65])
{
	sha256_hex(f->file.data, f->file.size, hash);
}

void gguf_floats(const struct gguf_tensor *tensor, int64_t first, int64_t n, float *out)
{
	const struct dequant_format *format = tensor->format;

	dequantize(format, tensor->data + first / format->block * format->bytes, n, out);
}
