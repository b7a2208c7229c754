/* fields.c - typed access to the fields of a record. */
#include "stream/jsonl.h"

#include <limits.h>
#include <string.h>

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a number that is no 64-bit integer";
	case JSON_NULL:
		return "null";
	default:
		return "a boolean";
	}
}

static int wrong_type(const char *key, const char *expected, const json_t *found, struct error *err)
{
	return error_set(err, EXIT_DATA, "field '%s': expected %s, found %s", key, expected,
		type_name(found));
}

/* The same for element i of an array. */
static int wrong_element(
	const char *key, size_t i, const char *expected, const json_t *found, struct error *err)
{
	return error_set(err, EXIT_DATA, "field '%s': element %zu: expected %s, found %s", key, i,
		expected, type_name(found));
}

/* The field's value, or NULL where it is absent or null. */
static json_t *get(const struct record *r, const char *key)
{
	json_t *value = json_object_get(r->json, key);

	return json_is_null(value) ? NULL : value;
}

static int has_nul(const json_t *string)
{
	return strlen(json_string_value(string)) != json_string_length(string);
}

int record_string(const struct record *r, const char *key, const char **value, struct error *err)
{
	json_t *v = get(r, key);

	if (!v) {
		*value = NULL;
		return 0;
	}
	if (!json_is_string(v))
		return wrong_type(key, "a string", v, err);
	if (has_nul(v))
		return error_set(err, EXIT_DATA, "field '%s' holds a NUL character", key);
	*value = json_string_value(v);
	return 0;
}

int record_integer(const struct record *r, const char *key, long long *value, struct error *err)
{
	json_t *v = get(r, key);

	if (!v)
		return 0;
	if (!json_is_integer(v))
		return wrong_type(key, "an integer", v, err);
	*value = json_integer_value(v);
	return 0;
}

int record_real(const struct record *r, const char *key, double *value, struct error *err)
{
	json_t *v = get(r, key);

	if (!v)
		return 0;
	if (!json_is_number(v))
		return wrong_type(key, "a number", v, err);
	*value = json_number_value(v);
	return 0;
}

/* The array field key: 0 with *array NULL where it is absent or null. */
static int get_array(const struct record *r, const char *key, json_t **array, struct error *err)
{
	*array = get(r, key);
	if (*array && !json_is_array(*array))
		return wrong_type(key, "an array", *array, err);
	if (*array && json_array_size(*array) >= INT_MAX)
		return error_set(err, EXIT_DATA, "field '%s': too many elements", key);
	return 0;
}

int record_argv(const struct record *r, const char *key, struct arena *arena, int *argc,
	const char ***argv, struct error *err)
{
	json_t *array;
	size_t n;

	*argv = NULL;
	if (get_array(r, key, &array, err) != 0)
		return -1;
	if (!array) {
		*argc = json_object_get(r->json, key) ? -1 : -2;
		return 0;
	}
	n = json_array_size(array);
	*argc = (int)n;
	*argv = arena_alloc(arena, (n + 1) * sizeof **argv);
	for (size_t i = 0; i < n; i++) {
		json_t *word = json_array_get(array, i);

		if (!json_is_string(word))
			return wrong_element(key, i, "a string", word, err);
		if (has_nul(word))
			return error_set(err, EXIT_DATA,
				"field '%s': element %zu holds a NUL; no argument can", key, i);
		(*argv)[i] =
			arena_strndup(arena, json_string_value(word), json_string_length(word));
	}
	(*argv)[n] = NULL;
	return 0;
}

int record_integers(const struct record *r, const char *key, struct arena *arena, int *n,
	int **values, struct error *err)
{
	json_t *array;

	*n = -1;
	*values = NULL;
	if (get_array(r, key, &array, err) != 0)
		return -1;
	if (!array)
		return 0;
	*n = (int)json_array_size(array);
	*values = arena_alloc(arena, (size_t)*n * sizeof **values);
	for (int i = 0; i < *n; i++) {
		json_t *v = json_array_get(array, (size_t)i);
		json_int_t value = json_integer_value(v);

		if (!json_is_integer(v))
			return wrong_element(key, (size_t)i, "an integer", v, err);
		if (value < INT_MIN || value > INT_MAX)
			return error_set(err, EXIT_DATA,
				"field '%s': element %d is beyond 32 bits: %lld", key, i,
				(long long)value);
		(*values)[i] = (int)value;
	}
	return 0;
}

int record_reals(const struct record *r, const char *key, struct arena *arena, int *n,
	double **values, struct error *err)
{
	json_t *array;

	*n = -1;
	*values = NULL;
	if (get_array(r, key, &array, err) != 0)
		return -1;
	if (!array)
		return 0;
	*n = (int)json_array_size(array);
	*values = arena_alloc(arena, (size_t)*n * sizeof **values);
	for (int i = 0; i < *n; i++) {
		json_t *v = json_array_get(array, (size_t)i);

		if (!json_is_number(v))
			return wrong_element(key, (size_t)i, "a number", v, err);
		(*values)[i] = json_number_value(v);
	}
	return 0;
}

json_t *json_from_argv(int argc, const char *const *argv)
{
	json_t *array;

	if (argc < 0)
		return json_null();
	array = json_array();
	for (int i = 0; i < argc; i++) {
		json_t *word = json_string(argv[i]);

		if (!word)
			die(EXIT_INTERNAL, "an argument is not valid UTF-8");
		json_array_append_new(array, word);
	}
	return array;
}
