#include "text/tokenizer.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "text/bytelevel.h"
#include "text/merge.h"
#include "text/utf8.h"

void ids_add(struct ids *ids, int32_t id)
{
	ids->data = array_grow(ids->data, &ids->cap, ids->len, sizeof *ids->data);
	ids->data[ids->len++] = id;
}

void ids_release(struct ids *ids)
{
	free(ids->data);
	*ids = (struct ids){0};
}

void tokenizer_free(struct tokenizer *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n_tokens; i++) {
		free(t->tokens[i].bytes);
		free(t->names[i]);
	}
	free(t->tokens);
	free(t->names);
	free(t->chain);
	free(t->rules);
	map64_release(&t->merges);
	map64_release(&t->contents);
	added_trie_release(&t->raw);
	added_trie_release(&t->normalized);
	map64_release(&t->chars);
	normalizer_free(t->normalizer);
	splitter_free(t->splitter);
	piece_decoder_release(&t->decoder);
	arena_release(&t->arena);
	merge_work_release(&t->work);
	free(t->added);
	free(t->cache);
	buf_release(&t->file);
	free(t);
}

uint32_t tokenizer_size(const struct tokenizer *t)
{
	return t->n_tokens;
}

const char *tokenizer_hash(const struct tokenizer *t)
{
	return t->hash;
}

static uint64_t name_hash(const char *name, size_t len)
{
	return fnv64(FNV64_INIT, name, len) >> 1; /* never the key that map64 keeps for itself */
}

int32_t tokenizer_find_name(const struct tokenizer *t, const char *name, size_t len)
{
	const uint64_t *first = map64_get(&t->contents, name_hash(name, len));

	for (int32_t id = first ? (int32_t)*first : -1; id >= 0; id = t->chain[id]) {
		if (!strncmp(t->names[id], name, len) && !t->names[id][len])
			return id;
	}
	return -1;
}

void tokenizer_set_name(struct tokenizer *t, int32_t id, const char *name)
{
	uint64_t hash = name_hash(name, strlen(name));
	const uint64_t *old = map64_get(&t->contents, hash);

	t->chain[id] = old ? (int32_t)*old : -1;
	*map64_put(&t->contents, hash) = (uint64_t)id;
	t->names[id] = xstrdup(name);
}

int32_t tokenizer_id(const struct tokenizer *t, const char *content)
{
	int32_t id = tokenizer_find_name(t, content, strlen(content));
	struct buf name = {0};

	if (id >= 0 && t->tokens[id].added >= 0)
		return id;
	if (t->byte_level)
		bytelevel_encode(content, strlen(content), &name);
	else
		piece_encode(&t->decoder, content, &name);
	id = tokenizer_find_name(t, name.data ? name.data : "", name.len);
	if (id < 0 && t->byte_fallback && content[0] && !content[1])
		id = t->byte_ids[(unsigned char)content[0]];
	buf_release(&name);
	return id;
}

const char *tokenizer_bytes(const struct tokenizer *t, int32_t id, size_t *len)
{
	if (id < 0 || (uint32_t)id >= t->n_tokens || !t->tokens[id].bytes)
		return NULL;
	*len = t->tokens[id].len;
	return t->tokens[id].bytes;
}

int tokenizer_is_special(const struct tokenizer *t, int32_t id)
{
	return id >= 0 && (uint32_t)id < t->n_tokens && t->tokens[id].added >= 0 &&
	       t->added[t->tokens[id].added].special;
}

/* The first token of a text without the blanks that stand for marks (Metaspace). */
static void decode_first(const struct tokenizer *t, int32_t id, struct buf *out)
{
	const char *mark = t->decoder.rules[t->decoder.n_rules - 1].from;
	const char *at = t->names[id], *found;
	struct buf rest = {0};

	for (; (found = strstr(at, mark)); at = found + strlen(mark))
		buf_add(&rest, at, (size_t)(found - at));
	buf_adds(&rest, at);
	piece_decode(&t->decoder, rest.data, out);
	buf_release(&rest);
}

void tokenizer_decode(
	const struct tokenizer *t, const int32_t *ids, size_t n, int skip_special, struct buf *out)
{
	size_t start = out->len, strip = 0;
	int first = t->decoder.strip_first;

	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *bytes = tokenizer_bytes(t, ids[i], &len);

		if (!bytes || (skip_special && tokenizer_is_special(t, ids[i])))
			continue;
		if (first)
			decode_first(t, ids[i], out);
		else
			buf_add(out, bytes, len);
		first = 0;
	}
	while (strip < (size_t)t->decoder.strip && start + strip < out->len &&
		out->data[start + strip] == t->decoder.strip_byte)
		strip++;
	if (strip) {
		memmove(out->data + start, out->data + start + strip, out->len - start - strip + 1);
		out->len -= strip;
	}
}

/* What the encoders below hand through the splitter. */
struct encoding {
	struct tokenizer *t;
	double dropout;
	struct rng *rng;
	struct ids *out;
};

static void encode_word(struct encoding *e, const char *word, size_t len)
{
	if (e->t->ignore_merges && !(e->dropout > 0)) {
		struct buf name = {0};
		int32_t id;

		if (e->t->byte_level)
			bytelevel_encode(word, len, &name);
		else
			buf_add(&name, word, len);
		id = tokenizer_find_name(e->t, name.data, name.len);
		buf_release(&name);
		if (id >= 0 && !(e->t->tokens[id].added >= 0 && !e->t->tokens[id].in_model)) {
			ids_add(e->out, id);
			return;
		}
	}
	merge_word(e->t, word, len, e->dropout, e->rng, e->out);
}

/* A word through the cache: a table in which a newcomer takes the place. */
static void cached_word(void *arg, const char *word, size_t len)
{
	struct encoding *e = arg;
	struct cache_slot *slot;
	size_t start = e->out->len, n;

	if (len > CACHE_TEXT || e->dropout > 0) {
		encode_word(e, word, len);
		return;
	}
	if (!e->t->cache)
		e->t->cache = xcalloc(CACHE_SLOTS, sizeof *e->t->cache);
	slot = &e->t->cache[hash_mix(fnv64(FNV64_INIT, word, len)) & (CACHE_SLOTS - 1)];
	if (slot->len == len && !memcmp(slot->text, word, len)) {
		for (int i = 0; i < slot->n; i++)
			ids_add(e->out, slot->ids[i]);
		return;
	}
	encode_word(e, word, len);
	n = e->out->len - start;
	if (n > CACHE_IDS)
		return;
	memcpy(slot->text, word, len);
	if (n)
		memcpy(slot->ids, e->out->data + start, n * sizeof *slot->ids);
	slot->len = (unsigned char)len;
	slot->n = (unsigned char)n;
}

/* The next border before a blank's mark behind another character, or the end. */
static size_t mark_border(const char *word, size_t len)
{
	size_t at = 0;

	const char *mark;

	while (len - at >= 3 && !memcmp(word + at, SENTENCEPIECE_MARK, 3))
		at += 3;
	mark = memmem(word + at, len - at, SENTENCEPIECE_MARK, 3);
	return mark ? (size_t)(mark - word) : len;
}

/* Where no merge crosses such borders, long pieces are cut there: short ones are in
 * the cache. */
static void encode_piece(void *arg, const char *word, size_t len)
{
	struct encoding *e = arg;

	if (!e->t->mark_splits) {
		cached_word(e, word, len);
		return;
	}
	while (len) {
		size_t part = mark_border(word, len);

		cached_word(e, word, part);
		word += part;
		len -= part;
	}
}

/* Normalized text to ids. */
static void encode_text(struct encoding *e, const char *text, size_t len, int at_start)
{
	while (len) { /* a byte that is not UTF-8 is a word of its own */
		size_t good = utf8_valid(text, len);

		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		splitter_run(e->t->splitter, text, good, at_start, encode_piece, e);
		if (good < len)
			cached_word(e, text + good++, 1);
		at_start = 0;
		text += good;
		len -= good;
	}
}

void tokenizer_encode_plain(struct tokenizer *t, const char *text, size_t len, double dropout,
	struct rng *rng, struct ids *out)
{
	struct encoding e = {t, dropout, rng, out};

	if (t->normalizer) {
		const struct buf *normalized = normalizer_run(t->normalizer, text, len);

		text = normalized->data;
		len = normalized->len;
	}
	encode_text(&e, text, len, 1);
}

/* A part of the text in which the added tokens of a trie are looked for.  The parts
 * between those that are not normalized are normalized, and looked through again. */
static void encode_added(struct encoding *e, const struct added_trie *trie, int skip_special,
	const char *text, size_t len, int at_start);

static void encode_between(struct encoding *e, const struct added_trie *trie, int skip_special,
	const char *text, size_t len, int at_start)
{
	struct tokenizer *t = e->t;

	if (trie == &t->normalized) {
		encode_text(e, text, len, at_start);
		return;
	}
	if (t->normalizer) {
		const struct buf *normalized = normalizer_run(t->normalizer, text, len);

		text = normalized->data;
		len = normalized->len;
	}
	encode_added(e, &t->normalized, skip_special, text, len, at_start);
}

static void encode_added(struct encoding *e, const struct added_trie *trie, int skip_special,
	const char *text, size_t len, int at_start)
{
	size_t done = 0, scan = 0;

	while (done < len) {
		size_t from = len, to = len;
		const struct added_entry *entry =
			added_trie_next(trie, text, len, skip_special, done, &scan, &from, &to);

		if (from > done)
			encode_between(
				e, trie, skip_special, text + done, from - done, at_start && !done);
		if (!entry)
			break;
		ids_add(e->out, entry->id);
		done = to;
		if (scan < done)
			scan = done;
	}
}

void tokenizer_encode(struct tokenizer *t, const char *text, size_t len, struct ids *out)
{
	encode_added(&(struct encoding){t, 0, NULL, out}, &t->raw, 0, text, len, 1);
}

void tokenizer_encode_ordinary(struct tokenizer *t, const char *text, size_t len, struct ids *out)
{
	encode_added(&(struct encoding){t, 0, NULL, out}, &t->raw, 1, text, len, 1);
}
