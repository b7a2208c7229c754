#include "text/added.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "text/splitter.h"
#include "text/utf8.h"

/* What \w matches in Rust's regex: Alphabetic, marks, decimal digits, connectors,
 * join controls (UTS #18, annex C). */
static const char word_class[] = "^[\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200c}\\x{200d}"
				 "\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}"
				 "\\x{1f170}-\\x{1f189}]";

void added_trie_add(struct added_trie *t, const struct added_entry *entries, size_t index)
{
	uint64_t node = 0;

	t->entries = entries;
	if (entries[index].single_word && !t->word)
		t->word = splitter_pattern(word_class, 0, "word class", NULL);
	for (size_t i = 0; i < entries[index].len; i++) {
		uint64_t key = node << 8 | (unsigned char)entries[index].content[i];
		uint64_t *next = map64_put(&t->edges, key);

		if (!*next)
			*next = ++t->n_nodes;
		node = *next;
	}
	*map64_put(&t->ends, node) = index;
}

void added_trie_release(struct added_trie *t)
{
	map64_release(&t->edges);
	map64_release(&t->ends);
	pcre2_code_free(t->word);
}

/* The longest entry that begins at text; NULL: none. */
static const struct added_entry *longest(const struct added_trie *t, const char *text, size_t len)
{
	const struct added_entry *best = NULL;
	uint64_t node = 0;

	for (size_t i = 0; i < len; i++) {
		const uint64_t *next = map64_get(&t->edges, node << 8 | (unsigned char)text[i]),
			       *end;

		if (!next)
			break;
		node = *next;
		end = map64_get(&t->ends, node);
		if (end)
			best = &t->entries[*end];
	}
	return best;
}

/* Start of the character that ends before position at > 0. */
static size_t back(const char *text, size_t at)
{
	do
		at--;
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

static int is_word(const struct added_trie *t, const char *text, size_t len)
{
	pcre2_match_data *match = pcre2_match_data_create_from_pattern(t->word, NULL);
	int found = pcre2_match(t->word, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK, match, NULL);

	pcre2_match_data_free(match);
	return found >= 0;
}

static int word_around(
	const struct added_trie *t, const char *text, size_t len, size_t from, size_t to)
{
	if (from > 0) {
		size_t before = back(text, from);

		/* Text may hold bytes that are not UTF-8: those are no words. */
		if (utf8_valid(text + before, from - before) == from - before &&
			is_word(t, text + before, from - before))
			return 1;
	}
	if (to < len) {
		size_t size;

		return utf8_decode(text + to, len - to, &size) >= 0 && is_word(t, text + to, size);
	}
	return 0;
}

const struct added_entry *added_trie_next(const struct added_trie *t, const char *text, size_t len,
	int skip_special, size_t floor, size_t *scan, size_t *from, size_t *to)
{
	size_t size;

	while (t->n_nodes && *scan < len) {
		const struct added_entry *e = longest(t, text + *scan, len - *scan);

		if (!e) {
			++*scan;
			continue;
		}
		*from = *scan;
		*to = *scan += e->len;
		if (skip_special && e->special)
			continue;
		if (e->single_word && word_around(t, text, len, *from, *to))
			continue;
		while (e->lstrip && *from > 0) {
			size_t before = back(text, *from);

			if (!utf8_is_space(utf8_decode(text + before, *from - before, &size)))
				break;
			*from = before;
		}
		if (*from < floor)
			*from = floor;
		while (e->rstrip && *to < len) {
			if (!utf8_is_space(utf8_decode(text + *to, len - *to, &size)))
				break;
			*to += size;
		}
		return e;
	}
	*from = *to = len;
	return NULL;
}
