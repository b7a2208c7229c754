/*
 * prompt.h - from a request to the token ids that a model reads, and from its
 * answer's ids back to words.  The one place where prompts are made.
 *
 * Default small model (no chat template), one sequence:
 *   <|request|> request tokens <|answer|>  answer tokens <|end|>
 * In mode `replace` a span is shown as its number token $K, its type token
 * <|path|>..., and a short hint (the first HINT_TOKENS plain tokens of its text).
 */
#ifndef TEXT_PROMPT_H
#define TEXT_PROMPT_H

#include "cli/spec.h"
#include "text/spans.h"
#include "text/tokenizer.h"

struct prompter {
	struct tokenizer *tokenizer; /* not owned */
	const struct lexicon *lexicon; /* not owned */
	enum spans_mode mode;
	int32_t request_id, answer_id, end_id;
	int32_t span_ids[SPANS_MAX];
	int32_t type_ids[SPAN_TYPE_COUNT];
};

/* Looks the special tokens up; -1 where the tokenizer lacks them. */
int prompter_init(struct prompter *p, struct tokenizer *t, const struct lexicon *lex,
	enum spans_mode mode, struct error *err);

/* Ids of the prompt of a request, <|answer|> included, appended to out; its spans. */
size_t prompt_encode(const struct prompter *p, const char *request, size_t len, double dropout,
	struct rng *rng, struct span spans[SPANS_MAX], struct ids *out);

/* Ids of the answer for argv (argc < 0: null), <|end|> included, appended. */
void answer_encode(const struct prompter *p, int argc, const char *const *argv,
	const char *request, const struct span *spans, size_t n_spans, struct ids *out);

/* The added tokens that give answers their structure: for each command path its
 * opening `["prog","sub"`, for each option `,"--name"`, each accepted value
 * `,"value"`, `,` `]` `null` and `$1`.. and the special ones above.  All memory
 * is the arena's. */
size_t answer_tokens(const struct spec *spec, struct arena *arena, struct added_token **added);

#endif
