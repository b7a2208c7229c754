#include "text/prompt.h"

#include <string.h>
#include "text/answer.h"
#include "text/span_noise.h"
#include "text/utf8.h"

enum {
	HINT_TEXT = 8
}; /* bytes of a hint to train on: its tokens are seldom of more */

static int find_token(
	const struct tokenizer *t, const char *content, int32_t *id, struct error *err)
{
	*id = tokenizer_id(t, content);
	if (*id >= 0)
		return 0;
	return error_set(err, EXIT_DATA, "the tokenizer has no token '%s'", content);
}

int prompter_init(struct prompter *p, struct tokenizer *t, const struct lexicon *lex,
	enum spans_mode mode, struct error *err)
{
	char name[32];

	*p = (struct prompter){.tokenizer = t, .lexicon = lex, .mode = mode};
	for (int k = 0; k < SPANS_MAX; k++)
		p->span_ids[k] = -1;
	for (int type = 0; type < SPAN_TYPE_COUNT; type++)
		p->type_ids[type] = -1;
	if (find_token(t, "<|request|>", &p->request_id, err) < 0 ||
		find_token(t, "<|answer|>", &p->answer_id, err) < 0 ||
		find_token(t, "<|end|>", &p->end_id, err) < 0)
		return -1;
	for (int k = 0; mode != SPANS_NONE && k < SPANS_MAX; k++) {
		snprintf(name, sizeof name, "$%d", k + 1);
		if (find_token(t, name, &p->span_ids[k], err) < 0)
			return -1;
	}
	for (int type = 0; mode == SPANS_REPLACE && type < SPAN_TYPE_COUNT; type++) {
		snprintf(name, sizeof name, "<|%s|>", span_type_names[type]);
		if (find_token(t, name, &p->type_ids[type], err) < 0)
			return -1;
	}
	return 0;
}

/* Appends text in the form that prompts have: lower case, single blanks; at its
 * beginning one where blank is set. */
static void normalise(const char *text, size_t len, int blank, struct buf *out)
{
	size_t size;

	for (size_t at = 0; at < len; at += size) {
		int32_t code = utf8_decode(text + at, len - at, &size);
		char c[4];

		if (utf8_is_space(code)) {
			blank = 1;
			continue;
		}
		if (blank)
			buf_addc(out, ' ');
		blank = 0;
		if (code < 0)
			buf_addc(out, text[at]);
		else
			buf_add(out, c, utf8_encode((uint32_t)utf8_lower(code), c));
	}
}

/* Length of a quotation mark at the end (before) or the beginning of text. */
static size_t quote_length(const char *text, size_t len, int at_end)
{
	static const char *const marks[] = {"\"", "'", "`", "\xe2\x80\x9c", "\xe2\x80\x9d",
		"\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99", "\xc2\xab", "\xc2\xbb"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		size_t n = strlen(marks[i]);

		if (n <= len && !memcmp(at_end ? text + len - n : text, marks[i], n))
			return n;
	}
	return 0;
}

/* A piece of a prompt: text (maybe empty), then a span (or the end: NULL). */
struct piece {
	struct buf text;
	const struct span *span;
	struct buf hint; /* lower-case text of the span */
};

/* Where the walk through a request stands. */
struct walk {
	const char *request;
	size_t len, at;
	const struct span *spans;
	size_t n, next;
};

/* The next piece, in the buffers of *piece; 0 at the end. */
static int piece_next(struct walk *w, enum spans_mode mode, struct piece *piece)
{
	const struct span *span = w->next < w->n ? &w->spans[w->next] : NULL;
	size_t to = span ? span->from : w->len, from = w->at, before = 0, after = 0;

	if (w->next > w->n)
		return 0;
	buf_clear(&piece->text);
	buf_clear(&piece->hint);
	piece->span = span;
	w->next++;
	if (span) {
		if (mode == SPANS_REPLACE && span->from > from) {
			before = quote_length(w->request + from, span->from - from, 1);
			after = quote_length(w->request + span->to, w->len - span->to, 0);
		}
		if (!before || !after)
			before = after = 0;
		w->at = span->to + after;
		normalise(w->request + span->from, span->to - span->from, 1, &piece->hint);
	}
	normalise(w->request + from, to - before - from, from == 0, &piece->text);
	return 1;
}

size_t prompt_encode(const struct prompter *p, const char *request, size_t len,
	const struct prompt_noise *noise, struct rng *rng, struct span spans[SPANS_MAX],
	struct ids *out)
{
	struct tokenizer *t = p->tokenizer;
	size_t n = p->mode == SPANS_NONE ? 0 : spans_find(request, len, p->lexicon, spans);
	double dropout = noise ? noise->bpe_dropout : 0;
	struct walk walk = {request, len, 0, spans, 0, 0};
	struct piece piece = {0};

	if (noise && p->mode != SPANS_NONE && rng_chance(rng, noise->span_noise))
		n = spans_mistake(request, len, spans, n, rng);
	walk.n = n;

	ids_add(out, p->request_id);
	while (piece_next(&walk, p->mode, &piece)) {
		size_t start;

		tokenizer_encode_plain(t, piece.text.data, piece.text.len, dropout, rng, out);
		if (!piece.span)
			break;
		ids_add(out, p->span_ids[piece.span - spans]);
		if (p->mode == SPANS_REPLACE)
			ids_add(out, p->type_ids[piece.span->type]);
		start = out->len;
		tokenizer_encode_plain(t, piece.hint.data, piece.hint.len, dropout, rng, out);
		if (p->mode == SPANS_REPLACE && out->len > start + HINT_TOKENS)
			out->len = start + HINT_TOKENS;
	}
	ids_add(out, p->answer_id);
	buf_release(&piece.text);
	buf_release(&piece.hint);
	return n;
}

void prompt_text(const struct lexicon *lex, enum spans_mode mode, const char *request, size_t len,
	struct buf *out)
{
	struct span spans[SPANS_MAX];
	size_t n = mode == SPANS_NONE ? 0 : spans_find(request, len, lex, spans);
	struct walk walk = {request, len, 0, spans, n, 0};
	struct piece piece = {0};

	while (piece_next(&walk, mode, &piece)) {
		buf_add(out, piece.text.data, piece.text.len);
		if (mode == SPANS_REPLACE && piece.hint.len > HINT_TEXT) {
			piece.hint.len = HINT_TEXT;
			while (((unsigned char)piece.hint.data[piece.hint.len] & 0xc0) == 0x80)
				piece.hint.len--;
		}
		buf_add(out, piece.hint.data, piece.hint.len);
	}
	buf_release(&piece.text);
	buf_release(&piece.hint);
}

/* How many words of argv are the opening of an answer that has a token. */
static int opening_words(const struct tokenizer *t, int argc, const char *const *argv)
{
	struct buf opening = {0};
	int words = 1;

	for (int i = 0; i < argc && *argv[i] != '-'; i++) {
		buf_addc(&opening, i ? ',' : '[');
		json_word(argv[i], strlen(argv[i]), &opening);
		if (tokenizer_id(t, opening.data) >= 0)
			words = i + 1;
	}
	buf_release(&opening);
	return words;
}

void answer_encode(const struct prompter *p, int argc, const char *const *argv, const char *request,
	const struct span *spans, size_t n_spans, struct ids *out)
{
	struct buf text = {0};
	int fixed = argc > 0 ? opening_words(p->tokenizer, argc, argv) : 0;

	answer_print_fixed(
		argc, argv, fixed, request, spans, p->mode == SPANS_NONE ? 0 : n_spans, &text);
	tokenizer_encode_ordinary(p->tokenizer, text.data, text.len, out);
	ids_add(out, p->end_id);
	buf_release(&text);
}

int answer_decode(const struct prompter *p, const int32_t *ids, size_t n, const char *request,
	const struct span *spans, size_t n_spans, struct arena *arena, int *argc,
	const char ***argv, struct buf *text, struct error *err)
{
	struct buf bytes = {0}, valid = {0};
	size_t end = 0;
	int rc;

	while (end < n && ids[end] != p->end_id)
		end++;
	tokenizer_decode(p->tokenizer, ids, end, 0, &bytes);
	utf8_repair(bytes.data ? bytes.data : "", bytes.len, &valid);
	if (end + 1 < n)
		rc = error_set(err, EXIT_DATA, "answer: tokens behind <|end|>");
	else if (utf8_valid(bytes.data ? bytes.data : "", bytes.len) < bytes.len)
		rc = error_set(err, EXIT_DATA, "answer: not valid UTF-8");
	else
		rc = answer_parse(valid.data ? valid.data : "", valid.len, request, spans,
			p->mode == SPANS_NONE ? 0 : n_spans, arena, argc, argv, err);
	if (text)
		buf_add(text, valid.data, valid.len);
	buf_release(&bytes);
	buf_release(&valid);
	if (rc < 0)
		*argc = -2;
	return rc < 0 ? -2 : 0;
}
