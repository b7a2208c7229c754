/*
 * prompt.h - from a request to the token ids that a model reads, and from its
 * answer's ids back to words.  The one place where prompts are made.
 *
 * Default small model (no chat template), one sequence:
 *   <|request|> request tokens <|answer|>  answer tokens <|end|>
 * In mode `replace` a span is shown as its number token $K, its type token
 * <|path|>..., and a short hint (the first HINT_TOKENS plain tokens of its text);
 * quotation marks right around it are left out.  In mode `mark` it is shown in
 * place, its number token before it; mode `none` has no spans.
 *
 * Plain text is lower-cased, runs of blanks are one blank, and a piece that begins
 * a request or followed a blank begins with one blank, so that a word is the same
 * tokens wherever it stands.  No text of a request is ever an added token.
 *
 * An answer is a few tokens: the opening of its command, one for each option, $K
 * or an accepted value for each value, `]`, <|end|>:
 *   ["langgraph","up"  ,"--port",  $1  ,"--wait"  ]  <|end|>
 * A token of an option that takes a value ends with the comma before its value, a
 * flag's does not; accepted values of options are "value" and those of positional
 * arguments ,"value".  Matching is leftmost-longest, so a canonical answer has
 * exactly this reading.
 */
#ifndef TEXT_PROMPT_H
#define TEXT_PROMPT_H

#include "cli/spec.h"
#include "text/spans.h"
#include "text/tokenizer.h"

enum {
	HINT_TOKENS = 3
};

struct prompter {
	struct tokenizer *tokenizer;   /* not owned */
	const struct lexicon *lexicon; /* not owned */
	enum spans_mode mode;
	int32_t request_id, answer_id, end_id;
	int32_t span_ids[SPANS_MAX];
	int32_t type_ids[SPAN_TYPE_COUNT];
};

/* Looks the special tokens up; -1 and a message where the tokenizer lacks one that
 * the mode needs. */
int prompter_init(struct prompter *p, struct tokenizer *t, const struct lexicon *lex,
	enum spans_mode mode, struct error *err);

/* The same request, read otherwise: what a model is to learn to bear.  Shares. */
struct prompt_noise {
	double bpe_dropout; /* of merges left out (Provilkov et al., BPE-dropout, 2020) */
	double span_noise;  /* of requests in which a word is taken for a value */
};

/* Ids of the prompt of a request, <|answer|> included, appended to out; its spans:
 * their number (mode none: 0).  noise may be NULL, and rng with it. */
size_t prompt_encode(const struct prompter *p, const char *request, size_t len,
	const struct prompt_noise *noise, struct rng *rng, struct span spans[SPANS_MAX],
	struct ids *out);

/* The plain text that prompt_encode would hand to the tokenizer, of hints only what
 * they are likely to show, appended: what a tokenizer is best trained on. */
void prompt_text(const struct lexicon *lex, enum spans_mode mode, const char *request, size_t len,
	struct buf *out);

/* Ids of the answer for argv (argc < 0: null), <|end|> included, appended.  Words
 * of a command's opening are never spans. */
void answer_encode(const struct prompter *p, int argc, const char *const *argv, const char *request,
	const struct span *spans, size_t n_spans, struct ids *out);

/* Reads a completion, with or without its <|end|> (what follows that makes it
 * unreadable).  text (may be NULL) gets it as valid UTF-8, without <|end|>, also
 * where it is unreadable.  0, *argc words in *argv (arena memory; -1: null); or -2,
 * *argc -2, and a message in err (may be NULL): it is no answer. */
int answer_decode(const struct prompter *p, const int32_t *ids, size_t n, const char *request,
	const struct span *spans, size_t n_spans, struct arena *arena, int *argc,
	const char ***argv, struct buf *text, struct error *err);

/* The added tokens: the special ones and $1.. above, and those that give answers
 * their structure: for each command path its opening `["prog","sub"`, for each
 * option `,"--flag"`, `,"--name",` or (attached or optional value) `,"--name="`,
 * each accepted value, `,"--"` and `null`.  `,` and `]` are tokens as bytes.  What
 * has other characters than printable ASCII gets none: it is spelled.  All memory is
 * the arena's. */
size_t answer_tokens(const struct spec *spec, struct arena *arena, struct added_token **added);

#endif
