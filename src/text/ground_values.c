#include "text/ground_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/value.h"
#include "text/ground.h"
#include "text/ground_internal.h"
#include "text/number_words.h"
#include "text/quantity.h"
#include "text/utf8.h"
#include "text/words.h"

/* Values as they are found. */
struct found {
	const struct grounding *g;
	const struct ground_want *want;
	const struct argument *argument;
	struct arena *arena;
	const char **values;
	size_t n, cap;
	int only_first;	    /* one is enough */
	int has_quantities; /* the request states some that the argument may be given as */
};

/* The next run of letters and digits, hashed in small letters; 0 at the end. */
static int next_run(const char *text, size_t len, size_t *at, uint64_t *hash)
{
	while (*at < len && (!byte_in_word((unsigned char)text[*at]) || text[*at] == '_'))
		++*at;
	if (*at >= len)
		return 0;
	*hash = FNV64_INIT;
	for (; *at < len && byte_in_word((unsigned char)text[*at]) && text[*at] != '_'; ++*at)
		*hash = hash_mix(*hash ^ byte_lower((unsigned char)text[*at]));
	return 1;
}

void grounding_init(struct grounding *g, const char *request, size_t len, const char *const *skip,
	size_t n_skip, struct arena *scratch)
{
	size_t at = 0;
	uint64_t hash;

	*g = (struct grounding){
		.request = request, .len = len, .skip = skip, .n_skip = n_skip, .scratch = scratch};
	g->n_said = numbers_in_words(request, len, g->said, sizeof g->said / sizeof *g->said);
	while (next_run(request, len, &at, &hash))
		g->pieces[hash >> 60] |= 1ull << (hash >> 54 & 63);
}

/* 0 where some run of the value is not in the request for sure. */
static int may_be_said(const struct grounding *g, const char *value)
{
	size_t len = strlen(value), at = 0;
	uint64_t hash;

	while (next_run(value, len, &at, &hash))
		if (!(g->pieces[hash >> 60] >> (hash >> 54 & 63) & 1))
			return 0;
	return 1;
}

int ground_fits(const struct ground_want *want, const char *text, struct arena *arena)
{
	char separator = want->piece->separator;

	if (separator && strchr(text, separator))
		return 0;
	return value_is_clean(text) && grammar_value_fits(want->grammar, want->piece, text, arena);
}

/* An item of a list has no other way of being said. */
static int is_skipped(const struct found *f, const char *text, size_t len)
{
	const struct grounding *g = f->g;

	if (f->want->piece->separator)
		return 0;
	for (size_t i = 0; i < g->n_skip; i++)
		if (strncmp(g->skip[i], text, len) == 0 && g->skip[i][len] == '\0')
			return 1;
	return 0;
}

static int enough(const struct found *f)
{
	return f->n >= (f->only_first ? 1 : GROUND_VALUES_MAX);
}

static void keep(struct found *f, const char *value)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : 16;
		const char **bigger = arena_alloc(f->arena, cap * sizeof *bigger);

		if (f->n)
			memcpy(bigger, f->values, f->n * sizeof *bigger);
		f->values = bigger;
		f->cap = cap;
	}
	f->values[f->n++] = arena_strdup(f->arena, value);
}

static int fits(const struct found *f, const char *value)
{
	int yes = ground_fits(f->want, value, f->g->scratch);

	arena_clear(f->g->scratch);
	return yes;
}

/* A value that is grounded for sure. */
static void offer(struct found *f, const char *text, size_t len)
{
	char value[GROUND_BYTES + 1];

	if (enough(f) || len == 0 || len > GROUND_BYTES || is_skipped(f, text, len))
		return;
	memcpy(value, text, len);
	value[len] = '\0';
	if (f->has_quantities && quantity_hides(f->argument, value) &&
		!ground_value(f->g->request, f->g->len, f->argument, value))
		return;
	if (fits(f, value))
		keep(f, value);
}

/* A value that may be. */
static void offer_if_grounded(struct found *f, const char *text)
{
	if (!enough(f) && ground_value(f->g->request, f->g->len, f->argument, text))
		offer(f, text, strlen(text));
}

size_t ground_listed_values(const struct grounding *g, const struct ground_want *want,
	struct arena *arena, const char ***values)
{
	const struct argument *a = want->piece->argument;
	struct found f = {.g = g, .want = want, .argument = a, .arena = arena};

	for (size_t i = 0; i < a->n_accepted; i++)
		offer_if_grounded(&f, a->accepted[i].value);
	/* Other values are named by their own words, and numbers are found elsewhere. */
	if (a->n_accepted == 0 && a->default_value && may_be_said(g, a->default_value))
		offer_if_grounded(&f, a->default_value);
	for (size_t i = 0; a->n_accepted == 0 && a->values && a->values[i]; i++)
		if (may_be_said(g, a->values[i]))
			offer_if_grounded(&f, a->values[i]);
	*values = f.values;
	return f.n;
}

/* What no value begins or ends with, unless it was quoted. */
static int is_edge_mark(unsigned char c)
{
	return c <= ' ' || strchr(",;!?'\"`", c) != NULL;
}

static int is_number_type(enum value_type type)
{
	return type == VALUE_INTEGER || type == VALUE_PORT || type == VALUE_NUMBER;
}

/* Most bytes cannot begin a number: cheaper than value_check(). */
static int may_begin(const struct argument *a, unsigned char c)
{
	if (is_edge_mark(c))
		return 0;
	return !is_number_type(a->type) || (c >= '0' && c <= '9') || c == '-' || c == '+' ||
	       c == '.' || c == 'i' || c == 'n' || c == 'I' || c == 'N';
}

/* All values that begin at a byte of the request. */
static void offer_from(struct found *f, size_t from)
{
	const char *text = f->g->request;
	size_t len = f->g->len;
	int words = 1;

	for (size_t to = from + 1; to <= len && to - from <= GROUND_BYTES && !enough(f); to++) {
		unsigned char last = (unsigned char)text[to - 1];

		if (last == ' ') {
			if (++words > GROUND_WORDS || is_number_type(f->argument->type))
				return;
			continue;
		}
		if (to < len && ((unsigned char)text[to] & 0xc0) == 0x80)
			continue;
		if (!is_edge_mark(last) && ground_bounded_right(text, len, to, last))
			offer(f, text + from, to - from);
	}
}

static void offer_literals(struct found *f)
{
	const char *text = f->g->request;

	for (size_t i = 0; i < f->g->len && !enough(f); i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c & 0xc0) != 0x80 && may_begin(f->argument, c) &&
			ground_bounded_left(text, i, c))
			offer_from(f, i);
	}
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 8,123 (or with another mark) as 8123: from is its first digit. */
static void offer_grouped(struct found *f, size_t from, size_t digits)
{
	const char *text = f->g->request;
	char plain[20];
	size_t n = digits, at = from + digits;

	if (digits > 3)
		return;
	memcpy(plain, text + from, digits);
	while (n + 3 < sizeof plain && at + 3 < f->g->len && strchr(",_. '", text[at]) &&
		is_digit(text[at + 1]) && is_digit(text[at + 2]) && is_digit(text[at + 3])) {
		memcpy(plain + n, text + at + 1, 3);
		n += 3;
		at += 4;
	}
	plain[n] = '\0';
	if (n > digits)
		offer_if_grounded(f, plain);
}

/* 512 MB as 512MB, also in capitals and in small letters. */
static void offer_with_unit(struct found *f, size_t from, size_t number)
{
	const char *text = f->g->request;
	size_t at = from + number, letters = 0;
	char whole[64];

	if (at < f->g->len && (text[at] == ' ' || text[at] == '-'))
		at++;
	while (at + letters < f->g->len && byte_in_word((unsigned char)text[at + letters]) &&
		!is_digit(text[at + letters]))
		letters++;
	if (letters == 0 || letters > 4 || number + letters >= sizeof whole)
		return;
	memcpy(whole, text + from, number);
	memcpy(whole + number, text + at, letters);
	whole[number + letters] = '\0';
	offer_if_grounded(f, whole);
	for (int upper = 0; upper < 2; upper++) {
		for (size_t i = number; i < number + letters; i++) {
			unsigned char c = byte_lower((unsigned char)whole[i]);

			whole[i] = (char)(upper && c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
		}
		offer_if_grounded(f, whole);
	}
}

/* Numbers that are written otherwise than the value. */
static void offer_numbers(struct found *f)
{
	const char *text = f->g->request;

	for (size_t i = 0; i < f->g->len && !enough(f); i++) {
		size_t digits = 0, number = 0;

		if (!is_digit(text[i]) || (i > 0 && is_digit(text[i - 1])))
			continue;
		while (i + digits < f->g->len && is_digit(text[i + digits]))
			digits++;
		while (i + number < f->g->len &&
			(is_digit(text[i + number]) || text[i + number] == '.'))
			number++;
		offer_grouped(f, i, digits);
		if (!is_number_type(f->argument->type) && number < 32)
			offer_with_unit(f, i, number);
	}
	for (size_t i = 0; i < f->g->n_said && !enough(f); i++) {
		char plain[24];

		snprintf(plain, sizeof plain, "%ld", f->g->said[i]);
		offer_if_grounded(f, plain);
	}
}

/* What quantities come to. */
static void offer_quantities(struct found *f)
{
	struct quantity quantities[QUANTITIES_MAX];
	char text[QUANTITY_TEXT_MAX];
	size_t n = quantities_find(f->argument, f->g->request, f->g->len, quantities);

	f->has_quantities = n > 0;
	for (size_t i = 0; i < n; i++)
		if (quantity_value(f->argument, &quantities[i], text))
			offer(f, text, strlen(text));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_free(struct found *f)
{
	if (f->argument->n_accepted || f->argument->type == VALUE_BOOLEAN)
		return;
	offer_quantities(f);
	offer_literals(f);
	offer_numbers(f);
	/* An empty value is said by a pair of quotes. */
	if (!enough(f) && ground_value(f->g->request, f->g->len, f->argument, "") &&
		!is_skipped(f, "", 0) && fits(f, ""))
		keep(f, "");
}

size_t ground_free_values(const struct grounding *g, const struct ground_want *want,
	struct arena *arena, const char ***values)
{
	struct found f = {.g = g, .want = want, .argument = want->piece->argument, .arena = arena};
	size_t n = 0;

	find_free(&f);
	if (f.n)
		qsort(f.values, f.n, sizeof *f.values, by_text);
	for (size_t i = 0; i < f.n; i++)
		if (n == 0 || strcmp(f.values[i], f.values[n - 1]) != 0)
			f.values[n++] = f.values[i];
	*values = f.values;
	return n;
}

const char *ground_first_free_value(
	const struct grounding *g, const struct ground_want *want, struct arena *arena)
{
	struct found f = {.g = g,
		.want = want,
		.argument = want->piece->argument,
		.arena = arena,
		.only_first = 1};

	find_free(&f);
	return f.n ? f.values[0] : NULL;
}
