/*
 * constraint_menu.c - what can be said at a place: the pieces of the grammar with the
 * values that the request has for them, as long as an end can be reached behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/value.h"
#include "text/answer.h"
#include "text/constraint_internal.h"
#include "text/ground.h"
#include "text/span_suits.h"

struct ground_want want_of(const struct walk *w, const struct grammar_piece *piece)
{
	return (struct ground_want){w->c->grammar, piece};
}

enum {
	/* Of places: nothing is known, or a search for the end is under way. */
	EXIT_UNKNOWN = -1,
	EXIT_ASKED = -2
};

/* --- symbols --- */

static struct symbols keep_ids(struct arena *arena, const struct ids *ids)
{
	struct symbols s = {NULL, (int32_t)ids->len};
	int32_t *data = arena_alloc(arena, (ids->len + 1) * sizeof *data);

	if (ids->len)
		memcpy(data, ids->data, ids->len * sizeof *data);
	s.data = data;
	return s;
}

struct symbols text_symbols(
	struct constraint *c, struct arena *arena, const char *text, size_t len, int plain)
{
	int32_t id;

	c->ids.len = 0;
	if (!c->has_tokens) {
		for (size_t i = 0; i < len; i++)
			ids_add(&c->ids, (unsigned char)text[i]);
	} else if (plain) {
		tokenizer_encode_plain(c->prompter->tokenizer, text, len, 0, NULL, &c->ids);
	} else {
		buf_clear(&c->text);
		buf_add(&c->text, text, len);
		id = len ? tokenizer_id(c->prompter->tokenizer, c->text.data) : -1;
		if (id >= 0)
			ids_add(&c->ids, id);
		else
			tokenizer_encode_ordinary(c->prompter->tokenizer, text, len, &c->ids);
	}
	return keep_ids(arena, &c->ids);
}

/* Symbols of a piece's fixed text, remembered. */
static struct symbols piece_symbols(struct constraint *c, const struct grammar_piece *piece)
{
	uint64_t *known = map64_put(&c->texts, (uint64_t)(uintptr_t)piece->text);
	struct symbols *s = (struct symbols *)(uintptr_t)*known;

	if (!s) {
		s = arena_alloc(&c->arena, sizeof *s);
		*s = text_symbols(c, &c->arena, piece->text, piece->len, 0);
		*map64_put(&c->texts, (uint64_t)(uintptr_t)piece->text) = (uint64_t)(uintptr_t)s;
		c->n_bytes += (size_t)s->n * sizeof *s->data + sizeof *s;
	}
	return *s;
}

static struct symbols join(struct arena *arena, struct symbols a, struct symbols b)
{
	int32_t *data = arena_alloc(arena, (size_t)(a.n + b.n + 1) * sizeof *data);

	memcpy(data, a.data, (size_t)a.n * sizeof *data);
	memcpy(data + a.n, b.data, (size_t)b.n * sizeof *data);
	return (struct symbols){data, a.n + b.n};
}

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

/* --- what the request has for an argument --- */

/* 1 where the same values fit both pieces. */
static int ask_alike(const struct grammar_piece *a, const struct grammar_piece *b)
{
	return a->argument == b->argument && a->dash == b->dash && a->separator == b->separator &&
	       a->lone_dash == b->lone_dash && a->not_empty == b->not_empty &&
	       a->as_operand == b->as_operand && a->no_command == b->no_command &&
	       (a->command == b->command || (!a->as_operand && !a->no_command));
}

static struct known_values *known_of(struct walk *w, const struct grammar_piece *piece)
{
	uint64_t key = hash_mix((uint64_t)(uintptr_t)piece->argument ^ (uint64_t)piece->dash) >> 1;

	for (;; key++) {
		uint64_t *at = map64_put(&w->known_index, key);
		struct known_values *k = (struct known_values *)(uintptr_t)*at;

		if (k && !ask_alike(k->piece, piece))
			continue;
		if (k)
			return k;
		k = arena_zalloc(&w->arena, sizeof *k);
		k->piece = piece;
		*at = (uint64_t)(uintptr_t)k;
		return k;
	}
}

static int is_stated(const struct walk *w, const struct argument *argument, const char *value)
{
	return !w->c->ground ||
	       ground_value(w->grounding.request, w->grounding.len, argument, value);
}

/* Which spans are values of an argument.  Where some of them look like its type, those
 * that do not are left out.  A span within a longer word (:none:) is not stated. */
static void find_fits(struct walk *w, const struct grammar_piece *piece, struct known_values *known)
{
	const unsigned types = spans_suiting(piece->argument->type);
	int suited = 0;

	for (size_t k = 0; k < w->n_spans; k++) {
		const char *text = w->span_texts[k];

		known->fits[k] = (unsigned char)(value_is_clean(text) &&
						 grammar_value_fits(w->c->grammar, piece, text,
							 &w->c->arena_checks) &&
						 is_stated(w, piece->argument, text));
		arena_clear(&w->c->arena_checks);
		suited |= known->fits[k] && w->span_types[k] & types;
	}
	for (size_t k = 0; k < w->n_spans && suited; k++)
		known->fits[k] &= (w->span_types[k] & types) != 0;
	known->has_fits = 1;
}

static int span_fits(struct walk *w, const struct grammar_piece *piece, size_t k)
{
	struct known_values *known = known_of(w, piece);

	if (!known->has_fits)
		find_fits(w, piece, known);
	return known->fits[k];
}

/* 1 where span k is not used, and is the first of its text. */
static int span_is_open(const struct walk *w, uint32_t used, size_t k)
{
	if (used >> k & 1)
		return 0;
	for (size_t i = 0; i < k; i++)
		if (!(used >> i & 1) && strcmp(w->span_texts[i], w->span_texts[k]) == 0)
			return 0;
	return 1;
}

/* 1 where text is that of a span which can still be named. */
static int has_open_span(const struct walk *w, uint32_t used, const char *text)
{
	for (size_t k = 0; k < w->n_spans; k++)
		if (!(used >> k & 1) && strcmp(w->span_texts[k], text) == 0)
			return 1;
	return 0;
}

/* Leaves those values that can be said; their number. */
static size_t keep_spelled(const struct constraint *c, const char **values, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (can_spell(c, values[i]))
			values[kept++] = values[i];
	return kept;
}

static size_t listed_values(struct walk *w, const struct grammar_piece *piece, const char ***values)
{
	struct known_values *known = known_of(w, piece);
	struct ground_want want = want_of(w, piece);
	const struct argument *a = piece->argument;

	if (!known->has_listed && w->c->ground) {
		known->n_listed =
			ground_listed_values(&w->grounding, &want, &w->arena, &known->listed);
	} else if (!known->has_listed && a->n_accepted) {
		known->listed = arena_alloc(&w->arena, a->n_accepted * sizeof *known->listed);
		for (size_t i = 0; i < a->n_accepted; i++)
			if (ground_fits(&want, a->accepted[i].value, &w->c->arena_checks))
				known->listed[known->n_listed++] = a->accepted[i].value;
	}
	if (!known->has_listed)
		known->n_listed = keep_spelled(w->c, known->listed, known->n_listed);
	known->has_listed = 1;
	*values = known->listed;
	return known->n_listed;
}

static size_t stated_values(struct walk *w, const struct grammar_piece *piece, const char ***values)
{
	struct known_values *known = known_of(w, piece);
	struct ground_want want = want_of(w, piece);

	if (!known->has_stated) {
		known->n_stated =
			ground_free_values(&w->grounding, &want, &w->arena, &known->stated);
		known->n_stated = keep_spelled(w->c, known->stated, known->n_stated);
	}
	known->has_stated = 1;
	*values = known->stated;
	return known->n_stated;
}

static const char *first_stated(struct walk *w, const struct grammar_piece *piece)
{
	struct known_values *known = known_of(w, piece);
	struct ground_want want = want_of(w, piece);

	if (!known->has_first_stated)
		known->first_stated = ground_first_free_value(&w->grounding, &want, &w->arena);
	if (!known->has_first_stated && known->first_stated &&
		!can_spell(w->c, known->first_stated)) {
		const char **values;

		known->first_stated = stated_values(w, piece, &values) ? values[0] : NULL;
	}
	known->has_first_stated = 1;
	return known->first_stated;
}

/* The JSON of a value between fixed text and a closing quote, in c->text; the token
 * that is all of it, -1 where there is none. */
static int32_t value_token(struct walk *w, const struct grammar_piece *piece, const char *value)
{
	struct constraint *c = w->c;
	struct buf quoted = {0};

	if (!c->has_tokens || piece->separator)
		return -1;
	json_word(value, strlen(value), &quoted);
	buf_clear(&c->text);
	buf_add(&c->text, piece->text, piece->len);
	buf_adds(&c->text, quoted.data + (piece->inside ? 1 : 0));
	buf_release(&quoted);
	return tokenizer_id(c->prompter->tokenizer, c->text.data);
}

static int is_free(const struct walk *w, const struct grammar_piece *piece)
{
	return !w->c->ground && !piece->argument->n_accepted;
}

static int is_among(const char *value, const char *const *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(values[i], value) == 0)
			return 1;
	return 0;
}

/* 1 where a value of a string is said otherwise: by the span that it is, or, of those
 * that the spec lists, by a token. */
static int is_said_otherwise(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, const char *value)
{
	const char **listed;
	size_t n;

	if (has_open_span(w, used, value))
		return 1;
	if (value_token(w, piece, value) < 0)
		return 0;
	n = listed_values(w, piece, &listed);
	return is_among(value, listed, n);
}

/* A value that can be spelled within a string, NULL where there is none.  *alone: 0 where
 * it cannot be the only one of a list. */
static const char *first_content(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, int *alone)
{
	const char **values[2] = {NULL, NULL}, *first;
	size_t n[2] = {listed_values(w, piece, &values[0]), 0};

	*alone = 1;
	for (size_t i = 0; i < n[0]; i++)
		if (!is_said_otherwise(w, piece, used, values[0][i]))
			return values[0][i];
	if (w->c->ground && !piece->separator) {
		first = first_stated(w, piece);
		if (!first || !is_said_otherwise(w, piece, used, first))
			return first;
	}
	if (w->c->ground)
		n[1] = stated_values(w, piece, &values[1]);
	for (size_t i = 0; i < n[1]; i++)
		if (!is_said_otherwise(w, piece, used, values[1][i]))
			return values[1][i];
	*alone = 0;
	first = n[0] ? values[0][0] : n[1] ? values[1][0] : NULL;
	return piece->separator ? first : NULL;
}

static int has_content(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	int alone;

	return is_free(w, piece) || first_content(w, piece, used, &alone);
}

/* The symbols of a value within a string, and in *quoted its JSON. */
static struct symbols content_symbols(struct walk *w, const char *value, struct buf *quoted)
{
	json_word(value, strlen(value), quoted);
	return text_symbols(w->c, &w->arena, quoted->data + 1, quoted->len - 2, 1);
}

/* The fixed text and, where it is not there yet, the quote that begins a string. */
static struct symbols gateway_symbols(struct walk *w, const struct grammar_piece *piece)
{
	struct symbols s = piece_symbols(w->c, piece);

	if (piece->inside)
		return s;
	return piece->len == 0 ? w->c->quote : join(&w->arena, s, w->c->quote);
}

/* A span named: text, the quote that closes a string begun, $K. */
static struct symbols span_symbols(struct walk *w, const struct grammar_piece *piece, size_t k)
{
	struct constraint *c = w->c;
	struct symbols before = piece_symbols(c, piece), span;
	struct buf text = {0};
	int32_t id = c->prompter->span_ids[k];

	if (piece->inside) {
		buf_add(&text, piece->text, piece->len);
		buf_addc(&text, '"');
		before = text_symbols(c, &w->arena, text.data, text.len, 0);
	}
	buf_clear(&text);
	buf_addf(&text, "$%zu", k + 1);
	if (c->has_tokens)
		span = (struct symbols){&id, 1};
	else
		span = text_symbols(c, &w->arena, text.data, text.len, 0);
	buf_release(&text);
	return join(&w->arena, before, span);
}

/* --- the way to the end --- */

static int32_t exit_behind(struct walk *w, int64_t symbols, int32_t place)
{
	int32_t exit = place_exit(w, place);

	return exit == NO_EXIT || symbols + exit >= NO_EXIT ? NO_EXIT : (int32_t)(symbols + exit);
}

/* From within a string on.  A value that is spelled freely may be of any length: no more
 * is promised than that it can be short. */
static int32_t content_exit(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	int32_t place = walk_at_node(w, piece->next, used), n = 1;
	int alone = 1;
	const char *value = is_free(w, piece) ? NULL : first_content(w, piece, used, &alone);
	struct buf quoted = {0};

	if (!value && !is_free(w, piece))
		return NO_EXIT;
	if (value)
		n = content_symbols(w, value, &quoted).n * (alone ? 1 : 2) + !alone;
	buf_release(&quoted);
	return exit_behind(w, n + 1, place);
}

static int32_t value_exit(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	int32_t place = walk_at_node(w, piece->next, used), exit;
	const char **values;
	size_t n;

	for (size_t k = 0; k < w->n_spans; k++) {
		if (!span_is_open(w, used, k) || !span_fits(w, piece, k))
			continue;
		exit = place_exit(w, walk_at_node(w, piece->next, used | 1u << k));
		if (exit != NO_EXIT)
			return exit + span_symbols(w, piece, k).n;
	}
	if (place_exit(w, place) == NO_EXIT)
		return NO_EXIT;
	n = listed_values(w, piece, &values);
	for (size_t i = 0; i < n; i++)
		if (!has_open_span(w, used, values[i]) && value_token(w, piece, values[i]) >= 0)
			return exit_behind(w, 1, place);
	exit = content_exit(w, piece, used);
	return exit == NO_EXIT ? NO_EXIT : exit + gateway_symbols(w, piece).n;
}

static int32_t piece_exit(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	if (!can_spell(w->c, piece->text))
		return NO_EXIT;
	if (piece->argument)
		return value_exit(w, piece, used);
	if (piece->off && !is_stated(w, NULL, "false"))
		return NO_EXIT;
	return exit_behind(w, piece_symbols(w->c, piece).n, walk_at_node(w, piece->next, used));
}

/* Pieces are tried from the last on: options come in order, and what is required cannot
 * be passed by, so that the last leads there without those that are not. */
static int32_t search_exit(struct walk *w, int32_t node, uint32_t used)
{
	size_t n;
	const struct grammar_piece *pieces = grammar_pieces(w->c->grammar, node, &n);
	int32_t exit = NO_EXIT;

	for (size_t i = 0; i < n; i++)
		if (!pieces[i].argument && pieces[i].next == GRAMMAR_END)
			return piece_symbols(w->c, &pieces[i]).n + 1;
	while (n > 0 && exit == NO_EXIT)
		exit = piece_exit(w, &pieces[--n], used);
	return exit;
}

/* Each place is looked at once in a search.  One that met another of which nothing is
 * known yet knows only what it found: when the search has ended well, it is asked anew. */
static int32_t search_from(struct walk *w, int32_t place)
{
	const struct place p = w->places[place];
	int32_t exit, *known;
	int cut = w->cut;
	size_t first = w->asked.len;

	ids_add(&w->asked, place);
	w->places[place].exit = EXIT_ASKED;
	w->cut = 0;
	exit = search_exit(w, p.node, p.used);
	if (exit != NO_EXIT || !w->cut)
		w->places[place].exit = exit;
	w->cut |= cut;
	if (first > 0)
		return exit;
	for (size_t i = 0; i < w->asked.len; i++) {
		known = &w->places[w->asked.data[i]].exit;
		if (*known == EXIT_ASKED)
			*known = exit == NO_EXIT ? NO_EXIT : EXIT_UNKNOWN;
	}
	w->asked.len = 0;
	w->cut = 0;
	return exit;
}

int32_t place_exit(struct walk *w, int32_t place)
{
	const struct place p = w->places[place];
	int32_t exit;

	if (p.exit == EXIT_ASKED) {
		w->cut = 1;
		return NO_EXIT;
	}
	if (p.exit != EXIT_UNKNOWN)
		return p.exit;
	if (p.kind == PLACE_NODE && p.node != GRAMMAR_END)
		return search_from(w, place);
	if (p.kind == PLACE_NODE || p.kind == PLACE_DONE)
		exit = p.kind == PLACE_NODE;
	else
		exit = content_exit(w, p.piece, p.used);
	if (w->asked.len == 0)
		w->places[place].exit = exit;
	return exit;
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
		add(b, join(&w->arena, (struct symbols){&id, 1}, (struct symbols){&id, 0}),
			walk_at_node(w, piece->next, used), w->c->text.data, NULL);
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
		add(b,
			join(&w->arena, (struct symbols){&w->c->end, 1},
				(struct symbols){&w->c->end, 0}),
			walk_at_end(w), NULL, NULL);
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

static struct content content_of(
	struct walk *w, const struct grammar_piece *piece, const char *value)
{
	struct content c = {.value = value};
	struct buf quoted = {0};
	struct symbols s = content_symbols(w, value, &quoted);
	char separator[2] = {piece->separator, '\0'};

	c.closed = join(&w->arena, s, w->c->quote);
	c.closed_plain = arena_strndup(&w->arena, quoted.data + 1, quoted.len - 1);
	if (separator[0]) {
		quoted.data[quoted.len - 1] = separator[0];
		c.more = join(&w->arena, s, text_symbols(w->c, &w->arena, separator, 1, 1));
		c.more_plain = arena_strndup(&w->arena, quoted.data + 1, quoted.len - 1);
	}
	buf_release(&quoted);
	return c;
}

/* All values that can be spelled within a string; the same wherever the argument is. */
static const struct known_values *contents_of(struct walk *w, const struct grammar_piece *piece)
{
	struct known_values *known = known_of(w, piece);
	const char **listed, **stated = NULL;
	size_t n_listed, n_stated = 0;

	if (known->has_contents)
		return known;
	n_listed = listed_values(w, piece, &listed);
	if (w->c->ground)
		n_stated = stated_values(w, piece, &stated);
	known->contents =
		arena_alloc(&w->arena, (n_listed + n_stated + 1) * sizeof *known->contents);
	for (size_t i = 0; i < n_listed; i++)
		if (!is_among(listed[i], stated, n_stated))
			known->contents[known->n_contents++] = content_of(w, piece, listed[i]);
	for (size_t i = 0; i < n_stated; i++)
		known->contents[known->n_contents++] = content_of(w, piece, stated[i]);
	known->has_contents = 1;
	return known;
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
