/*
 * vocabulary.h - what a new model knows of words: the lexicon (words that people
 * use in requests besides values) and the tokenizer, both learnt from training
 * records.
 */
#ifndef RL_VOCABULARY_H
#define RL_VOCABULARY_H

#include "cli/spec.h"
#include "rl/dataset.h"
#include "text/spans.h"
#include "text/tokenizer.h"

/* The words that enough records use besides their values: two, and one more for
 * each 12,500 records, so that typing errors stay outside. */
struct lexicon *lexicon_of(const struct spec *spec, const struct dataset *data, struct error *err);

enum {
	TOKENIZER_RECORDS_MAX = 60000
};

/* A byte-level BPE of at most vocab tokens in all, learnt from the prompts of at
 * most TOKENIZER_RECORDS_MAX records, taken evenly.  The tokens that answers are
 * made of come from the spec. */
struct tokenizer *tokenizer_of(const struct spec *spec, const struct dataset *data,
	const struct lexicon *lex, enum spans_mode mode, size_t vocab, struct error *err);

#endif
