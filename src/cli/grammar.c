/* grammar.c - the grammar automaton: its start, its nodes on demand, and a walk. */
#include <stdlib.h>
#include <string.h>
#include "cli/grammar_internal.h"
#include "cli/parse.h"
#include "cli/value_prefix.h"

struct grammar *grammar_new(const struct spec *spec)
{
	struct grammar *g = xcalloc(1, sizeof(*g));
	struct place place = {.kind = PLACE_START};

	g->spec = spec;
	g->traits = &dialect_traits[spec->dialect];
	g->exact = 1;
	g->levels = xcalloc(spec->n_commands, sizeof(*g->levels));
	g->bytes = sizeof(*g) + spec->n_commands * sizeof(*g->levels);
	place_node(g, &place, NULL, NULL);
	place.kind = PLACE_END;
	place_node(g, &place, NULL, NULL);
	return g;
}

void grammar_free(struct grammar *g)
{
	if (!g)
		return;
	intern_release(&g->places);
	intern_release(&g->searched);
	free(g->found);
	free(g->nodes);
	free(g->levels);
	arena_release(&g->arena);
	arena_release(&g->scratch);
	free(g);
}

const struct spec *grammar_spec(const struct grammar *g)
{
	return g->spec;
}

size_t grammar_bytes(const struct grammar *g)
{
	return g->bytes;
}

int grammar_is_exact(const struct grammar *g)
{
	return g->exact;
}

static void opening_print(const struct spec *spec, const struct command *c, struct buf *out)
{
	const char *name = c->parent ? c->name : spec->name;

	if (c->parent)
		opening_print(spec, c->parent, out);
	buf_addc(out, c->parent ? ',' : '[');
	buf_addc(out, '"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *name);
	}
	buf_addc(out, '"');
}

static const char *keep(struct grammar *g, const char *text, size_t len)
{
	char *out = grammar_alloc(g, len + 1);

	memcpy(out, text, len);
	out[len] = '\0';
	return out;
}

static const struct grammar_piece *pieces_of(struct grammar *g, int32_t node, size_t *n);

/* Path openings.  That of a command with subcommands is the beginning of theirs, so
 * each of its own continuations makes a piece with it. */
static void start_pieces(struct piece_list *list, const struct command *c)
{
	struct grammar *g = list->g;
	struct level *l = level_of(g, c);
	unsigned char *states = arena_zalloc(&g->scratch, l->n_rules + 1);
	struct place p = {.kind = PLACE_LEVEL, .flags = PLACE_BARE, .command = (uint16_t)c->index};
	const struct grammar_piece *own;
	struct buf text = {0};
	int32_t node = place_node(g, &p, NULL, states);
	size_t n, opening;

	own = c->n_commands ? pieces_of(g, node, &n) : NULL;
	opening_print(g->spec, c, &text);
	opening = text.len;
	if (!own && level_alive(g, l, 1))
		piece_add(list, keep(g, text.data, text.len), node);
	for (size_t i = 0; own && i < n; i++) {
		text.len = opening;
		buf_add(&text, own[i].text, own[i].len);
		list->items = array_grow(list->items, &list->cap, list->n, sizeof(*list->items));
		list->items[list->n] = own[i];
		list->items[list->n].text = keep(g, text.data, text.len);
		list->items[list->n++].len = text.len;
	}
	buf_release(&text);
	if (level_can_descend(g, l, 0, states, 1))
		for (size_t i = 0; i < c->n_commands; i++)
			start_pieces(list, c->commands[i]);
}

static const struct grammar_piece *pieces_of(struct grammar *g, int32_t node, size_t *n)
{
	struct piece_list list = {.g = g};
	struct grammar_piece *pieces;
	enum place_kind kind = (enum place_kind)g->places.entries[node].key[0];

	if (g->nodes[node].built) {
		*n = g->nodes[node].n;
		return g->nodes[node].pieces;
	}
	switch (kind) {
	case PLACE_START:
		piece_add(&list, "null", GRAMMAR_END);
		start_pieces(&list, g->spec->root);
		break;
	case PLACE_LEVEL:
		level_pieces(&list, node);
		break;
	case PLACE_VALUE:
		value_pieces(&list, node);
		break;
	case PLACE_OPERANDS:
		operands_pieces(&list, node);
		break;
	case PLACE_END:
		break;
	}
	pieces = grammar_alloc(g, list.n * sizeof(*pieces) + 1);
	if (list.n)
		memcpy(pieces, list.items, list.n * sizeof(*pieces));
	free(list.items);
	g->nodes[node] = (struct node){pieces, (uint32_t)list.n, 1};
	*n = list.n;
	return pieces;
}

const struct grammar_piece *grammar_pieces(struct grammar *g, int32_t node, size_t *n)
{
	const struct grammar_piece *pieces = pieces_of(g, node, n);

	arena_clear(&g->scratch);
	return pieces;
}

/* The value of the JSON string that ends at the next quote; *end: behind it. */
static const char *string_rest(struct grammar *g, const char *at, const char **end)
{
	char *out = arena_alloc(&g->scratch, strlen(at) + 1), *to = out;

	for (; *at && *at != '"'; at++) {
		at += *at == '\\';
		*to++ = *at;
	}
	*to = '\0';
	*end = at + (*at == '"');
	return out;
}

/* Walks the text of an answer from a node; ways that part are tried in turn. */
static int walk(struct grammar *g, int32_t node, const char *at)
{
	size_t n;
	const struct grammar_piece *pieces = pieces_of(g, node, &n);

	if (node == GRAMMAR_END)
		return *at == '\0';
	for (size_t i = 0; i < n; i++) {
		const struct grammar_piece *piece = &pieces[i];
		const char *behind = at + piece->len, *value;

		if (strncmp(at, piece->text, piece->len) != 0)
			continue;
		if (piece->argument) {
			if (!piece->inside && *behind++ != '"')
				continue;
			value = string_rest(g, behind, &behind);
			if (!grammar_value_fits(g, piece, value, &g->scratch))
				continue;
		}
		if (walk(g, piece->next, behind))
			return 1;
	}
	return 0;
}

int grammar_accepts(struct grammar *g, int argc, const char *const *argv)
{
	struct buf text = {0};
	int found;

	if (argc < 0)
		buf_adds(&text, "null");
	for (int i = 0; i < argc; i++) {
		buf_adds(&text, i ? ",\"" : "[\"");
		if (!value_is_clean(argv[i]))
			break;
		for (const char *s = argv[i]; *s; s++) {
			if (*s == '"' || *s == '\\')
				buf_addc(&text, '\\');
			buf_addc(&text, *s);
		}
		buf_adds(&text, i + 1 < argc ? "\"" : "\"]");
	}
	found = text.len > 0 && walk(g, GRAMMAR_START, text.data);
	buf_release(&text);
	arena_clear(&g->scratch);
	return found;
}

/* Each part of a list by itself. */
static int list_is_canonical(const struct grammar *g, const struct grammar_piece *piece,
	const char *value, struct arena *arena)
{
	const char *end;

	for (;; value = end + 1) {
		end = strchr(value, piece->separator);
		if (!end)
			return value_is_canonical(g->spec->dialect, piece->argument, value, arena);
		if (!value_is_canonical(g->spec->dialect, piece->argument,
			    arena_strndup(arena, value, (size_t)(end - value)), arena))
			return 0;
	}
}

int grammar_value_fits(const struct grammar *g, const struct grammar_piece *piece,
	const char *value, struct arena *arena)
{
	int dash = value[0] == '-' && (value[1] || piece->lone_dash);

	if ((dash && piece->dash == DASH_NOT) || (!dash && piece->dash == DASH_ONLY) ||
		(piece->not_empty && !*value))
		return 0;
	if (piece->as_operand && !argparse_is_argument(g->spec, piece->command, value))
		return 0;
	if (piece->no_command && *value != '-' && command_find(piece->command, value))
		return 0;
	if (piece->separator)
		return list_is_canonical(g, piece, value, arena);
	return value_is_canonical(g->spec->dialect, piece->argument, value, arena);
}
