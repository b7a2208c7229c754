/* model.c - the lists of what was read. */
#include "help/model.h"

#include <stdlib.h>
#include <string.h>

struct help_command *help_command_add(
	struct arena *arena, struct help_command *parent, const char *name)
{
	struct help_command *c;

	for (size_t i = 0; parent && i < parent->n_children; i++)
		if (!strcmp(parent->children[i]->name, name))
			return parent->children[i];
	if (parent && parent->n_children >= HELP_CHILDREN_MAX)
		return NULL;
	c = arena_zalloc(arena, sizeof *c);
	c->name = arena_strdup(arena, name);
	c->description = "";
	c->parent = parent;
	c->sure = 1;
	if (parent) {
		parent->children = array_grow(parent->children, &parent->cap_children,
			parent->n_children, sizeof(struct help_command *));
		parent->children[parent->n_children++] = c;
	}
	return c;
}

void help_option_add(struct help_command *c, const struct help_option *o)
{
	if (c->n_options >= HELP_OPTIONS_MAX)
		return;
	c->options = array_grow(c->options, &c->cap_options, c->n_options, sizeof *c->options);
	c->options[c->n_options++] = *o;
}

void help_argument_add(struct help_command *c, const struct help_argument *a)
{
	if (c->n_arguments >= HELP_ARGUMENTS_MAX)
		return;
	c->arguments =
		array_grow(c->arguments, &c->cap_arguments, c->n_arguments, sizeof *c->arguments);
	c->arguments[c->n_arguments++] = *a;
}

void help_exclusive_add(struct help_command *c, const struct help_exclusive *e)
{
	if (c->n_exclusive >= HELP_ARGUMENTS_MAX)
		return;
	c->exclusive =
		array_grow(c->exclusive, &c->cap_exclusive, c->n_exclusive, sizeof *c->exclusive);
	c->exclusive[c->n_exclusive++] = *e;
}

void help_unread_add(struct help_command *c, size_t line, const char *text)
{
	c->unread = array_grow(c->unread, &c->cap_unread, c->n_unread, sizeof *c->unread);
	c->unread[c->n_unread++] = (struct help_unread){line, text};
}

struct help_option *help_option_find(struct help_command *c, const char *name)
{
	for (size_t i = 0; i < c->n_options; i++) {
		struct help_option *o = &c->options[i];

		for (size_t k = 0; k < o->n_names; k++)
			if (!strcmp(o->names[k], name))
				return o;
		for (size_t k = 0; k < o->n_negative; k++)
			if (!strcmp(o->negative[k], name))
				return o;
	}
	return NULL;
}

void help_command_release(struct help_command *c)
{
	for (size_t i = 0; i < c->n_children; i++)
		help_command_release(c->children[i]);
	free(c->children);
	free(c->options);
	free(c->arguments);
	free(c->exclusive);
	free(c->unread);
}
