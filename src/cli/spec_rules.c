/* spec_rules.c - resolves what options of one command say about each other. */
#include <string.h>
#include "cli/spec_private.h"

int negations_resolve(struct spec_reader *r, json_t *json, struct command *c, struct option *own)
{
	json_t *array = json_object_get(json, "options");
	size_t before = r->path.len;

	for (size_t i = 0; i < c->n_own; i++) {
		const char *name = NULL;
		size_t k = 0;

		spec_enter(r, ".options[%zu]", i);
		if (metadata_string(r, json_array_get(array, i), "negates", &name) < 0)
			return -1;
		spec_leave(r, before);
		if (!name)
			continue;
		spec_enter(r, ".options[%zu]", i);
		while (k < c->n_own && strcmp(own[k].name, name) != 0)
			k++;
		if (k == c->n_own)
			return spec_fault(
				r, "negates '%s', which is not an option of this command", name);
		if (own[i].argument || own[k].argument)
			return spec_fault(r, "only flags negate each other");
		if (k == i || own[k].negates || own[i].negated_by || own[k].negated_by)
			return spec_fault(r,
				"negates '%s', which is itself, negates another or is negated "
				"already",
				name);
		own[i].negates = &own[k];
		own[k].negated_by = &own[i];
		spec_leave(r, before);
	}
	return 0;
}

static int member_resolve(struct spec_reader *r, const struct command *c, const char *name,
	const struct option **option, const struct argument **argument)
{
	*option = name[0] == '-' ? option_find(c, name) : NULL;
	*argument = NULL;
	for (size_t i = 0; !*option && i < c->n_arguments; i++)
		if (!strcmp(c->arguments[i]->name, name))
			*argument = c->arguments[i];
	if (!*option && !*argument)
		return spec_fault(r,
			"names '%.100s', which is neither an option nor an argument of "
			"this command",
			name);
	return 0;
}

static int rule_read(struct spec_reader *r, json_t *list, const struct command *c,
	enum rule_kind kind, struct rule *rule)
{
	struct arena *arena = &r->spec->arena;
	const char *const *names = json_strings(r, list);
	const struct option **options;
	const struct argument **arguments;
	size_t n = json_array_size(list);
	size_t least = kind == RULE_ONE_OF ? 1 : 2;

	if (!names)
		return -1;
	if (n < least || n > SPEC_OPTIONS_MAX)
		return spec_fault(r, "must name at least %zu options", least);
	options = arena_alloc(arena, n * sizeof(*options));
	arguments = arena_alloc(arena, n * sizeof(*arguments));
	for (size_t i = 0; i < n; i++) {
		size_t before = spec_enter(r, "[%zu]", i);

		if (member_resolve(r, c, names[i], &options[i], &arguments[i]) < 0)
			return -1;
		for (size_t k = 0; k < i; k++)
			if (options[k] == options[i] && arguments[k] == arguments[i])
				return spec_fault(r, "'%s' is there twice", names[i]);
		spec_leave(r, before);
	}
	*rule = (struct rule){kind, n, options, arguments};
	return 0;
}

/* The value of one metadata entry: a list of names, or a list of such lists. */
static int entry_read(struct spec_reader *r, json_t *value, struct command *c, enum rule_kind kind,
	struct rule *rules)
{
	int nested = json_is_array(json_array_get(value, 0));
	size_t n = nested ? json_array_size(value) : 1;

	if (!json_is_array(value))
		return spec_fault(r, "must be an array of option names");
	for (size_t i = 0; i < n; i++) {
		json_t *list = nested ? json_array_get(value, i) : value;
		size_t before = r->path.len;

		if (nested)
			spec_enter(r, "[%zu]", i);
		if (!json_is_array(list))
			return spec_fault(r, "must be an array of option names");
		if (c->n_rules >= SPEC_RULES_MAX)
			return spec_fault(r, "more than %d rules", SPEC_RULES_MAX);
		if (rule_read(r, list, c, kind, &rules[c->n_rules]) < 0)
			return -1;
		c->n_rules++;
		spec_leave(r, before);
	}
	return 0;
}

/* An upper bound of the number of rules that a metadata array states. */
static size_t rules_count(json_t *array)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *value = json_object_get(json_array_get(array, i), "value");

		n += 1 + json_array_size(value);
		if (n > SPEC_RULES_MAX)
			return SPEC_RULES_MAX;
	}
	return n;
}

int rules_read(struct spec_reader *r, json_t *json, struct command *c)
{
	static const char *const kinds[] = {"requires", "conflicts", "one-of", "requires-any"};
	json_t *array = json_object_get(json, "metadata");
	struct rule *rules =
		arena_alloc(&r->spec->arena, (rules_count(array) + 1) * sizeof(*rules));
	size_t before = r->path.len;

	c->rules = rules;
	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *entry = json_array_get(array, i);
		const char *name = json_string_value(json_object_get(entry, "name"));

		for (int k = RULE_REQUIRES; k <= RULE_REQUIRES_ANY; k++) {
			if (strcmp(name, kinds[k]) != 0)
				continue;
			spec_enter(r, ".metadata[%zu].value", i);
			if (entry_read(r, json_object_get(entry, "value"), c, (enum rule_kind)k,
				    rules) < 0)
				return -1;
			spec_leave(r, before);
		}
	}
	return 0;
}
