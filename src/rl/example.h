/* example.h - a training record as token ids: prompt, then the expected answer. */
#ifndef RL_EXAMPLE_H
#define RL_EXAMPLE_H

#include "stream/jsonl.h"
#include "text/constraint.h"

struct example {
	struct ids ids;	     /* prompt and answer; reused from call to call */
	size_t n_prompt;     /* ids of the prompt */
	const char *request; /* of the record, valid as long as it is */
	struct span spans[SPANS_MAX];
	size_t n_spans;
	/* Guided: what each id of the answer was one of. */
	struct choice_list choices;
	struct walk *walk; /* whose choices they are: the caller's to free */
};

/* Encodes a record's request, and its argv where with_answer.  noise as in
 * prompt_encode().  0; -1 where a field is missing or of the wrong type. */
int example_encode(struct example *x, const struct prompter *p, const struct record *r,
	int with_answer, const struct prompt_noise *noise, struct rng *rng, struct error *err);
enum example_result {
	EXAMPLE_FAILED = -1,
	EXAMPLE_OK,
	EXAMPLE_UNSAID /* the constraint's language does not hold the answer; err says why */
};

/* The same, its answer in the constraint's language. */
enum example_result example_encode_guided(struct example *x, const struct prompter *p,
	struct constraint *c, const struct record *r, const struct prompt_noise *noise,
	struct rng *rng, struct error *err);

void example_release(struct example *x);

#endif
