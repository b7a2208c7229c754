/*
 * constraint_free.c - values that are spelled freely, byte by byte, within a JSON
 * string: as the verifier takes them, and as json_word() writes them.
 */
#include <string.h>

#include "cli/value_prefix.h"
#include "text/constraint_internal.h"
#include "text/utf8.h"

/* Bytes at the end of text that begin a character and do not end it: their number; -1
 * where text is not UTF-8 at all. */
static int open_bytes(const char *text, size_t len)
{
	size_t valid = utf8_valid(text, len), rest = len - valid;
	unsigned char lead, second;

	if (rest == 0)
		return 0;
	lead = (unsigned char)text[valid];
	if (lead < 0xc2 || lead > 0xf4 || rest > 3 ||
		rest >= (lead < 0xe0	      ? 2u
				: lead < 0xf0 ? 3u
					      : 4u))
		return -1;
	for (size_t i = 1; i < rest; i++)
		if (((unsigned char)text[valid + i] & 0xc0) != 0x80)
			return -1;
	second = rest > 1 ? (unsigned char)text[valid + 1] : 0x90;
	/* Overlong forms, surrogates, beyond U+10FFFF. */
	if (rest > 1 && ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
				(lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)))
		return -1;
	return (int)rest;
}

/* What is spelled so far, as a C string of the walk's scratch. */
static const char *item_of(struct walk *w, const struct free_text *t)
{
	buf_clear(&w->c->item);
	buf_add(&w->c->item, t->bytes + t->item, t->len - t->item);
	return w->c->item.data ? w->c->item.data : "";
}

static int may_go_on(struct walk *w, const struct place *p, const struct free_text *t)
{
	const struct grammar_piece *piece = p->piece;
	size_t len = t->len - t->item;
	int open = open_bytes(t->bytes + t->item, len);
	const char *text = item_of(w, t);
	int dashed = text[0] == '-';

	if (open < 0)
		return 0;
	/* A character that was begun may end. */
	if (t->len > FREE_BYTES_MAX && ((unsigned char)t->bytes[t->len - 1] & 0xc0) != 0x80)
		return 0;
	if (piece->dash == DASH_NOT && dashed && len > 1)
		return 0;
	if (piece->dash == DASH_ONLY && len && !dashed && !t->item)
		return 0;
	buf_clear(&w->c->text);
	buf_add(&w->c->text, text, len - (size_t)open);
	if (!value_is_clean(w->c->text.data ? w->c->text.data : ""))
		return 0;
	return value_prefix(w->c->spec->dialect, piece->argument, text, len, &w->c->arena_scratch);
}

static int may_end(struct walk *w, const struct place *p, const struct free_text *t, int whole)
{
	struct ground_want want = want_of(w, p->piece);
	const char *text = item_of(w, t);

	if (open_bytes(text, t->len - t->item) != 0 || strlen(text) != t->len - t->item)
		return 0;
	if (!ground_fits(&want, text, &w->c->arena_scratch))
		return 0;
	for (size_t k = 0; whole && k < w->n_spans; k++)
		if (!(p->used >> k & 1) && strlen(w->span_texts[k]) == t->len &&
			memcmp(w->span_texts[k], t->bytes, t->len) == 0)
			return 0;
	return 1;
}

/* Appends a byte to the text; takes it back where that leads nowhere. */
static int append(struct walk *w, const struct place *p, struct free_text *t, char b)
{
	t->bytes[t->len++] = b;
	if (may_go_on(w, p, t))
		return 1;
	t->len--;
	return 0;
}

int free_step(struct walk *w, const struct place *p, struct free_text *t, unsigned char b)
{
	char separator = p->piece->separator;

	if (t->escape) {
		if (b != '"' && b != '\\')
			return 0;
		t->escape = 0;
		return append(w, p, t, (char)b);
	}
	if (b == '"')
		return may_end(w, p, t, 1) ? 2 : 0;
	if (b == '\\') {
		size_t len = t->len;

		if (append(w, p, t, '"') || append(w, p, t, '\\')) {
			t->len = len;
			t->escape = 1;
			return 1;
		}
		return 0;
	}
	if (separator && b == (unsigned char)separator) {
		if (!may_end(w, p, t, 0))
			return 0;
		t->bytes[t->len++] = (char)b;
		t->item = t->len;
		return 1;
	}
	return b >= 0x20 && append(w, p, t, (char)b);
}
