/*
 * constraint_menu.c - what can be said at a place: the pieces of the grammar with the
 * values that the request has for them, as long as an end can be reached behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "text/answer.h"
#include "text/constraint_internal.h"

/* --- places --- */

static int32_t place_intern(struct walk *w, struct place p)
{
	uint64_t key = hash_mix((uint64_t)p.node << 32 | p.used), *index;

	key = hash_mix(key ^ (uint64_t)(uintptr_t)p.piece) ^
	      hash_mix((uint64_t)p.kind << 8 | (uint64_t)p.items);
	for (key >>= 1;; key++) {
		struct place *old;

		index = map64_put(&w->place_index, key);
		if (!*index)
			break;
		old = &w->places[*index - 1];
		if (old->kind == p.kind && old->node == p.node && old->piece == p.piece &&
			old->used == p.used && old->items == p.items)
			return (int32_t)*index - 1;
	}
	w->places = array_grow(w->places, &w->cap_places, w->n_places, sizeof *w->places);
	p.exit = EXIT_UNKNOWN;
	w->places[w->n_places++] = p;
	*index = w->n_places;
	return (int32_t)w->n_places - 1;
}

int32_t walk_at_node(struct walk *w, int32_t node, uint32_t used)
{
	return place_intern(w, (struct place){.kind = PLACE_NODE, .node = node, .used = used});
}

int32_t walk_at_end(struct walk *w)
{
	return place_intern(w, (struct place){.kind = PLACE_DONE});
}

static int32_t value_place(struct walk *w, enum place_kind kind, const struct grammar_piece *piece,
	uint32_t used, int items)
{
	return place_intern(
		w, (struct place){.kind = kind, .piece = piece, .used = used, .items = items});
}

/* --- menus --- */

struct builder {
	struct walk *w;
	struct entry *entries;
	size_t n, cap;
};

static void add_entry(struct builder *b, struct symbols symbols, int32_t place, const char *plain)
{
	b->entries = array_grow(b->entries, &b->cap, b->n, sizeof *b->entries);
	b->entries[b->n++] = (struct entry){symbols, place, plain, strlen(plain)};
}

/* The same; plain is put together of two parts. */
static void add(struct builder *b, struct symbols symbols, int32_t place, const char *before,
	const char *plain)
{
	size_t first = before ? strlen(before) : 0, second = plain ? strlen(plain) : 0;
	char *text = arena_alloc(&b->w->arena, first + second + 1);

	if (first)
		memcpy(text, before, first);
	if (second)
		memcpy(text + first, plain, second);
	text[first + second] = '\0';
	add_entry(b, symbols, place, text);
}

static void add_span(struct builder *b, const struct grammar_piece *piece, uint32_t used, size_t k)
{
	struct walk *w = b->w;
	struct buf plain = {0};

	json_word(w->span_texts[k], strlen(w->span_texts[k]), &plain);
	add(b, span_symbols(w, piece, k), walk_at_node(w, piece->next, used | 1u << k), piece->text,
		plain.data + (piece->inside ? 1 : 0));
	buf_release(&plain);
}

static void add_gateway(struct builder *b, const struct grammar_piece *piece, uint32_t used)
{
	enum place_kind kind = is_free(b->w, piece) ? PLACE_FREE : PLACE_CONTENT;

	add(b, gateway_symbols(b->w, piece), value_place(b->w, kind, piece, used, 0), piece->text,
		piece->inside ? "" : "\"");
}

static void add_value_piece(struct builder *b, const struct grammar_piece *piece, uint32_t used)
{
	struct walk *w = b->w;
	const char **values;
	size_t n;

	for (size_t k = 0; k < w->n_spans; k++)
		if (span_is_open(w, used, k) && span_fits(w, piece, k) &&
			place_exit(w, walk_at_node(w, piece->next, used | 1u << k)) != NO_EXIT)
			add_span(b, piece, used, k);
	if (place_exit(w, walk_at_node(w, piece->next, used)) == NO_EXIT)
		return;
	n = listed_values(w, piece, &values);
	for (size_t i = 0; i < n; i++) {
		int32_t id = value_token(w, piece, values[i]);

		if (id < 0 || has_open_span(w, used, values[i]))
			continue;
		add(b, symbols_one(&w->arena, id), walk_at_node(w, piece->next, used),
			w->c->text.data, NULL);
	}
	if (has_content(w, piece, used))
		add_gateway(b, piece, used);
}

static void add_node(struct builder *b, int32_t node, uint32_t used)
{
	struct walk *w = b->w;
	size_t n;
	const struct grammar_piece *pieces = grammar_pieces(w->c->grammar, node, &n);

	if (node == GRAMMAR_END) {
		add(b, symbols_one(&w->arena, w->c->end), walk_at_end(w), NULL, NULL);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (piece_exit(w, &pieces[i], used) == NO_EXIT)
			continue;
		if (pieces[i].argument)
			add_value_piece(b, &pieces[i], used);
		else
			add(b, piece_symbols(w->c, &pieces[i]),
				walk_at_node(w, pieces[i].next, used), pieces[i].text, NULL);
	}
}

/* A value within a string, then the closing quote, or another item of a list. */
static void add_contents(struct builder *b, const struct place *p)
{
	struct walk *w = b->w;
	const struct known_values *known = contents_of(w, p->piece);
	int32_t behind = walk_at_node(w, p->piece->next, p->used), item = -1;

	if (p->piece->separator && p->items + 1 < LIST_ITEMS_MAX)
		item = value_place(w, PLACE_CONTENT, p->piece, p->used, p->items + 1);
	for (size_t i = 0; i < known->n_contents; i++) {
		const struct content *c = &known->contents[i];

		if (p->items > 0 || !is_said_otherwise(w, p->piece, p->used, c->value))
			add_entry(b, c->closed, behind, c->closed_plain);
		if (item >= 0)
			add_entry(b, c->more, item, c->more_plain);
	}
}

static int by_symbols(const void *x, const void *y)
{
	const struct symbols a = ((const struct entry *)x)->symbols,
			     b = ((const struct entry *)y)->symbols;

	for (int32_t i = 0; i < a.n && i < b.n; i++)
		if (a.data[i] != b.data[i])
			return a.data[i] < b.data[i] ? -1 : 1;
	return (a.n > b.n) - (a.n < b.n);
}

/* Values of different arguments may begin alike. */
static int by_symbols_and_place(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int order = by_symbols(x, y);

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

const struct menu *place_menu(struct walk *w, int32_t place)
{
	const struct place p = w->places[place];
	struct builder b = {.w = w};
	struct menu *menu;

	if (p.menu)
		return p.menu;
	if (p.kind == PLACE_NODE)
		add_node(&b, p.node, p.used);
	else if (p.kind == PLACE_CONTENT)
		add_contents(&b, &p);
	if (b.n)
		qsort(b.entries, b.n, sizeof *b.entries, by_symbols_and_place);
	menu = arena_alloc(&w->arena, sizeof *menu);
	menu->entries = arena_alloc(&w->arena, (b.n + 1) * sizeof *menu->entries);
	menu->n = 0;
	for (size_t i = 0; i < b.n; i++) {
		const struct entry *last = menu->n ? &menu->entries[menu->n - 1] : NULL;

		if (!last || last->place != b.entries[i].place ||
			by_symbols(last, &b.entries[i]) != 0)
			menu->entries[menu->n++] = b.entries[i];
	}
	free(b.entries);
	w->n_bytes += b.n * (sizeof *menu->entries + 64);
	w->places[place].menu = menu;
	return menu;
}
