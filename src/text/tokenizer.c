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
	map64_release(&t->merges);
	map64_release(&t->contents);
	added_trie_release(&t->raw);
	added_trie_release(&t->normalized);
	splitter_free(t->splitter);
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
	bytelevel_encode(content, strlen(content), &name);
	id = tokenizer_find_name(t, name.data ? name.data : "", name.len);
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

void tokenizer_decode(
	const struct tokenizer *t, const int32_t *ids, size_t n, int skip_special, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *bytes = tokenizer_bytes(t, ids[i], &len);

		if (bytes && !(skip_special && tokenizer_is_special(t, ids[i])))
			buf_add(out, bytes, len);
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

		bytelevel_encode(word, len, &name);
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

static void encode_plain(struct encoding *e, const char *text, size_t len)
{
	while (len) { /* a byte that is not UTF-8 is a word of its own */
		size_t good = utf8_valid(text, len);

		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		splitter_run(e->t->splitter, text, good, cached_word, e);
		if (good < len)
			cached_word(e, text + good++, 1);
		text += good;
		len -= good;
	}
}

void tokenizer_encode_plain(struct tokenizer *t, const char *text, size_t len, double dropout,
	struct rng *rng, struct ids *out)
{
	encode_plain(&(struct encoding){t, dropout, rng, out}, text, len);
}

static void encode_added(struct encoding *e, const struct added_trie *trie, int skip_special,
	const char *text, size_t len)
{
	const struct added_trie *after = trie == &e->t->raw ? &e->t->normalized : NULL;
	size_t done = 0, scan = 0;

	while (done < len) {
		size_t from = len, to = len;
		const struct added_entry *entry =
			added_trie_next(trie, text, len, skip_special, done, &scan, &from, &to);

		if (from > done && after)
			encode_added(e, after, skip_special, text + done, from - done);
		else if (from > done)
			encode_plain(e, text + done, from - done);
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
	encode_added(&(struct encoding){t, 0, NULL, out}, &t->raw, 0, text, len);
}

void tokenizer_encode_ordinary(struct tokenizer *t, const char *text, size_t len, struct ids *out)
{
	encode_added(&(struct encoding){t, 0, NULL, out}, &t->raw, 1, text, len);
}
