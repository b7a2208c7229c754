#include "text/constraint.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "text/constraint_internal.h"
#include "text/ground_internal.h"
#include "text/words.h"

enum {
	GRAMMAR_KEEP = 64 << 20
};

/* Whether each answer begins with a token for the name of the program at least. */
static int find_tokens(struct constraint *c)
{
	struct tokenizer *t = c->prompter->tokenizer;
	size_t n, len, found = 0, least = strlen(c->spec->name) + strlen("[\"\"");
	const struct grammar_piece *pieces = grammar_pieces(c->grammar, GRAMMAR_START, &n);

	for (size_t i = 0; i < n; i++) {
		c->ids.len = 0;
		tokenizer_encode_ordinary(t, pieces[i].text, pieces[i].len, &c->ids);
		tokenizer_bytes(t, c->ids.data[0], &len);
		found += len == pieces[i].len || len >= least;
	}
	return found == n;
}

/* Looks for the bytes that are no token.  Those of ASCII and those within characters must
 * be; where one is lacking that a character begins with, such characters are not said. */
static int check_bytes(struct constraint *c, struct error *err)
{
	for (int b = 0x20; b < 0x100; b++) {
		int32_t child = token_trie_child(c->trie, 0, (unsigned char)b);

		c->lacks[b] = child < 0 || c->trie->nodes[child].token < 0;
		if (b < 0xc0 && b != 0x7f && c->lacks[b])
			return error_set(err, EXIT_DATA,
				"the tokenizer has no token for the byte 0x%02x, which "
				"answers may need: take a byte-level tokenizer",
				(unsigned)b);
	}
	return 0;
}

int can_spell(const struct constraint *c, const char *text)
{
	while (*text && !c->lacks[(unsigned char)*text])
		text++;
	return !*text;
}

/* The grammar and what was made of it, anew. */
static void open_grammar(struct constraint *c)
{
	grammar_free(c->grammar);
	map64_release(&c->texts);
	arena_release(&c->arena);
	c->texts = (struct map64){0};
	c->arena = (struct arena){0};
	c->n_bytes = 0;
	c->grammar = grammar_new(c->spec);
}

struct constraint *constraint_new(
	const struct spec *spec, const struct prompter *p, int ground, struct error *err)
{
	struct constraint *c = xcalloc(1, sizeof *c);

	c->spec = spec;
	c->prompter = p;
	c->ground = ground;
	c->keep = GRAMMAR_KEEP;
	open_grammar(c);
	c->scratch = xmalloc(FREE_BYTES_MAX + 64);
	c->has_tokens = find_tokens(c);
	/* Where answers have tokens and their values are stated, no vocabulary is walked. */
	if (!c->has_tokens || !ground) {
		c->trie = token_trie_new(p->tokenizer, c->has_tokens);
		if (check_bytes(c, err) != 0) {
			constraint_free(c);
			return NULL;
		}
	}
	c->end = c->has_tokens ? p->end_id : SYMBOL_END;
	c->quote = text_symbols(c, &c->arena, "\"", 1, 1);
	return c;
}

void constraint_free(struct constraint *c)
{
	if (!c)
		return;
	grammar_free(c->grammar);
	token_trie_free(c->trie);
	map64_release(&c->texts);
	arena_release(&c->arena);
	arena_release(&c->arena_scratch);
	arena_release(&c->arena_checks);
	ids_release(&c->ids);
	buf_release(&c->text);
	buf_release(&c->item);
	free(c->scratch);
	free(c);
}

void constraint_keep(struct constraint *c, size_t bytes)
{
	c->keep = bytes;
}

int constraint_has_tokens(const struct constraint *c)
{
	return c->has_tokens;
}

size_t constraint_bytes(const struct constraint *c)
{
	return sizeof *c + c->n_bytes + grammar_bytes(c->grammar) + (c->trie ? c->trie->bytes : 0) +
	       c->texts.size * sizeof *c->texts.slots;
}

/* --- states --- */

static uint64_t state_hash(const struct state *s)
{
	uint64_t hash = fnv64(FNV64_INIT, s->threads, (size_t)s->n_threads * sizeof *s->threads);

	return hash_mix(fnv64(hash, s->text.bytes ? s->text.bytes : "", s->text.len) +
			(uint64_t)s->depth * 2 + (uint64_t)s->text.escape) >>
	       1;
}

static int states_equal(const struct state *a, const struct state *b)
{
	return a->n_threads == b->n_threads && a->depth == b->depth && a->text.len == b->text.len &&
	       a->text.item == b->text.item && a->text.escape == b->text.escape &&
	       memcmp(a->threads, b->threads, (size_t)a->n_threads * sizeof *a->threads) == 0 &&
	       (a->text.len == 0 || memcmp(a->text.bytes, b->text.bytes, a->text.len) == 0);
}

/* The number of a state; its text is copied. */
static int32_t state_intern(struct walk *w, struct state s)
{
	uint64_t *first;
	int32_t next;

	/* Text of a value that has ended is of no meaning. */
	for (int i = 0;; i++) {
		if (i == s.n_threads) {
			s.text = (struct free_text){0};
			break;
		}
		if (w->places[s.threads[i].place].kind == PLACE_FREE)
			break;
	}
	first = map64_put(&w->state_index, state_hash(&s));
	next = (int32_t)*first - 1;
	for (int32_t i = next; i >= 0; i = w->states[i].next_alike)
		if (states_equal(&w->states[i], &s))
			return i;
	if (s.text.len) {
		char *bytes = arena_alloc(&w->arena, s.text.len);

		memcpy(bytes, s.text.bytes, s.text.len);
		s.text.bytes = bytes;
	}
	s.choices = NULL;
	s.next_alike = next;
	w->states = array_grow(w->states, &w->cap_states, w->n_states, sizeof *w->states);
	w->states[w->n_states++] = s;
	*first = w->n_states;
	return (int32_t)w->n_states - 1;
}

/* A copy of a state whose text has room to grow. */
static struct state state_load(struct walk *w, int32_t number)
{
	struct state s = w->states[number];

	if (s.text.len)
		memcpy(w->c->scratch, s.text.bytes, s.text.len);
	s.text.bytes = w->c->scratch;
	return s;
}

const struct choices *choices_keep(struct walk *w, const int32_t *ids, size_t n)
{
	struct choices *c = arena_alloc(&w->arena, sizeof *c);
	int32_t *copy;

	/* Values that are checked only when they end can lead astray: then the answer
	 * stops, and the verifier refuses it. */
	if (n == 0) {
		ids = &w->c->prompter->end_id;
		n = 1;
	}
	copy = arena_alloc(&w->arena, n * sizeof *copy);
	memcpy(copy, ids, n * sizeof *copy);
	*c = (struct choices){copy, (int32_t)n, fnv64(FNV64_INIT, copy, n * sizeof *copy)};
	w->n_bytes += n * sizeof *copy + sizeof *c;
	return c;
}

static const struct choices *choices_by_tokens(struct walk *w, const struct state *s)
{
	size_t max = 16;
	struct ids ids = {0};
	const struct choices *kept;
	int free_thread;

	for (int i = 0; i < s->n_threads; i++)
		max += (size_t)(s->threads[i].hi - s->threads[i].lo);
	ids.data = xreallocarray(NULL, max, sizeof *ids.data);
	ids.cap = max;
	ids.len = threads_symbols(w, s, ids.data, max, &free_thread);
	if (free_thread >= 0)
		free_choices_by_tokens(w, s, &ids);
	kept = choices_keep(w, ids.data, ids.len);
	ids_release(&ids);
	return kept;
}

static const struct choices *walk_choices(struct guide *guide, int32_t number)
{
	struct walk *w = (struct walk *)guide;
	const struct choices *choices = w->states[number].choices;
	struct state s;

	if (choices)
		return choices;
	s = state_load(w, number);
	choices = w->c->has_tokens ? choices_by_tokens(w, &s) : choices_by_bytes(w, &s);
	w->states[number].choices = choices;
	arena_clear(&w->c->arena_scratch);
	return choices;
}

/* The state behind a token; -1. */
static int32_t step_token(struct walk *w, int32_t number, int32_t token)
{
	struct state now = state_load(w, number), next;
	size_t len;
	const char *bytes;

	if (token == w->c->prompter->end_id) {
		if (!threads_step(w, &now, w->c->end, &next))
			threads_start(w, &next, walk_at_end(w));
		return state_intern(w, next);
	}
	if (w->c->has_tokens)
		return threads_step(w, &now, token, &next) ? state_intern(w, next) : -1;
	bytes = tokenizer_bytes(w->c->prompter->tokenizer, token, &len);
	for (size_t i = 0; i < len; i++) {
		if (!threads_step(w, &now, (unsigned char)bytes[i], &next))
			return -1;
		now = next;
	}
	return len ? state_intern(w, now) : -1;
}

static int32_t walk_next(struct guide *guide, int32_t number, int32_t token)
{
	struct walk *w = (struct walk *)guide;
	uint64_t *known = map64_put(&w->steps, (uint64_t)number << 32 | (uint32_t)token);
	int32_t next;

	if (*known)
		return (int32_t)*known - 1;
	if (!choices_have(walk_choices(guide, number), token))
		return -1;
	next = step_token(w, number, token);
	if (next >= 0)
		*map64_put(&w->steps, (uint64_t)number << 32 | (uint32_t)token) =
			(uint64_t)next + 1;
	return next;
}

/* --- walks --- */

int constraint_limit(const struct constraint *c, int max_tokens)
{
	int most = INT32_MAX / SYMBOLS_A_TOKEN;

	return c->has_tokens || max_tokens > most ? max_tokens : max_tokens * SYMBOLS_A_TOKEN;
}

static void take_spans(struct walk *w, const char *request, const struct span *spans)
{
	for (size_t k = 0; k < w->n_spans; k++)
		w->span_texts[k] = arena_strndup(
			&w->arena, request + spans[k].from, spans[k].to - spans[k].from);
	for (size_t k = 0; k < w->n_spans; k++)
		for (size_t i = 0; i < w->n_spans; i++)
			if (strcmp(w->span_texts[i], w->span_texts[k]) == 0)
				w->span_types[k] |= 1u << spans[i].type;
}

static size_t times_stated(const char *request, size_t len, const char *value)
{
	size_t value_len = strlen(value), n = 0;

	for (const char *at = request; value_len && (at = strstr(at, value)); at++)
		n += ground_bounded_left(request, (size_t)(at - request), (unsigned char)*value) &&
		     ground_bounded_right(request, len, (size_t)(at - request) + value_len,
			     (unsigned char)value[value_len - 1]);
	return n;
}

/* The values that are never spelled: spans, but for those that the request also states
 * where there is no span (`staging` in quotes, and again without). */
static const char **never_spelled(struct walk *w, const char *request, size_t len, size_t *n)
{
	const char **skip = arena_alloc(&w->arena, (w->n_spans + 1) * sizeof *skip);

	*n = 0;
	for (size_t k = 0; k < w->n_spans; k++) {
		size_t named = 0;

		for (size_t i = 0; i < w->n_spans; i++)
			named += strcmp(w->span_texts[i], w->span_texts[k]) == 0;
		if (times_stated(request, len, w->span_texts[k]) <= named)
			skip[(*n)++] = w->span_texts[k];
	}
	return skip;
}

struct walk *walk_new(struct constraint *c, const char *request, const struct span *spans,
	size_t n_spans, int limit)
{
	struct walk *w = xcalloc(1, sizeof *w);
	struct buf plain = {0};
	size_t len = strlen(request), n_skip;
	struct state start = {0};
	const char *text, **skip;

	if (c->n_walks++ == 0 && grammar_bytes(c->grammar) + c->n_bytes > c->keep) {
		open_grammar(c);
		c->quote = text_symbols(c, &c->arena, "\"", 1, 1);
	}
	w->guide = (struct guide){walk_choices, walk_next};
	w->c = c;
	w->limit = limit;
	if (c->prompter->mode == SPANS_NONE)
		n_spans = 0;
	words_plain(request, len, &plain);
	w->n_spans = n_spans < SPANS_MAX ? n_spans : SPANS_MAX;
	take_spans(w, request, spans);
	text = arena_strndup(&w->arena, plain.data ? plain.data : "", plain.len);
	skip = never_spelled(w, text, plain.len, &n_skip);
	grounding_init(&w->grounding, text, plain.len, skip, n_skip, &c->arena_checks);
	buf_release(&plain);
	threads_start(w, &start, walk_at_node(w, GRAMMAR_START, 0));
	state_intern(w, start);
	return w;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	w->c->n_walks--;
	map64_release(&w->place_index);
	map64_release(&w->known_index);
	map64_release(&w->state_index);
	map64_release(&w->steps);
	ids_release(&w->asked);
	arena_release(&w->arena);
	free(w->places);
	free(w->states);
	free(w);
}

struct guide *walk_guide(struct walk *w)
{
	return &w->guide;
}

size_t walk_bytes(const struct walk *w)
{
	return sizeof *w + w->n_bytes + w->cap_places * sizeof *w->places +
	       w->cap_states * sizeof *w->states +
	       (w->place_index.size + w->known_index.size + w->state_index.size + w->steps.size) *
		       sizeof(struct map64_slot);
}

int walk_follow(
	struct walk *w, const int32_t *tokens, size_t n, struct choice_list *choices, size_t *at)
{
	int32_t state = 0;

	for (*at = 0; *at < n; ++*at) {
		const struct choices *c;

		if (state < 0)
			return -1;
		c = walk_choices(&w->guide, state);
		if (!choices_have(c, tokens[*at]))
			return -1;
		choices->data = array_grow(
			choices->data, &choices->cap, choices->len, sizeof *choices->data);
		choices->data[choices->len++] = c;
		state = walk_next(&w->guide, state, tokens[*at]);
	}
	return 0;
}

void choice_list_release(struct choice_list *list)
{
	free(list->data);
	*list = (struct choice_list){0};
}
