/* text.c - from bytes to plain lines. */
#include "help/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	TAB_WIDTH = 8
};

size_t help_columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Bytes of the escape sequence at s (which begins with ESC); at least 1. */
static size_t escape_length(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 2)
		return len;
	if (s[1] == '[') {
		while (i < len && (unsigned char)s[i] < 0x40)
			i++;
		return i < len ? i + 1 : len;
	}
	if (s[1] == ']' || s[1] == 'P' || s[1] == '_' || s[1] == '^') {
		while (i < len && s[i] != '\a' && s[i] != '\033' && s[i] != '\n')
			i++;
		if (i + 1 < len && s[i] == '\033' && s[i + 1] == '\\')
			return i + 2;
		return i < len && s[i] == '\a' ? i + 1 : i;
	}
	return strchr("()*+", s[1]) && len > 2 ? 3 : 2;
}

/* Bytes of the UTF-8 character at s, 0 where there is none. */
static size_t character_length(const unsigned char *s, size_t len)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (n == 0 || s[0] > 0xf4 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)))
		return 0;
	if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)))
		return 0;
	return n;
}

/* Characters that show nothing, or turn the order of what is shown. */
static int is_invisible(const unsigned char *s, size_t n)
{
	uint32_t c = n == 2   ? (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f)
		     : n == 3 ? (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 |
					(s[2] & 0x3f)
			      : 0;

	return (c >= 0x80 && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

static void drop_last(struct buf *line)
{
	while (line->len > 0 && ((unsigned char)line->data[line->len - 1] & 0xc0) == 0x80)
		line->len--;
	if (line->len > 0)
		line->len--;
	if (line->data)
		line->data[line->len] = '\0';
}

static void add_tab(struct buf *line)
{
	size_t column = help_columns(line->data ? line->data : "", line->len);

	do
		buf_addc(line, ' ');
	while (++column % TAB_WIDTH);
}

/* Adds the visible characters of one line. */
static void line_clean(const char *s, size_t len, struct buf *line)
{
	for (size_t i = 0; i < len && line->len < HELP_WIDTH_MAX;) {
		size_t n = character_length((const unsigned char *)s + i, len - i);

		if (s[i] == '\033') {
			i += escape_length(s + i, len - i);
			continue;
		}
		if (s[i] == '\b')
			drop_last(line);
		else if (s[i] == '\t')
			add_tab(line);
		else if (s[i] == '\r' && i + 1 < len)
			buf_clear(line);
		else if (n == 2 && !memcmp(s + i, "\xc2\xa0", 2))
			buf_addc(line, ' ');
		else if (n > 1 && !is_invisible((const unsigned char *)s + i, n))
			buf_add(line, s + i, n);
		else if (n == 1 && (unsigned char)s[i] >= 0x20 && s[i] != 0x7f)
			buf_addc(line, s[i]);
		else if (n == 0)
			buf_addc(line, '?');
		i += n ? n : 1;
	}
	while (line->len > 0 && line->data[line->len - 1] == ' ')
		line->data[--line->len] = '\0';
}

/* U+2500 to U+257F: E2 94 80 .. E2 95 BF. */
static int is_box_drawing(const char *s)
{
	return (unsigned char)s[0] == 0xe2 &&
	       ((unsigned char)s[1] == 0x94 || (unsigned char)s[1] == 0x95);
}

static int is_bar(const char *s)
{
	return !strncmp(s, "│", 3) || !strncmp(s, "┃", 3) || !strncmp(s, "║", 3);
}

/* Takes a box away: bars at both ends, edges but for their title. */
static void box_remove(char *s, struct help_line *line)
{
	char *start = s + strspn(s, " ");
	size_t len = strlen(s);

	if (*start == '|' && s[len - 1] == '|' && start + 1 < s + len - 1 && start[1] == ' ') {
		*start = s[len - 1] = ' ';
		line->boxed = 1;
	} else if (is_bar(start)) {
		memset(start, ' ', 3);
		memmove(start + 1, start + 3, strlen(start + 3) + 1);
		len = strlen(s);
		if (len >= 3 && is_bar(s + len - 3))
			s[len - 3] = '\0';
		line->boxed = 1;
	} else if (is_box_drawing(start)) {
		char *to = s;

		for (const char *from = start; *from;) {
			if (is_box_drawing(from))
				from += 3;
			else
				*to++ = *from++;
		}
		*to = '\0';
		line->boxed = 1;
		line->title = s[strspn(s, " ")] != '\0';
	}
	for (len = strlen(s); len > 0 && s[len - 1] == ' ';)
		s[--len] = '\0';
}

void help_text_read(struct help_text *text, const char *data, size_t len)
{
	struct buf clean = {0};
	size_t cap = 0, number = 0;

	*text = (struct help_text){.cut = len > HELP_BYTES_MAX};
	if (len > HELP_BYTES_MAX)
		len = HELP_BYTES_MAX;
	for (size_t i = 0; i < len;) {
		const char *end = memchr(data + i, '\n', len - i);
		size_t n = end ? (size_t)(end - data) - i : len - i;
		struct help_line line = {0};
		char *copy;

		line.number = ++number;
		if (text->n_lines == HELP_LINES_MAX) {
			text->cut = 1;
			break;
		}
		buf_clear(&clean);
		line_clean(data + i, n, &clean);
		copy = arena_strdup(&text->arena, clean.data ? clean.data : "");
		if (*copy)
			box_remove(copy, &line);
		line.indent = strspn(copy, " ");
		line.text = copy + line.indent;
		text->lines = array_grow(text->lines, &cap, text->n_lines, sizeof *text->lines);
		text->lines[text->n_lines++] = line;
		i += n + 1;
	}
	buf_release(&clean);
}

void help_text_release(struct help_text *text)
{
	free(text->lines);
	arena_release(&text->arena);
	*text = (struct help_text){0};
}
