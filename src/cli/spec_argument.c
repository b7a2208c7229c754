/* spec_argument.c - reads one argument of a spec and checks its own values. */
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "cli/spec_private.h"
#include "cli/value.h"

static int type_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	int type;

	a->type_name = value_type_names[VALUE_STRING];
	a->type = VALUE_STRING;
	if (metadata_string(r, json, "type", &a->type_name) < 0)
		return -1;
	type = names_find(value_type_names, a->type_name);
	a->type = type < 0 ? VALUE_OTHER : (enum value_type)type;
	return 0;
}

static int arity_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	json_t *arity = json_object_get(json, "arity");
	size_t before = r->path.len;
	int has_max;

	a->required = 1;
	if (json_member_bool(r, json, "required", &a->required) < 0)
		return -1;
	a->min_count = a->required;
	a->max_count = 1;
	if (!arity || json_is_null(arity))
		return 0;
	spec_enter(r, ".arity");
	if (!json_is_object(arity))
		return spec_fault(r, "must be an object with minimum and maximum");
	if (json_member_count(r, arity, "minimum", &a->min_count) < 0)
		return -1;
	has_max = json_member_count(r, arity, "maximum", &a->max_count);
	if (has_max < 0)
		return -1;
	if (!has_max)
		a->max_count = -1;
	if (has_max && (a->max_count < 1 || a->max_count < a->min_count))
		return spec_fault(r, "the maximum is below 1 or below the minimum");
	spec_leave(r, before);
	if (!json_object_get(json, "required"))
		a->required = a->min_count > 0;
	if (!a->required && a->min_count == 1 && a->max_count == 1)
		a->min_count = 0;
	return 0;
}

/* Phrases by accepted value: {"value": ["phrase", ...]}. */
static int phrases_read(
	struct spec_reader *r, json_t *says, struct accepted_value *accepted, size_t n)
{
	const char *key;
	json_t *list;

	json_object_foreach(says, key, list)
	{
		size_t before = spec_enter(r, "['%.100s']", key);
		size_t i = 0;

		while (i < n && strcmp(accepted[i].value, key) != 0)
			i++;
		if (i == n)
			return spec_fault(r, "is not one of the accepted values");
		if (!json_is_array(list))
			return spec_fault(r, "must be an array of phrases");
		accepted[i].says = json_strings(r, list);
		if (!accepted[i].says)
			return -1;
		spec_leave(r, before);
	}
	return 0;
}

static int says_read(
	struct spec_reader *r, json_t *json, struct argument *a, struct accepted_value *accepted)
{
	size_t index = 0, before = r->path.len;
	json_t *says = metadata_find(json, "says", &index);

	if (!says)
		return 0;
	spec_enter(r, ".metadata[%zu].value", index);
	if (json_is_object(says) && accepted) {
		if (phrases_read(r, says, accepted, a->n_accepted) < 0)
			return -1;
	} else if (json_is_array(says)) {
		a->says = json_strings(r, says);
		if (!a->says)
			return -1;
	} else {
		return spec_fault(r, "must be an array of phrases, or an object of such arrays "
				     "by accepted value");
	}
	spec_leave(r, before);
	return 0;
}

static int accepted_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	static const char *const none[] = {NULL};
	struct accepted_value *accepted = NULL;
	const char *const *values;
	json_t *array = NULL;
	size_t before;

	if (json_member_array(r, json, "acceptedValues", &array) < 0)
		return -1;
	if (array) {
		before = spec_enter(r, ".acceptedValues");
		a->n_accepted = json_array_size(array);
		if (a->n_accepted == 0 || a->n_accepted > SPEC_COUNT_MAX)
			return spec_fault(r, "must hold 1 to %d values", SPEC_COUNT_MAX);
		values = json_strings(r, array);
		if (!values)
			return -1;
		accepted = arena_zalloc(&r->spec->arena, a->n_accepted * sizeof(*accepted));
		for (size_t i = 0; i < a->n_accepted; i++)
			accepted[i] = (struct accepted_value){values[i], none};
		spec_leave(r, before);
	}
	a->accepted = accepted;
	a->says = none;
	return says_read(r, json, a, accepted);
}

static int passthrough_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	size_t index = 0;
	json_t *v = metadata_find(json, "passthrough", &index);
	const char *text = json_string_value(v);

	if (!v || json_is_false(v))
		return 0;
	a->passthrough = PASSTHROUGH_YES;
	if (json_is_true(v))
		return 0;
	a->passthrough = PASSTHROUGH_OPTIONS;
	if (text && !strcmp(text, "options"))
		return 0;
	spec_enter(r, ".metadata[%zu].value", index);
	return spec_fault(r, "must be true, false or 'options'");
}

static int limits_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	static const char *const exists[] = {"file", "dir", "any", NULL};
	int i;

	a->has_minimum = metadata_number(r, json, "minimum", &a->minimum);
	if (a->has_minimum < 0)
		return -1;
	a->has_maximum = metadata_number(r, json, "maximum", &a->maximum);
	if (a->has_maximum < 0)
		return -1;
	if (a->has_minimum && a->has_maximum && a->minimum > a->maximum)
		return spec_fault(r, "the minimum is above the maximum");
	if (metadata_string(r, json, "pattern", &a->pattern) < 0 ||
		metadata_string(r, json, "exists", &a->exists) < 0 ||
		metadata_bool(r, json, "ignore-case", &a->ignore_case) < 0)
		return -1;
	for (i = 0; a->exists && exists[i] && strcmp(exists[i], a->exists) != 0; i++)
		;
	if (a->exists && !exists[i])
		return spec_fault(
			r, "'exists' must be 'file', 'dir' or 'any', not '%s'", a->exists);
	return 0;
}

static int unit_read(struct spec_reader *r, const char *name, enum unit *unit)
{
	int found = name ? names_find(unit_names, name) : -1;

	if (found < 0)
		return spec_fault(r, "must be a unit as 'seconds' or 'mebibytes', or an object of "
				     "units by suffix");
	*unit = (enum unit)found;
	return 0;
}

/* "seconds", or {"s": "seconds", "m": "minutes"}; all of time or all of size. */
static int units_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	size_t index = 0, before = r->path.len;
	json_t *v = metadata_find(json, "unit", &index), *name;
	size_t n = json_is_object(v) ? json_object_size(v) : 1;
	struct unit_suffix *units;
	const char *suffix;

	if (!v)
		return 0;
	spec_enter(r, ".metadata[%zu].value", index);
	if (n == 0 || n > SPEC_UNITS_MAX)
		return spec_fault(r, "must hold 1 to %d units", SPEC_UNITS_MAX);
	units = arena_zalloc(&r->spec->arena, n * sizeof *units);
	a->units = units;
	if (!json_is_object(v)) {
		a->n_units = 1;
		units->suffix = "";
		if (unit_read(r, json_string_value(v), &units->unit) < 0)
			return -1;
		spec_leave(r, before);
		return 0;
	}
	json_object_foreach(v, suffix, name)
	{
		struct unit_suffix *u = &units[a->n_units++];

		u->suffix = suffix;
		if (unit_read(r, json_string_value(name), &u->unit) < 0)
			return -1;
		if (strlen(suffix) > 8 || strpbrk(suffix, "0123456789. "))
			return spec_fault(r, "'%.20s' cannot be a suffix", suffix);
		if (unit_is_size(u->unit) != unit_is_size(units->unit))
			return spec_fault(r, "mixes time and size");
	}
	spec_leave(r, before);
	return 0;
}

static int pattern_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	char message[256];
	size_t index = 0, before = r->path.len;

	if (!a->pattern)
		return 0;
	metadata_find(json, "pattern", &index);
	spec_enter(r, ".metadata[%zu].value", index);
	if (strlen(a->pattern) > SPEC_PATTERN_MAX)
		return spec_fault(r, "the pattern is longer than %d bytes", SPEC_PATTERN_MAX);
	if (value_pattern_compile(a, &r->spec->arena, message, sizeof(message)) < 0)
		return spec_fault(r, "not a regular expression: %s", message);
	spec_leave(r, before);
	return 0;
}

/* One value that the spec itself states must be one that the tool would take. */
static int own_value_check(
	struct spec_reader *r, const struct argument *a, const char *value, const char **canonical)
{
	char message[300];

	if (!value_is_clean(value))
		return spec_fault(r, "holds a control character");
	if (value_check(r->spec->dialect, a, value, &r->spec->arena, canonical, message,
		    sizeof(message)) != VERDICT_OK)
		return spec_fault(
			r, "the argument itself would refuse '%.100s': %s", value, message);
	return 0;
}

/* A default may be written as a JSON number or boolean too. */
static int default_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	size_t index = 0, before = r->path.len;
	json_t *v = metadata_find(json, "default", &index);

	if (!v)
		return 0;
	spec_enter(r, ".metadata[%zu].value", index);
	if (json_is_string(v)) {
		a->default_value = json_string_value(v);
	} else if (json_is_number(v) || json_is_boolean(v)) {
		char *text = json_dumps(v, JSON_ENCODE_ANY);

		a->default_value = arena_strdup(&r->spec->arena, text ? text : "");
		free(text);
	} else {
		return spec_fault(r, "a default must be a string, a number or a boolean");
	}
	if (own_value_check(r, a, a->default_value, &a->default_value) < 0)
		return -1;
	spec_leave(r, before);
	return 0;
}

static int values_read(struct spec_reader *r, json_t *json, struct argument *a)
{
	static const char *const none[] = {NULL};
	size_t index = 0, before = r->path.len;
	const char *canonical;

	a->values = none;
	if (metadata_strings(r, json, "values", &a->values) < 0)
		return -1;
	metadata_find(json, "values", &index);
	for (size_t i = 0; a->values[i]; i++) {
		spec_enter(r, ".metadata[%zu].value[%zu]", index, i);
		if (own_value_check(r, a, a->values[i], &canonical) < 0)
			return -1;
		spec_leave(r, before);
	}
	return 0;
}

/* Accepted values must fit type, range and pattern, and differ from each other. */
static int accepted_check(struct spec_reader *r, const struct argument *a)
{
	struct argument alone = *a;
	size_t before = r->path.len;
	const char *canonical;

	alone.n_accepted = 0;
	for (size_t i = 0; i < a->n_accepted; i++) {
		spec_enter(r, ".acceptedValues[%zu]", i);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		if (own_value_check(r, &alone, a->accepted[i].value, &canonical) < 0)
			return -1;
		for (size_t k = 0; k < i && i < 1024; k++)
			if (!strcmp(a->accepted[k].value, a->accepted[i].value))
				return spec_fault(r, "'%s' is there twice", a->accepted[i].value);
		spec_leave(r, before);
	}
	return 0;
}

int argument_read(struct spec_reader *r, json_t *json, struct argument *a, int of_option)
{
	a->name = NULL;
	a->description = "";
	if (!json_is_object(json))
		return spec_fault(r, "must be an object");
	if (metadata_check(r, json) < 0 || json_member_string(r, json, "name", &a->name) < 0 ||
		json_member_string(r, json, "description", &a->description) < 0 ||
		json_member_bool(r, json, "hidden", &a->hidden) < 0)
		return -1;
	if (!a->name || !*a->name || strlen(a->name) > SPEC_NAME_MAX)
		return spec_fault(r, "needs a name of 1 to %d bytes", SPEC_NAME_MAX);
	if (type_read(r, json, a) < 0 || arity_read(r, json, a) < 0 ||
		limits_read(r, json, a) < 0 || passthrough_read(r, json, a) < 0 ||
		accepted_read(r, json, a) < 0 || pattern_read(r, json, a) < 0 ||
		units_read(r, json, a) < 0)
		return -1;
	if (of_option && a->passthrough)
		return spec_fault(r, "only a positional argument can be passed through");
	if (accepted_check(r, a) < 0 || default_read(r, json, a) < 0 || values_read(r, json, a) < 0)
		return -1;
	return 0;
}
