/*
 * constraint_mask.c - tokens among bytes: the vocabulary's trie and the automaton are
 * walked together, so that only tokens which the automaton takes are ever looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "text/constraint_internal.h"

enum {
	CERTAIN_BYTES_MAX = 512 /* more are left for the next state */
};

/* Tokens of at least `least` bytes from a node of the trie on, s being the state
 * behind its bytes. */
struct search {
	struct walk *w;
	struct ids *out;
	size_t least;
};

static void search(const struct search *q, int32_t node, const struct state *s, size_t depth);

static void try_byte(
	const struct search *q, int32_t child, const struct state *s, int32_t byte, size_t depth)
{
	struct state next;

	if (child < 0 || !threads_step(q->w, s, byte, &next))
		return;
	if (q->w->c->trie->nodes[child].token >= 0 && depth + 1 >= q->least)
		ids_add(q->out, q->w->c->trie->nodes[child].token);
	search(q, child, &next, depth + 1);
}

static void search(const struct search *q, int32_t node, const struct state *s, size_t depth)
{
	const struct token_trie *trie = q->w->c->trie;
	const struct trie_node *n = &trie->nodes[node];
	int32_t symbols[260];
	int free_thread;
	size_t count;

	if (n->n_children == 0)
		return;
	count = threads_symbols(q->w, s, symbols, 260, &free_thread);
	if (free_thread >= 0) {
		for (int i = 0; i < n->n_children; i++)
			try_byte(q, n->first + i, s, trie->nodes[n->first + i].byte, depth);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (symbols[i] < 256)
			try_byte(q, token_trie_child(trie, node, (unsigned char)symbols[i]), s,
				symbols[i], depth);
}

/* The bytes that can only follow, in c->text; 1 where the end comes behind them. */
static int certain_bytes(struct walk *w, const struct state *s)
{
	struct state now = *s, next;
	int32_t symbols[260];
	int free_thread;

	buf_clear(&w->c->text);
	while (w->c->text.len < CERTAIN_BYTES_MAX) {
		if (threads_symbols(w, &now, symbols, 260, &free_thread) != 1 || free_thread >= 0)
			return 0;
		if (symbols[0] == w->c->end)
			return 1;
		buf_addc(&w->c->text, (char)symbols[0]);
		if (!threads_step(w, &now, symbols[0], &next))
			return 0;
		now = next;
	}
	return 0;
}

const struct choices *choices_by_bytes(struct walk *w, const struct state *s)
{
	struct constraint *c = w->c;
	struct ids ids = {0}, certain = {0};
	const struct choices *kept;
	int ends = certain_bytes(w, s);
	size_t len = c->text.len;

	if (ends && len == 0) {
		ids_add(&ids, c->prompter->end_id);
	} else if (len > 0) {
		tokenizer_encode_ordinary(c->prompter->tokenizer, c->text.data, len, &certain);
	}
	/* The last token of certain bytes is left open, unless nothing follows. */
	if (certain.len > 1 || (certain.len == 1 && ends)) {
		ids_add(&ids, certain.data[0]);
	} else if (ids.len == 0) {
		const struct search q = {w, &ids, certain.len == 1 ? len : 0};

		search(&q, 0, s, 0);
		symbols_sort(ids.data, ids.len);
	}
	kept = choices_keep(w, ids.data, ids.len);
	ids_release(&ids);
	ids_release(&certain);
	return kept;
}

/* Plain tokens that go on a value being spelled, and the quote where it may end. */
static void search_free(struct walk *w, int32_t node, const struct place *p,
	const struct free_text *text, struct ids *out)
{
	const struct token_trie *trie = w->c->trie;
	const struct trie_node *n = &trie->nodes[node];

	for (int i = 0; i < n->n_children; i++) {
		const struct trie_node *child = &trie->nodes[n->first + i];
		struct free_text next = *text;

		if (free_step(w, p, &next, child->byte) != 1)
			continue;
		if (child->token >= 0)
			ids_add(out, child->token);
		search_free(w, n->first + i, p, &next, out);
	}
}

void free_choices_by_tokens(struct walk *w, const struct state *s, struct ids *out)
{
	for (int i = 0; i < s->n_threads; i++) {
		const struct place p = w->places[s->threads[i].place];
		struct free_text text = s->text;

		if (p.kind != PLACE_FREE)
			continue;
		search_free(w, 0, &p, &text, out);
		if (free_step(w, &p, &text, '"') == 2)
			ids_add(out, w->c->quote.data[0]);
	}
	symbols_sort(out->data, out->len);
}
