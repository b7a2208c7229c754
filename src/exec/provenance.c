#include "exec/provenance.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A letter or digit, or a byte of a longer character: part of a word. */
static int in_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || c == '_';
}

/* With nothing before or behind it that would make it another word. */
static int occurs(const char *request, const char *value)
{
	size_t len = strlen(value);

	if (len == 0)
		return 0;
	for (const char *at = request; *at; at++) {
		if (strncasecmp(at, value, len) != 0)
			continue;
		if ((at == request || !in_word(at[-1]) || !in_word(value[0])) &&
			(!in_word(at[len]) || !in_word(value[len - 1])))
			return 1;
	}
	return 0;
}

static int is_value(const struct meaning *m, const char *word)
{
	for (size_t i = 0; i < m->n_items; i++)
		for (size_t j = 0; j < m->items[i].n_values; j++)
			if (strcmp(m->items[i].values[j], word) == 0)
				return 1;
	return 0;
}

/* The name of a command on the way to the one that is meant. */
static int is_command_word(const struct proposal *p, int i)
{
	for (const struct command *c = p->meaning.command; c; c = c->parent)
		if ((size_t)i <= p->meaning.command->depth && strcmp(c->name, p->argv[i]) == 0)
			return 1;
	return i == 0;
}

enum provenance provenance_of(const struct proposal *p, int i)
{
	const char *word = p->argv[i], *value = word;

	if (!p->request || is_command_word(p, i))
		return WORD_GRAMMAR;
	if (!is_value(&p->meaning, word)) {
		value = word[0] == '-' ? strchr(word, '=') : word;
		if (!value)
			return WORD_GRAMMAR;
		value += value != word;
	}
	return occurs(p->request, value) ? WORD_STATED : WORD_UNSTATED;
}
