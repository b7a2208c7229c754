#include "text/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/ground_internal.h"
#include "text/number_words.h"
#include "text/quantity.h"
#include "text/words.h"

enum {
	WORD_MAX = 256,
	GROUND_COPY_MAX = 4096 /* of longer requests no digits are hidden */
};

static int digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* Characters that join words into one value: a path, a host, a version, ... */
static int joiner(unsigned char c)
{
	return c && strchr("./-:@+\\~", c) != NULL;
}

/* 1 where text[at] is not the middle of something that began before it. */
int ground_bounded_left(const char *text, size_t at, unsigned char first)
{
	unsigned char before = at > 0 ? (unsigned char)text[at - 1] : ' ';
	unsigned char second = at > 1 ? (unsigned char)text[at - 2] : ' ';

	if (byte_in_word(before))
		return !byte_in_word(first) && !joiner(first);
	if (before == '~')
		return digit(first) && !byte_in_word(second);
	if (before == ',' && digit(first))
		return !digit(second);
	return !joiner(before);
}

int ground_bounded_right(const char *text, size_t len, size_t to, unsigned char last)
{
	unsigned char after = to < len ? (unsigned char)text[to] : ' ';
	unsigned char second = to + 1 < len ? (unsigned char)text[to + 1] : ' ';

	if (byte_in_word(after))
		return !byte_in_word(last) && !joiner(last);
	if (after == ',' && digit(last)) /* 8,123 holds no 8; 3, 4 and 3,4 hold a 3 */
		return !(to + 3 < len && digit(second) && digit((unsigned char)text[to + 2]) &&
			 digit((unsigned char)text[to + 3]) &&
			 !(to + 4 < len && digit((unsigned char)text[to + 4])));
	return !joiner(after) || !(byte_in_word(second) || second == after);
}

static int equal_at(const char *text, const char *value, size_t len, int fold)
{
	if (!fold)
		return memcmp(text, value, len) == 0;
	for (size_t i = 0; i < len; i++) {
		if (byte_lower((unsigned char)text[i]) != byte_lower((unsigned char)value[i]))
			return 0;
	}
	return 1;
}

/* As ground_literal, for a value of value_len > 0 bytes. */
static int literal(const char *request, size_t len, const char *value, size_t value_len, int fold)
{
	unsigned char first = (unsigned char)value[0], last = (unsigned char)value[value_len - 1];

	for (size_t i = 0; i + value_len <= len; i++) {
		if (!fold) {
			const char *hit = memchr(request + i, first, len - value_len - i + 1);

			if (!hit)
				return 0;
			i = (size_t)(hit - request);
		}
		if (equal_at(request + i, value, value_len, fold) &&
			ground_bounded_left(request, i, first) &&
			ground_bounded_right(request, len, i + value_len, last))
			return 1;
	}
	return 0;
}

int ground_literal(const char *request, size_t len, const char *value, int fold)
{
	size_t value_len = strlen(value);

	/* An empty value can only be shown as a pair of quotes. */
	if (value_len == 0)
		return strstr(request, "\"\"") || strstr(request, "''") ||
		       literal(request, len, "empty", 5, 1);
	return literal(request, len, value, value_len, fold);
}

/* The next run of letters and digits of text; NULL at the end. */
static const char *next_piece(const char *text, size_t len, size_t *at, size_t *piece_len)
{
	size_t i = *at, from;

	while (i < len && (!byte_in_word((unsigned char)text[i]) || text[i] == '_'))
		i++;
	from = i;
	while (i < len && byte_in_word((unsigned char)text[i]) && text[i] != '_')
		i++;
	*at = i;
	*piece_len = i - from;
	return i > from ? text + from : NULL;
}

static int same_piece(const char *a, size_t a_len, const char *b, size_t b_len, int slips)
{
	return (a_len == b_len && strncasecmp(a, b, a_len) == 0) ||
	       (slips && a_len >= 4 && b_len >= 4 && words_one_slip(a, a_len, b, b_len));
}

/* 1 where the words of the phrase stand in the request one after the other, in
 * whatever case; '-', '_', '/' and '.' part words, too.  slips: one slip a word is
 * allowed, and the words may be part of a longer one (wolfi-based). */
static int says(const char *request, size_t len, const char *phrase, int slips)
{
	size_t start = 0, phrase_len = strlen(phrase);

	for (;;) {
		size_t r = start, p = 0, r_len, p_len, from, to;
		const char *said = next_piece(request, len, &r, &r_len), *wanted;

		if (!said)
			return 0;
		from = (size_t)(said - request);
		start = to = r;
		wanted = next_piece(phrase, phrase_len, &p, &p_len);
		if (!wanted)
			return 0;
		while (wanted && said && same_piece(said, r_len, wanted, p_len, slips)) {
			wanted = next_piece(phrase, phrase_len, &p, &p_len);
			to = r;
			if (wanted)
				said = next_piece(request, len, &r, &r_len);
		}
		if (!wanted && (slips || (ground_bounded_left(request, from, 'a') &&
						 ground_bounded_right(request, len, to, 'a'))))
			return 1;
	}
}

/* A whole number written otherwise: 8,123 or 8_123 or 8 123, or in words. */
static int ground_number(const char *request, size_t len, const char *value)
{
	char text[WORD_MAX];
	size_t n = strlen(value), at = 0;

	if (n == 0 || n > 15 || strspn(value, "0123456789") != n)
		return 0;
	for (const char *mark = n > 3 ? ",_. '" : ""; *mark; mark++) {
		at = 0;
		for (size_t i = 0; i < n; i++) {
			if (i && (n - i) % 3 == 0)
				text[at++] = *mark;
			text[at++] = value[i];
		}
		if (literal(request, len, text, at, 0))
			return 1;
	}
	return n <= 7 && (n == 1 || value[0] != '0') &&
	       number_in_words(request, len, strtol(value, NULL, 10));
}

/* 512MB, 30s, 2.5GB with a blank or a dash before the unit, in whatever case. */
static int ground_unit(const char *request, size_t len, const char *value)
{
	size_t number = strspn(value, "0123456789."), n = strlen(value);
	char text[WORD_MAX];

	if (number == 0 || number == n || n - number > 4 || n + 1 >= sizeof text)
		return 0;
	for (size_t i = number; i < n; i++) {
		unsigned char c = byte_lower((unsigned char)value[i]);

		if (c < 'a' || c > 'z')
			return 0;
	}
	for (const char *mark = " -"; *mark; mark++) {
		int m = snprintf(
			text, sizeof text, "%.*s%c%s", (int)number, value, *mark, value + number);

		if (literal(request, len, text, (size_t)m, 1))
			return 1;
	}
	return literal(request, len, value, n, 1);
}

static int any_says(const char *request, size_t len, const char *const *phrases)
{
	for (size_t i = 0; phrases && phrases[i]; i++) {
		if (says(request, len, phrases[i], 1))
			return 1;
	}
	return 0;
}

/* A value that the spec lists may be named by its phrases or its own words. */
static int ground_listed(
	const char *request, size_t len, const struct argument *a, const char *value)
{
	int listed = a->default_value && strcmp(a->default_value, value) == 0;
	int accepted = 0;

	for (size_t i = 0; i < a->n_accepted; i++) {
		if (strcmp(a->accepted[i].value, value) != 0)
			continue;
		if (any_says(request, len, a->accepted[i].says))
			return 1;
		accepted = 1;
	}
	for (size_t i = 0; !listed && a->values && a->values[i]; i++)
		listed = strcmp(a->values[i], value) == 0;
	/* Only of accepted values it is sure what a misspelt one was to be. */
	return (listed || accepted) && (literal(request, len, value, strlen(value), 1) ||
					       says(request, len, value, accepted));
}

/* The value as the request has it, without a look at units. */
static int ground_said(const char *request, size_t len, const struct argument *a, const char *value)
{
	if (ground_literal(request, len, value, 0))
		return 1;
	if (*value == '\0')
		return 0;
	return ground_number(request, len, value) || ground_unit(request, len, value) ||
	       (a && ground_listed(request, len, a, value));
}

/* Digits that are part of a quantity are not there in a copy of the request. */
static int ground_beside(const char *request, size_t len, const struct argument *a,
	const char *value, const struct quantity *quantities, size_t n)
{
	char copy[GROUND_COPY_MAX];

	if (len >= sizeof copy)
		return ground_said(request, len, a, value);
	memcpy(copy, request, len);
	copy[len] = '\0';
	for (size_t i = 0; i < n; i++)
		memset(copy + quantities[i].from, ';', quantities[i].to - quantities[i].from);
	return ground_said(copy, len, a, value);
}

int ground_value(const char *request, size_t len, const struct argument *a, const char *value)
{
	struct quantity quantities[QUANTITIES_MAX];
	char text[QUANTITY_TEXT_MAX];
	size_t n = a ? quantities_find(a, request, len, quantities) : 0;

	for (size_t i = 0; i < n; i++)
		if (quantity_value(a, &quantities[i], text) && strcmp(text, value) == 0)
			return 1;
	if (n && quantity_hides(a, value))
		return ground_beside(request, len, a, value, quantities, n);
	return ground_said(request, len, a, value);
}

const char *ground_check(
	const char *request, size_t len, const struct meaning *m, const struct meaning_item **item)
{
	for (size_t i = 0; i < m->n_items; i++) {
		*item = &m->items[i];
		for (size_t v = 0; v < m->items[i].n_values; v++) {
			if (!ground_value(
				    request, len, m->items[i].argument, m->items[i].values[v]))
				return m->items[i].values[v];
		}
	}
	return NULL;
}
