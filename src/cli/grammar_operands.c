/* grammar_operands.c - operands: which words go to which argument, and "--". */
#include <string.h>
#include "cli/grammar_internal.h"
#include "cli/value_prefix.h"

int value_may(struct grammar *g, const struct argument *a, enum value_dash dash)
{
	enum dialect dialect = g->spec->dialect;

	if (a->passthrough)
		return 1;
	if (a->n_accepted > 0) {
		for (size_t i = 0; i < a->n_accepted; i++)
			if (dash == DASH_ANY ||
				(a->accepted[i].value[0] == '-') == (dash == DASH_ONLY))
				return 1;
		return 0;
	}
	if (dash == DASH_ONLY)
		return value_prefix(dialect, a, "-", 1, &g->scratch);
	if (dash == DASH_NOT &&
		(a->type == VALUE_INTEGER || a->type == VALUE_PORT || a->type == VALUE_NUMBER))
		return !a->has_maximum || a->maximum >= 0;
	return value_prefix(dialect, a, "", 0, &g->scratch);
}

static int same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether the same values fit both. */
static int same_values(const struct argument *a, const struct argument *b)
{
	if (a == b)
		return 1;
	if (a->passthrough && b->passthrough)
		return 1;
	if (a->passthrough || b->passthrough || a->type != b->type ||
		!same_text(a->pattern, b->pattern) || a->n_accepted != b->n_accepted ||
		a->has_minimum != b->has_minimum || a->has_maximum != b->has_maximum ||
		(a->has_minimum && a->minimum != b->minimum) ||
		(a->has_maximum && a->maximum != b->maximum))
		return 0;
	for (size_t i = 0; i < a->n_accepted; i++)
		if (strcmp(a->accepted[i].value, b->accepted[i].value) != 0)
			return 0;
	return 1;
}

static uint32_t most_of(const struct argument *a)
{
	return a->max_count < 0 ? UINT32_MAX : (uint32_t)a->max_count;
}

/* Whether one more word may go to the present argument. */
static int way_has_room(const struct command *c, const struct way *w)
{
	const struct argument *a;

	if (w->j >= c->n_arguments)
		return 0;
	a = c->arguments[w->j];
	switch ((enum way_tail)w->tail) {
	case WAY_FREE:
	case WAY_FULL:
		return w->n < most_of(a);
	case WAY_LEAST:
		return w->n < (uint32_t)a->min_count;
	default:
		return 0;
	}
}

/* Click: a single argument is filled from the left; one that takes any number gets
 * what the others leave. */
static int click_next(const struct argument *a, enum way_tail tail, uint32_t n)
{
	uint32_t most = most_of(a);

	if (n < (uint32_t)a->min_count)
		return -1;
	switch (tail) {
	case WAY_FREE:
		if (a->max_count < 0)
			return n == (uint32_t)a->min_count ? WAY_FREE : WAY_FULL;
		return n == most ? WAY_FREE : WAY_NONE;
	case WAY_FULL:
		return n == most || (a->max_count < 0 && n == 0) ? WAY_FULL : -1;
	default:
		return n == 0 ? (int)tail : -1;
	}
}

/* The others: an argument may be less than full only where all later ones get their
 * minimum. */
static int plain_next(const struct argument *a, enum way_tail tail, uint32_t n)
{
	if (n < (uint32_t)a->min_count)
		return -1;
	if (tail == WAY_FREE)
		return n == most_of(a) ? WAY_FREE : WAY_LEAST;
	return n == (uint32_t)a->min_count ? (int)tail : -1;
}

/* What holds for the arguments behind this one, if it gets n words; -1: it cannot. */
static int way_next(
	const struct grammar *g, const struct argument *a, enum way_tail tail, uint32_t n)
{
	return g->spec->dialect == DIALECT_CLICK ? click_next(a, tail, n) : plain_next(a, tail, n);
}

/* Counts beyond this one are all alike. */
static uint32_t count_cap(const struct argument *a)
{
	return a->max_count >= 0 ? (uint32_t)a->max_count : (uint32_t)a->min_count + 1;
}

/* Leaves argument w->j with the words that it has.  0 where that cannot be. */
static int way_leave(
	const struct grammar *g, const struct level *l, struct way *w, unsigned char *states)
{
	const struct command *c = l->command;
	int tail = way_next(g, c->arguments[w->j], (enum way_tail)w->tail, w->n);

	if (tail < 0 || rules_pass(l, states, c->n_options + w->j, w->n > 0) != 0)
		return 0;
	*w = (struct way){(uint16_t)(w->j + 1), (unsigned char)tail, 0, 0};
	return 1;
}

/* The way without further words. */
static int way_ends(
	struct grammar *g, const struct level *l, struct way w, const unsigned char *states)
{
	unsigned char *copy = arena_alloc(&g->scratch, l->n_rules + 1);

	memcpy(copy, states, l->n_rules);
	while (w.j < l->command->n_arguments)
		if (!way_leave(g, l, &w, copy))
			return 0;
	return 1;
}

int operands_none(struct grammar *g, const struct level *l, const unsigned char *states)
{
	return way_ends(g, l, (struct way){0, WAY_FREE, 0, 0}, states);
}

/* What a further word does to the need for a dash. */
static enum operand_mode mode_after(enum operand_mode mode, int dash)
{
	return mode == OPERANDS_PLAIN ? OPERANDS_PLAIN : dash ? OPERANDS_ANY : mode;
}

/* Tries the word with and without a dash. */
static int word_can_follow(struct grammar *g, const struct level *l, const struct way *way,
	const unsigned char *states, enum operand_mode mode)
{
	const struct argument *a = l->command->arguments[way->j];
	struct way w = *way;

	if (w.n < count_cap(a))
		w.n++;
	else if (mode == OPERANDS_NEED)
		return value_may(g, a, DASH_ONLY) &&
		       operands_can_end(g, l, &w, states, OPERANDS_ANY);
	else
		return 0;
	if (mode == OPERANDS_FIRST || mode == OPERANDS_NEED) {
		if (value_may(g, a, DASH_ONLY) && operands_can_end(g, l, &w, states, OPERANDS_ANY))
			return 1;
		if (mode == OPERANDS_FIRST)
			return 0;
	}
	return value_may(g, a, mode == OPERANDS_ANY ? DASH_ANY : DASH_NOT) &&
	       operands_can_end(g, l, &w, states, mode_after(mode, 0));
}

int operands_can_end(struct grammar *g, const struct level *l, const struct way *way,
	const unsigned char *states, enum operand_mode mode)
{
	unsigned char *copy;
	struct way w = *way;

	if (g->steps++ >= SEARCH_STEPS_MAX) {
		g->exact = 0;
		return 1;
	}
	if (w.j >= l->command->n_arguments)
		return mode == OPERANDS_PLAIN || mode == OPERANDS_ANY;
	copy = arena_alloc(&g->scratch, l->n_rules + 1);
	memcpy(copy, states, l->n_rules);
	if (way_leave(g, l, &w, copy) && operands_can_end(g, l, &w, copy, mode))
		return 1;
	return way_has_room(l->command, way) && word_can_follow(g, l, way, states, mode);
}

/* Ways being gathered, each once. */
struct ways {
	struct way *items;
	unsigned char *states;
	size_t n, cap, n_rules;
};

static void ways_add(struct grammar *g, struct ways *s, struct way w, const unsigned char *states)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].j == w.j && s->items[i].tail == w.tail && s->items[i].n == w.n &&
			!memcmp(s->states + i * s->n_rules, states, s->n_rules))
			return;
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 8;
		struct way *items = arena_zalloc(&g->scratch, cap * sizeof(*items));
		unsigned char *more = arena_alloc(&g->scratch, cap * s->n_rules + 1);

		if (s->n) {
			memcpy(items, s->items, s->n * sizeof(*items));
			memcpy(more, s->states, s->n * s->n_rules);
		}
		s->items = items;
		s->states = more;
		s->cap = cap;
	}
	memcpy(s->states + s->n * s->n_rules, states, s->n_rules);
	s->items[s->n].j = w.j;
	s->items[s->n].tail = w.tail;
	s->items[s->n++].n = w.n;
}

/* All arguments that may take the next word: *s gets each way to one of them. */
static void ways_open(struct grammar *g, const struct level *l, struct ways *s, struct way w,
	const unsigned char *states)
{
	unsigned char *copy = arena_alloc(&g->scratch, l->n_rules + 1);

	memcpy(copy, states, l->n_rules);
	for (;;) {
		if (way_has_room(l->command, &w))
			ways_add(g, s, w, copy);
		if (w.j >= l->command->n_arguments || !way_leave(g, l, &w, copy))
			return;
	}
}

int operands_can_begin(struct grammar *g, const struct level *l, const unsigned char *states,
	enum operand_mode mode)
{
	struct ways open = {.n_rules = l->n_rules};

	ways_open(g, l, &open, (struct way){0, WAY_FREE, 0, 0}, states);
	for (size_t i = 0; i < open.n; i++) {
		g->steps = 0;
		if (word_can_follow(g, l, &open.items[i], open.states + i * l->n_rules, mode))
			return 1;
	}
	return 0;
}

struct operands {
	const struct level *l;
	struct ways open;
	enum operand_mode mode;
	int no_command;
};

/* The piece for values of class a, with or without a dash, where a way to the end
 * is left behind it. */
static void word_piece(struct piece_list *list, const struct operands *o, const struct argument *a,
	enum value_dash dash)
{
	struct grammar *g = list->g;
	const struct command *c = o->l->command;
	struct place p = {.kind = PLACE_OPERANDS, .command = (uint16_t)c->index};
	struct ways behind = {.n_rules = o->l->n_rules};
	enum operand_mode mode = o->mode;

	if (mode == OPERANDS_FIRST || mode == OPERANDS_NEED)
		mode = dash == DASH_ONLY ? OPERANDS_ANY : OPERANDS_NEED;
	for (size_t i = 0; i < o->open.n; i++) {
		const unsigned char *states = o->open.states + i * o->l->n_rules;
		struct way w = o->open.items[i];
		const struct argument *taken = c->arguments[w.j];

		if (!same_values(a, taken) || !value_may(g, taken, dash))
			continue;
		if (w.n < count_cap(taken))
			w.n++;
		g->steps = 0;
		if (operands_can_end(g, o->l, &w, states, mode))
			ways_add(g, &behind, w, states);
	}
	if (behind.n == 0)
		return;
	p.mode = (unsigned char)mode;
	p.n_ways = (uint16_t)behind.n;
	piece_add_value(list, ",", a, NULL, dash, place_node(g, &p, behind.items, behind.states))
		->no_command = (unsigned char)o->no_command;
}

static void words_pieces(struct piece_list *list, const struct operands *o)
{
	const struct command *c = o->l->command;

	for (size_t i = 0; i < o->open.n; i++) {
		const struct argument *a = c->arguments[o->open.items[i].j];
		size_t k = 0;

		while (k < i && !same_values(c->arguments[o->open.items[k].j], a))
			k++;
		if (k < i)
			continue;
		if (o->mode == OPERANDS_PLAIN || o->mode == OPERANDS_NEED)
			word_piece(list, o, a, DASH_NOT);
		if (o->mode == OPERANDS_FIRST || o->mode == OPERANDS_NEED)
			word_piece(list, o, a, DASH_ONLY);
		if (o->mode == OPERANDS_ANY)
			word_piece(list, o, a, DASH_ANY);
	}
}

void operands_pieces(struct piece_list *list, int32_t node)
{
	struct grammar *g = list->g;
	struct operands o = {0};
	unsigned char *states;
	struct place p;
	struct way *ways;
	int ends = 0;

	node_place(g, node, &p, &ways, &states);
	o.l = level_of(g, g->spec->commands[p.command]);
	list->command = o.l->command;
	o.open.n_rules = o.l->n_rules;
	o.mode = (enum operand_mode)p.mode;
	for (size_t i = 0; i < p.n_ways; i++) {
		const unsigned char *mine = states + i * o.l->n_rules;

		ends |= ways[i].n + ways[i].j > 0 && way_ends(g, o.l, ways[i], mine);
		ways_open(g, o.l, &o.open, ways[i], mine);
	}
	words_pieces(list, &o);
	if (p.flags & PLACE_OPEN)
		child_pieces(list, o.l->command);
	if (ends && (o.mode == OPERANDS_PLAIN || o.mode == OPERANDS_ANY))
		piece_add(list, "]", GRAMMAR_END);
}

void operands_begin(struct piece_list *list, const struct level *l, const unsigned char *states,
	enum operand_mode mode)
{
	struct operands o = {.l = l, .mode = mode};

	o.open.n_rules = l->n_rules;
	o.no_command = l->command->n_commands > 0;
	ways_open(list->g, l, &o.open, (struct way){0, WAY_FREE, 0, 0}, states);
	words_pieces(list, &o);
}

int32_t operands_node(struct grammar *g, const struct level *l, const unsigned char *states,
	enum operand_mode mode, int words, int descend)
{
	const struct way start = {0, WAY_FREE, 0, 0};
	struct place p = {.kind = PLACE_OPERANDS,
		.command = (uint16_t)l->command->index,
		.mode = (unsigned char)mode,
		.flags = descend ? PLACE_OPEN : 0,
		.n_ways = words != 0};

	return place_node(g, &p, &start, states);
}
