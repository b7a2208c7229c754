/*
 * search.h - the most probable completions of a prompt under a guide, exactly.
 *
 * Best-first search over the tree of prefixes: the most probable open prefix goes
 * through the model, together with what is certain behind it, and each of its choices
 * becomes an open prefix.  No prefix is less probable than what it is continued to, so a
 * completion that comes out first is the next best.  Some prefixes behind the best are
 * expanded in the same pass, for they will probably be needed; that changes the time and
 * nothing else.
 */
#ifndef MODEL_SEARCH_H
#define MODEL_SEARCH_H

#include "model/model.h"

struct search_options {
	int count;	    /* completions wanted; at least 1 */
	int max_tokens;	    /* of a completion, the end token included */
	int max_expansions; /* prefixes that the model is asked about: bounds the time */
	int batch;	    /* at most so many of them in a pass */
	/* Natural log of the probability below which nothing is of interest; -INFINITY:
	 * no such.  Bounds the memory: there are at most 1 / e^floor open prefixes. */
	double floor;
	int32_t end_id;
};

struct found {
	const int32_t *tokens; /* n_tokens, the last is the end token */
	int32_t n_tokens;
	double logprob; /* natural log of its probability at temperature 1 */
};

struct search_result {
	/* Best first; equals by their tokens' ids, the lower first.  Completions that do
	 * not end within max_tokens are not among them. */
	const struct found *found;
	int n;
	/* 1: these are the `count` best, or, where they are fewer, all that are at least
	 * as probable as the floor.  0: max_expansions ended the search before that was
	 * certain; then they are the n best, and the next is missing. */
	int exact;
	/* No completion that is not listed is more probable (natural log); -INFINITY:
	 * there is none. */
	double bound;
	int expansions, rows; /* prefixes and tokens that went through the model */
};

struct search;

/* Room for prompts of max_prompt tokens; o gives the largest max_tokens and batch, the
 * other options may be anything.  Memory grows with what a search uses. */
struct search *search_new(
	struct model *m, int max_prompt, const struct search_options *o, struct error *err);
void search_free(struct search *s);
uint64_t search_bytes(const struct search *s);

/* One request.  The guide must not be NULL; the result lives until the next call.
 * -1: a prompt or options out of range, a guide at fault, a model that is not finite. */
int search_best(struct search *s, const int32_t *prompt, int32_t n_prompt, struct guide *guide,
	const struct search_options *o, struct search_result *result, struct error *err);

#endif
