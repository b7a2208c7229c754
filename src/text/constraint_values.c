/*
 * constraint_values.c - what a request has for an argument: its spans, the values that
 * the spec lists, and what is spelled.
 */
#include <string.h>

#include "base/hash.h"
#include "cli/value.h"
#include "text/answer.h"
#include "text/constraint_internal.h"
#include "text/ground.h"
#include "text/span_suits.h"

struct ground_want want_of(const struct walk *w, const struct grammar_piece *piece)
{
	return (struct ground_want){w->c->grammar, piece};
}

/* 1 where the same values fit both pieces. */
static int ask_alike(const struct grammar_piece *a, const struct grammar_piece *b)
{
	return a->argument == b->argument && a->dash == b->dash && a->separator == b->separator &&
	       a->lone_dash == b->lone_dash && a->not_empty == b->not_empty &&
	       a->as_operand == b->as_operand && a->no_command == b->no_command &&
	       (a->command == b->command || (!a->as_operand && !a->no_command));
}

static struct known_values *known_of(struct walk *w, const struct grammar_piece *piece)
{
	uint64_t key = hash_mix((uint64_t)(uintptr_t)piece->argument ^ (uint64_t)piece->dash) >> 1;

	for (;; key++) {
		uint64_t *at = map64_put(&w->known_index, key);
		struct known_values *k = (struct known_values *)(uintptr_t)*at;

		if (k && !ask_alike(k->piece, piece))
			continue;
		if (k)
			return k;
		k = arena_zalloc(&w->arena, sizeof *k);
		k->piece = piece;
		*at = (uint64_t)(uintptr_t)k;
		return k;
	}
}

int is_stated(const struct walk *w, const struct argument *argument, const char *value)
{
	return !w->c->ground ||
	       ground_value(w->grounding.request, w->grounding.len, argument, value);
}

/* Which spans are values of an argument.  Where some of them look like its type, those
 * that do not are left out.  A span within a longer word (:none:) is not stated. */
static void find_fits(struct walk *w, const struct grammar_piece *piece, struct known_values *known)
{
	const unsigned types = spans_suiting(piece->argument->type);
	int suited = 0;

	for (size_t k = 0; k < w->n_spans; k++) {
		const char *text = w->span_texts[k];

		known->fits[k] = (unsigned char)(value_is_clean(text) &&
						 grammar_value_fits(w->c->grammar, piece, text,
							 &w->c->arena_checks) &&
						 is_stated(w, piece->argument, text));
		arena_clear(&w->c->arena_checks);
		suited |= known->fits[k] && w->span_types[k] & types;
	}
	for (size_t k = 0; k < w->n_spans && suited; k++)
		known->fits[k] &= (w->span_types[k] & types) != 0;
	known->has_fits = 1;
}

int span_fits(struct walk *w, const struct grammar_piece *piece, size_t k)
{
	struct known_values *known = known_of(w, piece);

	if (!known->has_fits)
		find_fits(w, piece, known);
	return known->fits[k];
}

int span_is_open(const struct walk *w, uint32_t used, size_t k)
{
	if (used >> k & 1)
		return 0;
	for (size_t i = 0; i < k; i++)
		if (!(used >> i & 1) && strcmp(w->span_texts[i], w->span_texts[k]) == 0)
			return 0;
	return 1;
}

int has_open_span(const struct walk *w, uint32_t used, const char *text)
{
	for (size_t k = 0; k < w->n_spans; k++)
		if (!(used >> k & 1) && strcmp(w->span_texts[k], text) == 0)
			return 1;
	return 0;
}

/* Leaves those values that can be said; their number. */
static size_t keep_spelled(const struct constraint *c, const char **values, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (can_spell(c, values[i]))
			values[kept++] = values[i];
	return kept;
}

static void find_listed(
	struct walk *w, const struct grammar_piece *piece, struct known_values *known)
{
	struct ground_want want = want_of(w, piece);
	const struct argument *a = piece->argument;

	if (w->c->ground) {
		known->n_listed =
			ground_listed_values(&w->grounding, &want, &w->arena, &known->listed);
	} else if (a->n_accepted) {
		known->listed = arena_alloc(&w->arena, a->n_accepted * sizeof *known->listed);
		for (size_t i = 0; i < a->n_accepted; i++)
			if (ground_fits(&want, a->accepted[i].value, &w->c->arena_checks))
				known->listed[known->n_listed++] = a->accepted[i].value;
	}
	known->n_listed = keep_spelled(w->c, known->listed, known->n_listed);
	known->has_listed = 1;
}

size_t listed_values(struct walk *w, const struct grammar_piece *piece, const char ***values)
{
	struct known_values *known = known_of(w, piece);

	if (!known->has_listed)
		find_listed(w, piece, known);
	*values = known->listed;
	return known->n_listed;
}

static size_t stated_values(struct walk *w, const struct grammar_piece *piece, const char ***values)
{
	struct known_values *known = known_of(w, piece);
	struct ground_want want = want_of(w, piece);

	if (!known->has_stated) {
		known->n_stated =
			ground_free_values(&w->grounding, &want, &w->arena, &known->stated);
		known->n_stated = keep_spelled(w->c, known->stated, known->n_stated);
		known->has_stated = 1;
	}
	*values = known->stated;
	return known->n_stated;
}

static const char *first_stated(struct walk *w, const struct grammar_piece *piece)
{
	struct known_values *known = known_of(w, piece);
	struct ground_want want = want_of(w, piece);
	const char **values;

	if (known->has_first_stated)
		return known->first_stated;
	known->first_stated = ground_first_free_value(&w->grounding, &want, &w->arena);
	if (known->first_stated && !can_spell(w->c, known->first_stated))
		known->first_stated = stated_values(w, piece, &values) ? values[0] : NULL;
	known->has_first_stated = 1;
	return known->first_stated;
}

int32_t value_token(struct walk *w, const struct grammar_piece *piece, const char *value)
{
	struct constraint *c = w->c;
	struct buf quoted = {0};

	if (!c->has_tokens || piece->separator)
		return -1;
	json_word(value, strlen(value), &quoted);
	buf_clear(&c->text);
	buf_add(&c->text, piece->text, piece->len);
	buf_adds(&c->text, quoted.data + (piece->inside ? 1 : 0));
	buf_release(&quoted);
	return tokenizer_id(c->prompter->tokenizer, c->text.data);
}

int is_free(const struct walk *w, const struct grammar_piece *piece)
{
	return !w->c->ground && !piece->argument->n_accepted;
}

static int is_among(const char *value, const char *const *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(values[i], value) == 0)
			return 1;
	return 0;
}

int is_said_otherwise(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, const char *value)
{
	const char **listed;
	size_t n;

	if (has_open_span(w, used, value))
		return 1;
	if (value_token(w, piece, value) < 0)
		return 0;
	n = listed_values(w, piece, &listed);
	return is_among(value, listed, n);
}

const char *first_content(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, int *alone)
{
	const char **values[2] = {NULL, NULL}, *first;
	size_t n[2] = {listed_values(w, piece, &values[0]), 0};

	*alone = 1;
	for (size_t i = 0; i < n[0]; i++)
		if (!is_said_otherwise(w, piece, used, values[0][i]))
			return values[0][i];
	if (w->c->ground && !piece->separator) {
		first = first_stated(w, piece);
		if (!first || !is_said_otherwise(w, piece, used, first))
			return first;
	}
	if (w->c->ground)
		n[1] = stated_values(w, piece, &values[1]);
	for (size_t i = 0; i < n[1]; i++)
		if (!is_said_otherwise(w, piece, used, values[1][i]))
			return values[1][i];
	*alone = 0;
	first = n[0] ? values[0][0] : n[1] ? values[1][0] : NULL;
	return piece->separator ? first : NULL;
}

int has_content(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	int alone;

	return is_free(w, piece) || first_content(w, piece, used, &alone);
}

static struct content content_of(
	struct walk *w, const struct grammar_piece *piece, const char *value)
{
	struct content c = {.value = value};
	struct buf quoted = {0};
	struct symbols s = content_symbols(w, value, &quoted);
	char separator[2] = {piece->separator, '\0'};

	c.closed = symbols_join(&w->arena, s, w->c->quote);
	c.closed_plain = arena_strndup(&w->arena, quoted.data + 1, quoted.len - 1);
	if (separator[0]) {
		quoted.data[quoted.len - 1] = separator[0];
		c.more = symbols_join(&w->arena, s, text_symbols(w->c, &w->arena, separator, 1, 1));
		c.more_plain = arena_strndup(&w->arena, quoted.data + 1, quoted.len - 1);
	}
	buf_release(&quoted);
	return c;
}

const struct known_values *contents_of(struct walk *w, const struct grammar_piece *piece)
{
	struct known_values *known = known_of(w, piece);
	const char **listed, **stated = NULL;
	size_t n_listed, n_stated = 0;

	if (known->has_contents)
		return known;
	n_listed = listed_values(w, piece, &listed);
	if (w->c->ground)
		n_stated = stated_values(w, piece, &stated);
	known->contents =
		arena_alloc(&w->arena, (n_listed + n_stated + 1) * sizeof *known->contents);
	for (size_t i = 0; i < n_listed; i++)
		if (!is_among(listed[i], stated, n_stated))
			known->contents[known->n_contents++] = content_of(w, piece, listed[i]);
	for (size_t i = 0; i < n_stated; i++)
		known->contents[known->n_contents++] = content_of(w, piece, stated[i]);
	known->has_contents = 1;
	return known;
}
