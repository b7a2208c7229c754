/*
 * words.h - the words of a request as the checks compare them.
 *
 * A word is what stands between blanks, without the punctuation before and
 * behind it, ASCII letters lower-cased: `Run "dev", please!` has the words
 * run, dev, please.  Punctuation inside a word stays (0.0.0.0:80, my-app).
 */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

/* Appends text to out with typographic quotes, dashes and blanks written as
 * their ASCII kin, so that everything after it need only know ASCII. */
void words_plain(const char *text, size_t len, struct buf *out);

/* The next word at *at: its bytes in text (case kept) and *len; NULL at the end.
 * *at starts at 0. */
const char *words_next(const char *text, size_t text_len, size_t *at, size_t *len);

/* Hash of a word's bytes, ASCII letters lower-cased. */
uint64_t word_hash(const char *word, size_t len);

/* Chains the hash of one more word to that of the words before it. */
uint64_t words_chain(uint64_t hash, uint64_t word);

int word_is(const char *word, size_t len, const char *lower); /* lower: a lower-case string */

/* 1 where two words are one slip apart or equal: but for one letter that is added,
 * left out, another one, or swapped with its neighbour; case does not count. */
int words_one_slip(const char *a, size_t a_len, const char *b, size_t b_len);

/* Letters, digits, '_' and everything beyond ASCII. */
static inline int byte_in_word(unsigned char c)
{
	return (unsigned)((c | 0x20) - 'a') < 26 || (unsigned)(c - '0') < 10 || c == '_' ||
	       c >= 0x80;
}

static inline unsigned char byte_lower(unsigned char c)
{
	return (unsigned)(c - 'A') < 26 ? c + ('a' - 'A') : c;
}

#endif
