/* example.c - from records to token ids. */
#include "rl/example.h"

#include <string.h>

int example_encode(struct example *x, const struct prompter *p, const struct record *r,
	int with_answer, const struct prompt_noise *noise, struct rng *rng, struct error *err)
{
	struct arena arena = {0};
	const char **argv = NULL;
	int argc = -1, failed = 0;

	x->ids.len = 0;
	if (record_string(r, "request", &x->request, err) != 0)
		return -1;
	if (!x->request)
		return error_set(err, EXIT_DATA, "no field 'request'");
	if (with_answer && (failed = record_argv(r, "argv", &arena, &argc, &argv, err)) == 0 &&
		argc == -2)
		failed = error_set(err, EXIT_DATA, "no field 'argv' to learn from");
	if (!failed) {
		x->n_spans = prompt_encode(
			p, x->request, strlen(x->request), noise, rng, x->spans, &x->ids);
		x->n_prompt = x->ids.len;
		if (with_answer)
			answer_encode(p, argc, argv, x->request, x->spans, x->n_spans, &x->ids);
	}
	arena_release(&arena);
	return failed;
}

enum example_result example_encode_guided(struct example *x, const struct prompter *p,
	struct constraint *c, const struct record *r, const struct prompt_noise *noise,
	struct rng *rng, struct error *err)
{
	struct arena arena = {0};
	const char **argv = NULL;
	int argc = -1, said;

	x->walk = NULL;
	x->choices.len = 0;
	if (example_encode(x, p, r, 0, noise, rng, err) != 0)
		return EXAMPLE_FAILED;
	if (record_argv(r, "argv", &arena, &argc, &argv, err) != 0 || argc == -2) {
		if (argc == -2)
			error_set(err, EXIT_DATA, "no field 'argv' to learn from");
		arena_release(&arena);
		return EXAMPLE_FAILED;
	}
	x->walk = walk_new(c, x->request, x->spans, x->n_spans, 0);
	said = walk_answer(x->walk, argc, argv, &x->ids, &x->choices, err) == 0;
	arena_release(&arena);
	if (said)
		return EXAMPLE_OK;
	walk_free(x->walk);
	x->walk = NULL;
	return EXAMPLE_UNSAID;
}

void example_release(struct example *x)
{
	ids_release(&x->ids);
	choice_list_release(&x->choices);
}
