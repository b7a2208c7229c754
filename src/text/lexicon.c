#include "text/lexicon.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "cli/verify.h"
#include "stream/file.h"
#include "text/spans_internal.h"
#include "text/utf8.h"

enum {
	LEXICON_BYTES_MAX = 64 << 20
};

struct entry {
	char *word;
	size_t len;
	uint64_t hash;
	/* For learning: records that had it besides values and as (part of) a value,
	 * and the last record in which either was counted. */
	size_t count, last, values, last_value;
};

/* A set of words: open addressing over a list. */
struct lexicon {
	struct entry *entries;
	size_t n, cap;
	uint32_t *table; /* index of an entry + 1 */
	size_t table_size;
};

struct lexicon_counts {
	struct lexicon words;
	const struct spec *spec; /* its options are words; NULL: not known */
	size_t records;
};

struct lexicon *lexicon_new(void)
{
	return xcalloc(1, sizeof(struct lexicon));
}

static void words_release(struct lexicon *lex)
{
	for (size_t i = 0; i < lex->n; i++)
		free(lex->entries[i].word);
	free(lex->entries);
	free(lex->table);
}

void lexicon_free(struct lexicon *lex)
{
	if (lex)
		words_release(lex);
	free(lex);
}

static uint32_t *find(const struct lexicon *lex, const char *word, size_t len, uint64_t hash)
{
	size_t mask = lex->table_size - 1, at = hash & mask;

	for (; lex->table[at]; at = (at + 1) & mask) {
		const struct entry *e = &lex->entries[lex->table[at] - 1];

		if (e->hash == hash && e->len == len && !memcmp(e->word, word, len))
			break;
	}
	return &lex->table[at];
}

static struct entry *add(struct lexicon *lex, const char *word, size_t len)
{
	uint64_t hash = hash_mix(fnv64(FNV64_INIT, word, len));
	uint32_t *slot;

	if (lex->n * 2 >= lex->table_size) {
		lex->table_size = lex->table_size ? lex->table_size * 2 : 256;
		free(lex->table);
		lex->table = xcalloc(lex->table_size, sizeof *lex->table);
		for (size_t i = 0; i < lex->n; i++) {
			const struct entry *e = &lex->entries[i];

			*find(lex, e->word, e->len, e->hash) = (uint32_t)i + 1;
		}
	}
	slot = find(lex, word, len, hash);
	if (!*slot) {
		lex->entries = array_grow(lex->entries, &lex->cap, lex->n, sizeof *lex->entries);
		lex->entries[lex->n++] = (struct entry){xstrndup(word, len), len, hash, 0, 0, 0, 0};
		*slot = (uint32_t)lex->n;
	}
	return &lex->entries[*slot - 1];
}

void lexicon_add(struct lexicon *lex, const char *word, size_t len)
{
	add(lex, word, len);
}

int lexicon_has(const struct lexicon *lex, const char *word, size_t len)
{
	return lex->table_size && *find(lex, word, len, hash_mix(fnv64(FNV64_INIT, word, len)));
}

size_t lexicon_count(const struct lexicon *lex)
{
	return lex->n;
}

int lexicon_load(struct lexicon *lex, const char *path, struct error *err)
{
	struct buf text = {0};
	size_t line = 1;
	int rc = file_read(path, LEXICON_BYTES_MAX, &text, err);

	for (size_t from = 0; rc == 0 && from < text.len; line++) {
		const char *word = text.data + from;
		const char *end = memchr(word, '\n', text.len - from);
		size_t len = end ? (size_t)(end - word) : text.len - from;

		if (!len || len > WORD_MAX || utf8_valid(word, len) < len ||
			memchr(word, ' ', len) || memchr(word, '\0', len))
			rc = error_set(err, EXIT_DATA,
				"%s:%zu: not one word of 1 to %d bytes of UTF-8", path, line,
				WORD_MAX);
		else
			lexicon_add(lex, word, len);
		from += len + 1;
	}
	buf_release(&text);
	return rc;
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int lexicon_save(const struct lexicon *lex, const char *path, struct error *err)
{
	char **words = xcalloc(lex->n, sizeof *words);
	struct buf text = {0};
	int rc;

	for (size_t i = 0; i < lex->n; i++)
		words[i] = lex->entries[i].word;
	qsort(words, lex->n, sizeof *words, by_word);
	for (size_t i = 0; i < lex->n; i++) {
		buf_adds(&text, words[i]);
		buf_addc(&text, '\n');
	}
	rc = file_publish(path, text.data ? text.data : "", text.len, err);
	buf_release(&text);
	free(words);
	return rc;
}

struct lexicon_counts *lexicon_counts_new(void)
{
	return xcalloc(1, sizeof(struct lexicon_counts));
}

void lexicon_counts_free(struct lexicon_counts *c)
{
	if (c)
		words_release(&c->words);
	free(c);
}

static int is_letter(unsigned char c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* 1 where word (lower case) stands in value, between other characters than letters. */
static int is_within(const char *word, size_t len, const char *value)
{
	struct buf text = {0};
	int found = 0;

	for (size_t i = 0, n = strlen(value), size; i < n; i += size) {
		int32_t code = utf8_decode(value + i, n - i, &size);
		char out[4];

		buf_add(&text, out, utf8_encode((uint32_t)utf8_lower(code < 0 ? '?' : code), out));
	}
	for (size_t at = 0; !found && at + len <= text.len; at++) {
		const char *p = text.data + at;

		found = !memcmp(p, word, len) && (at == 0 || !is_letter((unsigned char)p[-1])) &&
			!is_letter((unsigned char)p[len]);
	}
	buf_release(&text);
	return found;
}

static void learn(struct lexicon_counts *c, const char *request, size_t len, int names,
	size_t n_values, const char *const *values)
{
	static const struct lexicon nothing;
	struct span spans[CANDIDATES];
	size_t n = spans_scan(request, len, &nothing, spans, CANDIDATES);

	c->records++;
	for (size_t i = 0; i < n; i++) {
		char word[WORD_MAX];
		size_t n_word, v = 0;
		struct entry *e;

		if (spans[i].type != SPAN_WORD && !(names && spans[i].type == SPAN_NAME))
			continue;
		n_word = word_lower(request + spans[i].from, spans[i].to - spans[i].from, word);
		if (!n_word)
			continue;
		while (v < n_values && !is_within(word, n_word, values[v]))
			v++;
		e = add(&c->words, word, n_word);
		if (v < n_values && e->last_value != c->records) {
			e->last_value = c->records;
			e->values++;
		} else if (v == n_values && e->last != c->records) {
			e->last = c->records;
			e->count++;
		}
	}
}

void lexicon_learn(struct lexicon_counts *c, const char *request, size_t len, size_t n_values,
	const char *const *values)
{
	learn(c, request, len, 1, n_values, values);
}

void lexicon_learn_record(struct lexicon_counts *c, const struct spec *spec, const char *request,
	size_t len, int argc, const char *const *argv)
{
	struct arena arena = {0};
	struct meaning meaning;
	struct verdict verdict;
	const char **values = NULL;
	size_t n = 0, cap = 0;
	int is_command = 0;

	c->spec = spec;
	if (argc > 0 && verify(spec, argc, argv, &arena, &meaning, &verdict) == VERDICT_OK) {
		is_command = 1;
		for (size_t i = 0; i < meaning.n_items; i++) {
			const struct meaning_item *item = &meaning.items[i];

			if (item->argument && item->argument->n_accepted)
				continue;
			for (size_t k = 0; k < item->n_values; k++) {
				values = array_grow(values, &cap, n, sizeof *values);
				values[n++] = item->values[k];
			}
		}
	}
	learn(c, request, len, is_command, n, values);
	free(values);
	arena_release(&arena);
}

static void add_spelling(struct lexicon *lex, const char *spelling)
{
	char word[WORD_MAX];
	size_t len = word_lower(spelling, strlen(spelling), word);

	if (len)
		lexicon_add(lex, word, len);
}

/* A person who writes an option of this CLI means it, whether records do or not. */
static void add_options(struct lexicon *lex, const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_commands; i++) {
		const struct command *c = spec->commands[i];

		for (size_t k = 0; k < c->n_own; k++) {
			add_spelling(lex, c->options[k]->name);
			for (size_t m = 0; c->options[k]->aliases[m]; m++)
				add_spelling(lex, c->options[k]->aliases[m]);
		}
	}
}

void lexicon_counts_keep(const struct lexicon_counts *c, size_t min_count, struct lexicon *lex)
{
	for (size_t i = 0; i < c->words.n; i++) {
		const struct entry *e = &c->words.entries[i];

		if (e->count >= min_count && e->count > e->values)
			lexicon_add(lex, e->word, e->len);
	}
	if (c->spec)
		add_options(lex, c->spec);
}
