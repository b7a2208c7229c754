/* quantity.c - see quantity.h. */
#include "text/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/number_words.h"
#include "text/words.h"

enum {
	MILLI = 1000,
	DIGITS_MAX = 12
};

/* Where reading is. */
struct reader {
	const char *text;
	size_t len, at;
};

struct amount {
	int64_t milli;
	int digits;  /* it was written in digits */
	int special; /* a word of quantity was in it: a dozen, a million */
};

static int is_digit(const struct reader *r, size_t at)
{
	return at < r->len && r->text[at] >= '0' && r->text[at] <= '9';
}

static int is_letter(const struct reader *r, size_t at)
{
	unsigned char c = at < r->len ? byte_lower((unsigned char)r->text[at]) : 0;

	return c >= 'a' && c <= 'z';
}

/* Letters from at on; their number. */
static size_t letters_at(const struct reader *r, size_t at)
{
	size_t n = 0;

	while (is_letter(r, at + n))
		n++;
	return n;
}

static size_t skip_gap(const struct reader *r, size_t at)
{
	if (at < r->len && r->text[at] == '-')
		return at + 1;
	while (at < r->len && r->text[at] == ' ')
		at++;
	return at;
}

/* Takes the words, parted by gaps, where they come next, behind a gap too. */
static int take(struct reader *r, const char *words)
{
	size_t at = r->at;

	while (*words) {
		size_t n = strcspn(words, " ");

		at = skip_gap(r, at);
		if (letters_at(r, at) != n || strncasecmp(r->text + at, words, n) != 0)
			return 0;
		if (at + n < r->len && byte_in_word((unsigned char)r->text[at + n]))
			return 0;
		at += n;
		words += n + (words[n] == ' ');
	}
	r->at = at;
	return 1;
}

/* 8,123 or 1.5, at most three decimals. */
static int read_digits(struct reader *r, int64_t *milli)
{
	size_t at = r->at, n = 0, group;
	int64_t value = 0;
	int place = MILLI;

	for (; is_digit(r, at) && n < DIGITS_MAX; at++, n++)
		value = value * 10 + (r->text[at] - '0');
	if (n == 0 || is_digit(r, at))
		return 0;
	for (group = n; group <= 3 && at < r->len && r->text[at] == ',' && is_digit(r, at + 1) &&
			is_digit(r, at + 2) && is_digit(r, at + 3) && !is_digit(r, at + 4) &&
			n + 3 <= DIGITS_MAX;
		at += 4, n += 3, group = 3)
		for (size_t i = 1; i <= 3; i++)
			value = value * 10 + (r->text[at + i] - '0');
	value *= MILLI;
	if (at < r->len && r->text[at] == '.' && is_digit(r, at + 1))
		for (at++; is_digit(r, at); at++) {
			place /= 10;
			if (place == 0)
				return 0;
			value += place * (r->text[at] - '0');
		}
	r->at = at;
	*milli = value;
	return 1;
}

static void take_article(struct reader *r)
{
	take(r, "of");
	if (!take(r, "an"))
		take(r, "a");
}

/* "half a", "a quarter of an", "a couple of", "a", "two", "three quarters of a". */
static int read_words(struct reader *r, struct amount *a)
{
	long number;
	size_t end;
	int article = take(r, "a") || take(r, "an");

	if (take(r, "half"))
		a->milli = MILLI / 2;
	else if (take(r, "quarter"))
		a->milli = MILLI / 4;
	if (a->milli) {
		take_article(r);
		return 1;
	}
	a->milli = MILLI;
	if (article && take(r, "couple")) {
		a->milli = 2 * MILLI;
		a->special = 1;
		take(r, "of");
		return 1;
	}
	if (article)
		return 1;
	if (take(r, "dozen")) {
		a->milli = 12 * MILLI;
		a->special = 1;
		return 1;
	}
	if (!number_words_at(r->text, r->len, r->at, &end, &number))
		return 0;
	r->at = end;
	a->milli = number * MILLI;
	if (take(r, "quarters")) {
		a->milli = number * MILLI / 4;
		take_article(r);
	}
	return 1;
}

static int read_amount(struct reader *r, struct amount *a)
{
	*a = (struct amount){0};
	a->digits = is_digit(r, r->at);
	if (a->digits ? !read_digits(r, &a->milli) : !read_words(r, a))
		return 0;
	if (take(r, "dozen")) {
		a->milli *= 12;
		a->special = 1;
	} else if (a->digits && take(r, "thousand")) {
		a->milli *= 1000;
		a->special = 1;
	} else if (a->digits && take(r, "million")) {
		a->milli *= 1000000;
		a->special = 1;
	}
	if (take(r, "and a half"))
		a->milli += MILLI / 2;
	else if (take(r, "and a quarter"))
		a->milli += MILLI / 4;
	return a->milli <= (int64_t)1 << 50;
}

struct unit_word {
	const char *word; /* another s may follow where it is long */
	enum unit unit;
	int colloquial;
};

static const struct unit_word time_words[] = {{"ns", UNIT_NANOSECONDS, 0},
	{"nanosecond", UNIT_NANOSECONDS, 0}, {"us", UNIT_MICROSECONDS, 0},
	{"microsecond", UNIT_MICROSECONDS, 0}, {"ms", UNIT_MILLISECONDS, 0},
	{"msec", UNIT_MILLISECONDS, 0}, {"milli", UNIT_MILLISECONDS, 0},
	{"millisecond", UNIT_MILLISECONDS, 0}, {"s", UNIT_SECONDS, 0}, {"sec", UNIT_SECONDS, 0},
	{"second", UNIT_SECONDS, 0}, {"m", UNIT_MINUTES, 0}, {"min", UNIT_MINUTES, 0},
	{"minute", UNIT_MINUTES, 0}, {"h", UNIT_HOURS, 0}, {"hr", UNIT_HOURS, 0},
	{"hour", UNIT_HOURS, 0}, {"d", UNIT_DAYS, 0}, {"day", UNIT_DAYS, 0}, {"w", UNIT_WEEKS, 0},
	{"week", UNIT_WEEKS, 0}, {NULL, UNIT_COUNT, 0}};

static const struct unit_word size_words[] = {{"b", UNIT_BYTES, 0}, {"byte", UNIT_BYTES, 0},
	{"k", UNIT_KIBIBYTES, 1}, {"kb", UNIT_KIBIBYTES, 1}, {"kbyte", UNIT_KIBIBYTES, 1},
	{"kilobyte", UNIT_KIBIBYTES, 1}, {"m", UNIT_MEBIBYTES, 1}, {"mb", UNIT_MEBIBYTES, 1},
	{"meg", UNIT_MEBIBYTES, 1}, {"mbyte", UNIT_MEBIBYTES, 1}, {"megabyte", UNIT_MEBIBYTES, 1},
	{"g", UNIT_GIBIBYTES, 1}, {"gb", UNIT_GIBIBYTES, 1}, {"gig", UNIT_GIBIBYTES, 1},
	{"gbyte", UNIT_GIBIBYTES, 1}, {"gigabyte", UNIT_GIBIBYTES, 1}, {"t", UNIT_TEBIBYTES, 1},
	{"tb", UNIT_TEBIBYTES, 1}, {"terabyte", UNIT_TEBIBYTES, 1}, {"kib", UNIT_KIBIBYTES, 0},
	{"kibibyte", UNIT_KIBIBYTES, 0}, {"mib", UNIT_MEBIBYTES, 0},
	{"mebibyte", UNIT_MEBIBYTES, 0}, {"gib", UNIT_GIBIBYTES, 0},
	{"gibibyte", UNIT_GIBIBYTES, 0}, {"tib", UNIT_TEBIBYTES, 0},
	{"tebibyte", UNIT_TEBIBYTES, 0}, {NULL, UNIT_COUNT, 0}};

/* What would make something else of a unit before it: a path, an address. */
static int goes_on(const struct reader *r, size_t at)
{
	unsigned char c = at < r->len ? (unsigned char)r->text[at] : ' ';

	if (c == '.')
		return at + 1 < r->len && byte_in_word((unsigned char)r->text[at + 1]);
	return (byte_in_word(c) && !is_digit(r, at)) || strchr("/:@=_\\", c) != NULL;
}

/* The unit behind an amount; one letter means one only behind digits. */
static const struct unit_word *read_unit(struct reader *r, enum quantity_kind kind, int digits)
{
	const struct unit_word *w = kind == QUANTITY_TIME ? time_words : size_words;
	size_t at = skip_gap(r, r->at), n = letters_at(r, at);

	if (n == 0 || (n == 1 && !digits) || (at == r->at && !digits) || goes_on(r, at + n))
		return NULL;
	for (; w->word; w++) {
		size_t m = strlen(w->word);
		int plural =
			n == m + 1 && m >= 2 && byte_lower((unsigned char)r->text[at + m]) == 's';

		if ((n == m || plural) && strncasecmp(r->text + at, w->word, m) == 0)
			break;
	}
	if (!w->word)
		return NULL;
	r->at = at + n;
	return w;
}

/* "1 hour, 30 minutes", "1h30m": what comes behind a unit, in smaller and smaller ones. */
static void read_more(struct reader *r, struct quantity *q)
{
	enum unit last = q->unit;

	for (;;) {
		struct reader ahead = *r;
		const struct unit_word *w;
		struct amount a;
		int64_t part;

		if (ahead.at < ahead.len && ahead.text[ahead.at] == ',')
			ahead.at++;
		take(&ahead, "and");
		ahead.at = skip_gap(&ahead, ahead.at);
		if (!read_amount(&ahead, &a))
			return;
		w = read_unit(&ahead, q->kind, a.digits);
		if (!w || unit_factor(w->unit) >= unit_factor(last) ||
			__builtin_mul_overflow(a.milli, unit_factor(w->unit), &part) ||
			__builtin_add_overflow(q->more, part / MILLI, &q->more))
			return;
		last = w->unit;
		*r = ahead;
	}
}

static int read_quantity(struct reader *r, enum quantity_kind kind, struct quantity *q)
{
	const struct unit_word *w;
	struct amount a;

	if (!read_amount(r, &a))
		return 0;
	*q = (struct quantity){.kind = kind, .milli = a.milli};
	if (kind == QUANTITY_COUNT) {
		if (a.digits && !a.special && r->at < r->len && (r->text[r->at] | 0x20) == 'k' &&
			!goes_on(r, r->at + 1) && !is_digit(r, r->at + 1)) {
			q->milli *= 1000;
			r->at++;
			return 1;
		}
		return a.special && q->milli % MILLI == 0;
	}
	w = read_unit(r, kind, a.digits);
	if (!w)
		return 0;
	q->unit = w->unit;
	q->colloquial = w->colloquial;
	if (take(r, "and a half"))
		q->milli += MILLI / 2;
	else if (take(r, "and a quarter"))
		q->milli += MILLI / 4;
	if (kind == QUANTITY_TIME)
		read_more(r, q);
	return !is_digit(r, r->at);
}

static int may_begin(const struct reader *r)
{
	unsigned char before = r->at ? (unsigned char)r->text[r->at - 1] : ' ';

	if (!is_digit(r, r->at) && !is_letter(r, r->at))
		return 0;
	return !byte_in_word(before) && !strchr("./-:@+\\", before) &&
	       !(before == ',' && r->at > 1 && is_digit(r, r->at - 2) && is_digit(r, r->at));
}

/* Appends those of a kind that do not lie within one of those before them. */
static size_t find_kind(const char *text, size_t len, enum quantity_kind kind,
	struct quantity *quantities, size_t n)
{
	struct reader r = {text, len, 0};
	size_t before = n;

	while (r.at < len && n < QUANTITIES_MAX) {
		size_t from = r.at;
		int covered = 0;

		for (size_t i = 0; i < before && !covered; i++)
			covered = from >= quantities[i].from && from < quantities[i].to;
		if (!covered && may_begin(&r) && read_quantity(&r, kind, &quantities[n])) {
			quantities[n].from = from;
			quantities[n++].to = r.at;
		} else {
			r.at = from + 1;
		}
	}
	return n;
}

size_t quantities_find(const struct argument *a, const char *text, size_t len,
	struct quantity quantities[QUANTITIES_MAX])
{
	size_t n = 0;

	if (a->n_accepted)
		return 0;
	if (a->n_units)
		n = find_kind(text, len,
			unit_is_size(a->units->unit) ? QUANTITY_SIZE : QUANTITY_TIME, quantities,
			n);
	if (a->type == VALUE_INTEGER || a->type == VALUE_NUMBER)
		n = find_kind(text, len, QUANTITY_COUNT, quantities, n);
	return n;
}

static int counts_decimally(const struct argument *a)
{
	for (size_t i = 0; i < a->n_units; i++)
		if (a->units[i].unit >= UNIT_KILOBYTES && a->units[i].unit <= UNIT_TERABYTES)
			return 1;
	return 0;
}

/* In thousandths of nanoseconds or bytes. */
static int total_of(const struct quantity *q, enum unit unit, int64_t *total)
{
	int64_t more;

	return !__builtin_mul_overflow(q->milli, unit_factor(unit), total) &&
	       !__builtin_mul_overflow(q->more, MILLI, &more) &&
	       !__builtin_add_overflow(*total, more, total);
}

/* The best unit in which the total is whole; NULL: none. */
static const struct unit_suffix *choose(const struct argument *a, enum unit said, int64_t total)
{
	const struct unit_suffix *best = NULL, *over = NULL;

	for (size_t i = 0; i < a->n_units; i++) {
		const struct unit_suffix *u = &a->units[i];
		int64_t factor = unit_factor(u->unit);

		if (total % MILLI || total / MILLI % factor)
			continue;
		if (factor <= unit_factor(said)) {
			if (!best || factor > unit_factor(best->unit))
				best = u;
		} else if (!over || factor < unit_factor(over->unit)) {
			over = u;
		}
	}
	return best ? best : over;
}

/* 1500 thousandths as 1.5. */
static void write_milli(int64_t milli, char value[QUANTITY_TEXT_MAX])
{
	int n = snprintf(
		value, QUANTITY_TEXT_MAX, "%" PRId64 ".%03d", milli / MILLI, (int)(milli % MILLI));

	while (value[n - 1] == '0')
		value[--n] = '\0';
	if (value[n - 1] == '.')
		value[n - 1] = '\0';
}

int quantity_value(
	const struct argument *a, const struct quantity *q, char value[QUANTITY_TEXT_MAX])
{
	enum unit said = q->unit;
	const struct unit_suffix *u;
	int64_t total;

	if (q->kind == QUANTITY_COUNT) {
		write_milli(q->milli, value);
		return 1;
	}
	if (q->colloquial && counts_decimally(a))
		said = (enum unit)(said - UNIT_KIBIBYTES + UNIT_KILOBYTES);
	if (!total_of(q, said, &total))
		return 0;
	u = choose(a, said, total);
	if (u) {
		snprintf(value, QUANTITY_TEXT_MAX, "%" PRId64 "%s",
			total / MILLI / unit_factor(u->unit), u->suffix);
		return 1;
	}
	u = a->units;
	if (a->type != VALUE_NUMBER || a->n_units != 1 || *u->suffix ||
		total % unit_factor(u->unit))
		return 0;
	write_milli(total / unit_factor(u->unit), value);
	return 1;
}

int quantity_hides(const struct argument *a, const char *value)
{
	return value[0] && value[strspn(value, "0123456789.")] == '\0' &&
	       (a->n_units || a->type == VALUE_INTEGER || a->type == VALUE_NUMBER);
}
