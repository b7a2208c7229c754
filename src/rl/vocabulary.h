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

/* A word belongs to the lexicon where the spec uses it as a name, or where it is
 * common in requests and seldom part of a value. */
struct lexicon *lexicon_learn(
	const struct spec *spec, const struct dataset *data, struct error *err);

enum {
	TOKENIZER_RECORDS_MAX = 60000
};

/* A byte-level BPE of at most vocab tokens in all, from the requests of at most
 * TOKENIZER_RECORDS_MAX records, taken evenly, spans mostly left out: a span is
 * shown by its number.  The tokens that answers are made of come from the spec. */
struct tokenizer *tokenizer_learn(const struct spec *spec, const struct dataset *data,
	const struct lexicon *lex, enum spans_mode mode, size_t vocab, struct error *err);

#endif
