#include "text/token_trie.h"

#include <stdlib.h>
#include <string.h>

struct spelled {
	const unsigned char *bytes;
	size_t len;
	int32_t id;
};

static int by_bytes(const void *x, const void *y)
{
	const struct spelled *a = x, *b = y;
	int order = memcmp(a->bytes, b->bytes, a->len < b->len ? a->len : b->len);

	if (order)
		return order;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* 1 where the tokenizer makes this one token of its bytes. */
static int is_plain(struct tokenizer *t, const struct spelled *s, struct ids *ids)
{
	ids->len = 0;
	tokenizer_encode_plain(t, (const char *)s->bytes, s->len, 0, NULL, ids);
	return ids->len == 1 && ids->data[0] == s->id;
}

static struct spelled *list_tokens(struct tokenizer *t, int plain, size_t *n, size_t *total)
{
	uint32_t size = tokenizer_size(t);
	struct spelled *list = xcalloc(size ? size : 1, sizeof *list);
	struct ids ids = {0};

	*n = *total = 0;
	for (uint32_t id = 0; id < size; id++) {
		struct spelled *s = &list[*n];

		s->bytes = (const unsigned char *)tokenizer_bytes(t, (int32_t)id, &s->len);
		s->id = (int32_t)id;
		if (!s->bytes || s->len == 0 || tokenizer_is_special(t, (int32_t)id) ||
			(plain && !is_plain(t, s, &ids)))
			continue;
		*total += s->len;
		(*n)++;
	}
	ids_release(&ids);
	qsort(list, *n, sizeof *list, by_bytes);
	return list;
}

/* A node whose tokens are list[lo .. hi - 1], which agree in `depth` bytes. */
struct range {
	int32_t node;
	size_t lo, hi, depth;
};

/* Makes the children of a range's node, and their ranges; how many. */
static size_t spread(
	struct token_trie *t, const struct spelled *list, struct range r, struct range *children)
{
	size_t n = 0;

	if (r.lo < r.hi && list[r.lo].len == r.depth) {
		t->nodes[r.node].token = list[r.lo].id;
		while (r.lo < r.hi && list[r.lo].len == r.depth)
			r.lo++;
	}
	t->nodes[r.node].first = t->n_nodes;
	while (r.lo < r.hi) {
		unsigned char byte = list[r.lo].bytes[r.depth];
		size_t to = r.lo;

		while (to < r.hi && list[to].bytes[r.depth] == byte)
			to++;
		children[n++] = (struct range){t->n_nodes, r.lo, to, r.depth + 1};
		t->nodes[t->n_nodes++] = (struct trie_node){.token = -1, .byte = byte};
		r.lo = to;
	}
	t->nodes[r.node].n_children = (uint16_t)n;
	return n;
}

struct token_trie *token_trie_new(struct tokenizer *tokenizer, int plain)
{
	struct token_trie *t = xcalloc(1, sizeof *t);
	size_t n, total, queued = 1;
	struct spelled *list = list_tokens(tokenizer, plain, &n, &total);
	struct range *queue = xcalloc(total + 1, sizeof *queue);

	t->nodes = xcalloc(total + 1, sizeof *t->nodes);
	t->nodes[0].token = -1;
	t->n_nodes = 1;
	queue[0] = (struct range){0, 0, n, 0};
	for (size_t i = 0; i < queued; i++)
		queued += spread(t, list, queue[i], queue + queued);
	t->nodes = xreallocarray(t->nodes, (size_t)t->n_nodes, sizeof *t->nodes);
	t->bytes = (size_t)t->n_nodes * sizeof *t->nodes;
	free(queue);
	free(list);
	return t;
}

void token_trie_free(struct token_trie *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t);
}

int32_t token_trie_child(const struct token_trie *t, int32_t node, unsigned char byte)
{
	const struct trie_node *n = &t->nodes[node], *children = &t->nodes[n->first];
	size_t lo = 0, hi = n->n_children;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (children[mid].byte < byte)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n->n_children && children[lo].byte == byte ? n->first + (int32_t)lo : -1;
}
