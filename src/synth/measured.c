/* measured.c - see measured.h. */
#include "synth/measured.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "synth/spoken.h"
#include "text/quantity.h"

/* How a unit is said; the first is the whole word, in the plural. */
static const char *const said_units[UNIT_COUNT][4] = {
	[UNIT_MILLISECONDS] = {"milliseconds", "ms", "msecs", NULL},
	[UNIT_SECONDS] = {"seconds", "secs", "sec", "s"},
	[UNIT_MINUTES] = {"minutes", "mins", "min", NULL},
	[UNIT_HOURS] = {"hours", "hrs", "h", NULL},
	[UNIT_DAYS] = {"days", NULL},
	[UNIT_WEEKS] = {"weeks", NULL},
	[UNIT_BYTES] = {"bytes", NULL},
	[UNIT_KIBIBYTES] = {"kilobytes", "KB", "kB", "K"},
	[UNIT_MEBIBYTES] = {"megabytes", "megs", "MB", "M"},
	[UNIT_GIBIBYTES] = {"gigabytes", "gigs", "GB", "G"},
	[UNIT_TEBIBYTES] = {"terabytes", "TB", NULL}};

/* What people say of sizes is counted as the argument counts them. */
static int is_said(enum unit unit)
{
	return said_units[unit][0] != NULL;
}

/* The smallest unit of an argument. */
static enum unit smallest(const struct argument *a)
{
	enum unit unit = a->units->unit;

	for (size_t i = 1; i < a->n_units; i++)
		if (unit_factor(a->units[i].unit) < unit_factor(unit))
			unit = a->units[i].unit;
	return unit;
}

static int in_range(const struct argument *a, const char *value)
{
	double number = strtod(value, NULL);

	if (a->type == VALUE_INTEGER && strchr(value, '.'))
		return 0;
	return !(a->has_minimum && number < a->minimum) && !(a->has_maximum && number > a->maximum);
}

int measure_draw(const struct argument *a, struct rng *r, struct buf *out)
{
	static const short amounts[] = {1, 2, 3, 4, 5, 10, 12, 15, 20, 30, 45, 60, 90, 100};
	static const short sizes[] = {1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 256, 512};
	struct quantity q = {.colloquial = 1};
	char value[QUANTITY_TEXT_MAX];
	int64_t most;
	int size;

	if (!a->n_units)
		return 0;
	size = unit_is_size(a->units->unit);
	/* Nobody counts weeks in seconds. */
	most = unit_factor(smallest(a)) * (size ? 1 << 30 : 3600);
	do
		q.unit = (enum unit)rng_below(r, UNIT_COUNT);
	while (!is_said(q.unit) || unit_is_size(q.unit) != size || unit_factor(q.unit) > most ||
		unit_factor(q.unit) * 1000 < unit_factor(smallest(a)) ||
		(q.unit == UNIT_BYTES && a->n_units > 1 && rng_below(r, 16)));
	q.kind = size ? QUANTITY_SIZE : QUANTITY_TIME;
	q.colloquial = size && q.unit != UNIT_BYTES;
	q.milli = rng_below(r, 8) == 0 ? 500
		  : size	       ? 1000 * sizes[rng_below(r, sizeof sizes / sizeof *sizes)]
			 : 1000 * amounts[rng_below(r, sizeof amounts / sizeof *amounts)];
	if (!quantity_value(a, &q, value) || !in_range(a, value))
		return 0;
	buf_adds(out, value);
	return 1;
}

/* Thousandths of nanoseconds or bytes that a value stands for; 0: it is no amount. */
static int64_t total_of(const struct argument *a, const char *value)
{
	size_t digits = strspn(value, "0123456789"), decimals = 0;
	int64_t total = 0, milli;

	if (digits == 0 || digits > 12)
		return 0;
	milli = 1000 * strtoll(value, NULL, 10);
	if (value[digits] == '.')
		decimals = strspn(value + digits + 1, "0123456789") + 1;
	if (decimals > QUANTITY_DECIMALS + 1)
		return 0;
	for (size_t i = 1, place = 100; i < decimals; i++, place /= 10)
		milli += (int64_t)place * (value[digits + i] - '0');
	for (size_t i = 0; i < a->n_units; i++)
		if (!strcmp(value + digits + decimals, a->units[i].suffix) &&
			!__builtin_mul_overflow(milli, unit_factor(a->units[i].unit), &total))
			return total;
	return 0;
}

static const char *article(const char *word)
{
	return *word == 'h' && word[1] == 'o' ? "an" : "a";
}

/* "minute": the whole word, for one. */
static void add_one(enum unit unit, struct buf *out)
{
	const char *word = said_units[unit][0];

	buf_add(out, word, strlen(word) - 1);
}

static void add_unit(enum unit unit, int many, int digits, struct rng *r, struct buf *out)
{
	unsigned n = 0;
	const char *word;

	while (n < 4 && said_units[unit][n])
		n++;
	do
		word = said_units[unit][rng_below(r, 2) ? 0 : rng_below(r, n)];
	while (!word[1] && !digits);
	if (digits && strlen(word) <= 2 && rng_below(r, 2)) {
		buf_adds(out, word);
		return;
	}
	buf_addc(out, ' ');
	buf_add(out, word,
		strlen(word) - (!many && strlen(word) > 2 && word[strlen(word) - 1] == 's'));
}

static void add_whole(enum unit unit, long n, struct rng *r, struct buf *out)
{
	int round = n <= 12 || (n < 100 && n % 10 == 0) || n == 15 || n == 100;

	if (n == 1 && rng_below(r, 2)) {
		buf_addf(out, "%s ", article(said_units[unit][0]));
		add_one(unit, out);
	} else if (round && rng_below(r, 100) < 55) {
		number_spell(n, 0, out);
		add_unit(unit, n != 1, 0, r, out);
	} else {
		buf_addf(out, "%ld", n);
		add_unit(unit, n != 1, 1, r, out);
	}
}

/* Quarters of a unit, 1 to 3 beyond a whole number. */
static void add_quarters(enum unit unit, long whole, int quarters, struct rng *r, struct buf *out)
{
	const char *a = article(said_units[unit][0]);

	if (whole == 0) {
		buf_addf(out,
			quarters == 2	? "half %s "
			: quarters == 1 ? "a quarter of %s "
					: "three quarters of %s ",
			a);
		add_one(unit, out);
	} else if (quarters == 2 && whole == 1 && rng_below(r, 2)) {
		buf_addf(out, "%s ", a);
		add_one(unit, out);
		buf_adds(out, " and a half");
	} else if (quarters == 2 && rng_below(r, 2)) {
		number_spell(whole, 0, out);
		buf_adds(out, " and a half");
		add_unit(unit, 1, 0, r, out);
	} else {
		buf_addf(out, quarters == 2 ? "%ld.5" : quarters == 1 ? "%ld.25" : "%ld.75", whole);
		add_unit(unit, 1, 1, r, out);
	}
}

/* The amount of a unit that comes to the value, in quarters; 0: none that is said. */
static long quarters_of(const struct argument *a, const char *value, enum unit unit)
{
	int size = unit_is_size(unit), colloquial = size && unit != UNIT_BYTES;
	struct quantity q = {.kind = size ? QUANTITY_SIZE : QUANTITY_TIME,
		.unit = unit,
		.colloquial = colloquial};
	int64_t total = total_of(a, value);
	char text[QUANTITY_TEXT_MAX];

	/* 1000s or 1024s: as the argument counts. */
	for (int decimal = 0; decimal <= colloquial && total > 0; decimal++) {
		enum unit counted =
			decimal ? (enum unit)(unit - UNIT_KIBIBYTES + UNIT_KILOBYTES) : unit;
		int64_t quarter = 250 * unit_factor(counted);

		q.milli = total / quarter * 250;
		/* Halves are said of few. */
		if (total % quarter || q.milli > 999000 || (q.milli % 1000 && q.milli > 12000))
			continue;
		if (quantity_value(a, &q, text) && strcmp(text, value) == 0)
			return (long)(q.milli / 250);
	}
	return 0;
}

int measure_speak(const struct argument *a, const char *value, struct rng *r, struct buf *out)
{
	enum unit units[UNIT_COUNT], unit;
	long quarters[UNIT_COUNT];
	unsigned n = 0;

	for (unit = 0; unit < UNIT_COUNT && a->n_units; unit++) {
		if (!is_said(unit) || unit_is_size(unit) != unit_is_size(a->units->unit))
			continue;
		quarters[n] = quarters_of(a, value, unit);
		units[n] = unit;
		n += quarters[n] > 0;
	}
	if (!n)
		return 0;
	n = rng_below(r, n);
	if (quarters[n] % 4)
		add_quarters(units[n], quarters[n] / 4, (int)(quarters[n] % 4), r, out);
	else
		add_whole(units[n], quarters[n] / 4, r, out);
	return 1;
}

size_t measure_tail(const struct argument *a, const char *phrase)
{
	for (size_t i = 0; i < a->n_units; i++) {
		const char *name = unit_names[a->units[i].unit];
		size_t n = strlen(name);

		if (*a->units[i].suffix || *phrase != ' ')
			continue;
		if (!strncasecmp(phrase + 1, name, n) && !isalnum((unsigned char)phrase[1 + n]))
			return 1 + n;
	}
	return 0;
}
