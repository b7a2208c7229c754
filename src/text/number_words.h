/* number_words.h - whole numbers written in English words. */
#ifndef TEXT_NUMBER_WORDS_H
#define TEXT_NUMBER_WORDS_H

#include <stddef.h>

/* 1 where text says the number in words (`eight thousand`, `one hundred and
 * five`, `twenty-five`): numbers of 0 to 9999999, the longest run of number
 * words that makes one number. */
int number_in_words(const char *text, size_t len, long value);

/* All of them in the order of the text, at most max; their number. */
size_t numbers_in_words(const char *text, size_t len, long *values, size_t max);

/* 1 where a number in words begins at byte from: its end and value. */
int number_words_at(const char *text, size_t len, size_t from, size_t *end, long *value);

#endif
