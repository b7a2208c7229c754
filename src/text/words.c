#include "text/words.h"

#include <string.h>

#include "base/hash.h"

/* The ASCII kin of the character at s, 0 where it has none; its length to *size. */
static char ascii_kin(const unsigned char *s, size_t left, size_t *size)
{
	*size = 2;
	if (left >= 2 && s[0] == 0xc2) {
		if (s[1] == 0xa0)
			return ' '; /* no-break space */
		if (s[1] == 0xab || s[1] == 0xbb)
			return '"'; /* guillemets */
	}
	*size = 3;
	if (left < 3 || s[0] != 0xe2 || s[1] != 0x80)
		return 0;
	switch (s[2]) {
	case 0x98:
	case 0x99:
	case 0x9a:
	case 0x9b:
		return '\'';
	case 0x9c:
	case 0x9d:
	case 0x9e:
	case 0x9f:
		return '"';
	case 0x90:
	case 0x91:
	case 0x92:
	case 0x93:
	case 0x94:
		return '-';
	case 0xaf:
		return ' '; /* narrow no-break space */
	}
	return 0;
}

void words_plain(const char *text, size_t len, struct buf *out)
{
	const unsigned char *s = (const unsigned char *)text;

	buf_reserve(out, len);
	for (size_t i = 0; i < len;) {
		size_t from = i, size;
		char kin;

		while (i < len && s[i] != 0xe2 && s[i] != 0xc2)
			i++;
		buf_add(out, text + from, i - from);
		if (i == len)
			break;
		kin = ascii_kin(s + i, len - i, &size);
		if (kin)
			buf_addc(out, kin);
		else
			buf_addc(out, text[i]);
		i += kin ? size : 1;
	}
}

static int blank(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *words_next(const char *text, size_t text_len, size_t *at, size_t *len)
{
	size_t i = *at;

	while (i < text_len) {
		size_t from, to;

		while (i < text_len && blank((unsigned char)text[i]))
			i++;
		from = i;
		while (i < text_len && !blank((unsigned char)text[i]))
			i++;
		to = i;
		while (from < to && !byte_in_word((unsigned char)text[from]))
			from++;
		while (to > from && !byte_in_word((unsigned char)text[to - 1]))
			to--;
		if (from < to) {
			*at = i;
			*len = to - from;
			return text + from;
		}
	}
	*at = i;
	return NULL;
}

uint64_t word_hash(const char *word, size_t len)
{
	uint64_t hash = FNV64_INIT;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ byte_lower((unsigned char)word[i])) * 0x100000001b3u;
	return hash_mix(hash);
}

uint64_t words_chain(uint64_t hash, uint64_t word)
{
	/* A rotation before the product makes the order of the words count. */
	return ((hash << 7 | hash >> 57) ^ word) * 0x9e3779b97f4a7c15u;
}

int word_is(const char *word, size_t len, const char *lower)
{
	if (strlen(lower) != len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (byte_lower((unsigned char)word[i]) != (unsigned char)lower[i])
			return 0;
	}
	return 1;
}

static int same(char a, char b)
{
	return byte_lower((unsigned char)a) == byte_lower((unsigned char)b);
}

int words_one_slip(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t i = 0, ai, bi;

	if (a_len > b_len + 1 || b_len > a_len + 1)
		return 0;
	while (i < a_len && i < b_len && same(a[i], b[i]))
		i++;
	if (a_len == b_len && i + 1 < a_len && same(a[i], b[i + 1]) && same(a[i + 1], b[i]) &&
		strncasecmp(a + i + 2, b + i + 2, a_len - i - 2) == 0)
		return 1;
	ai = a_len >= b_len && i < a_len ? i + 1 : i;
	bi = b_len >= a_len && i < b_len ? i + 1 : i;
	return a_len - ai == b_len - bi && strncasecmp(a + ai, b + bi, a_len - ai) == 0;
}
