#include "exec/visible.h"

#include <stdint.h>
#include <string.h>

#include "text/utf8.h"

struct range {
	uint32_t first, last;
};

static int in_ranges(uint32_t code, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return 1;
	return 0;
}

/* Unicode 15: Bidi_Control. */
static const struct range direction[] = {
	{0x61c, 0x61c}, {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};

/* Unicode 15: Default_Ignorable_Code_Point, and blanks other than the space. */
static const struct range invisible[] = {{0xa0, 0xa0}, {0xad, 0xad}, {0x34f, 0x34f},
	{0x115f, 0x1160}, {0x1680, 0x1680}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200d},
	{0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x2065}, {0x206a, 0x206f}, {0x2800, 0x2800},
	{0x3000, 0x3000}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
	{0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

static unsigned kind_of(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return VISIBLE_CONTROL;
	if (code < 0x7f)
		return 0;
	if (in_ranges(code, direction, sizeof direction / sizeof *direction))
		return VISIBLE_DIRECTION;
	if (in_ranges(code, invisible, sizeof invisible / sizeof *invisible))
		return VISIBLE_INVISIBLE;
	return VISIBLE_FOREIGN;
}

static unsigned add(struct buf *out, const char *text, size_t len, int quoted)
{
	unsigned kinds = 0;
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		int32_t code = utf8_decode(text + i, len - i, &size);
		unsigned kind = code < 0 ? (unsigned)VISIBLE_INVALID : kind_of((uint32_t)code);

		kinds |= kind;
		if (code < 0)
			buf_addf(out, "\\x{%02x}", (unsigned char)text[i]);
		else if (kind)
			buf_addf(out, "\\u{%x}", (unsigned)code);
		else if (code == '\\' || (quoted && code == '"'))
			buf_addf(out, "\\%c", (char)code);
		else
			buf_addc(out, (char)code);
	}
	return kinds;
}

unsigned visible_plain(struct buf *out, const char *text, size_t len)
{
	return add(out, text, len, 0);
}

unsigned visible_quoted(struct buf *out, const char *text, size_t len)
{
	unsigned kinds;

	buf_addc(out, '"');
	kinds = add(out, text, len, 1);
	buf_addc(out, '"');
	return kinds;
}

void visible_kinds(struct buf *out, unsigned kinds)
{
	static const char *const names[] = {"control characters",
		"characters that change the direction of text", "invisible characters",
		"characters beyond ASCII, which may look like others", "bytes that are not UTF-8",
		"blanks at its begin or end, or several in a row"};
	const char *comma = "";

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!(kinds & 1u << i))
			continue;
		buf_addf(out, "%s%s", comma, names[i]);
		comma = ", ";
	}
}

int visible_harmless(const char *text, size_t size)
{
	size_t got;
	int32_t code = utf8_decode(text, size, &got);
	unsigned kind;

	if (code < 0)
		return 0;
	kind = kind_of((uint32_t)code);
	return kind == 0 || kind == VISIBLE_FOREIGN;
}

static void add_escaped(struct buf *out, const char *word, size_t len)
{
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		int32_t code = utf8_decode(word + i, len - i, &size);

		if (code < 0)
			buf_addf(out, "\\%03o", (unsigned char)word[i]);
		else if (code == '\'' || code == '\\')
			buf_addf(out, "\\%c", (char)code);
		else if (code == '\n' || code == '\t' || code == '\r')
			buf_addf(out, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
		else if (code < 0x20 || code == 0x7f)
			buf_addf(out, "\\%03o", (unsigned)code);
		else if (code < 0x7f)
			buf_addc(out, (char)code);
		else if (code < 0x10000)
			buf_addf(out, "\\u%04x", (unsigned)code);
		else
			buf_addf(out, "\\U%08x", (unsigned)code);
	}
}

static unsigned kinds_of(const char *word, size_t len)
{
	unsigned kinds = 0;
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		int32_t code = utf8_decode(word + i, len - i, &size);

		kinds |= code < 0 ? (unsigned)VISIBLE_INVALID : kind_of((uint32_t)code);
	}
	if (len > 0 && (word[0] == ' ' || word[len - 1] == ' ' || strstr(word, "  ")))
		kinds |= VISIBLE_BLANKS;
	return kinds;
}

/* NAME=: in front of a command it would be an assignment. */
static int is_assignment(const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				      "0123456789";

	return word[strspn(word, letters)] == '=';
}

unsigned visible_shell(struct buf *out, const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_@%+:,./=-";
	size_t len = strlen(word);
	unsigned kinds = kinds_of(word, len);

	if (len > 0 && strspn(word, safe) == len && !is_assignment(word)) {
		buf_adds(out, word);
	} else if (kinds & ~(unsigned)VISIBLE_BLANKS) {
		buf_adds(out, "$'");
		add_escaped(out, word, len);
		buf_addc(out, '\'');
	} else {
		buf_addc(out, '\'');
		for (size_t i = 0; i < len; i++) {
			if (word[i] == '\'')
				buf_adds(out, "'\\''");
			else
				buf_addc(out, word[i]);
		}
		buf_addc(out, '\'');
	}
	return kinds;
}
