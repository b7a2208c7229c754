/* cover.c - see cover.h. */
#include "synth/cover.h"

#include <string.h>
#include "synth/label.h"

enum {
	ROW_SIZE = 4
};

struct rows {
	struct item_set *at;
	size_t n, cap;
};

/* What is covered so far of one command. */
struct state {
	const struct plan *plan;
	const struct synth_command *c;
	unsigned char *pair;  /* n x n */
	unsigned *value_turn; /* next accepted value of each item */
	struct rows rows;
	struct rng r;
	struct arena scratch;
	struct buf text;
};

static unsigned new_pairs(const struct state *s, const struct item_set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n; i++)
		for (unsigned j = i + 1; j < set->n; j++)
			n += !s->pair[set->at[i] * s->c->n_items + set->at[j]] &&
			     s->c->legal[set->at[i] * s->c->n_items + set->at[j]];
	return n;
}

static int all_legal(const struct state *s, const struct item_set *set)
{
	for (unsigned i = 0; i < set->n; i++)
		for (unsigned j = i; j < set->n; j++)
			if (!s->c->legal[set->at[i] * s->c->n_items + set->at[j]] &&
				!(s->c->items[set->at[i]].informational && set->n == 1))
				return 0;
	return 1;
}

static int verifies(struct state *s, const struct item_set *set)
{
	struct label label;
	struct verdict verdict;

	arena_clear(&s->scratch);
	label_draw(s->plan, s->c, set, &s->r, &s->scratch, &s->text, &label);
	return verify(s->plan->spec, label.argc, label.argv, &s->scratch, NULL, &verdict) ==
	       VERDICT_OK;
}

/* Adds a row: gives its accepted values their turn and notes its pairs. */
static void emit(struct state *s, struct item_set *set)
{
	for (unsigned i = 0; i < set->n; i++) {
		const struct synth_item *item = &s->c->items[set->at[i]];
		size_t n = item->argument ? item->argument->n_accepted : 0;

		if (n && set->accepted[i] < 0)
			set->accepted[i] = (short)(s->value_turn[set->at[i]]++ % n);
		for (unsigned j = 0; j < set->n; j++)
			s->pair[set->at[i] * s->c->n_items + set->at[j]] = 1;
	}
	s->rows.at = array_grow(s->rows.at, &s->rows.cap, s->rows.n, sizeof *s->rows.at);
	s->rows.at[s->rows.n++] = *set;
}

/* Takes in items while they cover more pairs and the row stays short and legal. */
static void grow(struct state *s, struct item_set *set)
{
	while (set->n < ROW_SIZE) {
		struct item_set best = *set;
		unsigned gain = new_pairs(s, set);

		for (unsigned i = 0; i < s->c->n_items; i++) {
			struct item_set next = *set;
			unsigned pairs;

			if (set_has(set, i) || !s->c->items[i].usable ||
				s->c->items[i].informational || set_add(&next, i, -1) < 0 ||
				set_close(s->c, &next, &s->r) < 0 || next.n > ROW_SIZE + 1 ||
				!all_legal(s, &next))
				continue;
			pairs = new_pairs(s, &next);
			if (pairs > gain && verifies(s, &next)) {
				gain = pairs;
				best = next;
			}
		}
		if (best.n == set->n)
			return;
		*set = best;
	}
}

/* A row from one or two items that must be in it. */
static int start(struct state *s, unsigned a, unsigned b, struct item_set *set)
{
	for (int attempt = 0; attempt < 8; attempt++) {
		memset(set, 0, sizeof *set);
		if (set_add(set, a, -1) == 0 && set_add(set, b, -1) == 0 &&
			set_close(s->c, set, &s->r) == 0 && all_legal(s, set) && verifies(s, set))
			return 0;
	}
	return -1;
}

static void cover_values(struct state *s)
{
	for (unsigned i = 0; i < s->c->n_items; i++) {
		const struct synth_item *item = &s->c->items[i];
		size_t n = item->argument ? item->argument->n_accepted : 0;

		for (size_t v = 0; item->usable && v < n; v++) {
			struct item_set set;
			int seen = 0;

			for (size_t row = 0; row < s->rows.n && !seen; row++)
				for (unsigned k = 0; k < s->rows.at[row].n; k++)
					seen |= s->rows.at[row].at[k] == i &&
						s->rows.at[row].accepted[k] == (short)v;
			if (seen || start(s, i, i, &set) < 0)
				continue;
			set_add(&set, i, (int)v);
			emit(s, &set);
		}
	}
}

static void cover_command(struct state *s)
{
	const struct synth_command *c = s->c;
	struct item_set set = {0};

	if (c->command->runnable && set_close(c, &set, &s->r) == 0 && verifies(s, &set))
		emit(s, &set);
	for (unsigned a = 0; a < c->n_items; a++)
		for (unsigned b = a + 1; b < c->n_items; b++)
			if (c->legal[a * c->n_items + b] && !s->pair[a * c->n_items + b] &&
				start(s, a, b, &set) == 0) {
				grow(s, &set);
				emit(s, &set);
			}
	for (unsigned a = 0; a < c->n_items; a++)
		if (c->items[a].usable && !s->pair[a * c->n_items + a] && start(s, a, a, &set) == 0)
			emit(s, &set);
	cover_values(s);
}

void cover_build(struct cover *cover, const struct plan *plan, struct arena *arena)
{
	struct state *states = xcalloc(plan->n_commands, sizeof *states);
	size_t total = 0;

	for (unsigned i = 0; i < plan->n_commands; i++) {
		struct state *s = &states[i];
		size_t n = plan->commands[i].n_items;

		s->plan = plan;
		s->c = &plan->commands[i];
		s->pair = xcalloc(n * n + 1, 1);
		s->value_turn = xcalloc(n + 1, sizeof *s->value_turn);
		rng_init(&s->r, 0, RNG_SYNTH, i, 2);
		cover_command(s);
		total += s->rows.n;
	}
	cover->rows = arena_alloc(arena, (total + 1) * sizeof *cover->rows);
	cover->n_rows = 0;
	for (size_t turn = 0; cover->n_rows < total; turn++)
		for (unsigned i = 0; i < plan->n_commands; i++)
			if (turn < states[i].rows.n)
				cover->rows[cover->n_rows++] =
					(struct cover_row){i, states[i].rows.at[turn]};
	for (unsigned i = 0; i < plan->n_commands; i++) {
		free(states[i].pair);
		free(states[i].value_turn);
		free(states[i].rows.at);
		buf_release(&states[i].text);
		arena_release(&states[i].scratch);
	}
	free(states);
}
