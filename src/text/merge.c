#include "text/merge.h"

#include <stdlib.h>
#include <string.h>
#include "text/utf8.h"

struct symbol {
	int32_t id; /* -1: merged into the one on its left */
	int32_t prev, next;
};

/*
 * A possible merge is its rank, and the symbol whose right neighbour it takes, in one
 * number: of less, the better.  The heap's nodes have four children, and eight fit in a
 * line of the cache: long words are bound by it.
 */
enum {
	CHILDREN = 4
};

static void push(struct merge_work *w, uint64_t c)
{
	size_t i = w->heap_len;

	w->heap = array_grow(w->heap, &w->heap_cap, w->heap_len++, sizeof *w->heap);
	while (i > 0 && c < w->heap[(i - 1) / CHILDREN]) {
		w->heap[i] = w->heap[(i - 1) / CHILDREN];
		i = (i - 1) / CHILDREN;
	}
	w->heap[i] = c;
}

static uint64_t pop(struct merge_work *w)
{
	uint64_t top = w->heap[0], last = w->heap[--w->heap_len];
	size_t i = 0, first;

	while ((first = CHILDREN * i + 1) < w->heap_len) {
		size_t end = first + CHILDREN < w->heap_len ? first + CHILDREN : w->heap_len;
		size_t child = first;

		for (size_t k = first + 1; k < end; k++)
			child = w->heap[k] < w->heap[child] ? k : child;
		if (w->heap[child] >= last)
			break;
		w->heap[i] = w->heap[child];
		i = child;
	}
	w->heap[i] = last;
	return top;
}

static void consider(struct tokenizer *t, int32_t at)
{
	const struct symbol *s = t->work.symbols;
	const uint64_t *merge;

	if (at < 0 || s[at].next < 0)
		return;
	merge = map64_get(&t->merges, (uint64_t)s[at].id << 32 | (uint32_t)s[s[at].next].id);
	if (merge)
		push(&t->work, (*merge & ~(uint64_t)UINT32_MAX) | (uint32_t)at);
}

static void apply(struct tokenizer *t, const struct merge_rule *rule, int32_t at)
{
	struct symbol *s = t->work.symbols;
	int32_t right = s[at].next;

	s[at].id = rule->merged;
	s[at].next = s[right].next;
	if (s[right].next >= 0)
		s[s[right].next].prev = at;
	s[right].id = -1;
	consider(t, s[at].prev);
	consider(t, at);
}

static int is_current(const struct symbol *s, const struct merge_rule *rule, int32_t at)
{
	return s[at].id == rule->left && s[at].next >= 0 && s[s[at].next].id == rule->right;
}

/* Symbols that have no token and wait for a token of their own, or a common one. */
struct unknown {
	int waiting;
};

static void symbol_add(struct merge_work *w, size_t *n, int32_t id)
{
	w->symbols[*n] = (struct symbol){id, (int32_t)*n - 1, (int32_t)*n + 1};
	++*n;
}

static void unknown_end(struct tokenizer *t, struct unknown *u, size_t *n)
{
	if (u->waiting)
		symbol_add(&t->work, n, t->unknown);
	u->waiting = 0;
}

static void unknown_add(struct tokenizer *t, struct unknown *u, size_t *n)
{
	if (t->unknown < 0)
		return;
	if (!t->fuse_unknown)
		unknown_end(t, u, n);
	u->waiting = 1;
}

/* Whether a character can be spelled in bytes. */
static int has_bytes(const struct tokenizer *t, const char *text, size_t len)
{
	if (!t->byte_fallback)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (t->byte_ids[(unsigned char)text[i]] < 0)
			return 0;
	}
	return 1;
}

/* The word's bytes or characters as symbols; their number. */
static size_t symbols_set(struct tokenizer *t, const char *word, size_t len)
{
	struct merge_work *w = &t->work;
	struct unknown u = {0};
	size_t n = 0, size = 1;

	if (len > w->symbols_cap) {
		w->symbols_cap = len + 64;
		w->symbols = xreallocarray(w->symbols, w->symbols_cap, sizeof *w->symbols);
	}
	for (size_t i = 0; i < len; i += size) {
		int32_t id = -1;

		if (t->byte_level) {
			id = t->byte_ids[(unsigned char)word[i]];
		} else {
			int32_t code = utf8_decode(word + i, len - i, &size);
			const uint64_t *found =
				code >= 0 ? map64_get(&t->chars, (uint64_t)code) : NULL;

			if (found)
				id = (int32_t)*found;
		}
		if (id >= 0) {
			unknown_end(t, &u, &n);
			symbol_add(w, &n, id);
		} else if (has_bytes(t, word + i, size)) {
			for (size_t k = 0; k < size; k++)
				symbol_add(w, &n, t->byte_ids[(unsigned char)word[i + k]]);
		} else {
			unknown_add(t, &u, &n);
		}
	}
	unknown_end(t, &u, &n);
	if (n)
		w->symbols[n - 1].next = -1;
	return n;
}

static void skip(struct merge_work *w, size_t n_skipped, uint64_t c)
{
	w->skipped = array_grow(w->skipped, &w->skipped_cap, n_skipped, sizeof *w->skipped);
	w->skipped[n_skipped] = c;
}

static void merge_part(struct tokenizer *t, const char *word, size_t len, double dropout,
	struct rng *rng, struct ids *out)
{
	struct merge_work *w = &t->work;
	size_t n = symbols_set(t, word, len), n_skipped = 0;

	w->heap_len = 0;
	for (size_t i = 0; i < n; i++)
		consider(t, (int32_t)i);
	while (w->heap_len) {
		uint64_t c = pop(w);
		const struct merge_rule *rule = &t->rules[c >> 32];
		int32_t at = (int32_t)(c & UINT32_MAX);

		if (!is_current(w->symbols, rule, at))
			continue;
		if (dropout > 0 && rng_chance(rng, dropout)) {
			skip(w, n_skipped++, c);
			continue;
		}
		apply(t, rule, at);
		while (n_skipped)
			push(w, w->skipped[--n_skipped]);
	}
	for (int32_t i = n ? 0 : -1; i >= 0; i = w->symbols[i].next)
		ids_add(out, w->symbols[i].id);
}

void merge_word(struct tokenizer *t, const char *word, size_t len, double dropout, struct rng *rng,
	struct ids *out)
{
	/* Positions are 32 bits wide; no word of a sane text comes near. */
	enum {
		PART_MAX = 1 << 28
	};

	while (len > PART_MAX) {
		size_t part = PART_MAX;

		while (((unsigned char)word[part] & 0xc0) == 0x80 && part > PART_MAX - 4)
			part--; /* not within a character */
		merge_part(t, word, part, dropout, rng, out);
		word += part;
		len -= part;
	}
	merge_part(t, word, len, dropout, rng, out);
}

void merge_work_release(struct merge_work *w)
{
	free(w->symbols);
	free(w->heap);
	free(w->skipped);
	*w = (struct merge_work){0};
}
