/*
 * constraint_exit.c - whether an end can be reached from a place, and in how many symbols.
 */
#include "text/constraint_internal.h"

static int32_t exit_behind(struct walk *w, int64_t symbols, int32_t place)
{
	int32_t exit = place_exit(w, place);

	return exit == NO_EXIT || symbols + exit >= NO_EXIT ? NO_EXIT : (int32_t)(symbols + exit);
}

/* From within a string on, behind so many items of a list: behind one, whatever stands as
 * another may end it.  A value that is spelled freely may be of any length: no more is
 * promised than that it can be short. */
static int32_t content_exit(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, int items)
{
	int32_t place = walk_at_node(w, piece->next, used), n = 1;
	int alone = 1;
	const char *value = is_free(w, piece) ? NULL : first_content(w, piece, used, &alone);
	struct buf quoted = {0};

	if (!value && !is_free(w, piece))
		return NO_EXIT;
	alone |= items > 0;
	if (value)
		n = content_symbols(w, value, &quoted).n * (alone ? 1 : 2) + !alone;
	buf_release(&quoted);
	return exit_behind(w, n + 1, place);
}

static int32_t value_exit(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	int32_t place = walk_at_node(w, piece->next, used), exit;
	const char **values;
	size_t n;

	for (size_t k = 0; k < w->n_spans; k++) {
		if (!span_is_open(w, used, k) || !span_fits(w, piece, k))
			continue;
		exit = place_exit(w, walk_at_node(w, piece->next, used | 1u << k));
		if (exit != NO_EXIT)
			return exit + span_symbols(w, piece, k).n;
	}
	if (place_exit(w, place) == NO_EXIT)
		return NO_EXIT;
	n = listed_values(w, piece, &values);
	for (size_t i = 0; i < n; i++)
		if (!has_open_span(w, used, values[i]) && value_token(w, piece, values[i]) >= 0)
			return exit_behind(w, 1, place);
	exit = content_exit(w, piece, used, 0);
	return exit == NO_EXIT ? NO_EXIT : exit + gateway_symbols(w, piece).n;
}

int32_t piece_exit(struct walk *w, const struct grammar_piece *piece, uint32_t used)
{
	if (!can_spell(w->c, piece->text))
		return NO_EXIT;
	if (piece->argument)
		return value_exit(w, piece, used);
	if (piece->off && !is_stated(w, NULL, "false"))
		return NO_EXIT;
	return exit_behind(w, piece_symbols(w->c, piece).n, walk_at_node(w, piece->next, used));
}

/* Pieces are tried from the last on: options come in order, and what is required cannot
 * be passed by, so that the last leads there without those that are not. */
static int32_t search_exit(struct walk *w, int32_t node, uint32_t used)
{
	size_t n;
	const struct grammar_piece *pieces = grammar_pieces(w->c->grammar, node, &n);
	int32_t exit = NO_EXIT;

	for (size_t i = 0; i < n; i++)
		if (!pieces[i].argument && pieces[i].next == GRAMMAR_END)
			return piece_symbols(w->c, &pieces[i]).n + 1;
	while (n > 0 && exit == NO_EXIT)
		exit = piece_exit(w, &pieces[--n], used);
	return exit;
}

/* Each place is looked at once in a search.  One that met another of which nothing is
 * known yet knows only what it found: when the search has ended well, it is asked anew. */
static int32_t search_from(struct walk *w, int32_t place)
{
	const struct place p = w->places[place];
	int32_t exit, *known;
	int cut = w->cut;
	size_t first = w->asked.len;

	ids_add(&w->asked, place);
	w->places[place].exit = EXIT_ASKED;
	w->cut = 0;
	exit = search_exit(w, p.node, p.used);
	if (exit != NO_EXIT || !w->cut)
		w->places[place].exit = exit;
	w->cut |= cut;
	if (first > 0)
		return exit;
	for (size_t i = 0; i < w->asked.len; i++) {
		known = &w->places[w->asked.data[i]].exit;
		if (*known == EXIT_ASKED)
			*known = exit == NO_EXIT ? NO_EXIT : EXIT_UNKNOWN;
	}
	w->asked.len = 0;
	w->cut = 0;
	return exit;
}

int32_t place_exit(struct walk *w, int32_t place)
{
	const struct place p = w->places[place];
	int32_t exit;

	if (p.exit == EXIT_ASKED) {
		w->cut = 1;
		return NO_EXIT;
	}
	if (p.exit != EXIT_UNKNOWN)
		return p.exit;
	if (p.kind == PLACE_NODE && p.node != GRAMMAR_END)
		return search_from(w, place);
	if (p.kind == PLACE_NODE || p.kind == PLACE_DONE)
		exit = p.kind == PLACE_NODE;
	else
		exit = content_exit(w, p.piece, p.used, p.items);
	if (w->asked.len == 0)
		w->places[place].exit = exit;
	return exit;
}
