/* emit.c - writes what was read as OpenCLI. */
#include "help/emit.h"

#include <ctype.h>
#include <string.h>

#include "cli/value.h"

enum {
	UNREAD_MAX = 1000
};

static void meta(json_t *list, const char *name, json_t *value)
{
	json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "value", value));
}

static void meta_source(json_t *list, double sure, size_t line)
{
	meta(list, "confidence", json_real((double)(int)(sure * 100 + 0.5) / 100));
	meta(list, "source", json_integer((json_int_t)line));
}

static void set_list(json_t *object, const char *key, json_t *list)
{
	if (json_array_size(list) > 0)
		json_object_set_new(object, key, list);
	else
		json_decref(list);
}

static void set_description(json_t *object, const char *text)
{
	if (text && *text)
		json_object_set_new(object, "description", json_string(text));
}

static void value_meta(json_t *list, const struct help_value *v)
{
	if (v->type != VALUE_STRING)
		meta(list, "type", json_string(value_type_names[v->type]));
	if (v->unit)
		meta(list, "unit", json_string(v->unit));
	if (v->has_minimum)
		meta(list, "minimum", json_real(v->minimum));
	if (v->has_maximum)
		meta(list, "maximum", json_real(v->maximum));
	/* A list's default is none of its words. */
	if (v->default_value && value_is_clean(v->default_value) && v->max == 1)
		meta(list, "default", json_string(v->default_value));
}

static json_t *value_json(const struct help_value *v, const char *name)
{
	json_t *a = json_object(), *choices = json_array(), *list = json_array();

	json_object_set_new(a, "name", json_string(name));
	json_object_set_new(a, "required", json_boolean(v->min > 0));
	if (v->min != 1 || v->max != 1) {
		json_t *arity = json_pack("{s:i}", "minimum", v->min);

		if (v->max > 0)
			json_object_set_new(
				arity, "maximum", json_integer(v->max < v->min ? v->min : v->max));
		json_object_set_new(a, "arity", arity);
	}
	for (size_t i = 0; i < v->n_choices; i++)
		json_array_append_new(choices, json_string(v->choices[i]));
	set_list(a, "acceptedValues", choices);
	value_meta(list, v);
	set_list(a, "metadata", list);
	return a;
}

/* A spelling that a spec can have, and that this command has not yet. */
static int name_usable(const char *name, json_t *seen)
{
	if (name[0] != '-' || !name[1] || !strcmp(name, "--") || strpbrk(name, " =") ||
		strlen(name) > 100 || !value_is_clean(name) || json_object_get(seen, name))
		return 0;
	json_object_set_new(seen, name, json_true());
	return 1;
}

/* The first long name, else the first; its index, or -1: none is usable. */
static json_t *names_json(const char *const *names, size_t n, json_t *seen, const char **primary)
{
	json_t *aliases = json_array();
	const char *usable[HELP_NAMES_MAX];
	size_t n_usable = 0, first = 0;

	for (size_t i = 0; i < n; i++)
		if (name_usable(names[i], seen))
			usable[n_usable++] = names[i];
	while (first < n_usable && strncmp(usable[first], "--", 2) != 0)
		first++;
	if (first == n_usable)
		first = 0;
	*primary = n_usable ? usable[first] : NULL;
	for (size_t i = 0; i < n_usable; i++)
		if (i != first)
			json_array_append_new(aliases, json_string(usable[i]));
	return aliases;
}

/* Acts alone: the help, the version. */
static int is_eager(const struct help_option *o)
{
	static const char *const names[] = {
		"--help", "-help", "--version", "-version", "--help-all", NULL};

	for (size_t i = 0; i < o->n_names; i++)
		for (size_t k = 0; names[k]; k++)
			if (!strcmp(o->names[i], names[k]) && !o->takes_value)
				return k == 2 || k == 3 ? 2 : 1;
	return 0;
}

static void negative_json(
	json_t *options, const struct help_option *o, const char *positive, json_t *seen)
{
	const char *primary;
	json_t *aliases, *json, *list = json_array();

	aliases = names_json(o->negative, o->n_negative, seen, &primary);
	if (!primary) {
		json_decref(aliases);
		json_decref(list);
		return;
	}
	json = json_object();
	json_object_set_new(json, "name", json_string(primary));
	set_list(json, "aliases", aliases);
	if (!o->takes_value)
		meta(list, "negates", json_string(positive));
	meta_source(list, o->sure, o->line);
	json_object_set_new(json, "metadata", list);
	json_array_append_new(options, json);
}

static void option_json(json_t *options, const struct help_option *o, json_t *seen)
{
	const char *primary;
	json_t *aliases = names_json(o->names, o->n_names, seen, &primary);
	json_t *json, *list;
	int eager = is_eager(o);

	if (!primary) {
		json_decref(aliases);
		return;
	}
	json = json_object();
	list = json_array();
	json_object_set_new(json, "name", json_string(primary));
	set_list(json, "aliases", aliases);
	set_description(json, o->description);
	if (o->required && !eager)
		json_object_set_new(json, "required", json_true());
	if (eager == 1)
		json_object_set_new(json, "hidden", json_true());
	if (o->takes_value) {
		const char *name = strcmp(o->value.name, "value") != 0
					   ? o->value.name
					   : primary + strspn(primary, "-");

		json_object_set_new(
			json, "arguments", json_pack("[o]", value_json(&o->value, name)));
	}
	if (eager)
		meta(list, "eager", json_true());
	if (o->repeatable)
		meta(list, "repeatable", json_true());
	if (o->attached)
		meta(list, "attached", json_true());
	if (o->environment)
		meta(list, "environment", json_string(o->environment));
	if (!o->takes_value && o->flag_default >= 0)
		meta(list, "default", json_boolean(o->flag_default));
	if (*o->group)
		meta(list, "group", json_string(o->group));
	meta_source(list, o->sure, o->line);
	json_object_set_new(json, "metadata", list);
	json_array_append_new(options, json);
	negative_json(options, o, primary, seen);
}

static json_t *argument_json(const struct help_argument *a, json_t *seen)
{
	struct buf name = {0};
	json_t *json, *list;

	buf_adds(&name, a->value.name);
	while (json_object_get(seen, name.data))
		buf_adds(&name, "-2");
	json_object_set_new(seen, name.data, json_true());
	json = value_json(&a->value, name.data);
	set_description(json, a->description);
	list = json_object_get(json, "metadata");
	if (!list) {
		list = json_array();
		json_object_set_new(json, "metadata", list);
	}
	meta_source(list, a->sure, a->line);
	buf_release(&name);
	return json;
}

static void unread_add(json_t *unread, const struct help_command *c)
{
	for (size_t i = 0; i < c->n_unread && json_array_size(unread) < UNREAD_MAX; i++)
		json_array_append_new(
			unread, json_pack("{s:s, s:I, s:s}", "command", c->name, "line",
					(json_int_t)c->unread[i].line, "text", c->unread[i].text));
}

static json_t *command_json(const struct help_command *c, enum dialect dialect, json_t *unread);

/* argparse's groups are kept by its parser; other usages put spellings of one option,
 * and what is only seldom of use together, in the same form. */
static void exclusive_json(json_t *list, const struct help_command *c, json_t *seen)
{
	json_t *conflicts = json_array(), *needed = json_array();

	for (size_t i = 0; i < c->n_exclusive; i++) {
		const struct help_exclusive *e = &c->exclusive[i];
		json_t *names = json_array();

		for (size_t k = 0; k < e->n; k++)
			if (json_object_get(seen, e->names[k]))
				json_array_append_new(names, json_string(e->names[k]));
		if (json_array_size(names) == e->n) {
			json_array_append(conflicts, names);
			if (e->needed)
				json_array_append(needed, names);
		}
		json_decref(names);
	}
	if (json_array_size(conflicts) > 0)
		meta(list, "conflicts", json_incref(conflicts));
	if (json_array_size(needed) > 0)
		meta(list, "one-of", json_incref(needed));
	json_decref(conflicts);
	json_decref(needed);
}

/* What the document and a command have in common. */
static void body_json(json_t *json, json_t *list, const struct help_command *c,
	enum dialect dialect, json_t *unread)
{
	json_t *options = json_array(), *arguments = json_array(), *commands = json_array();
	json_t *seen = json_object(), *names = json_object();

	unread_add(unread, c);
	for (size_t i = 0; i < c->n_options; i++)
		option_json(options, &c->options[i], seen);
	set_list(json, "options", options);
	if (dialect == DIALECT_ARGPARSE)
		exclusive_json(list, c, seen);
	/* Where a word names a subcommand, no positional can take it. */
	for (size_t i = 0; c->n_children == 0 && i < c->n_arguments; i++)
		json_array_append_new(arguments, argument_json(&c->arguments[i], names));
	set_list(json, "arguments", arguments);
	for (size_t i = 0; i < c->n_children; i++)
		json_array_append_new(commands, command_json(c->children[i], dialect, unread));
	if (c->n_children && c->runnable)
		meta(list, "runnable", json_true());
	set_list(json, "commands", commands);
	json_decref(seen);
	json_decref(names);
}

/* Aliases that no sibling has as its name or alias before. */
static json_t *aliases_json(const struct help_command *c)
{
	const struct help_command *parent = c->parent;
	json_t *aliases = json_array();

	for (size_t k = 0; k < c->n_aliases; k++) {
		int taken = 0;

		for (size_t i = 0; i < parent->n_children && !taken; i++) {
			const struct help_command *other = parent->children[i];

			taken = !strcmp(other->name, c->aliases[k]);
			for (size_t a = 0; a < other->n_aliases && other != c; a++)
				taken |= !strcmp(other->aliases[a], c->aliases[k]);
		}
		if (!taken)
			json_array_append_new(aliases, json_string(c->aliases[k]));
	}
	return aliases;
}

static json_t *command_json(const struct help_command *c, enum dialect dialect, json_t *unread)
{
	json_t *json = json_object(), *list = json_array();

	json_object_set_new(json, "name", json_string(c->name));
	set_list(json, "aliases", aliases_json(c));
	set_description(json, c->description);
	body_json(json, list, c, dialect, unread);
	meta_source(list, c->read ? c->sure : c->sure / 2, c->line);
	json_object_set_new(json, "metadata", list);
	return json;
}

json_t *help_emit(const struct help_command *root, enum dialect dialect, const char *version)
{
	json_t *document = json_object(), *info = json_object(), *list = json_array();
	json_t *unread = json_array();

	json_object_set_new(document, "opencli", json_string("0.1"));
	json_object_set_new(info, "title", json_string(root->name));
	if (*root->description)
		json_object_set_new(info, "summary", json_string(root->description));
	json_object_set_new(info, "version", json_string(version));
	json_object_set_new(document, "info", info);
	json_object_set_new(document, "conventions",
		json_pack("{s:b, s:s}", "groupOptions", 1, "optionArgumentSeparator", " "));
	meta(list, "dialect", json_string(dialect_names[dialect]));
	meta(list, "made-by", json_string("help2spec"));
	body_json(document, list, root, dialect, unread);
	if (json_array_size(unread) > 0)
		meta(list, "unread", unread);
	else
		json_decref(unread);
	json_object_set_new(document, "metadata", list);
	return document;
}
