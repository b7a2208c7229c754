#include "text/spans.h"

#include <string.h>
#include "text/spans_internal.h"
#include "text/utf8.h"

const char *const span_type_names[] = {"number", "size", "url", "path", "image", "version", "host",
	"quoted", "name", "word", NULL};
const char *const spans_mode_names[] = {"replace", "mark", "none", NULL};

#define DIGITS "0123456789"

enum {
	LOOK_MAX = 4096
}; /* longest quotation, and longest word that is looked at */

struct scan {
	const char *text;
	size_t len;
	const struct lexicon *lex;
	struct span *spans;
	size_t n, max;
};

static int32_t code_at(const struct scan *s, size_t at, size_t *size)
{
	return utf8_decode(s->text + at, s->len - at, size);
}

static int is_alnum(int32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' ||
	       (c >= 0xc0 && c != 0xd7 && c != 0xf7 && !(c >= 0x2000 && c <= 0x2bff) &&
		       !(c >= 0x3000 && c <= 0x303f) && !(c >= 0xff00 && c <= 0xff0f) &&
		       c < 0x1f000);
}

/* Signs beyond ASCII that end a word as a blank does: dashes, bullets, arrows,
 * ideographic punctuation, emoji.  U+2019 is the apostrophe of "don't". */
static int is_separator(int32_t c)
{
	if (c < 0xa1)
		return utf8_is_space(c);
	return utf8_is_space(c) || c == 0xbf || c == 0xa1 || c == 0xb7 ||
	       (c >= 0x2010 && c <= 0x205e && c != 0x2019) || (c >= 0x2190 && c <= 0x2bff) ||
	       (c >= 0x3001 && c <= 0x3020) || (c >= 0xff01 && c <= 0xff0f) || c == 0xff1a ||
	       c == 0xff1b || c == 0xff1f || c == 0xfe0f || c == 0x200d ||
	       (c >= 0x1f000 && c < 0x20000) || c == 0xab || c == 0xbb;
}

/* Scripts written without blanks. */
static int is_unspaced(int32_t c)
{
	return (c >= 0x2e80 && c <= 0xa4cf && !(c >= 0x3000 && c <= 0x303f)) ||
	       (c >= 0x0e00 && c <= 0x0eff) || (c >= 0xf900 && c <= 0xfaff) || c >= 0x20000;
}

/* The quotation mark that closes one: 0 where c opens none. */
static int32_t closing_quote(int32_t c)
{
	switch (c) {
	case '"':
	case '\'':
	case '`':
		return c;
	case 0x201c:
	case 0x201e:
		return 0x201d;
	case 0x2018:
	case 0x201a:
		return 0x2019;
	case 0xab:
		return 0xbb;
	case 0x2039:
		return 0x203a;
	case 0x300c:
		return 0x300d;
	case 0x300e:
		return 0x300f;
	default:
		return 0;
	}
}

/* Offset of the mark that closes the quotation begun at from - 1, where its text
 * begins at from; 0: none. */
static size_t quote_end(const struct scan *s, size_t from, int32_t open, int32_t close)
{
	size_t size, next_size;
	int32_t before = ' ';

	for (size_t at = from; at < s->len && at < from + LOOK_MAX; at += size) {
		int32_t c = code_at(s, at, &size);
		int is_close = c == close || (open == 0x201e && c == 0x201c) ||
			       (open == 0x201a && c == 0x2018);
		int32_t next = at + size < s->len ? code_at(s, at + size, &next_size) : ' ';

		if (is_close && at > from && before != '\\' && !utf8_is_space(before) &&
			!is_alnum(next))
			return at;
		before = c;
	}
	return 0;
}

static void span_add(struct scan *s, size_t from, size_t to, enum span_type type)
{
	if (s->n < s->max)
		s->spans[s->n++] = (struct span){from, to, type};
}

/* 1 where nothing but blanks and punctuation is outside [from, to). */
static int is_all(const struct scan *s, size_t from, size_t to)
{
	size_t size;

	for (size_t at = 0; at < s->len; at += size) {
		int32_t c = code_at(s, at, &size);

		if ((at < from || at >= to) && is_alnum(c))
			return 0;
	}
	return 1;
}

/* A quotation at *pos: 1, a span and *pos behind it; 0 where there is none. */
static int scan_quoted(struct scan *s, size_t *pos)
{
	size_t size, from, to, end, at;
	int32_t open = code_at(s, *pos, &size), close = closing_quote(open);
	int type = SPAN_QUOTED;

	from = *pos + size;
	if (!close || from == s->len || utf8_is_space(code_at(s, from, &size)) ||
		!(end = quote_end(s, from, open, close)))
		return 0;
	code_at(s, end, &size);
	*pos = end + size;
	to = end;
	while (from < to && s->text[from] == ' ')
		from++;
	while (from < to && s->text[to - 1] == ' ')
		to--;
	if (from == to)
		return 1;
	if (memchr(s->text + from, ' ', to - from)) {
		if (is_all(s, from, to)) { /* a request in quotes: what is in them counts */
			*pos = from;
			return 1;
		}
	} else {
		type = span_classify(s->text + from, to - from, s->lex, &at);
		if (type < 0 || type == SPAN_NAME || type == SPAN_WORD)
			type = SPAN_QUOTED;
	}
	span_add(s, from, to, (enum span_type)type);
	return 1;
}

/* A JSON object or array with a string in it at *pos, as scan_quoted. */
static int scan_json(struct scan *s, size_t *pos)
{
	size_t depth = 0;
	int in_string = 0, strings = 0;

	if (s->text[*pos] != '{' && s->text[*pos] != '[')
		return 0;
	for (size_t at = *pos; at < s->len && at < *pos + LOOK_MAX; at++) {
		char c = s->text[at];

		if (in_string && c == '\\' && at + 1 < s->len)
			at++;
		else if (c == '"')
			strings += in_string = !in_string;
		else if (!in_string && (c == '{' || c == '['))
			depth++;
		else if (!in_string && (c == '}' || c == ']') && !--depth) {
			if (!strings)
				return 0;
			span_add(s, *pos, at + 1, SPAN_QUOTED);
			*pos = at + 1;
			return 1;
		}
	}
	return 0;
}

static int has(const char *set, char c)
{
	return c && strchr(set, c) != NULL;
}

/* A closing bracket is punctuation behind a word unless the word opened it. */
static int closes_own(const char *s, size_t from, size_t to, char close)
{
	char open = close == ')' ? '(' : close == ']' ? '[' : close == '}' ? '{' : '<';
	int depth = 0;

	for (size_t i = from; i < to; i++)
		depth += s[i] == open ? 1 : s[i] == close ? -1 : 0;
	return depth >= 0 && memchr(s + from, open, to - from);
}

/* What stands before a word. */
static size_t trim_left(const char *s, size_t from, size_t to)
{
	size_t at;

	while (from < to && has("([{<\"'`*,;:!?)]}", s[from])) {
		if (s[from] == '[' && memchr(s + from, ':', to - from))
			break; /* [::1]:80 */
		if (s[from] == ':' && to - from > 2 && s[from + 1] == ':')
			break; /* ::1 */
		if (s[from] == '*' && from + 1 < to && has("./", s[from + 1]))
			break; /* *.py */
		from++;
	}
	if (from + 1 < to && has("#$", s[from]) && has(DIGITS, s[from + 1]))
		return from + 1;
	for (at = from; at < to && has("~<>=!^", s[at]);)
		at++;
	/* >=3 is about the number 3, >=3.11.2 names versions. */
	return at < to && has(DIGITS, s[at]) && !memchr(s + at, '.', to - at) ? at : from;
}

/* What stands behind a word. */
static size_t trim_right(const char *s, size_t from, size_t to)
{
	if (to - from > 2 && !memcmp(s + to - 3, "...", 3)) {
		while (from < to && s[to - 1] == '.')
			to--;
	}
	while (from < to) {
		char last = s[to - 1], before = to - from > 1 ? s[to - 2] : 0;

		if (has(")]}>", last)) {
			if (closes_own(s, from, to, last))
				break;
		} else if (!has(".,;:!?\"'`*%", last)) {
			break;
		} else if (last == '.' &&
			   (to - from == 1 ||
				   (before == '.' && (to - from == 2 || s[to - 3] == '/')))) {
			break; /* . and .. and x/.. are paths */
		} else if (last == '*' && has("/.", before)) {
			break;
		}
		to--;
	}
	if (to - from > 3 && !memcmp(s + to - 3, "\xe2\x80\x99", 3)) /* an apostrophe */
		to -= 3;
	return to;
}

static void scan_word(struct scan *s, size_t from, size_t to)
{
	while (from < to && to - from <= LOOK_MAX) {
		size_t at = 0, size, end;
		int type;

		from = trim_left(s->text, from, to);
		to = trim_right(s->text, from, to);
		end = word_base(s->text + from, to - from) + from;
		if (from == end || is_unspaced(code_at(s, from, &size)))
			return;
		if (s->text[from] == '.' && end == from + 1 && from > 0 &&
			!utf8_is_space((unsigned char)s->text[from - 1]))
			return; /* the full stop behind a quotation */
		type = span_classify(s->text + from, end - from, s->lex, &at);
		if (type >= 0)
			span_add(s, from, end, (enum span_type)type);
		if (type != SPLIT)
			return;
		if (s->text[from + at] != '=' && s->text[from + at] != ':')
			scan_word(s, from, from + at); /* else a name of what follows */
		from += at + 1;
	}
}

/* End of the word at from: a blank or separator, a change to or from a script
 * without blanks, or what is before ="quoted text". */
static size_t word_end(const struct scan *s, size_t from)
{
	size_t at = from, size, next_size;
	int unspaced = is_unspaced(code_at(s, from, &size));

	for (; at < s->len; at += size) {
		int32_t c = code_at(s, at, &size);

		if (is_separator(c) || is_unspaced(c) != unspaced)
			break;
		if ((c == '=' || c == ':') && at + 1 < s->len && has("\"'", s->text[at + 1])) {
			int32_t quote = code_at(s, at + 1, &next_size);

			if (quote_end(s, at + 2, quote, quote))
				return at + 1;
		}
	}
	return at;
}

size_t spans_scan(
	const char *request, size_t len, const struct lexicon *lex, struct span *spans, size_t max)
{
	struct scan s = {request, len, lex, spans, 0, max};
	size_t pos = 0, size;

	while (pos < len && s.n < max) {
		int32_t c = code_at(&s, pos, &size);
		size_t end;

		if (scan_json(&s, &pos) || scan_quoted(&s, &pos))
			continue;
		if (is_separator(c) || has("(<", (char)(c < 0x80 ? c : 0))) {
			pos += size;
			continue;
		}
		end = word_end(&s, pos);
		scan_word(&s, pos, end);
		pos = end;
	}
	return s.n;
}

size_t spans_find(
	const char *request, size_t len, const struct lexicon *lex, struct span spans[SPANS_MAX])
{
	struct span all[CANDIDATES];
	size_t n = spans_scan(request, len, lex, all, CANDIDATES), n_typed = 0, words, kept = 0;

	for (size_t i = 0; i < n; i++)
		n_typed += all[i].type != SPAN_WORD;
	/* Too many: first those that look like a value, then unknown words. */
	words = n_typed < SPANS_MAX ? SPANS_MAX - n_typed : 0;
	for (size_t i = 0; i < n && kept < SPANS_MAX; i++) {
		if (all[i].type == SPAN_WORD && !words)
			continue;
		words -= all[i].type == SPAN_WORD;
		spans[kept++] = all[i];
	}
	return kept;
}
