#include "text/utf8.h"

/* The length that a leading byte announces, and the range of the byte after it
 * (which rules out overlong forms, surrogates and what is beyond U+10FFFF). */
static unsigned lead(unsigned char c, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef) {
		if (c == 0xe0)
			*low = 0xa0;
		if (c == 0xed)
			*high = 0x9f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		if (c == 0xf0)
			*low = 0x90;
		if (c == 0xf4)
			*high = 0x8f;
		return 4;
	}
	return 0;
}

/* Number of bytes at s that begin a well-formed character; *complete says
 * whether they are all of it. */
static size_t sequence(const unsigned char *s, size_t len, int *complete)
{
	unsigned char low, high;
	unsigned need = lead(s[0], &low, &high);
	size_t n = 1;

	*complete = 0;
	if (!need)
		return 1;
	for (; n < need && n < len; n++) {
		if (s[n] < low || s[n] > high)
			return n;
		low = 0x80;
		high = 0xbf;
	}
	*complete = n == need;
	return n;
}

int32_t utf8_decode(const char *s, size_t len, size_t *size)
{
	static const unsigned char mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *p = (const unsigned char *)s;
	int complete;
	int32_t code;

	if (p[0] < 0x80) {
		*size = 1;
		return p[0];
	}
	*size = sequence(p, len, &complete);
	if (!complete) {
		*size = 1;
		return -1;
	}
	code = p[0] & mask[*size];
	for (size_t i = 1; i < *size; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

size_t utf8_encode(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

size_t utf8_valid(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	for (size_t i = 0; i < len;) {
		int complete;
		size_t n;

		if (p[i] < 0x80) {
			i++;
			continue;
		}
		n = sequence(p + i, len - i, &complete);
		if (!complete)
			return i;
		i += n;
	}
	return len;
}

void utf8_repair(const char *s, size_t len, struct buf *out)
{
	while (len) {
		size_t good = utf8_valid(s, len);
		int complete;

		buf_add(out, s, good);
		s += good;
		len -= good;
		if (len) {
			size_t bad = sequence((const unsigned char *)s, len, &complete);

			buf_adds(out, "\xef\xbf\xbd");
			s += bad;
			len -= bad;
		}
	}
}

int utf8_is_space(int32_t code)
{
	if (code <= 0x20)
		return code == 0x20 || (code >= 0x09 && code <= 0x0d);
	return code == 0x85 || code == 0xa0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
	       code == 0x202f || code == 0x205f || code == 0x3000;
}

int32_t utf8_lower(int32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c + 32 : c;
	if (c < 0x100)
		return c >= 0xc0 && c <= 0xde && c != 0xd7 ? c + 32 : c;
	if (c < 0x180) {
		/* Pairs, the capital even in some ranges and odd in others. */
		if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17f)
			return c == 0x130 ? 'i' : c;
		if (c == 0x178)
			return 0xff;
		if ((c >= 0x139 && c <= 0x148) || c >= 0x179)
			return c & 1 ? c + 1 : c;
		return c & 1 ? c : c + 1;
	}
	if (c >= 0x386 && c <= 0x3ab) {
		if (c == 0x386)
			return 0x3ac;
		if (c >= 0x388 && c <= 0x38a)
			return c + 37;
		if (c == 0x38c)
			return 0x3cc;
		if (c == 0x38e || c == 0x38f)
			return c + 63;
		return c >= 0x391 && c != 0x3a2 ? c + 32 : c;
	}
	if (c >= 0x400 && c <= 0x40f)
		return c + 80;
	if (c >= 0x410 && c <= 0x42f)
		return c + 32;
	if (c >= 0x460 && c <= 0x481)
		return c | 1;
	if (c >= 0x531 && c <= 0x556)
		return c + 48;
	return c;
}
