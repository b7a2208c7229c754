#include "synth/typos.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "text/words.h"

enum {
	LEN_MIN = 3,
	LEN_RIGHT = 4,
	LEN_MAX = 24,
	FREQUENT = 20,
	SLOTS = TYPOS_WORDS_MAX * 2
};

struct seen {
	uint64_t hash;		/* 0: free */
	uint32_t count, looked; /* sightings; how many of them when stands_for was found */
	uint64_t stands_for;	/* hash of the word that this one misspells, 0: itself */
	int taught;
	char text[LEN_MAX];
	unsigned char len;
};

/* One entry of the deletion index: a word with one letter left out (or none). */
struct neighbour {
	uint64_t hash; /* 0: free */
	uint32_t word; /* slot in seen */
};

struct typos {
	struct seen *seen; /* SLOTS, open addressing */
	size_t n_seen;
	struct neighbour *index; /* cap_index, a power of two, open addressing */
	size_t n_index, cap_index;
};

struct typos *typos_new(void)
{
	struct typos *t = xcalloc(1, sizeof *t);

	t->seen = xcalloc(SLOTS, sizeof *t->seen);
	t->cap_index = 1 << 12;
	t->index = xcalloc(t->cap_index, sizeof *t->index);
	return t;
}

void typos_free(struct typos *t)
{
	if (!t)
		return;
	free(t->seen);
	free(t->index);
	free(t);
}

static int correctable(const char *word, size_t len)
{
	if (len < LEN_MIN || len > LEN_MAX)
		return 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = byte_lower((unsigned char)word[i]);

		if (c < 'a' || c > 'z')
			return 0;
	}
	return 1;
}

static struct seen *find(const struct typos *t, uint64_t hash)
{
	size_t i = hash & (SLOTS - 1);

	while (t->seen[i].hash && t->seen[i].hash != hash)
		i = (i + 1) & (SLOTS - 1);
	return &t->seen[i];
}

/* Hash of the (lower-case) word without its letter `skip`; len: all letters. */
static uint64_t hash_without(const char *word, size_t len, size_t skip)
{
	uint64_t hash = FNV64_INIT;

	for (size_t i = 0; i < len; i++) {
		if (i != skip)
			hash = fnv64(hash, word + i, 1);
	}
	return hash_mix(hash) | 1;
}

static void index_put(struct typos *t, uint64_t hash, uint32_t word)
{
	size_t i = hash & (t->cap_index - 1);

	while (t->index[i].hash)
		i = (i + 1) & (t->cap_index - 1);
	t->index[i] = (struct neighbour){hash, word};
	t->n_index++;
}

static void index_grow(struct typos *t)
{
	struct neighbour *old = t->index;
	size_t n = t->cap_index;

	t->cap_index *= 2;
	t->index = xcalloc(t->cap_index, sizeof *t->index);
	t->n_index = 0;
	for (size_t i = 0; i < n; i++) {
		if (old[i].hash)
			index_put(t, old[i].hash, old[i].word);
	}
	free(old);
}

static void establish(struct typos *t, const struct seen *s)
{
	if (s->len < LEN_RIGHT)
		return;
	while ((t->n_index + LEN_MAX + 1) * 2 > t->cap_index)
		index_grow(t);
	for (size_t skip = 0; skip <= s->len; skip++)
		index_put(t, hash_without(s->text, s->len, skip), (uint32_t)(s - t->seen));
}

/* Hash of the word that `lower` misspells, 0 where there is none.  A word must be
 * FREQUENT times as frequent as this one if this one is established, too. */
static uint64_t look_up(const struct typos *t, const char *lower, size_t len, uint32_t sightings)
{
	uint64_t best = 0, least = TYPOS_ESTABLISHED;

	if (sightings >= TYPOS_ESTABLISHED)
		least = (uint64_t)sightings * FREQUENT;
	for (size_t skip = 0; skip <= len; skip++) {
		uint64_t key = hash_without(lower, len, skip);
		size_t i = key & (t->cap_index - 1);

		for (; t->index[i].hash; i = (i + 1) & (t->cap_index - 1)) {
			const struct seen *s = &t->seen[t->index[i].word];

			/* Of several candidates the one with the least hash: any rule
			 * will do that does not depend on the table's size. */
			if (t->index[i].hash == key &&
				(s->count >= least ||
					(s->taught && sightings < TYPOS_ESTABLISHED)) &&
				(!best || s->hash < best) &&
				!(s->len == len && memcmp(s->text, lower, len) == 0) &&
				words_one_slip(lower, len, s->text, s->len))
				best = s->hash;
		}
	}
	return best;
}

static void count(struct typos *t, uint64_t hash, const char *word, size_t len, int taught)
{
	struct seen *s;
	int established;

	if (!correctable(word, len))
		return;
	s = find(t, hash);
	if (!s->hash) {
		if (t->n_seen == TYPOS_WORDS_MAX)
			return;
		t->n_seen++;
		s->hash = hash;
		s->len = (unsigned char)len;
		for (size_t i = 0; i < len; i++)
			s->text[i] = (char)byte_lower((unsigned char)word[i]);
	}
	established = s->taught || s->count >= TYPOS_ESTABLISHED;
	s->taught |= taught;
	s->count += !taught && s->count < UINT32_MAX;
	if (!established && (s->taught || s->count >= TYPOS_ESTABLISHED))
		establish(t, s);
	/* A slip that is made often is established in time, but the word it stands
	 * for is much more frequent still: look again at every doubling. */
	if (!s->taught && s->count >= TYPOS_ESTABLISHED && s->count >= 2 * s->looked) {
		s->looked = s->count;
		s->stands_for = look_up(t, s->text, s->len, s->count);
	}
}

void typos_teach(struct typos *t, const char *text)
{
	size_t at = 0, len, text_len = strlen(text);
	const char *word;

	while ((word = words_next(text, text_len, &at, &len)))
		count(t, word_hash(word, len), word, len, 1);
}

void typos_learn(struct typos *t, uint64_t hash, const char *word, size_t len)
{
	count(t, hash, word, len, 0);
}

uint64_t typos_resolve(const struct typos *t, uint64_t hash, const char *word, size_t len)
{
	const struct seen *s;
	char lower[LEN_MAX];
	uint64_t found;

	if (!correctable(word, len))
		return hash;
	s = find(t, hash);
	if (s->taught)
		return hash;
	if (s->count >= TYPOS_ESTABLISHED) {
		found = s->stands_for;
	} else {
		for (size_t i = 0; i < len; i++)
			lower[i] = (char)byte_lower((unsigned char)word[i]);
		found = look_up(t, lower, len, s->count);
	}
	return found ? found : hash;
}
