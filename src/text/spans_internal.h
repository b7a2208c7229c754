/* spans_internal.h - what the files of the span finder share. */
#ifndef TEXT_SPANS_INTERNAL_H
#define TEXT_SPANS_INTERNAL_H

#include "text/spans.h"

enum {
	PLAIN = -1,	 /* words of the request, not a value */
	SPLIT = -2,	 /* several words: look at each part between the separators */
	WORD_MAX = 128,	 /* longer words are in no lexicon */
	CANDIDATES = 256 /* spans looked at before the best are chosen */
};

/* Type of a word without blanks, quotes around, or punctuation behind: an enum
 * span_type, PLAIN, or SPLIT with *at, the length of the first part (the byte
 * there is a separator). */
int span_classify(const char *s, size_t n, const struct lexicon *lex, size_t *at);

/* Lower case of a word in out (WORD_MAX bytes); its length, 0 where it is too long. */
size_t word_lower(const char *s, size_t n, char *out);

/* Length of a word without a possessive 's. */
size_t word_base(const char *s, size_t n);

/* All candidates in order, at most max. */
size_t spans_scan(
	const char *request, size_t len, const struct lexicon *lex, struct span *spans, size_t max);

#endif
