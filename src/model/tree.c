/*
 * tree.c - packing sequences as a prefix forest.
 *
 * Sequences are sorted; neighbours then share their longest common prefix, and
 * taking them in order lays the rows out depth first: the descendants of a node
 * follow it without a gap.
 */
#include "model/tree.h"
#include "model/choices.h"

#include <stdlib.h>
#include <string.h>

struct sequence {
	size_t at; /* first token in priv->tokens */
	int32_t len, first_target;
	int32_t rows; /* how many of its tokens are needed as inputs */
};

struct tree_private {
	int32_t *tokens;
	const struct choices **choices; /* of each token; NULL before first_target */
	size_t n_tokens, cap_tokens;
	struct sequence *sequences;
	size_t cap_sequences;
	int32_t max_len;
	int32_t *order;	    /* sequences, sorted */
	int32_t *parent;    /* of a row: the row before it in its sequences, or -1 */
	int32_t *children;  /* of a row: how many rows follow it */
	int32_t *path_row;  /* of the sequence last packed, by position */
	int32_t *path_edge; /* the same: the first edge of a list; -1: no edge yet */
	int32_t *next_edge; /* the next one of that row and token, with other choices */
	int32_t *new_edge;  /* where an edge went when they were ordered by row */
	size_t cap_order, cap_rows, cap_path, cap_edges;
	int32_t *edge_row, *edge_token; /* in order of discovery */
	const struct choices **edge_choices;
	int32_t *edge_order; /* edges by row, then by choices */
};

struct tree *tree_new(void)
{
	struct tree *t = xcalloc(1, sizeof *t);

	t->priv = xcalloc(1, sizeof *t->priv);
	return t;
}

void tree_free(struct tree *t)
{
	struct tree_private *p;

	if (!t)
		return;
	p = t->priv;
	free(p->tokens);
	free(p->choices);
	free(p->sequences);
	free(p->order);
	free(p->parent);
	free(p->children);
	free(p->path_row);
	free(p->path_edge);
	free(p->next_edge);
	free(p->new_edge);
	free(p->edge_row);
	free(p->edge_token);
	free(p->edge_choices);
	free(p->edge_order);
	free(p);
	free(t->tokens);
	free(t->positions);
	free(t->nodes);
	free(t->edge_row);
	free(t->edge_token);
	free(t->edge_choices);
	free(t->sequence_start);
	free(t->sequence_length);
	free(t->sequence_edges);
	free(t->sequence_last_row);
	free(t);
}

void tree_clear(struct tree *t)
{
	t->n_rows = t->n_nodes = t->n_edges = t->n_sequences = 0;
	t->flat_rows = 0;
	t->priv->n_tokens = 0;
	t->priv->max_len = 0;
}

static int is_certain(const struct choices *c, int32_t token)
{
	return c && c->n == 1 && c->ids[0] == token;
}

/* How many tokens of a sequence are needed as inputs: those before the last token that
 * has an edge, or all where there is no target. */
static int32_t rows_needed(const struct tree_private *p, const struct sequence *s)
{
	int32_t n = s->len - 1;

	if (s->first_target >= s->len)
		return s->len;
	while (n >= s->first_target &&
		is_certain(p->choices[s->at + (size_t)n], p->tokens[s->at + (size_t)n]))
		n--;
	return n >= s->first_target ? n : 0;
}

int32_t tree_add_guided(struct tree *t, const int32_t *tokens, int32_t len, int32_t first_target,
	const struct choices *const *choices)
{
	struct tree_private *p = t->priv;
	struct sequence *s;

	if (len < 1 || p->n_tokens + (size_t)len > INT32_MAX)
		die(EXIT_INTERNAL, "a batch of more than %d tokens, or an empty sequence",
			INT32_MAX);
	if (first_target < 1)
		first_target = 1;
	if (p->n_tokens + (size_t)len > p->cap_tokens) {
		p->cap_tokens = 2 * (p->n_tokens + (size_t)len);
		p->tokens = xreallocarray(p->tokens, p->cap_tokens, sizeof *p->tokens);
		p->choices = xreallocarray(p->choices, p->cap_tokens, sizeof *p->choices);
	}
	p->sequences = array_grow(
		p->sequences, &p->cap_sequences, (size_t)t->n_sequences, sizeof *p->sequences);
	s = &p->sequences[t->n_sequences];
	*s = (struct sequence){.at = p->n_tokens, .len = len, .first_target = first_target};
	memcpy(p->tokens + s->at, tokens, (size_t)len * sizeof *tokens);
	for (int32_t i = 0; i < len; i++)
		p->choices[s->at + (size_t)i] = choices && i >= first_target ? choices[i] : NULL;
	s->rows = rows_needed(p, s);
	p->n_tokens += (size_t)len;
	if (len > p->max_len)
		p->max_len = len;
	return t->n_sequences++;
}

int32_t tree_add(struct tree *t, const int32_t *tokens, int32_t len, int32_t first_target)
{
	return tree_add_guided(t, tokens, len, first_target, NULL);
}

static void reserve(struct tree *t)
{
	struct tree_private *p = t->priv;
	size_t n_sequences = (size_t)t->n_sequences;

	if (p->cap_order < n_sequences) {
		p->cap_order = p->cap_sequences;
		p->order = xreallocarray(p->order, p->cap_order, sizeof *p->order);
		t->sequence_start = xreallocarray(t->sequence_start, p->cap_order, sizeof(int32_t));
		t->sequence_length =
			xreallocarray(t->sequence_length, p->cap_order, sizeof(int32_t));
		t->sequence_last_row =
			xreallocarray(t->sequence_last_row, p->cap_order, sizeof(int32_t));
	}
	if (p->cap_rows < p->n_tokens) {
		p->cap_rows = p->cap_tokens;
		p->parent = xreallocarray(p->parent, p->cap_rows, sizeof *p->parent);
		p->children = xreallocarray(p->children, p->cap_rows, sizeof *p->children);
		p->new_edge = xreallocarray(p->new_edge, p->cap_rows + 1, sizeof *p->new_edge);
		p->next_edge = xreallocarray(p->next_edge, p->cap_rows, sizeof(int32_t));
		p->edge_order = xreallocarray(p->edge_order, p->cap_rows, sizeof(int32_t));
		p->edge_choices =
			xreallocarray(p->edge_choices, p->cap_rows, sizeof *p->edge_choices);
		p->edge_row = xreallocarray(p->edge_row, p->cap_rows, sizeof(int32_t));
		p->edge_token = xreallocarray(p->edge_token, p->cap_rows, sizeof(int32_t));
		t->tokens = xreallocarray(t->tokens, p->cap_rows, sizeof *t->tokens);
		t->positions = xreallocarray(t->positions, p->cap_rows, sizeof *t->positions);
		t->nodes = xreallocarray(t->nodes, p->cap_rows, sizeof *t->nodes);
		t->edge_choices =
			xreallocarray(t->edge_choices, p->cap_rows, sizeof *t->edge_choices);
		t->edge_row = xreallocarray(t->edge_row, p->cap_rows, sizeof(int32_t));
		t->edge_token = xreallocarray(t->edge_token, p->cap_rows, sizeof(int32_t));
		t->sequence_edges = xreallocarray(t->sequence_edges, p->cap_rows, sizeof(int32_t));
	}
	if (p->cap_path < (size_t)p->max_len) {
		p->cap_path = 2 * (size_t)p->max_len;
		p->path_row = xreallocarray(p->path_row, p->cap_path, sizeof(int32_t));
		p->path_edge = xreallocarray(p->path_edge, p->cap_path, sizeof(int32_t));
	}
}

static int compare_sequences(const void *a, const void *b, void *context)
{
	const struct tree_private *p = context;
	const int32_t ia = *(const int32_t *)a, ib = *(const int32_t *)b;
	const struct sequence *x = &p->sequences[ia], *y = &p->sequences[ib];
	int32_t n = x->len < y->len ? x->len : y->len;

	for (int32_t i = 0; i < n; i++) {
		int32_t u = p->tokens[x->at + (size_t)i], v = p->tokens[y->at + (size_t)i];

		if (u != v)
			return u < v ? -1 : 1;
	}
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static int32_t common_prefix(const struct tree_private *p, int32_t a, int32_t b)
{
	const struct sequence *x = &p->sequences[a], *y = &p->sequences[b];
	int32_t n = x->len < y->len ? x->len : y->len, i = 0;

	while (i < n && p->tokens[x->at + (size_t)i] == p->tokens[y->at + (size_t)i])
		i++;
	return i;
}

/* The edge from the path's row i - 1 to a token, under these choices. */
static int32_t edge_at(struct tree *t, int32_t i, int32_t token, const struct choices *choices)
{
	struct tree_private *p = t->priv;
	int32_t e = p->path_edge[i];

	while (e >= 0 && choices_compare(p->edge_choices[e], choices) != 0)
		e = p->next_edge[e];
	if (e >= 0)
		return e;
	e = t->n_edges++;
	p->edge_row[e] = p->path_row[i - 1];
	p->edge_token[e] = token;
	p->edge_choices[e] = choices;
	p->next_edge[e] = p->path_edge[i];
	p->path_edge[i] = e;
	return e;
}

/* Rows and edges of a sequence whose first `shared` tokens are those of the path;
 * the path holds rows for the first path_len positions.  Returns its new length. */
static int32_t lay_out(struct tree *t, int32_t index, int32_t shared, int32_t path_len)
{
	struct tree_private *p = t->priv;
	const struct sequence *s = &p->sequences[index];
	const int32_t *tokens = p->tokens + s->at;
	int32_t *edges = t->sequence_edges + t->sequence_start[index];

	if (path_len > shared)
		path_len = shared;
	for (int32_t i = path_len; i < s->rows; i++) {
		int32_t row = t->n_rows++;

		t->tokens[row] = tokens[i];
		t->positions[row] = i;
		p->parent[row] = i ? p->path_row[i - 1] : -1;
		p->children[row] = 0;
		if (i)
			p->children[p->path_row[i - 1]]++;
		p->path_row[i] = row;
	}
	for (int32_t i = shared; i < s->len; i++)
		p->path_edge[i] = -1;
	for (int32_t i = 1; i < s->len; i++) {
		const struct choices *choices = p->choices[s->at + (size_t)i];

		if (i < s->first_target)
			edges[i - 1] = -1;
		else if (is_certain(choices, tokens[i]))
			edges[i - 1] = EDGE_CERTAIN;
		else
			edges[i - 1] = edge_at(t, i, tokens[i], choices);
	}
	t->sequence_last_row[index] = s->rows ? p->path_row[s->rows - 1] : -1;
	return path_len > s->rows ? path_len : s->rows;
}

/* A node begins at a root and after every row that several rows follow. */
static void make_nodes(struct tree *t)
{
	struct tree_private *p = t->priv;
	int32_t *node_of = p->new_edge; /* of a row; free until the edges are ordered */

	for (int32_t r = 0; r < t->n_rows; r++) {
		int32_t parent = p->parent[r];

		if (parent < 0 || p->children[parent] > 1)
			t->nodes[t->n_nodes++] = (struct tree_node){
				.parent = parent < 0 ? -1 : node_of[parent],
				.start = r,
				.position = t->positions[r],
			};
		t->nodes[t->n_nodes - 1].len++;
		node_of[r] = t->n_nodes - 1;
	}
}

static int compare_edges(const void *a, const void *b, void *context)
{
	const struct tree_private *p = context;
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	int order = choices_compare(p->edge_choices[x], p->edge_choices[y]);

	return order ? order : (x > y) - (x < y);
}

/* Counting sort by row, stable; leaves in p->children where each row's edges end. */
static void sort_by_row(struct tree *t)
{
	struct tree_private *p = t->priv;
	int32_t *next = p->children; /* free by now; rows and edges fit */
	int32_t sum = 0;

	memset(next, 0, (size_t)t->n_rows * sizeof *next);
	for (int32_t e = 0; e < t->n_edges; e++)
		next[p->edge_row[e]]++;
	for (int32_t r = 0; r < t->n_rows; r++) {
		int32_t n = next[r];

		next[r] = sum;
		sum += n;
	}
	for (int32_t e = 0; e < t->n_edges; e++)
		p->edge_order[next[p->edge_row[e]]++] = e;
}

/* By row, then by choices; equal choices of a row become one pointer. */
static void order_edges(struct tree *t)
{
	struct tree_private *p = t->priv;

	sort_by_row(t);
	for (int32_t r = 0; r < t->n_rows; r++) {
		int32_t from = r ? p->children[r - 1] : 0, n = p->children[r] - from;
		int differ = 0;

		for (int32_t i = from + 1; i < from + n; i++)
			differ |= p->edge_choices[p->edge_order[i]] !=
				  p->edge_choices[p->edge_order[i - 1]];
		if (differ)
			qsort_r(p->edge_order + from, (size_t)n, sizeof *p->edge_order,
				compare_edges, p);
	}
	for (int32_t to = 0; to < t->n_edges; to++) {
		int32_t e = p->edge_order[to];

		p->new_edge[e] = to;
		t->edge_row[to] = p->edge_row[e];
		t->edge_token[to] = p->edge_token[e];
		t->edge_choices[to] = p->edge_choices[e];
		if (to && t->edge_row[to] == t->edge_row[to - 1] &&
			choices_compare(t->edge_choices[to], t->edge_choices[to - 1]) == 0)
			t->edge_choices[to] = t->edge_choices[to - 1];
	}
}

static void renumber_edges(struct tree *t)
{
	for (int32_t s = 0; s < t->n_sequences; s++) {
		int32_t *edges = t->sequence_edges + t->sequence_start[s];

		for (int32_t i = 0; i + 1 < t->sequence_length[s]; i++)
			if (edges[i] >= 0)
				edges[i] = t->priv->new_edge[edges[i]];
	}
}

void tree_pack(struct tree *t, int flat)
{
	struct tree_private *p = t->priv;
	int32_t start = 0, path_len = 0;

	reserve(t);
	t->n_rows = t->n_nodes = t->n_edges = 0;
	t->flat_rows = 0;
	for (int32_t s = 0; s < t->n_sequences; s++) {
		t->sequence_start[s] = start;
		t->sequence_length[s] = p->sequences[s].len;
		start += p->sequences[s].len - 1;
		t->flat_rows += p->sequences[s].rows;
		p->order[s] = s;
	}
	if (!flat && t->n_sequences)
		qsort_r(p->order, (size_t)t->n_sequences, sizeof *p->order, compare_sequences, p);
	for (int32_t i = 0; i < t->n_sequences; i++) {
		int32_t s = p->order[i];
		int32_t shared = i && !flat ? common_prefix(p, p->order[i - 1], s) : 0;

		path_len = lay_out(t, s, shared, path_len);
	}
	make_nodes(t);
	order_edges(t);
	renumber_edges(t);
}
