/* grammar_node.c - places stored once each, and lists of pieces. */
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "cli/grammar_internal.h"

void *grammar_alloc(struct grammar *g, size_t size)
{
	g->bytes += size;
	return arena_alloc(&g->arena, size);
}

static void intern_grow(struct grammar *g, struct intern *t)
{
	size_t size = t->slots ? 2 * (t->mask + 1) : 256;

	g->bytes += (size - (t->slots ? t->mask + 1 : 0)) * sizeof(*t->slots);
	free(t->slots);
	t->slots = xcalloc(size, sizeof(*t->slots));
	t->mask = size - 1;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = t->entries[i].hash & t->mask;

		while (t->slots[at])
			at = (at + 1) & t->mask;
		t->slots[at] = (uint32_t)i + 1;
	}
}

uint32_t intern_put(struct grammar *g, struct intern *t, const void *key, size_t len)
{
	uint64_t hash = hash_mix(fnv64(FNV64_INIT, key, len));
	size_t at, cap = t->cap;
	unsigned char *copy;

	if (!t->slots || 2 * t->n >= t->mask)
		intern_grow(g, t);
	for (at = hash & t->mask; t->slots[at]; at = (at + 1) & t->mask) {
		const struct intern_entry *e = &t->entries[t->slots[at] - 1];

		if (e->hash == hash && e->len == len && !memcmp(e->key, key, len))
			return t->slots[at] - 1;
	}
	copy = grammar_alloc(g, len);
	memcpy(copy, key, len);
	t->entries = array_grow(t->entries, &t->cap, t->n, sizeof(*t->entries));
	g->bytes += (t->cap - cap) * sizeof(*t->entries);
	t->entries[t->n] = (struct intern_entry){copy, len, hash};
	t->slots[at] = (uint32_t)++t->n;
	return (uint32_t)t->n - 1;
}

void intern_release(struct intern *t)
{
	free(t->entries);
	free(t->slots);
}

/* Four states of rules in a byte. */
static size_t packed_size(size_t n)
{
	return (n + 3) / 4;
}

static void states_pack(unsigned char *out, const unsigned char *states, size_t n)
{
	memset(out, 0, packed_size(n));
	for (size_t i = 0; i < n; i++)
		out[i / 4] |= (unsigned char)(states[i] << (2 * (i % 4)));
}

static void states_unpack(unsigned char *states, const unsigned char *packed, size_t n)
{
	for (size_t i = 0; i < n; i++)
		states[i] = packed[i / 4] >> (2 * (i % 4)) & 3;
}

static size_t place_rules(struct grammar *g, const struct place *p)
{
	if (p->kind == PLACE_START || p->kind == PLACE_END)
		return 0;
	return level_of(g, g->spec->commands[p->command])->n_rules;
}

int32_t place_node(struct grammar *g, const struct place *p, const struct way *ways,
	const unsigned char *states)
{
	size_t n_rules = place_rules(g, p), packed = packed_size(n_rules), cap = g->cap_nodes;
	size_t n_states = p->n_ways ? p->n_ways : 1;
	size_t len = sizeof(*p) + p->n_ways * sizeof(*ways) + n_states * packed;
	unsigned char *key = arena_alloc(&g->scratch, len), *at = key + sizeof(*p);
	uint32_t id;

	memcpy(key, p, sizeof(*p));
	if (p->n_ways)
		memcpy(at, ways, p->n_ways * sizeof(*ways));
	at += p->n_ways * sizeof(*ways);
	for (size_t i = 0; n_rules && i < n_states; i++)
		states_pack(at + i * packed, states + i * n_rules, n_rules);
	id = intern_put(g, &g->places, key, len);
	while (g->cap_nodes < g->places.n) {
		g->nodes = array_grow(g->nodes, &g->cap_nodes, g->cap_nodes, sizeof(*g->nodes));
		memset(g->nodes + cap, 0, (g->cap_nodes - cap) * sizeof(*g->nodes));
		g->bytes += (g->cap_nodes - cap) * sizeof(*g->nodes);
	}
	return (int32_t)id;
}

void node_place(
	struct grammar *g, int32_t node, struct place *p, struct way **ways, unsigned char **states)
{
	const unsigned char *key = g->places.entries[node].key;
	size_t n_rules, packed, n_states;

	memcpy(p, key, sizeof(*p));
	key += sizeof(*p);
	n_rules = place_rules(g, p);
	packed = packed_size(n_rules);
	n_states = p->n_ways ? p->n_ways : 1;
	*ways = arena_alloc(&g->scratch, p->n_ways * sizeof(**ways) + 1);
	if (p->n_ways)
		memcpy(*ways, key, p->n_ways * sizeof(**ways));
	key += p->n_ways * sizeof(**ways);
	*states = arena_alloc(&g->scratch, n_states * n_rules + 1);
	for (size_t i = 0; i < n_states; i++)
		states_unpack(*states + i * n_rules, key + i * packed, n_rules);
}

static struct grammar_piece *list_room(struct piece_list *list)
{
	list->items = array_grow(list->items, &list->cap, list->n, sizeof(*list->items));
	return &list->items[list->n++];
}

struct grammar_piece *piece_add(struct piece_list *list, const char *text, int32_t next)
{
	struct grammar_piece *piece = list_room(list);

	*piece = (struct grammar_piece){.text = text, .len = strlen(text), .next = next};
	return piece;
}

struct grammar_piece *piece_add_value(struct piece_list *list, const char *text,
	const struct argument *a, const struct option *o, enum value_dash dash, int32_t next)
{
	struct grammar_piece *piece = list_room(list);

	*piece = (struct grammar_piece){.text = text,
		.len = strlen(text),
		.argument = a,
		.option = o,
		.dash = dash,
		.command = list->command,
		.next = next};
	if (o)
		piece->separator = o->separator;
	else
		piece->lone_dash = 1;
	return piece;
}
