/*
 * constraint.h - constrained, grounded decoding: the guide of a request is made of the
 * grammar of the CLI, the values that the request states, and the tokenizer.
 *
 * An answer may be `null` or the canonical argv of a valid command.  Its values are
 * spans $K that fit (each once, of equal ones the first; where spans of the request look
 * like the type of the argument, only those), values that the spec lists
 * and the request names, and parts of the request (text/ground_values.h); a value that
 * is a span is never spelled out.  With ground 0 any value that fits may be spelled.
 *
 * Where the tokenizer has tokens of its own for the answers of the CLI
 * (answer_tokens()), an answer has exactly one sequence of tokens: each piece of the
 * grammar is tokenised by itself, and so are a value and the quotes around it.  With
 * any other byte-level tokenizer, tokens are let through byte by byte: bytes that are
 * certain are tokenised as the tokenizer itself would, the last token of such a run
 * left open for what may follow; elsewhere every token is a choice whose bytes the
 * automaton takes.
 */
#ifndef TEXT_CONSTRAINT_H
#define TEXT_CONSTRAINT_H

#include "cli/grammar.h"
#include "text/guide.h"
#include "text/prompt.h"

struct constraint;

/* The prompter must live as long; the spec, too.  One thread at a time for a
 * constraint and its walks.  NULL and a message where the tokenizer lacks bytes that
 * answers need. */
struct constraint *constraint_new(
	const struct spec *spec, const struct prompter *p, int ground, struct error *err);
void constraint_free(struct constraint *c);
/* 1 where answers have tokens of their own, 0 where they are let through by bytes. */
int constraint_has_tokens(const struct constraint *c);
/* The grammar is worked out as answers come to its parts.  What it has come to hold is
 * dropped when no walk is left and it is more than this (64 MiB). */
void constraint_keep(struct constraint *c, size_t bytes);
/* Bytes that the constraint has come to hold (its walks not counted). */
size_t constraint_bytes(const struct constraint *c);

/* The limit of walks under which answers have about max_tokens tokens at most: where they
 * are let through by bytes, a limit counts bytes.  No completion has more tokens. */
int constraint_limit(const struct constraint *c, int max_tokens);

/* One request's guide.  Request and spans are copied.  limit: how long an answer may be
 * with its end token, 0 for any length; what cannot end in time is no choice (values that
 * need not be grounded, and so may be of any length, excepted). */
struct walk;
struct walk *walk_new(struct constraint *c, const char *request, const struct span *spans,
	size_t n_spans, int limit);
void walk_free(struct walk *w);
struct guide *walk_guide(struct walk *w);
size_t walk_bytes(const struct walk *w);

/* Tokens of the answer for argv (argc < 0: null), <|end|> included, appended to out,
 * and with them, where choices is not NULL, the choices that each was one of (arrays
 * of the walk's; choices holds pointers).  0; -1 where the language does not hold
 * argv (nothing is appended): err says what is not grounded or not canonical. */
struct choice_list {
	const struct choices **data;
	size_t len, cap;
};
void choice_list_release(struct choice_list *list);
int walk_answer(struct walk *w, int argc, const char *const *argv, struct ids *out,
	struct choice_list *choices, struct error *err);

/* The choices of n tokens that were drawn under this guide, appended.  -1 and the
 * token's number in *at where one is no choice. */
int walk_follow(
	struct walk *w, const int32_t *tokens, size_t n, struct choice_list *choices, size_t *at);

#endif
