/* print.c - jansson values to compact JSON text. */
#include "stream/jsonl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char hex[] = "0123456789abcdef";

static void print_escape(unsigned char c, struct buf *out)
{
	char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

	switch (c) {
	case '"':
	case '\\':
		text[1] = (char)c;
		break;
	case '\b':
		text[1] = 'b';
		break;
	case '\f':
		text[1] = 'f';
		break;
	case '\n':
		text[1] = 'n';
		break;
	case '\r':
		text[1] = 'r';
		break;
	case '\t':
		text[1] = 't';
		break;
	default:
		buf_add(out, text, sizeof text);
		return;
	}
	buf_add(out, text, 2);
}

void json_text_print_string(const char *s, size_t len, struct buf *out)
{
	size_t from = 0;

	buf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		buf_add(out, s + from, i - from);
		print_escape(c, out);
		from = i + 1;
	}
	if (len > from)
		buf_add(out, s + from, len - from);
	buf_addc(out, '"');
}

static void print_integer(json_int_t n, struct buf *out)
{
	char text[24], *p = text + sizeof text;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do {
		*--p = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (n < 0)
		*--p = '-';
	buf_add(out, p, (size_t)(text + sizeof text - p));
}

/* The fewest digits that read back as the same double; a mark that it is a real. */
static void print_real(double x, struct buf *out)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	buf_adds(out, text);
	if (!strpbrk(text, ".e"))
		buf_adds(out, ".0");
}

static void print_array(const json_t *array, struct buf *out)
{
	size_t n = json_array_size(array);

	buf_addc(out, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_addc(out, ',');
		json_text_print(json_array_get(array, i), out);
	}
	buf_addc(out, ']');
}

static void print_object(const json_t *object, struct buf *out)
{
	/* jansson's iterators take no const object, but change nothing. */
	json_t *o = (json_t *)(uintptr_t)object;
	int first = 1;

	buf_addc(out, '{');
	for (void *i = json_object_iter(o); i; i = json_object_iter_next(o, i)) {
		if (!first)
			buf_addc(out, ',');
		first = 0;
		json_text_print_string(json_object_iter_key(i), json_object_iter_key_len(i), out);
		buf_addc(out, ':');
		json_text_print(json_object_iter_value(i), out);
	}
	buf_addc(out, '}');
}

void json_text_print(const json_t *value, struct buf *out)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		print_object(value, out);
		break;
	case JSON_ARRAY:
		print_array(value, out);
		break;
	case JSON_STRING:
		json_text_print_string(json_string_value(value), json_string_length(value), out);
		break;
	case JSON_INTEGER:
		print_integer(json_integer_value(value), out);
		break;
	case JSON_REAL:
		print_real(json_real_value(value), out);
		break;
	case JSON_TRUE:
		buf_adds(out, "true");
		break;
	case JSON_FALSE:
		buf_adds(out, "false");
		break;
	case JSON_NULL:
		buf_adds(out, "null");
		break;
	}
}
