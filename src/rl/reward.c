/*
 * The graded scheme, and why its numbers are what they are.
 *
 *	 1.00        the expected command (a match, defaults left out), or the
 *	             refusal that was due
 *	-0.85..-0.50 the right command with wrong items: by F1 over (item, value)
 *	-0.75        a refusal where a command was due
 *	-0.95        another command
 *	-1.00        no argv, an argv that the tool's parser would refuse, or a
 *	             command where a refusal was due
 *
 * Only the right answer is worth anything: every other reward is negative, so
 * that an answer that fits all requests ([], null, every option at once, the
 * most frequent command) loses on most of them.
 *
 * A command that is off by little helps the user more than a refusal, and lies
 * above it: the right command from an F1 of 2/7 on.  Another command, or the
 * right one with hardly an item right, misleads, and lies below.  So a policy
 * that is not yet exact is not taught to give up, while one that guesses is.
 *
 * Let u be the policy's belief that a refusal is due, p that its best command is
 * right if one is due, and w its reward if that command is wrong.  Proposing is
 * worth -u + (1-u)(p + (1-p)w), refusing u - 0.75(1-u).  Proposing wins where
 *
 *	p > (2u/(1-u) - 0.75 - w) / (1-w)
 *
 * With the right command and half its items, w = -0.675, that is always where a
 * command is surely due (u < 0.036), from p = 0.09 on at u = 0.1 (the share of
 * refusals in the data), 0.55 at u = 1/3; with another command, w = -0.95, from
 * p = 0.10, 0.22 and 0.62 on.  Beyond u = 0.46 even certainty does not make proposing pay.  So a
 * policy that reads requests proposes, and one that doubts the scope refuses.
 *
 * Guessing must not pay: partial credit alone (p = 0) beats refusing at u = 0.1
 * only above w = -0.53, which is the right command with an F1 over 0.92 each
 * time; that takes reading the request.  Refusing must not pay either:
 * refusing everything is worth -0.58 at u = 0.1, proposing always, right half
 * the time, 0.05.
 */
#include "rl/reward.h"

#include <string.h>

const char *const reward_scheme_names[] = {"graded", "strict", NULL};

struct weights {
	const struct reward_weight *list;
	size_t n;
};

static double weight_of(const struct weights *w, const struct meaning_item *item)
{
	const char *name = item->option ? item->option->name : item->argument->name;

	for (size_t i = 0; i < w->n; i++) {
		if (strcmp(w->list[i].name, name) == 0)
			return w->list[i].weight;
	}
	return 1;
}

static size_t values_of(const struct meaning_item *item)
{
	return item->n_values ? item->n_values : 1; /* a flag counts as one */
}

static double weight_sum(const struct weights *w, const struct meaning *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->n_items; i++)
		sum += weight_of(w, &m->items[i]) * (double)values_of(&m->items[i]);
	return sum;
}

static int same_item(const struct meaning_item *a, const struct meaning_item *b)
{
	return a->option == b->option && (a->option || a->argument == b->argument) &&
	       !a->n_values == !b->n_values;
}

/* How many values two items share, each counted as often as in both. */
static size_t shared_values(const struct meaning_item *a, const struct meaning_item *b)
{
	size_t shared = 0;

	if (a->n_values == 0)
		return 1;
	for (size_t i = 0; i < a->n_values; i++) {
		size_t rank = 0, count = 0;

		for (size_t k = 0; k <= i; k++)
			rank += strcmp(a->values[k], a->values[i]) == 0;
		for (size_t k = 0; k < b->n_values; k++)
			count += strcmp(b->values[k], a->values[i]) == 0;
		shared += rank <= count;
	}
	return shared;
}

/* Weighted F1 over (item, value) pairs; 1 where neither states anything. */
static double items_f1(
	const struct weights *w, const struct meaning *expected, const struct meaning *answer)
{
	double all = weight_sum(w, expected) + weight_sum(w, answer);
	double shared = 0;

	for (size_t i = 0; i < expected->n_items; i++) {
		for (size_t k = 0; k < answer->n_items; k++) {
			if (same_item(&expected->items[i], &answer->items[k]))
				shared += weight_of(w, &expected->items[i]) *
					  (double)shared_values(
						  &expected->items[i], &answer->items[k]);
		}
	}
	if (all <= 0)
		return 1;
	return 2 * shared < all ? 2 * shared / all : 1;
}

static void refuse_verdict(struct verdict *v, enum verdict_code code, const char *message)
{
	v->code = code;
	v->at = 0;
	v->message[0] = '\0';
	strncat(v->message, message, sizeof v->message - 1);
}

static int expected_meaning(const struct spec *spec, int argc, const char *const *argv,
	struct arena *arena, struct meaning *m, struct error *err)
{
	struct verdict v;

	if (argc == -2)
		return error_set(err, EXIT_DATA, "no expected argv");
	if (argc >= 0 && verify(spec, argc, argv, arena, m, &v) != VERDICT_OK)
		return error_set(err, EXIT_DATA, "the expected argv does not verify: %s: %s",
			verdict_name(v.code), v.message);
	return 0;
}

/* A valid answer where a command is expected. */
static void score_command(const struct weights *w, struct meaning *expected, struct meaning *answer,
	struct reward_parts *parts)
{
	meaning_drop_defaults(expected);
	meaning_drop_defaults(answer);
	parts->exact = meaning_match(expected, answer);
	parts->command = expected->command == answer->command;
	if (parts->exact) {
		parts->items = 1;
		parts->total = REWARD_RIGHT;
	} else if (parts->command > 0) {
		parts->items = items_f1(w, expected, answer);
		parts->total = REWARD_COMMAND + (REWARD_NEAR - REWARD_COMMAND) * parts->items;
	} else {
		parts->total = REWARD_OTHER;
	}
}

/*
 * Parts: valid, 1 where the answer is a valid argv or a refusal; command, 1 where
 * it is the right command, or the right refusal; items, the F1 of a right
 * command's items (1 for the right refusal); 0 otherwise.
 */
int reward_score_weighted(const struct spec *spec, enum reward_scheme scheme,
	const struct reward_weight *weights, size_t n_weights, int expected_argc,
	const char *const *expected, int answer_argc, const char *const *answer,
	struct arena *arena, struct reward_parts *parts, struct error *err)
{
	struct weights w = {weights, n_weights};
	struct meaning expects, answers;

	*parts = (struct reward_parts){.total = REWARD_WRONG};
	if (expected_meaning(spec, expected_argc, expected, arena, &expects, err) != 0)
		return -1;
	if (answer_argc == -2) {
		refuse_verdict(&parts->verdict, VERDICT_EMPTY, "no answer could be read");
	} else if (answer_argc == -1) {
		refuse_verdict(&parts->verdict, VERDICT_OK, "");
		parts->valid = 1;
		parts->exact = expected_argc == -1;
		parts->command = parts->items = parts->exact;
		parts->total = parts->exact ? REWARD_RIGHT : REWARD_REFUSAL;
	} else if (verify(spec, answer_argc, answer, arena, &answers, &parts->verdict) ==
		   VERDICT_OK) {
		parts->valid = 1;
		if (expected_argc >= 0)
			score_command(&w, &expects, &answers, parts);
	}
	if (scheme == REWARD_STRICT)
		parts->total = parts->exact ? 1 : -1;
	return 0;
}

int reward_score(const struct spec *spec, enum reward_scheme scheme, int expected_argc,
	const char *const *expected, int answer_argc, const char *const *answer,
	struct arena *arena, struct reward_parts *parts, struct error *err)
{
	return reward_score_weighted(spec, scheme, NULL, 0, expected_argc, expected, answer_argc,
		answer, arena, parts, err);
}
