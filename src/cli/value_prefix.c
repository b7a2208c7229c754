/* value_prefix.c - what a text can still become. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cli/value_prefix.h"

enum {
	MATCH_LIMIT = 20000,
	MATCH_DEPTH = 2000,
	MATCH_HEAP_KIB = 1024,
	DIGITS_MAX = 330, /* more are infinite as a double */
	PYTHON_DIGITS_MAX = 4300
};

static int starts_with(const char *word, const char *text, size_t len)
{
	return strlen(word) >= len && !memcmp(word, text, len);
}

/* Least and greatest second byte behind a first one of UTF-8 (Unicode, table 3-7), C1
 * control characters left out; the number of bytes, 0: no first byte. */
static size_t character_begins(unsigned char c, unsigned char *low, unsigned char *high)
{
	*low = c == 0xe0 || c == 0xc2 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	*high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Whether text is clean, its last character perhaps cut; *whole: bytes of the
 * characters that are complete. */
static int prefix_is_clean(const char *text, size_t len, size_t *whole)
{
	const unsigned char *s = (const unsigned char *)text;

	for (*whole = 0; *whole < len;) {
		unsigned char low, high;
		size_t size = character_begins(s[*whole], &low, &high);

		if (size == 0)
			return 0;
		for (size_t k = 1; k < size; k++) {
			if (*whole + k == len)
				return 1;
			if (s[*whole + k] < low || s[*whole + k] > high)
				return 0;
			low = 0x80;
			high = 0xbf;
		}
		*whole += size;
	}
	return 1;
}

static void *memory_get(size_t size, void *arena)
{
	return arena_alloc(arena, size);
}

static void memory_put(void *memory, void *arena)
{
	(void)memory;
	(void)arena; /* goes with the arena */
}

/* 0 where nothing that begins with text can match. */
static int pattern_prefix(
	const struct argument *a, const char *text, size_t len, struct arena *arena)
{
	pcre2_general_context *general;
	pcre2_match_context *context;
	pcre2_match_data *data;

	if (!a->pattern_code || len == 0)
		return 1;
	general = pcre2_general_context_create(memory_get, memory_put, arena);
	context = pcre2_match_context_create(general);
	data = pcre2_match_data_create(1, general);
	pcre2_set_match_limit(context, MATCH_LIMIT);
	pcre2_set_depth_limit(context, MATCH_DEPTH);
	pcre2_set_heap_limit(context, MATCH_HEAP_KIB);
	return pcre2_match(a->pattern_code, (PCRE2_SPTR)text, len, 0,
		       PCRE2_NO_UTF_CHECK | PCRE2_PARTIAL_HARD, data,
		       context) != PCRE2_ERROR_NOMATCH;
}

static int accepted_prefix(enum dialect dialect, const struct argument *a, const char *text,
	size_t len, struct arena *arena)
{
	for (size_t i = 0; i < a->n_accepted; i++)
		if (starts_with(a->accepted[i].value, text, len) &&
			value_is_canonical(dialect, a, a->accepted[i].value, arena))
			return 1;
	return 0;
}

/* Magnitudes that are allowed, and how many digits they may have. */
struct magnitudes {
	int has_low, has_high;
	double low, high;
	size_t digits;
	const char *most; /* the greatest one of that many digits; NULL: any */
};

static struct magnitudes magnitudes_of(enum dialect dialect, const struct argument *a, int negative)
{
	int python = dialect == DIALECT_CLICK || dialect == DIALECT_ARGPARSE ||
		     dialect == DIALECT_OPTPARSE;
	int bounded =
		dialect == DIALECT_COBRA || dialect == DIALECT_GOPTION || dialect == DIALECT_CLAP;
	struct magnitudes m = {a->has_minimum, a->has_maximum, a->minimum, a->maximum,
		python ? PYTHON_DIGITS_MAX : SIZE_MAX, NULL};

	if (negative)
		m = (struct magnitudes){m.has_high, m.has_low, -m.high, -m.low, m.digits, NULL};
	if (bounded) {
		m.digits = 19;
		m.most = negative ? "9223372036854775808" : "9223372036854775807";
	}
	return m;
}

/* Whether a number between the two (of as many digits) is among the magnitudes.
 * Doubles as the verifier compares them; rounding keeps order. */
static int interval_fits(const struct magnitudes *m, const char *least, const char *greatest)
{
	double a, b;

	if (m->most && strlen(least) == m->digits) {
		if (strcmp(least, m->most) > 0)
			return 0;
		if (strcmp(greatest, m->most) > 0)
			greatest = m->most;
	}
	a = strtod(least, NULL);
	b = strtod(greatest, NULL);
	if ((m->has_low && b < m->low) || (m->has_high && a > m->high))
		return 0;
	return !m->has_low || !m->has_high || a >= m->low || ceil(m->low) <= m->high;
}

/* Whether digits (without a leading zero, unless that is all) can become a magnitude. */
static int digits_fit(const struct magnitudes *m, const char *digits, size_t len)
{
	char least[DIGITS_MAX + 1], greatest[DIGITS_MAX + 1];

	if (len > m->digits)
		return 0;
	if (len >= DIGITS_MAX)
		return !m->has_high || isinf(m->high);
	for (size_t n = len; n < DIGITS_MAX && n <= m->digits; n++) {
		memcpy(least, digits, len);
		memset(least + len, '0', n - len);
		memcpy(greatest, digits, len);
		memset(greatest + len, '9', n - len);
		least[n] = greatest[n] = '\0';
		if (interval_fits(m, least, greatest))
			return 1;
		if (digits[0] == '0')
			return 0;
	}
	return 0;
}

static int any_digits_fit(const struct magnitudes *m, int zero)
{
	for (char c = zero ? '0' : '1'; c <= '9'; c++)
		if (digits_fit(m, &c, 1))
			return 1;
	return 0;
}

static int integer_prefix(
	enum dialect dialect, const struct argument *a, const char *text, size_t len)
{
	int negative = len > 0 && text[0] == '-';
	struct magnitudes m = magnitudes_of(dialect, a, negative), below;
	const char *digits = text + negative;
	size_t n = len - (size_t)negative;

	for (size_t i = 0; i < n; i++)
		if (digits[i] < '0' || digits[i] > '9')
			return 0;
	if (n == 0 && negative)
		return any_digits_fit(&m, 0);
	if (n == 0) {
		below = magnitudes_of(dialect, a, 1);
		return any_digits_fit(&m, 1) || any_digits_fit(&below, 0);
	}
	if (digits[0] == '0' && (negative || n > 1))
		return 0;
	return digits_fit(&m, digits, n);
}

static size_t digits_span(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

/* The spelling of numbers: -?(0|[1-9]\d*)(\.\d+)?(e[-+]\d+)?, inf, nan. */
static int number_spelling(const char *s, size_t len)
{
	size_t n;

	if (len && *s == '-')
		s++, len--;
	if (starts_with("inf", s, len) || starts_with("nan", s, len))
		return 1;
	n = digits_span(s, len);
	if (n == 0 || (*s == '0' && n > 1))
		return 0;
	s += n, len -= n;
	if (len && *s == '.') {
		n = digits_span(s + 1, len - 1);
		s += n + 1, len -= n + 1;
		if (n == 0 && len)
			return 0;
	}
	if (len == 0)
		return 1;
	if (*s != 'e')
		return 0;
	s++, len--;
	if (len && (*s == '-' || *s == '+'))
		s++, len--;
	else if (len)
		return 0;
	return digits_span(s, len) == len;
}

/* A sign decides on which side of zero the number is; more than one digit before the
 * point mean at least that much, since an exponent leaves one. */
static int number_prefix(const struct argument *a, const char *text, size_t len)
{
	int negative = len > 0 && text[0] == '-';
	char digits[20];
	size_t n;
	double least;

	if (!number_spelling(text, len))
		return 0;
	n = digits_span(text + negative, len - (size_t)negative);
	if (len == 0)
		return 1;
	if (negative ? a->has_minimum && a->minimum > 0 : a->has_maximum && a->maximum < 0)
		return 0;
	if (n < 2 || n >= sizeof(digits))
		return 1;
	memcpy(digits, text + negative, n);
	digits[n] = '\0';
	least = strtod(digits, NULL);
	return negative ? !a->has_minimum || -least >= a->minimum
			: !a->has_maximum || least <= a->maximum;
}

/* Go's durations: numbers, each with a unit. */
static int duration_prefix(const char *s, size_t len)
{
	static const char *const units[] = {
		"ns", "us", "\302\265s", "\316\274s", "ms", "s", "m", "h", NULL};

	if (len && (*s == '-' || *s == '+'))
		s++, len--;
	while (len) {
		size_t n = digits_span(s, len), m = 0, longest = 0;

		s += n, len -= n;
		if (len && *s == '.') {
			m = digits_span(s + 1, len - 1);
			s += m + 1, len -= m + 1;
			if (n + m == 0 && len)
				return 0;
		} else if (n == 0) {
			return 0;
		}
		for (int i = 0; units[i] && len; i++) {
			size_t unit = strlen(units[i]);

			if (len < unit && !memcmp(units[i], s, len))
				return 1;
			if (len >= unit && unit > longest && !memcmp(units[i], s, unit))
				longest = unit;
		}
		if (len && longest == 0)
			return 0;
		s += longest, len -= longest;
	}
	return 1;
}

static int boolean_prefix(const char *text, size_t len)
{
	return starts_with("true", text, len) || starts_with("false", text, len);
}

int value_prefix(enum dialect dialect, const struct argument *a, const char *text, size_t len,
	struct arena *arena)
{
	size_t whole;
	int fits = 1;

	if (!prefix_is_clean(text, len, &whole))
		return 0;
	if (a->passthrough)
		return 1;
	if (a->n_accepted > 0)
		return accepted_prefix(dialect, a, text, len, arena);
	if (a->type == VALUE_INTEGER || a->type == VALUE_PORT)
		fits = integer_prefix(dialect, a, text, len);
	else if (a->type == VALUE_NUMBER)
		fits = number_prefix(a, text, len);
	else if (a->type == VALUE_BOOLEAN)
		fits = boolean_prefix(text, len);
	else if (a->type == VALUE_DURATION && dialect == DIALECT_COBRA)
		fits = duration_prefix(text, len);
	return fits && pattern_prefix(a, text, whole, arena);
}

int value_is_canonical(
	enum dialect dialect, const struct argument *a, const char *text, struct arena *arena)
{
	const char *canonical;
	char message[256];

	if (!value_is_clean(text))
		return 0;
	if (a->passthrough)
		return 1;
	return value_check(dialect, a, text, arena, &canonical, message, sizeof(message)) ==
		       VERDICT_OK &&
	       !strcmp(canonical, text);
}
