/* gguf_keys.c - the metadata of a file that was checked. */
#include "model/gguf_internal.h"

#include <stdlib.h>
#include <string.h>

const struct gguf_type_name gguf_types[GGUF_N_TYPES] = {{"UINT8", 1}, {"INT8", 1}, {"UINT16", 2},
	{"INT16", 2}, {"UINT32", 4}, {"INT32", 4}, {"FLOAT32", 4}, {"BOOL", 1}, {"STRING", 0},
	{"ARRAY", 0}, {"UINT64", 8}, {"INT64", 8}, {"FLOAT64", 8}};

uint64_t gguf_number_at(const unsigned char *p, int bytes)
{
	uint64_t x = 0;

	for (int i = bytes - 1; i >= 0; i--)
		x = x << 8 | p[i];
	return x;
}

static const struct gguf_pair *find_pair(const struct gguf *f, const char *key, struct error *err)
{
	const struct gguf_pair wanted = {.name = key};
	const struct gguf_pair *pair = bsearch(
		&wanted, f->pairs, (size_t)f->n_pairs, sizeof *f->pairs, gguf_compare_pairs);

	if (!pair)
		error_set(err, EXIT_DATA, "key '%s' is missing", key);
	return pair;
}

static int wrong_type(const char *key, enum gguf_type type, const char *wanted, struct error *err)
{
	return error_set(err, EXIT_DATA, "key '%s': it is of type %s, not %s", key,
		gguf_types[type].name, wanted);
}

static int is_integer(enum gguf_type type)
{
	return type <= GGUF_INT32 || type == GGUF_BOOL || type == GGUF_UINT64 || type == GGUF_INT64;
}

/* An unsigned one beyond INT64_MAX is INT64_MAX: no key means such a number. */
static int64_t integer(const unsigned char *p, enum gguf_type type)
{
	uint64_t x = gguf_number_at(p, gguf_types[type].bytes);

	switch (type) {
	case GGUF_INT8:
		return (int8_t)x;
	case GGUF_INT16:
		return (int16_t)x;
	case GGUF_INT32:
		return (int32_t)x;
	case GGUF_INT64:
		return (int64_t)x;
	default:
		return x > INT64_MAX ? INT64_MAX : (int64_t)x;
	}
}

static double number(const unsigned char *p, enum gguf_type type)
{
	union {
		uint32_t bits;
		float x;
	} single;
	union {
		uint64_t bits;
		double x;
	} wide;

	if (type == GGUF_FLOAT32) {
		single.bits = (uint32_t)gguf_number_at(p, 4);
		return (double)single.x;
	}
	wide.bits = gguf_number_at(p, 8);
	return wide.x;
}

int gguf_integer(const struct gguf *f, const char *key, int64_t *value, struct error *err)
{
	const struct gguf_pair *pair = find_pair(f, key, err);

	if (!pair)
		return -1;
	if (!is_integer(pair->type) || pair->type == GGUF_BOOL)
		return wrong_type(key, pair->type, "an integer", err);
	*value = integer(pair->value, pair->type);
	return 0;
}

int gguf_number(const struct gguf *f, const char *key, double *value, struct error *err)
{
	const struct gguf_pair *pair = find_pair(f, key, err);

	if (!pair)
		return -1;
	if (pair->type != GGUF_FLOAT32 && pair->type != GGUF_FLOAT64)
		return wrong_type(key, pair->type, "a floating-point number", err);
	*value = number(pair->value, pair->type);
	return 0;
}

int gguf_bool(const struct gguf *f, const char *key, int *value, struct error *err)
{
	const struct gguf_pair *pair = find_pair(f, key, err);

	if (!pair)
		return -1;
	if (pair->type != GGUF_BOOL)
		return wrong_type(key, pair->type, "BOOL", err);
	*value = *pair->value != 0;
	return 0;
}

const char *gguf_string(const struct gguf *f, const char *key, size_t *len, struct error *err)
{
	const struct gguf_pair *pair = find_pair(f, key, err);

	if (!pair)
		return NULL;
	if (pair->type != GGUF_STRING) {
		wrong_type(key, pair->type, "STRING", err);
		return NULL;
	}
	*len = (size_t)gguf_number_at(pair->value, 8);
	return (const char *)pair->value + 8;
}

int gguf_array(const struct gguf *f, const char *key, enum gguf_type type, struct gguf_array *array,
	struct error *err)
{
	const struct gguf_pair *pair = find_pair(f, key, err);
	enum gguf_type items;

	if (!pair)
		return -1;
	if (pair->type != GGUF_ARRAY)
		return wrong_type(key, pair->type, "ARRAY", err);
	items = (enum gguf_type)gguf_number_at(pair->value, 4);
	array->n = gguf_number_at(pair->value + 4, 8);
	if (items != type && array->n)
		return error_set(err, EXIT_DATA, "key '%s': its items are not of type %s", key,
			gguf_types[type].name);
	array->type = type;
	array->at = pair->value + 12;
	return 0;
}

const char *gguf_next_string(struct gguf_array *array, size_t *len)
{
	const char *text = (const char *)array->at + 8;

	*len = (size_t)gguf_number_at(array->at, 8);
	array->at += 8 + *len;
	array->n--;
	return text;
}

int64_t gguf_next_integer(struct gguf_array *array)
{
	int64_t value = integer(array->at, array->type);

	array->at += gguf_types[array->type].bytes;
	array->n--;
	return value;
}

double gguf_next_number(struct gguf_array *array)
{
	double value = number(array->at, array->type);

	array->at += gguf_types[array->type].bytes;
	array->n--;
	return value;
}

int gguf_n_keys(const struct gguf *f)
{
	return f->n_pairs;
}

const char *gguf_key(const struct gguf *f, int index, enum gguf_type *type)
{
	*type = f->pairs[index].type;
	return f->pairs[index].name;
}
