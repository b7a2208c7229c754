/*
 * constraint_threads.c - how far the symbols so far may have come.  Mostly there is one
 * position; there are several only where one way on is the beginning of another ($1 and
 * $12, spelled in bytes).
 */
#include <stdlib.h>
#include <string.h>

#include "text/constraint_internal.h"

static void thread_add(struct state *s, struct thread t)
{
	for (int i = 0; i < s->n_threads; i++)
		if (s->threads[i].place == t.place && s->threads[i].lo == t.lo &&
			s->threads[i].hi == t.hi && s->threads[i].depth == t.depth)
			return;
	if (s->n_threads == THREADS_MAX)
		return; /* more begin alike than any spec has: what is over is not said */
	s->threads[s->n_threads++] = t;
}

/* Adds the position at the start of a place. */
static void enter(struct walk *w, struct state *s, int32_t place)
{
	if (w->places[place].kind == PLACE_FREE) {
		thread_add(s, (struct thread){place, 0, 0, 0});
		s->text.bytes = w->c->scratch;
		s->text.len = s->text.item = 0;
		s->text.escape = 0;
		return;
	}
	thread_add(s, (struct thread){place, 0, place_menu(w, place)->n, 0});
}

void threads_start(struct walk *w, struct state *s, int32_t place)
{
	s->n_threads = 0;
	s->depth = 0;
	enter(w, s, place);
}

/* First entry of lo .. hi - 1 whose symbol at depth is at least `symbol`. */
static int32_t lower(const struct menu *m, const struct thread *t, int32_t symbol)
{
	int32_t lo = t->lo, hi = t->hi;

	while (lo < hi) {
		int32_t mid = lo + (hi - lo) / 2;

		if (m->entries[mid].symbols.data[t->depth] < symbol)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void step_menu(struct walk *w, const struct thread *from, int32_t symbol, struct state *to)
{
	const struct menu *m = place_menu(w, from->place);
	struct thread t = *from;

	t.lo = lower(m, from, symbol);
	t.hi = lower(m, from, symbol + 1);
	if (t.lo == t.hi)
		return;
	t.depth++;
	/* Entries are sorted: those that end here come first. */
	for (; t.lo < t.hi && m->entries[t.lo].symbols.n == t.depth; t.lo++)
		enter(w, to, m->entries[t.lo].place);
	if (t.lo < t.hi)
		thread_add(to, t);
}

/* Values that began together have the same text, whatever they are values of.
 * Among tokens, only the closing quote is a symbol of its own; the rest of a value is
 * bytes of tokens. */
static void step_free(struct walk *w, const struct state *before, const struct thread *from,
	const char *bytes, size_t len, struct state *to)
{
	const struct place *p = &w->places[from->place];
	int32_t next = p->piece->next;
	uint32_t used = p->used;
	struct free_text text = before->text;

	for (size_t i = 0; i < len; i++) {
		int rc = free_step(w, &w->places[from->place], &text, (unsigned char)bytes[i]);

		if (rc == 0)
			return;
		if (rc == 2) {
			if (i + 1 == len)
				enter(w, to, walk_at_node(w, next, used));
			return;
		}
	}
	to->text = text;
	thread_add(to, *from);
}

int threads_step(struct walk *w, const struct state *s, int32_t symbol, struct state *to)
{
	to->n_threads = 0;
	to->text = s->text;
	to->depth = s->depth + (w->limit > 0);
	for (int i = 0; i < s->n_threads; i++) {
		const struct thread *t = &s->threads[i];

		if (w->places[t->place].kind == PLACE_FREE) {
			char byte = (char)symbol;
			const char *bytes = &byte;
			size_t len = 1;

			if (symbol == w->c->end)
				continue;
			if (w->c->has_tokens)
				bytes = tokenizer_bytes(w->c->prompter->tokenizer, symbol, &len);
			/* A text that goes on grows in place: the caller gave the room. */
			step_free(w, s, t, bytes, len, to);
		} else {
			step_menu(w, t, symbol, to);
		}
	}
	return to->n_threads > 0;
}

/* 1 where the end can be reached in time through one of the entries lo .. hi - 1. */
static int in_time(struct walk *w, const struct menu *m, const struct thread *t, int32_t left)
{
	for (int32_t e = t->lo; e < t->hi; e++) {
		int32_t behind = m->entries[e].symbols.n - t->depth;

		if (behind <= left && place_exit(w, m->entries[e].place) <= left - behind)
			return 1;
	}
	return 0;
}

size_t threads_symbols(
	struct walk *w, const struct state *s, int32_t *symbols, size_t max, int *free_thread)
{
	size_t n = 0, distinct = 0;

	*free_thread = -1;
	for (int i = 0; i < s->n_threads; i++) {
		const struct thread *t = &s->threads[i];
		const struct menu *m;

		if (w->places[t->place].kind == PLACE_FREE) {
			*free_thread = i;
			continue;
		}
		m = place_menu(w, t->place);
		for (int32_t e = t->lo; e < t->hi && n < max;) {
			int32_t symbol = m->entries[e].symbols.data[t->depth];
			struct thread alike = {t->place, e, t->hi, t->depth};

			e = alike.hi = lower(m, &alike, symbol + 1);
			if (w->limit == 0 || in_time(w, m, &alike, w->limit - s->depth))
				symbols[n++] = symbol;
		}
	}
	if (s->n_threads > 1 && n)
		symbols_sort(symbols, n);
	for (size_t i = 0; i < n; i++)
		if (distinct == 0 || symbols[distinct - 1] != symbols[i])
			symbols[distinct++] = symbols[i];
	return distinct;
}
