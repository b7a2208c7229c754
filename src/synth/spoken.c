/* spoken.c - see spoken.h. */
#include "synth/spoken.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "text/ground.h"

static const char *const below_twenty[] = {"zero", "one", "two", "three", "four", "five", "six",
	"seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
	"sixteen", "seventeen", "eighteen", "nineteen"};
static const char *const tens[] = {
	"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

static void spell_below_hundred(long n, struct buf *out)
{
	if (n < 20) {
		buf_adds(out, below_twenty[n]);
		return;
	}
	buf_adds(out, tens[n / 10]);
	if (n % 10)
		buf_addf(out, "-%s", below_twenty[n % 10]);
}

void number_spell(long n, int with_and, struct buf *out)
{
	if (n < 100) {
		spell_below_hundred(n, out);
		return;
	}
	if (n >= 1000000) {
		number_spell(n / 1000000, with_and, out);
		buf_adds(out, " million");
		n %= 1000000;
	} else if (n >= 1000) {
		number_spell(n / 1000, with_and, out);
		buf_adds(out, " thousand");
		n %= 1000;
	} else {
		buf_addf(out, "%s hundred", below_twenty[n / 100]);
		n %= 100;
	}
	if (n)
		buf_adds(out, with_and && n < 100 ? " and " : " ");
	if (n)
		number_spell(n, with_and, out);
}

/* How a unit is said that an argument is named after; the first is the name. */
static const char *const units[][4] = {{"seconds", "secs", "sec", "s"},
	{"milliseconds", "msecs", "millis", "ms"}, {"minutes", "mins", "min", NULL},
	{"hours", "hrs", "h", NULL}, {"days", NULL}, {"bytes", "B", NULL},
	{"kilobytes", "KB", "kB", NULL}, {"megabytes", "MB", "megs", NULL},
	{"gigabytes", "GB", "gigs", NULL}, {"lines", NULL}, {"times", NULL}, {"spaces", NULL},
	{"commits", NULL}};

static void add_unit(const struct argument *a, const char *value, struct rng *r, struct buf *out)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		unsigned n = 0;
		const char *unit;
		size_t len;

		if (strcasecmp(a->name, units[i][0]) != 0)
			continue;
		while (n < 4 && units[i][n])
			n++;
		unit = units[i][rng_below(r, 2) ? 0 : rng_below(r, n)];
		len = strlen(unit);
		if (!strcmp(value, "1") && len > 1 && unit[len - 1] == 's' && unit[len - 2] != 'm')
			len--; /* "1 second" */
		buf_addc(out, ' ');
		buf_add(out, unit, len);
		return;
	}
}

static void group_digits(const char *digits, char mark, struct buf *out)
{
	size_t n = strlen(digits);

	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_addc(out, mark);
		buf_addc(out, digits[i]);
	}
}

/* 8123 as "8,123" or "eight thousand one hundred twenty-three". */
static void speak_number(
	const struct argument *a, const char *value, int unit, struct rng *r, struct buf *out)
{
	size_t n = strlen(value);
	long number = strtol(value, NULL, 10);
	int round = number < 21 || number % 100 == 0 || (number < 100 && number % 10 == 0);

	if (n > 7 || rng_below(r, 100) >= (round ? 80 : n > 3 ? 15 : 40)) {
		if (n > 3 && rng_below(r, 4))
			group_digits(value, rng_below(r, 4) ? ',' : '_', out);
		else
			buf_adds(out, value);
	} else {
		number_spell(number, (int)rng_below(r, 2), out);
	}
	if (unit)
		add_unit(a, value, r, out);
}

/* 512MB as "512 MB" or "512-mb". */
static void speak_measure(const char *value, size_t number, struct rng *r, struct buf *out)
{
	uint32_t letters = rng_below(r, 3);

	buf_add(out, value, number);
	buf_addc(out, rng_below(r, 8) ? ' ' : '-');
	for (const char *c = value + number; *c; c++)
		buf_addc(out, (char)(letters == 1    ? toupper((unsigned char)*c)
				      : letters == 2 ? tolower((unsigned char)*c)
						     : *c));
}

static int is_unit(const char *text)
{
	size_t n = 0;

	while (isalpha((unsigned char)text[n]))
		n++;
	return n && !text[n];
}

int value_speak(
	const struct value_plan *p, const char *value, int unit, struct rng *r, struct buf *out)
{
	size_t digits = strspn(value, "0123456789"), number = strspn(value, "0123456789.");
	size_t len = strlen(value);

	buf_clear(out);
	if (!digits || p->argument->passthrough || p->kind == KIND_ACCEPTED)
		return 0;
	if (digits == len && (p->kind == KIND_INTEGER || p->kind == KIND_PORT ||
				     p->kind == KIND_NUMBER || p->kind == KIND_COUNT))
		speak_number(p->argument, value, unit, r, out);
	else if (number < len && is_unit(value + number) &&
		 (p->kind == KIND_SIZE || p->kind == KIND_DURATION || p->kind == KIND_POOL))
		speak_measure(value, number, r, out);
	else
		return 0;
	return strcmp(out->data, value) != 0 &&
	       ground_value(out->data, out->len, p->argument, value);
}
