/*
 * lexicon.h - learning the phrase lexicon (spans.h) from records.
 */
#ifndef TEXT_LEXICON_H
#define TEXT_LEXICON_H

#include <stddef.h>
#include "cli/spec.h"
#include "text/spans.h"

/* Counts in how many records a word was used besides values. */
struct lexicon_counts;
struct lexicon_counts *lexicon_counts_new(void);
void lexicon_counts_free(struct lexicon_counts *c);

/* Counts the words of one request, each once; those that are one of the values (or
 * a word within one) as values. */
void lexicon_learn(struct lexicon_counts *c, const char *request, size_t len, size_t n_values,
	const char *const *values);

/* The same, with the values that argv gives to options and arguments which take
 * any value.  A value of a closed list is a word like others: answers have a token
 * for it.  Where argv says nothing (argc < 0, or spec does not accept it) names such
 * as my-app are not counted: they may be values of what was refused. */
void lexicon_learn_record(struct lexicon_counts *c, const struct spec *spec, const char *request,
	size_t len, int argc, const char *const *argv);

/* Adds the options of the records' spec (which must still be there), and the words
 * that at least min_count records used besides values, and more
 * records than had them as values. */
void lexicon_counts_keep(const struct lexicon_counts *c, size_t min_count, struct lexicon *lex);

#endif
