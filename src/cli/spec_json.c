/* spec_json.c - typed access to a spec's JSON, with the path of each fault. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "cli/spec_private.h"

int spec_fault(struct spec_reader *r, const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return error_set(r->err, EXIT_DATA, "%s: %.300s: %s", r->file, r->path.data, text);
}

size_t spec_enter(struct spec_reader *r, const char *fmt, ...)
{
	size_t before = r->path.len;
	char text[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_adds(&r->path, text);
	return before;
}

void spec_leave(struct spec_reader *r, size_t length)
{
	r->path.len = length;
	r->path.data[length] = '\0';
}

static const char *kind(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a boolean";
	case JSON_NULL:
		break;
	}
	return "null";
}

/* The fault "must be X, not Y" at key (or at the present path where key is NULL). */
static int wrong_type(struct spec_reader *r, const char *key, const char *want, const json_t *got)
{
	if (key)
		spec_enter(r, ".%s", key);
	return spec_fault(r, "must be %s, not %s", want, kind(got));
}

static json_t *member(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

int json_member_string(struct spec_reader *r, json_t *object, const char *key, const char **value)
{
	json_t *v = member(object, key);

	if (!v)
		return 0;
	if (!json_is_string(v))
		return wrong_type(r, key, "a string", v);
	*value = json_string_value(v);
	return 1;
}

int json_member_bool(struct spec_reader *r, json_t *object, const char *key, int *value)
{
	json_t *v = member(object, key);

	if (!v)
		return 0;
	if (!json_is_boolean(v))
		return wrong_type(r, key, "true or false", v);
	*value = json_is_true(v);
	return 1;
}

int json_member_array(struct spec_reader *r, json_t *object, const char *key, json_t **value)
{
	json_t *v = member(object, key);

	if (!v)
		return 0;
	if (!json_is_array(v))
		return wrong_type(r, key, "an array", v);
	*value = v;
	return 1;
}

int json_member_count(struct spec_reader *r, json_t *object, const char *key, int *value)
{
	json_t *v = member(object, key);

	if (!v)
		return 0;
	if (!json_is_integer(v))
		return wrong_type(r, key, "a whole number", v);
	if (json_integer_value(v) < 0 || json_integer_value(v) > SPEC_COUNT_MAX) {
		spec_enter(r, ".%s", key);
		return spec_fault(r, "must be between 0 and %d", SPEC_COUNT_MAX);
	}
	*value = (int)json_integer_value(v);
	return 1;
}

const char *const *json_strings(struct spec_reader *r, json_t *array)
{
	size_t n = json_array_size(array);
	const char **list = arena_alloc(&r->spec->arena, (n + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		json_t *v = json_array_get(array, i);

		if (!json_is_string(v)) {
			spec_enter(r, "[%zu]", i);
			wrong_type(r, NULL, "a string", v);
			return NULL;
		}
		list[i] = json_string_value(v);
	}
	list[n] = NULL;
	return list;
}

/* Names of which one object may state several. */
static int may_repeat(const char *name)
{
	return !strcmp(name, "requires") || !strcmp(name, "requires-any") ||
	       !strcmp(name, "conflicts") || !strcmp(name, "one-of");
}

/* Names that mean something to us; others may be there as often as they like. */
static int known(const char *name)
{
	static const char *const names[] = {"dialect", "attached", "separator", "type", "minimum",
		"maximum", "pattern", "default", "exists", "values", "negates", "repeatable",
		"passthrough", "danger", "says", "runnable", "eager", "environment", "ignore-case",
		"unit", NULL};

	return names_find(names, name) >= 0;
}

int metadata_check(struct spec_reader *r, json_t *owner)
{
	json_t *array = NULL;
	size_t before = r->path.len;

	if (json_member_array(r, owner, "metadata", &array) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *entry = json_array_get(array, i);
		const char *name = NULL;
		size_t first;

		spec_enter(r, ".metadata[%zu]", i);
		if (!json_is_object(entry))
			return wrong_type(r, NULL, "an object with name and value", entry);
		if (json_member_string(r, entry, "name", &name) < 0)
			return -1;
		if (!name)
			return spec_fault(r, "has no name");
		if (known(name) && !may_repeat(name) && metadata_find(owner, name, &first) &&
			first != i)
			return spec_fault(r, "'%s' is stated twice", name);
		spec_leave(r, before);
	}
	return 0;
}

json_t *metadata_find(json_t *owner, const char *name, size_t *index)
{
	json_t *array = json_object_get(owner, "metadata");

	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *entry = json_array_get(array, i);
		const char *text = json_string_value(json_object_get(entry, "name"));

		if (text && !strcmp(text, name)) {
			if (index)
				*index = i;
			return member(entry, "value");
		}
	}
	return NULL;
}

/* Finds name and puts its place behind the path; the caller leaves it. */
static json_t *metadata_enter(struct spec_reader *r, json_t *owner, const char *name)
{
	size_t index;
	json_t *v = metadata_find(owner, name, &index);

	if (v)
		spec_enter(r, ".metadata[%zu].value", index);
	return v;
}

int metadata_string(struct spec_reader *r, json_t *owner, const char *name, const char **value)
{
	size_t before = r->path.len;
	json_t *v = metadata_enter(r, owner, name);

	if (!v)
		return 0;
	if (!json_is_string(v))
		return wrong_type(r, NULL, "a string", v);
	*value = json_string_value(v);
	spec_leave(r, before);
	return 1;
}

int metadata_bool(struct spec_reader *r, json_t *owner, const char *name, int *value)
{
	size_t before = r->path.len;
	json_t *v = metadata_enter(r, owner, name);

	if (!v)
		return 0;
	if (!json_is_boolean(v))
		return wrong_type(r, NULL, "true or false", v);
	*value = json_is_true(v);
	spec_leave(r, before);
	return 1;
}

int metadata_number(struct spec_reader *r, json_t *owner, const char *name, double *value)
{
	size_t before = r->path.len;
	json_t *v = metadata_enter(r, owner, name);

	if (!v)
		return 0;
	if (!json_is_number(v))
		return wrong_type(r, NULL, "a number", v);
	*value = json_number_value(v);
	spec_leave(r, before);
	return 1;
}

int metadata_strings(
	struct spec_reader *r, json_t *owner, const char *name, const char *const **value)
{
	size_t before = r->path.len;
	json_t *v = metadata_enter(r, owner, name);

	if (!v)
		return 0;
	if (!json_is_array(v))
		return wrong_type(r, NULL, "an array", v);
	*value = json_strings(r, v);
	if (!*value)
		return -1;
	spec_leave(r, before);
	return 1;
}
