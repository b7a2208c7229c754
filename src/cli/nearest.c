/* nearest.c - clean text, and the nearest right spelling of a wrong one. */
#include <string.h>
#include "cli/value.h"

enum {
	WORD_MAX = 64
};

/* Length of the well-formed UTF-8 sequence at s, 0 where it is malformed
 * (overlong, surrogate, beyond U+10FFFF). */
static int sequence(const unsigned char *s)
{
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return (s[1] & 0xc0) == 0x80 ? 2 : 0;
	if ((s[0] & 0xf0) == 0xe0) {
		if ((s[1] & 0xc0) != 0x80 || (s[0] == 0xe0 && s[1] < 0xa0) ||
			(s[0] == 0xed && s[1] > 0x9f))
			return 0;
		return (s[2] & 0xc0) == 0x80 ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		if ((s[1] & 0xc0) != 0x80 || (s[0] == 0xf0 && s[1] < 0x90) ||
			(s[0] == 0xf4 && s[1] > 0x8f))
			return 0;
		return (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80 ? 4 : 0;
	}
	return 0;
}

int value_is_clean(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		int n;

		if (*s < 0x80) {
			if (*s < 0x20 || *s == 0x7f)
				return 0;
			s++;
			continue;
		}
		n = sequence(s);
		if (n == 0 || (s[0] == 0xc2 && s[1] < 0xa0)) /* C1 controls */
			return 0;
		s += n;
	}
	return 1;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance over bytes, three rows. */
size_t edit_distance(const char *a, const char *b, size_t limit)
{
	size_t n = strlen(a), m = strlen(b);
	size_t rows[3][WORD_MAX + 1];

	if (n > WORD_MAX || m > WORD_MAX || (n > m ? n - m : m - n) > limit)
		return limit + 1;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		size_t best = now[0] = i;

		for (size_t j = 1; j <= m; j++) {
			now[j] = least(least(last[j] + 1, now[j - 1] + 1),
				last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
			best = least(best, now[j]);
		}
		if (best > limit)
			return limit + 1;
	}
	return least(rows[n % 3][m], limit + 1);
}

void nearest_offer(struct nearest *n, const char *word, const char *candidate)
{
	size_t length = strlen(word);
	size_t limit = length < 4 ? 1 : length < 8 ? 2 : 3;
	size_t distance;

	if (n->text && n->distance <= 1)
		return;
	if (n->text)
		limit = n->distance - 1;
	distance = edit_distance(word, candidate, limit);
	if (distance <= limit && distance < strlen(candidate)) {
		n->text = candidate;
		n->distance = distance;
	}
}
