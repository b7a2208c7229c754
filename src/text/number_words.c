#include "text/number_words.h"

#include "text/words.h"

static const struct {
	const char *word;
	long value;
} names[] = {{"zero", 0}, {"one", 1}, {"two", 2}, {"three", 3}, {"four", 4}, {"five", 5},
	{"six", 6}, {"seven", 7}, {"eight", 8}, {"nine", 9}, {"ten", 10}, {"eleven", 11},
	{"twelve", 12}, {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15}, {"sixteen", 16},
	{"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20}, {"thirty", 30},
	{"forty", 40}, {"fifty", 50}, {"sixty", 60}, {"seventy", 70}, {"eighty", 80},
	{"ninety", 90}, {"hundred", 100}, {"thousand", 1000}, {"million", 1000000}};

/* A number being read: total of what a thousand or million closed, the part
 * after it, and the last word's value (which decides what may follow). */
struct reading {
	long total, part, last;
	int open; /* 0: no number begun */
};

static long number_name(const char *word, size_t len)
{
	for (size_t i = 0; len >= 3 && len <= 9 && i < sizeof names / sizeof *names; i++) {
		if (word_is(word, len, names[i].word))
			return names[i].value;
	}
	return -1;
}

/* Takes one more number word; 0 where it cannot go on the number so far. */
static int reading_add(struct reading *r, long n)
{
	if (n >= 1000) {
		if (r->open && (r->part == 0 || r->last >= 1000))
			return 0;
		r->total += (r->open ? r->part : 1) * n;
		r->part = 0;
	} else if (n == 100) {
		if (r->open && (r->part == 0 || r->part > 9))
			return 0;
		r->part = (r->open ? r->part : 1) * 100;
	} else if (n >= 10) {
		if (r->open && r->last < 100)
			return 0;
		r->part += n;
	} else {
		if (r->open && (n == 0 || r->last < 20))
			return 0;
		r->part += n;
	}
	r->last = n;
	r->open = 1;
	return 1;
}

/* The next run of letters; NULL at the end.  *gap: what else than blanks or one
 * dash stood before it (a comma ends a number). */
static const char *next_letters(
	const char *text, size_t len, size_t *at, size_t *word_len, int *gap)
{
	size_t from;

	*gap = 0;
	while (*at < len && !byte_in_word((unsigned char)text[*at])) {
		*gap |= text[*at] != ' ' && text[*at] != '-';
		(*at)++;
	}
	from = *at;
	while (*at < len && byte_in_word((unsigned char)text[*at]))
		(*at)++;
	*word_len = *at - from;
	return *word_len ? text + from : NULL;
}

/* Reads on from *at to the end of the next number: 1 and its value; 0 at the end.  r
 * holds a number that is begun. */
static int next_number(const char *text, size_t len, size_t *at, struct reading *r, long *value)
{
	size_t word_len;
	const char *word;
	int gap;

	while ((word = next_letters(text, len, at, &word_len, &gap))) {
		long n = number_name(word, word_len);
		struct reading before = *r;

		/* "one hundred and five" goes on; "two and three" does not. */
		if (n < 0 && !gap && r->open && r->last >= 100 && word_is(word, word_len, "and"))
			continue;
		if (n >= 0 && !gap && reading_add(r, n))
			continue;
		*r = (struct reading){0};
		if (n >= 0)
			reading_add(r, n);
		if (before.open) {
			*value = before.total + before.part;
			return 1;
		}
	}
	*value = r->total + r->part;
	if (!r->open)
		return 0;
	r->open = 0;
	return 1;
}

int number_in_words(const char *text, size_t len, long value)
{
	struct reading r = {0};
	size_t at = 0;
	long n;

	while (next_number(text, len, &at, &r, &n))
		if (n == value)
			return 1;
	return 0;
}

size_t numbers_in_words(const char *text, size_t len, long *values, size_t max)
{
	struct reading r = {0};
	size_t at = 0, n = 0;

	while (n < max && next_number(text, len, &at, &r, &values[n]))
		n++;
	return n;
}

int number_words_at(const char *text, size_t len, size_t from, size_t *end, long *value)
{
	struct reading r = {0};
	size_t at = from, word_len;
	const char *word;
	int gap;

	while ((word = next_letters(text, len, &at, &word_len, &gap))) {
		long n = number_name(word, word_len);

		if (gap || (!r.open && word != text + from))
			break;
		/* What follows "and" decides whether it was part of the number. */
		if (n < 0 && r.open && r.last >= 100 && word_is(word, word_len, "and"))
			continue;
		if (n < 0 || !reading_add(&r, n))
			break;
		*end = at;
	}
	*value = r.total + r.part;
	return r.open;
}
