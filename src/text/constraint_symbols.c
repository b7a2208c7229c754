/*
 * constraint_symbols.c - what is said as symbols: tokens, or bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "text/answer.h"
#include "text/constraint_internal.h"

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

struct symbols piece_symbols(struct constraint *c, const struct grammar_piece *piece)
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

struct symbols symbols_join(struct arena *arena, struct symbols a, struct symbols b)
{
	int32_t *data = arena_alloc(arena, (size_t)(a.n + b.n + 1) * sizeof *data);

	memcpy(data, a.data, (size_t)a.n * sizeof *data);
	memcpy(data + a.n, b.data, (size_t)b.n * sizeof *data);
	return (struct symbols){data, a.n + b.n};
}

struct symbols symbols_one(struct arena *arena, int32_t id)
{
	int32_t *data = arena_alloc(arena, sizeof *data);

	*data = id;
	return (struct symbols){data, 1};
}

struct symbols content_symbols(struct walk *w, const char *value, struct buf *quoted)
{
	json_word(value, strlen(value), quoted);
	return text_symbols(w->c, &w->arena, quoted->data + 1, quoted->len - 2, 1);
}

struct symbols gateway_symbols(struct walk *w, const struct grammar_piece *piece)
{
	struct symbols s = piece_symbols(w->c, piece);

	if (piece->inside)
		return s;
	return piece->len == 0 ? w->c->quote : symbols_join(&w->arena, s, w->c->quote);
}

struct symbols span_symbols(struct walk *w, const struct grammar_piece *piece, size_t k)
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
	return symbols_join(&w->arena, before, span);
}

static int by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

void symbols_sort(int32_t *symbols, size_t n)
{
	if (n)
		qsort(symbols, n, sizeof *symbols, by_number);
}
