/*
 * argv_random.h - random argvs of a spec: right ones in any spelling, and the same
 * ones damaged.  Whether they are right or wrong is for the two parsers to say.
 */
#ifndef T_ARGV_RANDOM_H
#define T_ARGV_RANDOM_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "cli/spec.h"
#include "cli/verify.h"

enum {
	WORDS_MAX = 64
};

struct argv_random {
	const struct spec *spec;
	struct rng rng;
	struct arena arena;
	int plain; /* only values that any parser takes (no blanks, no odd numbers) */
	const char *words[WORDS_MAX + 1];
	int n;
};

static inline uint32_t pick(struct argv_random *r, size_t n)
{
	return rng_below(&r->rng, (uint32_t)n);
}

#define PICK(r, list) ((list)[pick(r, sizeof(list) / sizeof(*(list)))])

static inline void put(struct argv_random *r, const char *word)
{
	if (r->n < WORDS_MAX)
		r->words[r->n++] = word;
}

static inline const char *glue(struct argv_random *r, const char *a, const char *b, const char *c)
{
	char *out = arena_alloc(&r->arena, strlen(a) + strlen(b) + strlen(c) + 1);

	sprintf(out, "%s%s%s", a, b, c);
	return out;
}

static inline const char *random_integer(struct argv_random *r)
{
	static const char *const odd[] = {" 80", "8_080", "+1", "007", "0", "-0", "-12", "80 ",
		"\331\241\331\242", "\357\274\225", "1__0", "_1", "0x10", "1e3", "", "+", "- 1",
		"\302\24042",
		"99999999999999999999", "1.0"};
	char text[24];

	if (!r->plain && pick(r, 3) == 0)
		return PICK(r, odd);
	snprintf(text, sizeof(text), "%u", pick(r, 100000));
	return arena_strdup(&r->arena, text);
}

static inline const char *random_text(struct argv_random *r)
{
	static const char *const odd[] = {"a b", "", "-x", "--", "--help", "-", "x=y", "=",
		"gr\303\274n", "\346\227\245\346\234\254", "-5", "--no-pull", "$HOME", "'q'",
		"list", "up", "a,b", "\360\237\232\200"};
	static const char *const plain[] = {"alpha", "beta", "x1", "a/b.c", "k=v", "9", "z"};

	return r->plain || pick(r, 2) ? PICK(r, plain) : PICK(r, odd);
}

static inline size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static inline const char *random_case(struct argv_random *r, const char *text)
{
	char *out = arena_strdup(&r->arena, text);

	for (char *s = out; *s; s++)
		*s = (char)(pick(r, 2) ? tolower((unsigned char)*s) : toupper((unsigned char)*s));
	return out;
}

static inline const char *random_value(struct argv_random *r, const struct argument *a)
{
	size_t n = list_length(a->values);

	if (a->n_accepted) {
		const char *value = a->accepted[pick(r, a->n_accepted)].value;

		return a->ignore_case || pick(r, 20) == 0 ? random_case(r, value) : value;
	}
	if (n && (a->pattern || pick(r, 3) == 0))
		return a->values[pick(r, n)];
	if (a->type == VALUE_INTEGER || a->type == VALUE_PORT)
		return random_integer(r);
	if (a->type == VALUE_BOOLEAN)
		return pick(r, 2) ? "true" : "0";
	if (a->type == VALUE_NUMBER)
		return pick(r, 2) ? "1.5" : "-2";
	return random_text(r);
}

/* One of the spellings of an option. */
static inline const char *random_name(struct argv_random *r, const struct option *o)
{
	uint32_t k = pick(r, 1 + list_length(o->aliases));

	return k ? o->aliases[k - 1] : o->name;
}

static inline void random_option(struct argv_random *r, const struct option *o)
{
	const char *name = random_name(r, o);
	int is_short = strlen(name) == 2;
	const char *value;

	if (!o->argument) {
		if (is_short && r->n > 1 && r->words[r->n - 1][0] == '-' &&
			r->words[r->n - 1][1] != '-' && r->words[r->n - 1][1] && pick(r, 2)) {
			/* "-a" "-b" may be written "-ab"; wrong where the first takes a value */
			r->words[r->n - 1] = glue(r, r->words[r->n - 1], name + 1, "");
			return;
		}
		put(r, name);
		return;
	}
	value = random_value(r, o->argument);
	if (o->argument->min_count == 0 && pick(r, 2)) {
		put(r, name);
	} else if (pick(r, 3) == 0) {
		put(r, glue(r, name, is_short ? "" : "=", value));
	} else if (is_short && pick(r, 6) == 0) {
		put(r, glue(r, name, "=", value));
	} else {
		put(r, name);
		put(r, value);
	}
	for (int i = 1; i < o->argument->min_count; i++)
		put(r, random_value(r, o->argument));
}

static inline void random_operand(struct argv_random *r, const struct argument *a)
{
	size_t n = list_length(a->values);

	if (a->passthrough && n && pick(r, 2))
		put(r, a->values[pick(r, n)]);
	else
		put(r, a->passthrough ? random_text(r) : random_value(r, a));
}

/* Options (required ones surely) and operands of a leaf, mixed. */
static inline void random_level(struct argv_random *r, const struct command *c, int leaf)
{
	size_t n = 0, operands = 0, at = 0;
	size_t want = leaf ? c->n_arguments : 0;
	int ended = 0;

	for (size_t i = 0; i < c->n_options; i++)
		n += c->options[i]->required;
	n += pick(r, leaf ? 5 : 2);
	for (size_t i = 0; i < c->n_options; i++)
		if (c->options[i]->required)
			random_option(r, c->options[i]);
	while (n > 0 || at < want) {
		if (at < want && (n == 0 || pick(r, 3) == 0)) {
			const struct argument *a = c->arguments[at];
			int most = a->max_count < 0 ? 3 : a->max_count;

			if (!ended && pick(r, 8) == 0) {
				put(r, "--");
				ended = 1;
			}
			if ((int)operands < a->min_count || pick(r, 2))
				random_operand(r, a);
			if ((int)++operands >= most) {
				at++;
				operands = 0;
			}
			continue;
		}
		n--;
		if (c->n_options && !ended)
			random_option(
				r, c->options[pick(
					   r, pick(r, 3) && c->n_own ? c->n_own : c->n_options)]);
	}
}

/* A right argv (nearly always; the verifier's rules are not looked at). */
static inline void argv_right(struct argv_random *r)
{
	const struct command *chain[64], *c;

	do {
		c = r->spec->commands[pick(r, r->spec->n_commands)];
	} while (!c->runnable && pick(r, 10));
	for (const struct command *up = c; up; up = up->parent)
		chain[up->depth] = up;
	r->n = 0;
	for (size_t d = 0; d <= c->depth; d++) {
		const char *const *aliases = chain[d]->aliases;
		uint32_t k = pick(r, 1 + list_length(aliases));

		put(r, k ? aliases[k - 1] : chain[d]->name);
		if (d == c->depth)
			random_level(r, c, 1);
		else if (pick(r, 6) == 0)
			random_level(r, chain[d], 0);
	}
}

static inline void words_remove(struct argv_random *r, int at)
{
	memmove(&r->words[at], &r->words[at + 1], (size_t)(r->n - at) * sizeof(*r->words));
	r->n--;
}

static inline void words_insert(struct argv_random *r, int at, const char *word)
{
	if (r->n >= WORDS_MAX)
		return;
	memmove(&r->words[at + 1], &r->words[at], (size_t)(r->n - at) * sizeof(*r->words));
	r->words[at] = word;
	r->n++;
}

/* Deletes, doubles, swaps or replaces one ASCII letter. */
static inline const char *misspell(struct argv_random *r, const char *word)
{
	size_t n = strlen(word), at;
	char *out = arena_alloc(&r->arena, n + 2);

	strcpy(out, word);
	if (n == 0)
		return out;
	at = pick(r, n);
	if ((unsigned char)out[at] & 0x80 || (unsigned char)out[at + 1] & 0x80)
		return out;
	switch (pick(r, 4)) {
	case 0:
		memmove(out + at, out + at + 1, n - at);
		break;
	case 1:
		memmove(out + at + 1, out + at, n - at + 1);
		break;
	case 2:
		if (at + 1 < n) {
			char saved = out[at];

			out[at] = out[at + 1];
			out[at + 1] = saved;
		}
		break;
	default:
		out[at] = "abz-=_ 0"[pick(r, 8)];
	}
	return out;
}

static inline const char *cut(struct argv_random *r, const char *word)
{
	size_t n = strlen(word), keep = n ? pick(r, n + 1) : 0;

	while (keep > 0 && ((unsigned char)word[keep] & 0xc0) == 0x80)
		keep--;
	return arena_strndup(&r->arena, word, keep);
}

static inline const char *any_option_name(struct argv_random *r)
{
	const struct command *c;

	do {
		c = r->spec->commands[pick(r, r->spec->n_commands)];
	} while (c->n_options == 0 && pick(r, 50));
	if (c->n_options == 0)
		return "--none";
	return random_name(r, c->options[pick(r, c->n_options)]);
}

static inline void damage(struct argv_random *r)
{
	static const char *const junk[] = {"--", "", "-", "-1", "-12.5", "---", "--=", "-=", "--x",
		"-xyz", "gr\303\274n", "\342\200\213", "extra", "--help", "--version", "-h",
		"--no-", "=", "--\303\251", "-\303\251", "a b", "--port", "list"};
	int at = r->n > 1 ? 1 + (int)pick(r, (size_t)r->n - 1) : 1;
	int other = r->n > 1 ? 1 + (int)pick(r, (size_t)r->n - 1) : 1;

	switch (pick(r, 9)) {
	case 0:
		if (at < r->n)
			words_remove(r, at);
		break;
	case 1:
		if (at < r->n)
			words_insert(r, at, r->words[at]);
		break;
	case 2:
		if (at < r->n && other < r->n) {
			const char *saved = r->words[at];

			r->words[at] = r->words[other];
			r->words[other] = saved;
		}
		break;
	case 3:
	case 4:
		if (at < r->n)
			r->words[at] = misspell(r, r->words[at]);
		break;
	case 5:
		words_insert(r, at, PICK(r, junk));
		break;
	case 6:
		words_insert(r, at, any_option_name(r));
		break;
	case 7:
		if (at < r->n)
			r->words[at] = cut(r, r->words[at]);
		break;
	default:
		if (at < r->n)
			r->words[at] = random_text(r);
	}
}

/* Argv number `index`: right, or damaged one to three times. */
static inline void argv_random(struct argv_random *r, uint64_t seed, uint64_t index, int damaged)
{
	rng_init(&r->rng, seed, RNG_TEST, index, (uint32_t)damaged);
	arena_clear(&r->arena);
	argv_right(r);
	for (uint32_t k = damaged ? 1 + pick(r, 3) : 0; k > 0; k--)
		damage(r);
	r->words[r->n] = NULL;
}

#endif
