/* fit.c - checks inferred types by the verifier's own rules. */
#include "help/fit.h"

#include <string.h>

#include "cli/value.h"

static int taken(
	const struct help_value *v, const char *text, enum dialect dialect, struct arena *arena)
{
	struct accepted_value *accepted =
		arena_zalloc(arena, (v->n_choices + 1) * sizeof *accepted);
	static const char *const none[] = {NULL};
	char message[300];
	const char *canonical;
	struct argument a = {.name = v->name,
		.description = "",
		.type = v->type,
		.type_name = value_type_names[v->type],
		.min_count = v->min,
		.max_count = v->max,
		.accepted = accepted,
		.n_accepted = v->n_choices,
		.has_minimum = v->has_minimum,
		.has_maximum = v->has_maximum,
		.minimum = v->minimum,
		.maximum = v->maximum,
		.values = none,
		.says = none};

	for (size_t i = 0; i < v->n_choices; i++)
		accepted[i] = (struct accepted_value){v->choices[i], none};
	return value_is_clean(text) && value_check(dialect, &a, text, arena, &canonical, message,
					       sizeof message) == VERDICT_OK;
}

static void value_fit(struct help_value *v, enum dialect dialect)
{
	struct arena arena = {0};
	size_t n = 0;

	for (size_t i = 0; i < v->n_choices; i++) {
		size_t k = 0;

		while (k < n && strcmp(v->choices[k], v->choices[i]) != 0)
			k++;
		if (k == n)
			v->choices[n++] = v->choices[i];
	}
	v->n_choices = n;
	for (size_t i = 0; i < v->n_choices; i++)
		if (!taken(v, v->choices[i], dialect, &arena)) {
			v->n_choices = 0;
			v->type = VALUE_STRING;
		}
	if (v->default_value && !taken(v, v->default_value, dialect, &arena)) {
		v->type = VALUE_STRING;
		v->has_minimum = v->has_maximum = 0;
		if (!taken(v, v->default_value, dialect, &arena))
			v->default_value = NULL;
	}
	arena_release(&arena);
}

void help_fit(struct help_command *root, enum dialect dialect)
{
	for (size_t i = 0; i < root->n_options; i++)
		if (root->options[i].takes_value)
			value_fit(&root->options[i].value, dialect);
	for (size_t i = 0; i < root->n_arguments; i++)
		value_fit(&root->arguments[i].value, dialect);
	for (size_t i = 0; i < root->n_children; i++)
		help_fit(root->children[i], dialect);
}
