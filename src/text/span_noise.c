#include "text/span_noise.h"

#include <string.h>

enum {
	LETTERS_MIN = 3
};

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next word of letters between blanks from *at on: 1 and its bytes. */
static int next_word(const char *request, size_t len, size_t *at, struct span *word)
{
	while (*at < len) {
		size_t from = *at;

		while (*at < len && is_letter(request[*at]))
			++*at;
		word->from = from;
		word->to = *at;
		if (*at - from >= LETTERS_MIN && (*at == len || request[*at] == ' '))
			return 1;
		while (*at < len && request[*at] != ' ')
			++*at;
		while (*at < len && request[*at] == ' ')
			++*at;
	}
	return 0;
}

/* How many spans lie before the word; -1 where one overlaps with it. */
static int place_among(const struct span *word, const struct span *spans, size_t n)
{
	size_t before = 0;

	while (before < n && spans[before].to <= word->from)
		before++;
	return before == n || spans[before].from >= word->to ? (int)before : -1;
}

size_t spans_mistake(
	const char *request, size_t len, struct span spans[SPANS_MAX], size_t n, struct rng *rng)
{
	static const enum span_type types[] = {
		SPAN_WORD, SPAN_NAME, SPAN_HOST, SPAN_PATH, SPAN_IMAGE, SPAN_VERSION, SPAN_URL};
	struct span word, chosen = {0};
	uint32_t candidates = 0;
	size_t at = 0;
	int place;

	if (n == SPANS_MAX)
		return n;
	while (next_word(request, len, &at, &word))
		if (place_among(&word, spans, n) >= 0 && rng_below(rng, ++candidates) == 0)
			chosen = word;
	if (!candidates)
		return n;
	chosen.type = types[rng_below(rng, sizeof types / sizeof *types)];
	place = place_among(&chosen, spans, n);
	memmove(spans + place + 1, spans + place, (n - (size_t)place) * sizeof *spans);
	spans[place] = chosen;
	return n + 1;
}
