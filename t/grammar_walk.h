/* grammar_walk.h - random walks through the automaton of a CLI's answers. */
#ifndef T_GRAMMAR_WALK_H
#define T_GRAMMAR_WALK_H

#include <jansson.h>
#include <stdlib.h>

#include "t/argv_random.h"
#include "cli/grammar.h"

enum {
	WALK_STEPS_MAX = 40
};

static inline const char *walk_value(struct argv_random *r, struct grammar *g,
	const struct grammar_piece *piece, const struct argument *a)
{
	for (int i = 0; i < 40; i++) {
		const char *value = a->passthrough ? random_text(r) : random_value(r, a);

		if (piece->separator && pick(r, 2))
			value = glue(
				r, value, (char[]){piece->separator, '\0'}, random_value(r, a));
		if (piece->dash == DASH_ONLY && value[0] != '-')
			value = glue(r, "-", value, "");
		if (grammar_value_fits(g, piece, value, &r->arena))
			return value;
	}
	return NULL;
}

/* Appends a piece and the value behind it.  0, or -1 where no value was found. */
static inline int walk_piece(struct argv_random *r, struct grammar *g,
	const struct grammar_piece *piece, struct buf *text)
{
	const char *value;
	json_t *string;
	char *quoted;

	buf_add(text, piece->text, piece->len);
	if (!piece->argument)
		return 0;
	value = walk_value(r, g, piece, piece->argument);
	if (!value)
		return -1;
	string = json_string(value);
	quoted = json_dumps(string, JSON_ENCODE_ANY);
	buf_adds(text, quoted + piece->inside);
	free(quoted);
	json_decref(string);
	return 0;
}

/* A walk from the start, in few steps more often than in many: the number of words of
 * its text, in the arena; -1 where it is null or no value was found.  *fault: what an
 * automaton must not do, NULL for nothing. */
static inline int grammar_walk(
	struct argv_random *r, struct grammar *g, const char ***argv, const char **fault)
{
	struct buf text = {0};
	int32_t node = GRAMMAR_START;
	json_t *array = NULL;
	int n = -1;

	*fault = NULL;
	for (int steps = 0; node != GRAMMAR_END && steps < WALK_STEPS_MAX; steps++) {
		size_t n_pieces;
		const struct grammar_piece *pieces = grammar_pieces(g, node, &n_pieces), *piece;

		if (n_pieces == 0) {
			*fault = "a dead end";
			break;
		}
		piece = &pieces[pick(r, n_pieces)];
		if (node == GRAMMAR_START && n_pieces > 1 && pick(r, 50))
			piece = &pieces[1 + pick(r, n_pieces - 1)]; /* the first is null */
		if (walk_piece(r, g, piece, &text) != 0)
			break;
		node = piece->next;
	}
	if (node == GRAMMAR_END) {
		array = json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL);
		if (!array)
			*fault = "what it spells is not JSON";
	}
	if (json_is_array(array)) {
		n = (int)json_array_size(array);
		*argv = arena_alloc(&r->arena, ((size_t)n + 1) * sizeof(**argv));
		for (int i = 0; i < n; i++)
			(*argv)[i] = arena_strdup(
				&r->arena, json_string_value(json_array_get(array, (size_t)i)));
		(*argv)[n] = NULL;
	}
	json_decref(array);
	buf_release(&text);
	return n;
}

#endif
