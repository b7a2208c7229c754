/* Learns a byte-level BPE from text (Sennrich et al. 2016), in the order in which
 * the BpeTrainer of `tokenizers` does: the commonest pair first, of equals the one
 * of lower ids. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "text/bytelevel.h"
#include "text/tokenizer_internal.h"
#include "text/utf8.h"

enum {
	BYTES = 256,
	COUNT_MIN = 2 /* a pair seen once teaches nothing */
};

/* A word, a digit or a sign of punctuation, with the blank before it: values then
 * look alike wherever they stand. */
static const char words_pattern[] =
	" ?[\\p{L}\\p{M}]+| ?\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]|\\s+(?!\\S)|\\s";

/* A distinct word of the texts, as symbols. */
struct word {
	uint64_t hash;
	int32_t *ids;
	uint32_t len;
	int64_t count;
};

struct pair {
	int32_t left, right;
	int64_t count;
	uint32_t *words; /* those it is or was in */
	size_t n_words, words_cap;
	size_t touched; /* number of the merge that last raised its count */
};

struct top {
	int64_t count;
	uint32_t pair;
};

struct trainer {
	struct word *words;
	size_t n_words, words_cap;
	uint32_t *table; /* open addressing: index of a word + 1 */
	size_t table_size;
	struct pair *pairs;
	size_t n_pairs, pairs_cap;
	struct map64 pair_index;
	struct top *heap;
	size_t heap_len, heap_cap;
	struct buf *names; /* by id, as printable characters */
	size_t n_names, names_cap;
	struct map64 name_ids; /* hash of the name -> id + 1 */
	int32_t byte_ids[BYTES];
	int32_t (*merges)[2];
	size_t n_merges;
};

static int32_t name_add(struct trainer *t, const char *name, size_t len)
{
	uint64_t *id = map64_put(&t->name_ids, fnv64(FNV64_INIT, name, len) >> 1);

	if (!*id) {
		t->names = array_grow(t->names, &t->names_cap, t->n_names, sizeof *t->names);
		t->names[t->n_names] = (struct buf){0};
		buf_add(&t->names[t->n_names], name, len);
		*id = ++t->n_names;
	}
	return (int32_t)*id - 1;
}

/* The alphabet: all bytes, in the order of the characters that stand for them. */
static void alphabet_add(struct trainer *t)
{
	for (int32_t code = 0; code < 0x144; code++) {
		int byte = bytelevel_byte(code);
		char text[4];

		if (byte >= 0)
			t->byte_ids[byte] = name_add(t, text, utf8_encode((uint32_t)code, text));
	}
}

static int word_is(const struct trainer *t, const struct word *w, const char *text, size_t len)
{
	if (w->len != len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (w->ids[i] != t->byte_ids[(unsigned char)text[i]])
			return 0;
	}
	return 1;
}

static void table_grow(struct trainer *t)
{
	t->table_size = t->table_size ? t->table_size * 2 : 4096;
	free(t->table);
	t->table = xcalloc(t->table_size, sizeof *t->table);
	for (size_t i = 0; i < t->n_words; i++) {
		size_t at = t->words[i].hash & (t->table_size - 1);

		while (t->table[at])
			at = (at + 1) & (t->table_size - 1);
		t->table[at] = (uint32_t)i + 1;
	}
}

static void word_count(void *arg, const char *text, size_t len)
{
	struct trainer *t = arg;
	uint64_t hash = hash_mix(fnv64(FNV64_INIT, text, len));
	struct word *w;
	size_t at;

	if (t->n_words * 2 >= t->table_size)
		table_grow(t);
	at = hash & (t->table_size - 1);
	for (; t->table[at]; at = (at + 1) & (t->table_size - 1)) {
		w = &t->words[t->table[at] - 1];
		if (w->hash == hash && word_is(t, w, text, len)) {
			w->count++;
			return;
		}
	}
	t->words = array_grow(t->words, &t->words_cap, t->n_words, sizeof *t->words);
	w = &t->words[t->n_words++];
	t->table[at] = (uint32_t)t->n_words;
	*w = (struct word){hash, xreallocarray(NULL, len, sizeof *w->ids), (uint32_t)len, 1};
	for (size_t i = 0; i < len; i++)
		w->ids[i] = t->byte_ids[(unsigned char)text[i]];
}

static int above(const struct trainer *t, const struct top *a, const struct top *b)
{
	const struct pair *p = &t->pairs[a->pair], *q = &t->pairs[b->pair];

	if (a->count != b->count)
		return a->count > b->count;
	return p->left != q->left ? p->left < q->left : p->right < q->right;
}

static void heap_push(struct trainer *t, struct top top)
{
	size_t i = t->heap_len;

	t->heap = array_grow(t->heap, &t->heap_cap, t->heap_len++, sizeof *t->heap);
	for (; i > 0 && above(t, &top, &t->heap[(i - 1) / 2]); i = (i - 1) / 2)
		t->heap[i] = t->heap[(i - 1) / 2];
	t->heap[i] = top;
}

static struct top heap_pop(struct trainer *t)
{
	struct top first = t->heap[0], last = t->heap[--t->heap_len];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < t->heap_len) {
		if (child + 1 < t->heap_len && above(t, &t->heap[child + 1], &t->heap[child]))
			child++;
		if (!above(t, &t->heap[child], &last))
			break;
		t->heap[i] = t->heap[child];
		i = child;
	}
	t->heap[i] = last;
	return first;
}

static struct pair *pair_get(struct trainer *t, int32_t left, int32_t right)
{
	uint64_t *index = map64_put(&t->pair_index, (uint64_t)left << 32 | (uint32_t)right);

	if (!*index) {
		t->pairs = array_grow(t->pairs, &t->pairs_cap, t->n_pairs, sizeof *t->pairs);
		t->pairs[t->n_pairs] = (struct pair){.left = left, .right = right};
		*index = ++t->n_pairs;
	}
	return &t->pairs[*index - 1];
}

static void pair_list_word(struct pair *p, uint32_t word)
{
	if (p->n_words && p->words[p->n_words - 1] == word)
		return;
	p->words = array_grow(p->words, &p->words_cap, p->n_words, sizeof *p->words);
	p->words[p->n_words++] = word;
}

static void pairs_count(struct trainer *t)
{
	for (size_t i = 0; i < t->n_words; i++) {
		for (uint32_t k = 0; k + 1 < t->words[i].len; k++) {
			struct pair *p = pair_get(t, t->words[i].ids[k], t->words[i].ids[k + 1]);

			p->count += t->words[i].count;
			pair_list_word(p, (uint32_t)i);
		}
	}
	for (size_t i = 0; i < t->n_pairs; i++)
		heap_push(t, (struct top){t->pairs[i].count, (uint32_t)i});
}

/* Joins left and right to merged within a word; its new length. */
static uint32_t join(int32_t *ids, uint32_t len, int32_t left, int32_t right, int32_t merged)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < len; i++) {
		if (ids[i] == left && i + 1 < len && ids[i + 1] == right) {
			ids[n++] = merged;
			i++;
		} else {
			ids[n++] = ids[i];
		}
	}
	return n;
}

static void word_merge(
	struct trainer *t, uint32_t index, int32_t left, int32_t right, int32_t merged)
{
	struct word *w = &t->words[index];
	uint32_t found = 0;

	while (found + 1 < w->len && !(w->ids[found] == left && w->ids[found + 1] == right))
		found++;
	if (found + 1 >= w->len)
		return;
	for (uint32_t k = 0; k + 1 < w->len; k++)
		pair_get(t, w->ids[k], w->ids[k + 1])->count -= w->count;
	w->len = join(w->ids, w->len, left, right, merged);
	for (uint32_t k = 0; k + 1 < w->len; k++) {
		struct pair *p = pair_get(t, w->ids[k], w->ids[k + 1]);

		p->count += w->count;
		if (w->ids[k] != merged && w->ids[k + 1] != merged)
			continue;
		pair_list_word(p, index);
		p->touched = t->n_merges;
	}
}

/* One merge: 0 where no pair is left that is common enough. */
static int merge_next(struct trainer *t)
{
	struct top top;
	struct pair p;
	struct buf name = {0};
	int32_t merged;

	do {
		if (!t->heap_len)
			return 0;
		top = heap_pop(t);
		p = t->pairs[top.pair];
		if (p.count != top.count && p.count >= COUNT_MIN)
			heap_push(t, (struct top){p.count, top.pair});
	} while (p.count != top.count || p.count < COUNT_MIN);
	buf_add(&name, t->names[p.left].data, t->names[p.left].len);
	buf_add(&name, t->names[p.right].data, t->names[p.right].len);
	merged = name_add(t, name.data, name.len);
	buf_release(&name);
	t->merges[t->n_merges][0] = p.left;
	t->merges[t->n_merges][1] = p.right;
	t->n_merges++;
	t->pairs[top.pair].words = NULL; /* p has it now */
	t->pairs[top.pair].n_words = t->pairs[top.pair].words_cap = 0;
	for (size_t i = 0; i < p.n_words; i++)
		word_merge(t, p.words[i], p.left, p.right, merged);
	/* Raised pairs have the new id in them; they are few, and in the words. */
	for (size_t i = 0; i < p.n_words; i++) {
		const struct word *w = &t->words[p.words[i]];

		for (uint32_t k = 0; k + 1 < w->len; k++) {
			struct pair *q;

			if (w->ids[k] != merged && w->ids[k + 1] != merged)
				continue;
			q = pair_get(t, w->ids[k], w->ids[k + 1]);
			if (q->touched == t->n_merges) {
				q->touched = 0;
				heap_push(t, (struct top){q->count, (uint32_t)(q - t->pairs)});
			}
		}
	}
	free(p.words);
	return 1;
}

static json_t *added_json(const struct trainer *t, const struct added_token *added, size_t n_added)
{
	json_t *list = json_array();
	int32_t next = (int32_t)t->n_names;

	for (size_t i = 0; i < n_added; i++) {
		const char *content = added[i].content;
		const uint64_t *known =
			map64_get(&t->name_ids, fnv64(FNV64_INIT, content, strlen(content)) >> 1);

		json_array_append_new(
			list, json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:b}", "id",
				      known ? (int)*known - 1 : next++, "content", content,
				      "single_word", 0, "lstrip", 0, "rstrip", 0, "normalized", 0,
				      "special", added[i].special));
	}
	return list;
}

static json_t *bytelevel_json(void)
{
	return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 0,
		"trim_offsets", 0, "use_regex", 0);
}

static void file_write(
	const struct trainer *t, const struct added_token *added, size_t n_added, struct buf *out)
{
	json_t *vocab = json_object(), *merges = json_array(), *root;
	char *text;

	for (size_t i = 0; i < t->n_names; i++)
		json_object_set_new(vocab, t->names[i].data, json_integer((json_int_t)i));
	for (size_t i = 0; i < t->n_merges; i++) {
		const int32_t *m = t->merges[i];

		json_array_append_new(
			merges, json_pack("[s, s]", t->names[m[0]].data, t->names[m[1]].data));
	}
	root = json_pack("{s:s, s:n, s:n, s:o, s:n, s:{s:s, s:[{s:s, s:{s:s}, s:s, s:b}, o]}, s:n,"
			 " s:o, s:{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:o, s:o}}",
		"version", "1.0", "truncation", "padding", "added_tokens",
		added_json(t, added, n_added), "normalizer", "pre_tokenizer", "type", "Sequence",
		"pretokenizers", "type", "Split", "pattern", "Regex", words_pattern, "behavior",
		"Isolated", "invert", 0, bytelevel_json(), "post_processor", "decoder",
		bytelevel_json(), "model", "type", "BPE", "dropout", "unk_token",
		"continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0, "byte_fallback",
		0, "ignore_merges", 0, "vocab", vocab, "merges", merges);
	text = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	buf_adds(out, text);
	buf_addc(out, '\n');
	free(text);
}

static void trainer_release(struct trainer *t)
{
	for (size_t i = 0; i < t->n_words; i++)
		free(t->words[i].ids);
	for (size_t i = 0; i < t->n_pairs; i++)
		free(t->pairs[i].words);
	for (size_t i = 0; i < t->n_names; i++)
		buf_release(&t->names[i]);
	free(t->words);
	free(t->table);
	free(t->pairs);
	free(t->heap);
	free(t->names);
	free(t->merges);
	map64_release(&t->pair_index);
	map64_release(&t->name_ids);
}

static struct splitter *words_splitter(struct error *err)
{
	json_t *d = json_pack("{s:s, s:[{s:s, s:{s:s}, s:s}, o]}", "type", "Sequence",
		"pretokenizers", "type", "Split", "pattern", "Regex", words_pattern, "behavior",
		"Isolated", bytelevel_json());
	struct splitter *s = splitter_new(d, err);

	json_decref(d);
	return s;
}

static int check_added(const struct added_token *added, size_t n_added, struct error *err)
{
	for (size_t i = 0; i < n_added; i++) {
		size_t len = strlen(added[i].content);

		if (!len || utf8_valid(added[i].content, len) < len)
			return error_set(err, EXIT_DATA,
				"added token %zu: '%.40s' is empty or not valid UTF-8", i,
				added[i].content);
	}
	return 0;
}

struct tokenizer *tokenizer_train(const char *const *texts, size_t n_texts, size_t n_merges,
	const struct added_token *added, size_t n_added, struct error *err)
{
	struct splitter *splitter = words_splitter(err);
	struct trainer t = {0};
	struct buf file = {0};

	if (!splitter || check_added(added, n_added, err) < 0) {
		splitter_free(splitter);
		return NULL;
	}
	alphabet_add(&t);
	for (size_t i = 0; i < n_texts; i++) /* up to the first byte that is not UTF-8 */
		splitter_run(splitter, texts[i], utf8_valid(texts[i], strlen(texts[i])), 1,
			word_count, &t);
	splitter_free(splitter);
	pairs_count(&t);
	t.merges = xreallocarray(NULL, n_merges + 1, sizeof *t.merges);
	while (t.n_merges < n_merges && merge_next(&t))
		;
	file_write(&t, added, n_added, &file);
	trainer_release(&t);
	return tokenizer_parse(&file, err);
}
