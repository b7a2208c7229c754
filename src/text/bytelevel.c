#include "text/bytelevel.h"

#include "text/utf8.h"

static int is_printable(unsigned code)
{
	return (code >= 0x21 && code <= 0x7e) || (code >= 0xa1 && code <= 0xac) ||
	       (code >= 0xae && code <= 0xff);
}

/* The bytes that are not printable, in order: 0x00-0x20, 0x7f-0xa0, 0xad. */
uint32_t bytelevel_char(unsigned char byte)
{
	if (is_printable(byte))
		return byte;
	if (byte <= 0x20)
		return 0x100u + byte;
	if (byte <= 0xa0)
		return 0x100u + 0x21 + (byte - 0x7fu);
	return 0x100u + 0x21 + 0x22;
}

int bytelevel_byte(int32_t code)
{
	if (code < 0 || code > 0x143)
		return -1;
	if (code < 0x100)
		return is_printable((unsigned)code) ? code : -1;
	if (code <= 0x120)
		return code - 0x100;
	if (code <= 0x142)
		return code - 0x121 + 0x7f;
	return 0xad;
}

void bytelevel_encode(const char *bytes, size_t len, struct buf *out)
{
	char text[4];

	for (size_t i = 0; i < len; i++)
		buf_add(out, text, utf8_encode(bytelevel_char((unsigned char)bytes[i]), text));
}

int bytelevel_decode(const char *text, size_t len, struct buf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < len;) {
		size_t size;
		int byte = bytelevel_byte(utf8_decode(text + i, len - i, &size));

		if (byte < 0) {
			out->len = before;
			if (out->data)
				out->data[before] = '\0';
			return -1;
		}
		buf_addc(out, (char)byte);
		i += size;
	}
	return 0;
}
