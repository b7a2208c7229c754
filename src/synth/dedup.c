#include "synth/dedup.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "synth/typos.h"
#include "text/words.h"

/* One accepted pair under the hash of its words; once more, as an alias, under
 * the hash of its corrected words where those differ. */
struct __attribute__((packed)) entry {
	uint64_t words; /* 0: free */
	uint32_t argv;	/* hash of the argv, exact */
	uint32_t loose; /* of the argv's words; 0: an alias, never contradicts */
	uint32_t text;	/* of request (blanks folded) and argv */
};

struct dedup {
	struct entry *table;
	size_t len, cap;
	struct typos *typos;
	/* the pair of the last dedup_find() */
	struct entry now;
	uint64_t corrected;
	const char *request;
	size_t request_len;
};

struct dedup *dedup_new(void)
{
	struct dedup *d = xcalloc(1, sizeof *d);

	d->cap = 1024;
	d->table = xcalloc(d->cap, sizeof *d->table);
	d->typos = typos_new();
	return d;
}

void dedup_free(struct dedup *d)
{
	if (!d)
		return;
	free(d->table);
	typos_free(d->typos);
	free(d);
}

void dedup_teach(struct dedup *d, const char *text)
{
	typos_teach(d->typos, text);
}

size_t dedup_entries(const struct dedup *d)
{
	return d->len;
}

/* Where a key's entries begin: the table's size need be no power of two. */
static size_t slot_of(uint64_t key, size_t cap)
{
	return (size_t)((unsigned __int128)hash_mix(key) * cap >> 64);
}

static void put(struct entry *table, size_t cap, const struct entry *e)
{
	size_t i = slot_of(e->words, cap);

	while (table[i].words)
		i = i + 1 < cap ? i + 1 : 0;
	table[i] = *e;
}

static void insert(struct dedup *d, const struct entry *e)
{
	if ((d->len + 1) * 5 > d->cap * 4) {
		size_t cap = d->cap + d->cap / 2;
		struct entry *table = xcalloc(cap, sizeof *table);

		for (size_t i = 0; i < d->cap; i++) {
			if (d->table[i].words)
				put(table, cap, &d->table[i]);
		}
		free(d->table);
		d->table = table;
		d->cap = cap;
	}
	put(d->table, d->cap, e);
	d->len++;
}

/* Hash of the text with every run of blanks as one, none at the ends. */
static uint64_t hash_blanks_folded(uint64_t hash, const char *text, size_t len)
{
	int pending = 0, started = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			pending = started;
			continue;
		}
		if (pending)
			hash = (hash ^ ' ') * 0x100000001b3u;
		hash = (hash ^ c) * 0x100000001b3u;
		pending = 0;
		started = 1;
	}
	return hash;
}

static void hash_argv(struct entry *e, int argc, const char *const *argv, uint64_t *exact)
{
	uint64_t loose = 1;

	*exact = fnv64(FNV64_INIT, &argc, sizeof argc);
	for (int i = 0; i < argc; i++) {
		size_t len = strlen(argv[i]), at = 0, word_len;
		const char *word;

		*exact = fnv64(*exact, argv[i], len + 1);
		while ((word = words_next(argv[i], len, &at, &word_len)))
			loose = words_chain(loose, word_hash(word, word_len));
	}
	/* null must differ from an argv whose words are all punctuation. */
	loose = hash_mix(loose + (argc < 0));
	e->argv = (uint32_t)(hash_mix(*exact) >> 32);
	e->loose = (uint32_t)(loose >> 32) | 1;
}

unsigned dedup_find(
	struct dedup *d, const char *request, size_t len, int argc, const char *const *argv)
{
	uint64_t words = 1, corrected = 1, exact;
	size_t at = 0, word_len;
	const char *word;
	unsigned found = 0;

	d->request = request;
	d->request_len = len;
	while ((word = words_next(request, len, &at, &word_len))) {
		uint64_t hash = word_hash(word, word_len);

		words = words_chain(words, hash);
		corrected = words_chain(corrected, typos_resolve(d->typos, hash, word, word_len));
	}
	d->now.words = words ? words : 1;
	d->corrected = corrected ? corrected : 1;
	hash_argv(&d->now, argc, argv, &exact);
	d->now.text = (uint32_t)(hash_mix(hash_blanks_folded(exact, request, len)) >> 32);
	for (int pass = 0; pass < 2; pass++) {
		uint64_t key = pass ? d->corrected : d->now.words;

		if (pass && d->corrected == d->now.words)
			break;
		for (size_t i = slot_of(key, d->cap); d->table[i].words;
			i = i + 1 < d->cap ? i + 1 : 0) {
			const struct entry *e = &d->table[i];

			if (e->words != key)
				continue;
			if (e->argv == d->now.argv)
				found |= e->text == d->now.text ? DEDUP_DUPLICATE : DEDUP_NEAR;
			else if (!pass && e->loose && e->loose != d->now.loose)
				found |= DEDUP_CONTRADICTION;
		}
	}
	return found;
}

void dedup_add(struct dedup *d)
{
	size_t at = 0, len;
	const char *word;

	insert(d, &d->now);
	if (d->corrected != d->now.words) {
		struct entry alias = d->now;

		alias.words = d->corrected;
		alias.loose = 0;
		insert(d, &alias);
	}
	while ((word = words_next(d->request, d->request_len, &at, &len)))
		typos_learn(d->typos, word_hash(word, len), word, len);
}
