/* number_text.c - numbers as the parsers of different languages read them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "cli/number_text.h"

/* Python refuses to convert longer decimal integers (sys.int_info). */
enum {
	PYTHON_DIGITS_MAX = 4300
};

/* Zeros of the runs of ten decimal digits (general category Nd, Unicode 14). */
static const uint32_t digit_zeros[] = {0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66,
	0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810,
	0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900,
	0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136,
	0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50,
	0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6,
	0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0};

/* Decodes one character of valid UTF-8 and moves on. */
static uint32_t character(const char **at)
{
	const unsigned char *s = (const unsigned char *)*at;
	unsigned more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
	uint32_t c = more ? s[0] & (0x3fu >> more) : s[0];

	for (unsigned i = 1; i <= more; i++)
		c = c << 6 | (s[i] & 0x3f);
	*at += more + 1;
	return c;
}

static int is_space(uint32_t c)
{
	return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f) || c == 0x85 ||
	       c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
	       c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static int digit_of(uint32_t c)
{
	size_t low = 0, high = sizeof(digit_zeros) / sizeof(*digit_zeros);

	if (c < 0x80)
		return c >= '0' && c <= '9' ? (int)(c - '0') : -1;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (digit_zeros[middle] <= c)
			low = middle;
		else
			high = middle;
	}
	return c - digit_zeros[low] < 10 ? (int)(c - digit_zeros[low]) : -1;
}

/* As Python does before it reads a number: every space becomes ' ', every digit
 * its ASCII form, anything else beyond ASCII '?'.  Strips the ends. */
static char *python_ascii(const char *text, struct arena *arena)
{
	char *out = arena_alloc(arena, strlen(text) + 1), *end = out, *start = out;

	while (*text) {
		uint32_t c = character(&text);
		int digit = digit_of(c);

		*end++ = digit >= 0    ? (char)('0' + digit)
			 : is_space(c) ? ' '
			 : c < 0x80    ? (char)c
				       : '?';
	}
	while (end > start && end[-1] == ' ')
		end--;
	*end = '\0';
	while (*start == ' ')
		start++;
	return start;
}

/* Sign, digits with single underscores between them; writes the digits without
 * underscores to *digits (in place).  Returns their number, 0 where refused. */
static size_t python_digits(char *s, int *negative, char **digits)
{
	char *out;
	size_t n = 0;

	*negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	*digits = out = s;
	for (;; s++) {
		if (*s == '_' && n > 0 && s[1] >= '0' && s[1] <= '9')
			s++;
		if (*s < '0' || *s > '9')
			break;
		*out++ = *s;
		n++;
	}
	if (*s)
		return 0;
	*out = '\0';
	return n;
}

/* -, then digits without leading zeros; "0" for any zero. */
static const char *decimal(int negative, const char *digits, struct arena *arena)
{
	char *out;

	while (*digits == '0' && digits[1])
		digits++;
	if (*digits == '0')
		negative = 0;
	out = arena_alloc(arena, strlen(digits) + 2);
	out[0] = '-';
	memcpy(out + negative, digits, strlen(digits) + 1);
	return out;
}

static int is_plain_decimal(const char *text)
{
	const char *s = text + (*text == '-');

	if (*s == '0')
		return s == text && s[1] == '\0';
	if (!*s)
		return 0;
	for (; *s; s++)
		if (*s < '0' || *s > '9')
			return 0;
	return s - text <= PYTHON_DIGITS_MAX;
}

static int python_integer(const char *text, struct arena *arena, const char **canonical)
{
	char *digits;
	int negative;
	size_t n = python_digits(python_ascii(text, arena), &negative, &digits);

	if (n == 0 || n > PYTHON_DIGITS_MAX)
		return 0;
	*canonical = decimal(negative, digits, arena);
	return 1;
}

static const char *decimal_of(int negative, uint64_t magnitude, struct arena *arena)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + magnitude % 10);
		magnitude /= 10;
	} while (magnitude);
	return decimal(negative, digits + at, arena);
}

/* Digits of the base, to a magnitude that fits the sign's int64.  Underscores (Go)
 * may stand between digits and after a prefix. */
static int based_digits(const char *s, unsigned base, int underscores, int after_prefix,
	int negative, uint64_t *magnitude)
{
	uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0), value = 0;
	int had_digit = 0, may_underscore = after_prefix;

	for (; *s; s++) {
		unsigned digit;

		if (*s == '_' && underscores && may_underscore) {
			may_underscore = 0;
			had_digit = 0; /* one must follow */
			continue;
		}
		digit = *s >= '0' && *s <= '9'	 ? (unsigned)(*s - '0')
			: *s >= 'a' && *s <= 'z' ? (unsigned)(*s - 'a' + 10)
			: *s >= 'A' && *s <= 'Z' ? (unsigned)(*s - 'A' + 10)
						 : 99;
		if (digit >= base || value > (most - digit) / base)
			return 0;
		value = value * base + digit;
		had_digit = may_underscore = 1;
	}
	*magnitude = value;
	return had_digit;
}

/* An integer with C-like prefixes (Go: 0b, 0o and underscores too). */
static int prefixed_integer(
	enum dialect dialect, const char *text, struct arena *arena, const char **canonical)
{
	int go = dialect == DIALECT_COBRA, negative;
	unsigned base = 10;
	const char *s = text;
	uint64_t magnitude;
	char second;

	if (dialect == DIALECT_GOPTION)
		while (*s == ' ')
			s++;
	negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	second = s[0] == '0' ? (char)(s[1] | 0x20) : '\0';
	if (second == 'x')
		base = 16;
	else if (second == 'b' && go)
		base = 2;
	else if (second == 'o' && go)
		base = 8;
	if (base != 10) {
		s += 2;
	} else if (s[0] == '0' && s[1]) {
		base = 8;
		s++;
	}
	if (!based_digits(s, base, go, base != 10, negative, &magnitude))
		return 0;
	*canonical = decimal_of(negative, magnitude, arena);
	return 1;
}

/* Python's int(text, base) for bases 2, 8 and 16. */
static int python_based(
	const char *text, unsigned base, struct arena *arena, const char **canonical)
{
	const char *s = python_ascii(text, arena);
	char letter = base == 16 ? 'x' : base == 8 ? 'o' : 'b';
	int negative = *s == '-', prefixed;
	uint64_t magnitude;

	if (*s == '-' || *s == '+')
		s++;
	prefixed = s[0] == '0' && (s[1] | 0x20) == letter;
	if (!based_digits(s + 2 * prefixed, base, 1, prefixed, negative, &magnitude))
		return 0;
	*canonical = decimal_of(negative, magnitude, arena);
	return 1;
}

/* optparse takes the base from the very first characters, then asks int(). */
static int optparse_integer(const char *text, struct arena *arena, const char **canonical)
{
	if (text[0] == '0' && (text[1] | 0x20) == 'x')
		return python_based(text, 16, arena, canonical);
	if (text[0] == '0' && (text[1] | 0x20) == 'b')
		return python_based(text[2] ? text + 2 : "0", 2, arena, canonical);
	if (text[0] == '0')
		return python_based(text, 8, arena, canonical);
	return python_integer(text, arena, canonical);
}

/* [-+] and ASCII digits; unsigned magnitude unbounded unless it is clap's i64. */
static int plain_integer(
	enum dialect dialect, const char *text, struct arena *arena, const char **canonical)
{
	int negative = *text == '-';
	const char *s = text + (*text == '-' || *text == '+');
	size_t n = strspn(s, "0123456789");
	uint64_t magnitude;

	if (n == 0 || s[n])
		return 0;
	if (dialect == DIALECT_CLAP && !based_digits(s, 10, 0, 0, negative, &magnitude))
		return 0;
	*canonical = decimal(negative, s, arena);
	return 1;
}

int integer_text(
	enum dialect dialect, const char *text, struct arena *arena, const char **canonical)
{
	switch (dialect) {
	case DIALECT_CLICK:
	case DIALECT_ARGPARSE:
		if (is_plain_decimal(text)) {
			*canonical = text;
			return 1;
		}
		return python_integer(text, arena, canonical);
	case DIALECT_OPTPARSE:
		return optparse_integer(text, arena, canonical);
	case DIALECT_COBRA:
	case DIALECT_GOPTION:
		return prefixed_integer(dialect, text, arena, canonical);
	default:
		return plain_integer(dialect, text, arena, canonical);
	}
}

/* Digits with single underscores between them (Python); returns the end. */
static const char *float_digits(const char *s, size_t *n)
{
	for (;; s++) {
		if (*s == '_' && *n > 0 && s[-1] != '.' && s[1] >= '0' && s[1] <= '9')
			s++;
		if (*s < '0' || *s > '9')
			return s;
		(*n)++;
	}
}

static int is_float(const char *s)
{
	size_t n = 0, exponent = 0;

	if (*s == '-' || *s == '+')
		s++;
	if (!strcasecmp(s, "inf") || !strcasecmp(s, "infinity") || !strcasecmp(s, "nan"))
		return 1;
	s = float_digits(s, &n);
	if (*s == '.')
		s = float_digits(s + 1, &n);
	if (n == 0)
		return 0;
	if (*s == 'e' || *s == 'E') {
		s += s[1] == '-' || s[1] == '+' ? 2 : 1;
		s = float_digits(s, &exponent);
		if (exponent == 0)
			return 0;
	}
	return *s == '\0';
}

/* The shortest decimal text that reads back as value, without an exponent where the
 * number is of ordinary size; text itself where that is it. */
static const char *shortest(double value, const char *text, struct arena *arena)
{
	int plain = value == 0 || (fabs(value) >= 1e-5 && fabs(value) < 1e16);
	char out[48];

	for (int digits = !plain; digits <= 22; digits++) {
		snprintf(out, sizeof(out), plain ? "%.*f" : "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return strcmp(out, text) ? arena_strdup(arena, out) : text;
}

int number_text(enum dialect dialect, const char *text, struct arena *arena, const char **canonical)
{
	int python = dialect == DIALECT_CLICK || dialect == DIALECT_ARGPARSE ||
		     dialect == DIALECT_OPTPARSE;
	const char *s = python ? python_ascii(text, arena) : text;
	char *plain, *out;

	if (!is_float(s) || (!python && dialect != DIALECT_COBRA && strchr(s, '_')))
		return 0;
	plain = out = arena_alloc(arena, strlen(s) + 1);
	for (; *s; s++)
		if (*s != '_')
			*out++ = *s;
	*out = '\0';
	*canonical = shortest(strtod(plain, NULL), text, arena);
	return 1;
}

static int one_of(const char *text, const char *const *words, int any_case)
{
	for (; *words; words++)
		if (any_case ? !strcasecmp(text, *words) : !strcmp(text, *words))
			return 1;
	return 0;
}

int boolean_text(enum dialect dialect, const char *text, const char **canonical)
{
	static const char *const yes[] = {"1", "true", "t", "yes", "y", "on", NULL};
	static const char *const no[] = {"0", "false", "f", "no", "n", "off", NULL};
	static const char *const go_yes[] = {"1", "t", "T", "TRUE", "true", "True", NULL};
	static const char *const go_no[] = {"0", "f", "F", "FALSE", "false", "False", NULL};
	int go = dialect == DIALECT_COBRA || dialect == DIALECT_DASH;
	int strict = dialect == DIALECT_CLAP;

	if (strict ? !strcmp(text, "true") : one_of(text, go ? go_yes : yes, !go))
		*canonical = "true";
	else if (strict ? !strcmp(text, "false") : one_of(text, go ? go_no : no, !go))
		*canonical = "false";
	else
		return 0;
	return 1;
}

/* Go: [-+] then "0", or numbers each with a unit: 1h30m, 1.5s, 250ms. */
int duration_text(enum dialect dialect, const char *text)
{
	static const char *const units[] = {
		"ns", "us", "\302\265s", "\316\274s", "ms", "s", "m", "h", NULL};
	const char *s = text + (*text == '-' || *text == '+');

	if (dialect != DIALECT_COBRA)
		return 1;
	if (!strcmp(s, "0"))
		return 1;
	if (!*s)
		return 0;
	while (*s) {
		size_t n = strspn(s, "0123456789"), m = 0, unit = 0;
		int i = 0;

		s += n;
		if (*s == '.') {
			m = strspn(s + 1, "0123456789");
			s += m + 1;
		}
		if (n + m == 0)
			return 0;
		/* "m" must not hide "ms": the list has longer units first. */
		for (; units[i] && strncmp(s, units[i], strlen(units[i])) != 0; i++)
			;
		unit = units[i] ? strlen(units[i]) : 0;
		if (unit == 0)
			return 0;
		s += unit;
	}
	return 1;
}
