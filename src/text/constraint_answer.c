/* constraint_answer.c - from argv to the tokens of its answer. */
#include <stdlib.h>
#include <string.h>

#include "cli/verify.h"
#include "text/answer.h"
#include "text/constraint_internal.h"
#include "text/ground.h"

/* Symbols and text of the answer found so far. */
struct path {
	struct walk *w;
	const char *json; /* argv's, values spelled out */
	size_t len;
	struct ids symbols;
	struct map64 dead; /* places and offsets that lead nowhere */
};

static int find(struct path *p, int32_t place, size_t at);

static void put(struct path *p, struct symbols s)
{
	for (int32_t i = 0; i < s.n; i++)
		ids_add(&p->symbols, s.data[i]);
}

/* A value that is spelled freely: to the end of its string. */
static int find_free(struct path *p, const struct place *place, size_t at)
{
	struct walk *w = p->w;
	struct free_text text = {.bytes = w->c->scratch};
	size_t mark = p->symbols.len, from = at;
	int rc = 1;

	while (at < p->len && rc == 1)
		rc = free_step(w, place, &text, (unsigned char)p->json[at++]);
	if (rc != 2)
		return 0;
	put(p, text_symbols(w->c, &w->arena, p->json + from, at - 1 - from, 1));
	put(p, w->c->quote);
	if (find(p, walk_at_node(w, place->piece->next, place->used), at))
		return 1;
	p->symbols.len = mark;
	return 0;
}

static int entry_fits(const struct path *p, const struct entry *e, size_t at)
{
	return e->plain_len <= p->len - at && memcmp(e->plain, p->json + at, e->plain_len) == 0;
}

/* Length of the longest entry of fewer than `below` bytes that fits; SIZE_MAX: none. */
static size_t longest_fit(const struct path *p, const struct menu *menu, size_t at, size_t below)
{
	size_t longest = SIZE_MAX;

	for (int32_t i = 0; i < menu->n; i++) {
		const struct entry *e = &menu->entries[i];

		if (e->plain_len < below && entry_fits(p, e, at) &&
			(longest == SIZE_MAX || e->plain_len > longest))
			longest = e->plain_len;
	}
	return longest;
}

/* The longest way on is tried first, for one may be the beginning of another. */
static int find_entry(struct path *p, const struct menu *menu, size_t at)
{
	size_t below = SIZE_MAX;

	while (below > 0) {
		size_t longest = longest_fit(p, menu, at, below), mark = p->symbols.len;

		if (longest == SIZE_MAX)
			return 0;
		for (int32_t i = 0; i < menu->n; i++) {
			const struct entry *e = &menu->entries[i];

			if (!entry_fits(p, e, at) || e->plain_len != longest)
				continue;
			put(p, e->symbols);
			if (find(p, e->place, at + longest))
				return 1;
			p->symbols.len = mark;
		}
		below = longest;
	}
	return 0;
}

/* Goes on from a place with what is left of the JSON: 1 where that leads to the end. */
static int find(struct path *p, int32_t number, size_t at)
{
	const struct place place = p->w->places[number];
	uint64_t key = ((uint64_t)(uint32_t)number << 32 | (uint32_t)at) + 1;
	int found;

	if (place.kind == PLACE_DONE)
		return at == p->len;
	if (*map64_put(&p->dead, key))
		return 0;
	found = place.kind == PLACE_FREE ? find_free(p, &place, at)
					 : find_entry(p, place_menu(p->w, number), at);
	if (!found)
		*map64_put(&p->dead, key) = 1;
	return found;
}

static void print_plain(int argc, const char *const *argv, struct buf *out)
{
	if (argc < 0) {
		buf_adds(out, "null");
		return;
	}
	buf_addc(out, '[');
	for (int i = 0; i < argc; i++) {
		if (i)
			buf_addc(out, ',');
		json_word(argv[i], strlen(argv[i]), out);
	}
	buf_addc(out, ']');
}

/* Tokens of a text of bytes, as the tokenizer would make them where it may: what is
 * certain first, then its own next token, else the longest that fits. */
static int tokens_of_bytes(struct walk *w, const struct ids *symbols, struct ids *out)
{
	struct constraint *c = w->c;
	struct tokenizer *t = c->prompter->tokenizer;
	struct ids own = {0};
	struct buf text = {0};
	int32_t state = 0;
	size_t at = 0;

	for (size_t i = 0; i + 1 < symbols->len; i++)
		buf_addc(&text, (char)symbols->data[i]);
	while (at < text.len && state >= 0) {
		const struct choices *choices = w->guide.choices(&w->guide, state);
		int32_t token = choices->ids[0];
		size_t len = 0, longest = 0;

		own.len = 0;
		tokenizer_encode_ordinary(t, text.data + at, text.len - at, &own);
		for (int32_t i = 0; i < choices->n; i++) {
			const char *bytes = tokenizer_bytes(t, choices->ids[i], &len);

			if (len > text.len - at || memcmp(bytes, text.data + at, len) != 0)
				continue;
			if (len > longest || choices->ids[i] == own.data[0]) {
				longest = len;
				token = choices->ids[i];
			}
			if (choices->ids[i] == own.data[0])
				break;
		}
		if (!longest)
			break;
		ids_add(out, token);
		state = w->guide.next(&w->guide, state, token);
		at += longest;
	}
	ids_add(out, c->prompter->end_id);
	ids_release(&own);
	buf_release(&text);
	return at == symbols->len - 1 && state >= 0 ? 0 : -1;
}

static int explain(struct walk *w, int argc, const char *const *argv, struct error *err)
{
	struct arena arena = {0};
	const struct meaning_item *item;
	const char *value;
	struct meaning m;
	struct verdict v;

	if (argc >= 0 && verify(w->c->spec, argc, argv, &arena, &m, &v) != VERDICT_OK)
		error_set(err, EXIT_DATA, "argv is not valid: %s", v.message);
	else if (argc >= 0 && !argv_is_canonical(w->c->spec, argc, argv, &arena))
		error_set(err, EXIT_DATA, "argv is not in canonical form");
	else if (argc >= 0 && w->c->ground &&
		 (value = ground_check(w->grounding.request, w->grounding.len, &m, &item)))
		error_set(err, EXIT_DATA, "the request does not state '%.80s'", value);
	else
		error_set(err, EXIT_DATA,
			"argv cannot be said: a value that is stated once stands twice, or is not "
			"stated where it can be cut out");
	arena_release(&arena);
	return -1;
}

int walk_answer(struct walk *w, int argc, const char *const *argv, struct ids *out,
	struct choice_list *choices, struct error *err)
{
	struct buf json = {0};
	struct path path = {.w = w};
	size_t mark = out->len, at;
	int found;

	print_plain(argc, argv, &json);
	path.json = json.data;
	path.len = json.len;
	found = find(&path, walk_at_node(w, GRAMMAR_START, 0), 0);
	if (found && w->c->has_tokens)
		for (size_t i = 0; i < path.symbols.len; i++)
			ids_add(out, path.symbols.data[i]);
	else if (found)
		found = tokens_of_bytes(w, &path.symbols, out) == 0;
	if (found && choices)
		found = walk_follow(w, out->data + mark, out->len - mark, choices, &at) == 0;
	ids_release(&path.symbols);
	map64_release(&path.dead);
	buf_release(&json);
	if (found)
		return 0;
	out->len = mark;
	return explain(w, argc, argv, err);
}
