/* spec_read.c - reads the document and its tree of commands. */
#include <string.h>
#include "base/names.h"
#include "cli/spec_private.h"
#include "cli/value.h"

static const char *const none[] = {NULL};

/* A word that can be typed: no blanks, no control characters. */
static int name_check(struct spec_reader *r, const char *name)
{
	if (!name)
		return spec_fault(r, "has no name");
	if (!*name || strlen(name) > SPEC_NAME_MAX)
		return spec_fault(r, "the name must have 1 to %d bytes", SPEC_NAME_MAX);
	if (strchr(name, ' ') || !value_is_clean(name))
		return spec_fault(r, "the name '%s' holds a blank or control character", name);
	return 0;
}

static int option_name_check(struct spec_reader *r, const char *name)
{
	if (name_check(r, name) < 0)
		return -1;
	if (name[0] != '-' || name[1] == '\0' || !strcmp(name, "--"))
		return spec_fault(r, "'%s' is no option: it needs a dash and a letter", name);
	if (strchr(name, '='))
		return spec_fault(r, "the name '%s' holds a '='", name);
	return 0;
}

static int command_name_check(struct spec_reader *r, const char *name)
{
	if (name_check(r, name) < 0)
		return -1;
	if (name[0] == '-')
		return spec_fault(
			r, "the command '%s' cannot be reached: it reads as an option", name);
	return 0;
}

static int names_read(struct spec_reader *r, json_t *json, const char **name,
	const char *const **aliases, int (*check)(struct spec_reader *r, const char *name))
{
	json_t *array = NULL;
	size_t before = spec_enter(r, ".name");

	if (check(r, *name) < 0)
		return -1;
	spec_leave(r, before);
	*aliases = none;
	if (json_member_array(r, json, "aliases", &array) < 0)
		return -1;
	if (!array)
		return 0;
	spec_enter(r, ".aliases");
	*aliases = json_strings(r, array);
	if (!*aliases)
		return -1;
	for (size_t i = 0; (*aliases)[i]; i++)
		if (check(r, (*aliases)[i]) < 0)
			return -1;
	spec_leave(r, before);
	return 0;
}

static int separator_read(struct spec_reader *r, json_t *json, struct option *o)
{
	const char *text = NULL;

	if (metadata_string(r, json, "separator", &text) < 0)
		return -1;
	if (text && (strlen(text) != 1 || text[0] == '-' || text[0] == '='))
		return spec_fault(r, "the separator must be one ASCII character");
	o->separator = text ? text[0] : '\0';
	return 0;
}

static int option_argument_read(struct spec_reader *r, json_t *json, struct option *o)
{
	json_t *array = NULL;
	struct argument *a;
	size_t before;

	if (json_member_array(r, json, "arguments", &array) < 0)
		return -1;
	if (json_array_size(array) == 0)
		return 0;
	if (json_array_size(array) > 1)
		return spec_fault(r, "an option with several differently described values is not "
				     "supported: state one argument and its arity");
	a = arena_zalloc(&r->spec->arena, sizeof(*a));
	before = spec_enter(r, ".arguments[0]");
	if (argument_read(r, json_array_get(array, 0), a, 1) < 0)
		return -1;
	spec_leave(r, before);
	o->argument = a;
	o->optional_value = a->min_count == 0 && a->max_count == 1;
	return 0;
}

static int flag_default_read(struct spec_reader *r, json_t *json, struct option *o)
{
	int on = 0, found;

	o->flag_default = -1;
	if (o->argument)
		return 0;
	found = metadata_bool(r, json, "default", &on);
	if (found < 0)
		return -1;
	if (found)
		o->flag_default = on;
	return 0;
}

static int option_read(struct spec_reader *r, json_t *json, struct option *o)
{
	o->name = NULL;
	o->description = "";
	o->says = none;
	if (!json_is_object(json))
		return spec_fault(r, "must be an object");
	if (metadata_check(r, json) < 0 || json_member_string(r, json, "name", &o->name) < 0 ||
		names_read(r, json, &o->name, &o->aliases, option_name_check) < 0 ||
		json_member_string(r, json, "description", &o->description) < 0 ||
		json_member_bool(r, json, "required", &o->required) < 0 ||
		json_member_bool(r, json, "hidden", &o->hidden) < 0 ||
		json_member_bool(r, json, "recursive", &o->recursive) < 0 ||
		metadata_bool(r, json, "repeatable", &o->repeatable) < 0 ||
		metadata_bool(r, json, "attached", &o->attached) < 0 ||
		metadata_bool(r, json, "eager", &o->eager) < 0 ||
		metadata_bool(r, json, "secret", &o->secret) < 0 ||
		metadata_bool(r, json, "action", &o->action) < 0 ||
		metadata_string(r, json, "danger", &o->danger) < 0 ||
		metadata_string(r, json, "environment", &o->environment) < 0 ||
		metadata_strings(r, json, "says", &o->says) < 0 || separator_read(r, json, o) < 0 ||
		option_argument_read(r, json, o) < 0)
		return -1;
	if (!o->argument && (o->separator || o->attached || o->secret))
		return spec_fault(r, "a flag has no value to separate, attach or keep secret");
	return flag_default_read(r, json, o);
}

/* Own options first, then those of ancestors that are marked recursive. */
static int options_read(struct spec_reader *r, json_t *json, struct command *c, struct option **own)
{
	const struct command *parent = c->parent;
	size_t n_inherited = 0, before;
	const struct option **list;
	json_t *array = NULL;

	if (json_member_array(r, json, "options", &array) < 0)
		return -1;
	for (size_t i = 0; parent && i < parent->n_options; i++)
		n_inherited += parent->options[i]->recursive;
	c->n_own = json_array_size(array);
	if (c->n_own + n_inherited > SPEC_OPTIONS_MAX)
		return spec_fault(r, "more than %d options", SPEC_OPTIONS_MAX);
	*own = arena_zalloc(&r->spec->arena, (c->n_own + 1) * sizeof(**own));
	list = arena_alloc(&r->spec->arena, (c->n_own + n_inherited + 1) * sizeof(*list));
	for (size_t i = 0; i < c->n_own; i++) {
		before = spec_enter(r, ".options[%zu]", i);
		if (option_read(r, json_array_get(array, i), &(*own)[i]) < 0)
			return -1;
		spec_leave(r, before);
		(*own)[i].index = i;
		list[c->n_options++] = &(*own)[i];
	}
	for (size_t i = 0; parent && i < parent->n_options; i++)
		if (parent->options[i]->recursive)
			list[c->n_options++] = parent->options[i];
	c->options = list;
	return 0;
}

static int arguments_read(struct spec_reader *r, json_t *json, struct command *c)
{
	const struct argument **list;
	json_t *array = NULL;
	struct argument *own;
	size_t before;

	if (json_member_array(r, json, "arguments", &array) < 0)
		return -1;
	c->n_arguments = json_array_size(array);
	if (c->n_arguments > SPEC_ARGUMENTS_MAX)
		return spec_fault(r, "more than %d arguments", SPEC_ARGUMENTS_MAX);
	own = arena_zalloc(&r->spec->arena, (c->n_arguments + 1) * sizeof(*own));
	list = arena_alloc(&r->spec->arena, (c->n_arguments + 1) * sizeof(*list));
	for (size_t i = 0; i < c->n_arguments; i++) {
		before = spec_enter(r, ".arguments[%zu]", i);
		if (argument_read(r, json_array_get(array, i), &own[i], 0) < 0)
			return -1;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(own[k].name, own[i].name))
				return spec_fault(r, "a second argument named '%s'", own[i].name);
		spec_leave(r, before);
		list[i] = &own[i];
	}
	c->arguments = list;
	return 0;
}

/* What a document and a command have in common, its children left out. */
static int command_body_read(struct spec_reader *r, json_t *json, struct command *c)
{
	struct option *own = NULL;
	json_t *examples = NULL;
	size_t before;

	c->says = c->examples = none;
	if (json_member_bool(r, json, "hidden", &c->hidden) < 0 ||
		metadata_string(r, json, "danger", &c->danger) < 0 ||
		metadata_strings(r, json, "says", &c->says) < 0 ||
		json_member_array(r, json, "examples", &examples) < 0)
		return -1;
	if (examples) {
		before = spec_enter(r, ".examples");
		c->examples = json_strings(r, examples);
		if (!c->examples)
			return -1;
		spec_leave(r, before);
	}
	if (options_read(r, json, c, &own) < 0 || arguments_read(r, json, c) < 0 ||
		negations_resolve(r, json, c, own) < 0)
		return -1;
	return 0;
}

static void command_register(struct spec_reader *r, struct command *c)
{
	r->commands =
		array_grow(r->commands, &r->cap_commands, r->n_commands, sizeof(*r->commands));
	c->index = r->n_commands;
	r->commands[r->n_commands++] = c;
}

static int spellings_count(struct spec_reader *r, const struct command *c)
{
	for (size_t i = 0; i < c->n_options; i++) {
		const char *const *a = c->options[i]->aliases;

		for (r->n_spellings++; *a; a++)
			r->n_spellings++;
	}
	if (r->n_spellings > SPEC_SPELLINGS_MAX)
		return spec_fault(r, "more than %d option names in all", SPEC_SPELLINGS_MAX);
	return 0;
}

/* A positional that takes the next word leaves none to name a subcommand. */
static int reach_check(struct spec_reader *r, const struct command *c)
{
	for (size_t i = 0; c->n_commands && i < c->n_arguments; i++)
		if (c->arguments[i]->passthrough != PASSTHROUGH_OPTIONS)
			return spec_fault(r,
				"the commands below cannot be reached: the argument '%s' takes "
				"their names",
				c->arguments[i]->name);
	return 0;
}

static int children_read(struct spec_reader *r, json_t *json, struct command *c);

static int child_read(
	struct spec_reader *r, json_t *json, struct command *parent, struct command *c)
{
	c->parent = parent;
	c->depth = parent->depth + 1;
	c->name = NULL;
	c->description = "";
	if (!json_is_object(json))
		return spec_fault(r, "must be an object");
	if (c->depth > SPEC_DEPTH_MAX)
		return spec_fault(r, "commands are nested more than %d deep", SPEC_DEPTH_MAX);
	if (r->n_commands >= SPEC_COMMANDS_MAX)
		return spec_fault(r, "more than %d commands", SPEC_COMMANDS_MAX);
	if (metadata_check(r, json) < 0 || json_member_string(r, json, "name", &c->name) < 0 ||
		names_read(r, json, &c->name, &c->aliases, command_name_check) < 0 ||
		json_member_string(r, json, "description", &c->description) < 0)
		return -1;
	command_register(r, c);
	return command_body_read(r, json, c);
}

/* Breadth within a command, then depth: parents come before their children. */
static int children_read(struct spec_reader *r, json_t *json, struct command *c)
{
	struct arena *arena = &r->spec->arena;
	const char *twice = NULL;
	struct command **list;
	json_t *array = NULL;
	size_t n, before = r->path.len;

	if (json_member_array(r, json, "commands", &array) < 0)
		return -1;
	n = json_array_size(array);
	if (n > SPEC_COMMANDS_MAX)
		return spec_fault(r, "more than %d commands", SPEC_COMMANDS_MAX);
	list = arena_alloc(arena, (n + 1) * sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		list[i] = arena_zalloc(arena, sizeof(**list));
		spec_enter(r, ".commands[%zu]", i);
		if (child_read(r, json_array_get(array, i), c, list[i]) < 0 ||
			children_read(r, json_array_get(array, i), list[i]) < 0)
			return -1;
		spec_leave(r, before);
	}
	c->commands = list;
	c->n_commands = n;
	c->runnable = n == 0;
	if (metadata_bool(r, json, "runnable", &c->runnable) < 0 || spellings_count(r, c) < 0 ||
		reach_check(r, c) < 0)
		return -1;
	if (n == 0 && !c->runnable)
		return spec_fault(r, "neither runs itself nor has commands");
	if (lookup_build(arena, c, &twice) < 0)
		return spec_fault(r, "the name '%s' is there twice", twice);
	return rules_read(r, json, c);
}

static int dialect_read(struct spec_reader *r, json_t *document)
{
	const char *name = NULL;
	size_t index = 0;
	int dialect, found = metadata_string(r, document, "dialect", &name);

	if (found < 0)
		return -1;
	if (!found)
		return spec_fault(r, "the metadata 'dialect' is missing: it says whose parsing "
				     "rules hold");
	dialect = names_find(dialect_names, name);
	if (dialect >= 0) {
		r->spec->dialect = (enum dialect)dialect;
		return 0;
	}
	metadata_find(document, "dialect", &index);
	spec_enter(r, ".metadata[%zu].value", index);
	return spec_fault(r, "unknown dialect '%.60s'", name);
}

static int info_read(struct spec_reader *r, json_t *document)
{
	json_t *info = json_object_get(document, "info");
	struct spec *spec = r->spec;
	size_t before = spec_enter(r, ".info");

	if (!json_is_object(info))
		return spec_fault(r, "must be an object with a title");
	spec->version = spec->summary = "";
	if (json_member_string(r, info, "title", &spec->name) < 0 ||
		json_member_string(r, info, "version", &spec->version) < 0 ||
		json_member_string(r, info, "summary", &spec->summary) < 0)
		return -1;
	spec_enter(r, ".title");
	if (command_name_check(r, spec->name) < 0)
		return -1;
	spec_leave(r, before);
	return 0;
}

int document_read(struct spec_reader *r)
{
	struct spec *spec = r->spec;
	json_t *document = spec->document;
	struct command *root = arena_zalloc(&spec->arena, sizeof(*root));
	const char *format = NULL;

	if (!json_is_object(document))
		return spec_fault(r, "must be an object");
	if (json_member_string(r, document, "opencli", &format) < 0)
		return -1;
	if (!format || strncmp(format, "0.1", 3) != 0 || (format[3] && format[3] != '.'))
		return spec_fault(r, "is no OpenCLI 0.1 document: 'opencli' must be \"0.1\"");
	spec->topics = spec->verbs_avoided = none;
	if (metadata_check(r, document) < 0 || dialect_read(r, document) < 0 ||
		metadata_strings(r, document, "topics", &spec->topics) < 0 ||
		metadata_strings(r, document, "verbs-avoided", &spec->verbs_avoided) < 0 ||
		info_read(r, document) < 0)
		return -1;
	root->name = spec->name;
	root->description = spec->summary;
	root->aliases = none;
	command_register(r, root);
	spec->root = root;
	if (command_body_read(r, document, root) < 0 || children_read(r, document, root) < 0)
		return -1;
	return 0;
}
