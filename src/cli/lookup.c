/* lookup.c - finds an option by its spelling and a subcommand by its name. */
#include <string.h>
#include "base/hash.h"
#include "cli/spec_private.h"

struct slot {
	const char *text; /* NULL: free */
	size_t len;
	const struct option *option; /* or else */
	const struct command *command;
};

/* Open addressing; the number of slots is a power of two above twice the use. */
struct lookup {
	size_t mask;
	struct slot *slots;
};

static size_t spellings(const char *const *aliases)
{
	size_t n = 1;

	while (aliases && aliases[n - 1])
		n++;
	return n;
}

/* Options begin with a dash and commands do not, so one table serves both. */
static struct slot *slot_of(const struct lookup *t, const char *text, size_t len)
{
	size_t at = hash_mix(fnv64(FNV64_INIT, text, len)) & t->mask;

	while (t->slots[at].text &&
		(t->slots[at].len != len || memcmp(t->slots[at].text, text, len) != 0))
		at = (at + 1) & t->mask;
	return &t->slots[at];
}

static int insert(struct lookup *t, const char *text, const struct option *o,
	const struct command *c, const char **twice)
{
	size_t len = strlen(text);
	struct slot *slot = slot_of(t, text, len);

	if (slot->text) {
		*twice = text;
		return -1;
	}
	*slot = (struct slot){text, len, o, c};
	return 0;
}

static int insert_all(struct lookup *t, const char *name, const char *const *aliases,
	const struct option *o, const struct command *c, const char **twice)
{
	if (insert(t, name, o, c, twice) < 0)
		return -1;
	for (size_t i = 0; aliases && aliases[i]; i++)
		if (insert(t, aliases[i], o, c, twice) < 0)
			return -1;
	return 0;
}

int lookup_build(struct arena *arena, struct command *c, const char **twice)
{
	struct lookup *t = arena_zalloc(arena, sizeof(*t));
	size_t n = 0, size = 4;

	for (size_t i = 0; i < c->n_options; i++)
		n += spellings(c->options[i]->aliases);
	for (size_t i = 0; i < c->n_commands; i++)
		n += spellings(c->commands[i]->aliases);
	while (size <= 2 * n)
		size *= 2;
	t->mask = size - 1;
	t->slots = arena_zalloc(arena, size * sizeof(*t->slots));
	c->lookup = t;
	for (size_t i = 0; i < c->n_options; i++)
		if (insert_all(t, c->options[i]->name, c->options[i]->aliases, c->options[i], NULL,
			    twice) < 0)
			return -1;
	for (size_t i = 0; i < c->n_commands; i++)
		if (insert_all(t, c->commands[i]->name, c->commands[i]->aliases, NULL,
			    c->commands[i], twice) < 0)
			return -1;
	return 0;
}

const struct option *lookup_option(const struct command *c, const char *spelling, size_t len)
{
	return slot_of(c->lookup, spelling, len)->option;
}

const struct command *lookup_command(const struct command *c, const char *name)
{
	return slot_of(c->lookup, name, strlen(name))->command;
}

const struct command *command_find(const struct command *parent, const char *name)
{
	return lookup_command(parent, name);
}

const struct option *option_find(const struct command *command, const char *spelling)
{
	return lookup_option(command, spelling, strlen(spelling));
}
