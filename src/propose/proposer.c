#include "propose/proposer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/search.h"
#include "propose/sampled.h"
#include "text/ground.h"
#include "text/utf8.h"
#include "text/words.h"

enum {
	PROMPT_MAX = 512,      /* tokens */
	REQUEST_MAX = 1 << 14, /* bytes: no such request fits into PROMPT_MAX tokens */
	SEARCH_BATCH = 4,      /* prefixes in a pass */
	SEARCH_EXPANSIONS = 64 /* prefixes an answer wanted */
};

/* What is less probable than that is of no interest. */
static const double SEARCH_LEAST = 1e-6;

struct proposer {
	struct policy *policy;
	const struct spec *spec;
	struct proposer_options options;
	struct constraint *constraint; /* NULL: free */
	struct search *search;
	struct sampled *sampled;
	int max_prompt, max_candidates;
	/* of the current request */
	struct arena arena;
	struct ids prompt;
	struct buf plain;	      /* the request, as ground_check() wants it */
	struct candidate *candidates; /* [max_candidates]; number 0 is the refusal */
	size_t n_candidates;
	struct failure {
		const char *code, *message, *text;
		int at;
	} failed; /* the last answer that is no command */
};

/* Names in records, by enum refusal. */
static const char *const refusal_names[] = {"ok", "declined", "low-confidence", "nothing-verified",
	"too-long", "empty-request", "not-text"};

static struct search_options search_options_of(const struct proposer *p)
{
	/* Bytes can be cut into tokens in several ways: then one argv is found more often. */
	int ways = constraint_has_tokens(p->constraint) ? 1 : 4;

	return (struct search_options){
		.count = p->options.count > 1 ? (p->options.count + 1) * ways : ways,
		.max_tokens = p->options.max_tokens,
		.max_expansions = SEARCH_EXPANSIONS * (p->options.count + 1),
		.batch = SEARCH_BATCH,
		.floor = log(SEARCH_LEAST),
		.end_id = p->policy->prompter.end_id,
	};
}

static int open_search(struct proposer *p, struct error *err)
{
	struct search_options o = search_options_of(p);

	p->max_candidates = o.count + 2;
	p->search = search_new(p->policy->model, p->max_prompt, &o, err);
	return p->search ? 0 : -1;
}

static int open_sampled(struct proposer *p, struct error *err)
{
	const struct sampled_options o = {
		.tries = p->options.tries,
		.max_tokens = p->options.max_tokens,
		.max_prompt = p->max_prompt,
		.temperature = p->options.temperature,
		.seed = p->options.seed,
	};

	p->max_candidates = o.tries + 2;
	p->sampled = sampled_new(p->policy, &o, err);
	return p->sampled ? 0 : -1;
}

struct proposer *proposer_new(struct policy *policy, const struct spec *spec,
	const struct proposer_options *options, struct error *err)
{
	struct proposer *p = xcalloc(1, sizeof *p);
	int positions = policy->model->config.max_positions, failed;

	p->policy = policy;
	p->spec = spec;
	p->options = *options;
	failed = guidance_choose(policy, &options->guidance, &p->constraint, err);
	if (p->constraint)
		p->options.max_tokens = constraint_limit(p->constraint, options->max_tokens);
	p->max_prompt = positions - p->options.max_tokens;
	if (p->max_prompt > PROMPT_MAX)
		p->max_prompt = PROMPT_MAX;
	if (!failed && p->max_prompt < 1)
		failed = error_set(err, EXIT_USAGE, "--max-tokens %d leaves no room for a request",
			options->max_tokens);
	if (!failed)
		failed = p->constraint ? open_search(p, err) : open_sampled(p, err);
	if (failed) {
		proposer_free(p);
		return NULL;
	}
	p->candidates = xcalloc((size_t)p->max_candidates, sizeof *p->candidates);
	return p;
}

void proposer_free(struct proposer *p)
{
	if (!p)
		return;
	search_free(p->search);
	sampled_free(p->sampled);
	ids_release(&p->prompt);
	buf_release(&p->plain);
	arena_release(&p->arena);
	free(p->candidates);
	free(p);
}

uint64_t proposer_bytes(const struct proposer *p)
{
	return p->search ? search_bytes(p->search) + constraint_bytes(p->constraint)
			 : sampled_bytes(p->sampled);
}

static int same_words(const struct candidate *c, int argc, const char *const *argv)
{
	if (c->argc != argc)
		return 0;
	for (int i = 0; i < argc; i++)
		if (strcmp(c->argv[i], argv[i]) != 0)
			return 0;
	return 1;
}

/* What the spec warns of in a command. */
static const char *danger_of(const struct meaning *m)
{
	const char *danger = NULL;

	for (const struct command *c = m->command; c && !danger; c = c->parent)
		danger = c->danger;
	for (size_t i = 0; i < m->n_items && !danger; i++)
		danger = m->items[i].option ? m->items[i].option->danger : NULL;
	return danger;
}

/* An argv that is there already gets the probability of this way of saying it, too. */
static void add_candidate(struct proposer *p, const struct candidate *new)
{
	for (size_t i = 0; i < p->n_candidates; i++)
		if (same_words(&p->candidates[i], new->argc, new->argv)) {
			p->candidates[i].confidence += new->confidence;
			return;
		}
	p->candidates[p->n_candidates++] = *new;
}

static void fail_completion(
	struct proposer *p, const char *text, const char *code, int at, const char *message)
{
	p->failed = (struct failure){
		.code = code, .message = arena_strdup(&p->arena, message), .text = text, .at = at};
}

/* A value that the person did not say must not be run in their name. */
static void fail_invented(
	struct proposer *p, const char *text, const char *value, const struct meaning_item *item)
{
	char message[256];

	snprintf(message, sizeof message, "the request does not say '%.100s' for %.100s", value,
		item->option ? item->option->name : item->argument->name);
	fail_completion(p, text, "ungrounded", item->at, message);
}

/* Reads and verifies one answer of probability p; it becomes a candidate, or the last
 * failure. */
static void take(struct proposer *p, const int32_t *tokens, size_t n, double probability,
	const char *request, const struct answer *a)
{
	struct buf text = {0};
	const struct meaning_item *item;
	struct candidate new = {.confidence = probability};
	struct meaning meaning;
	struct verdict v;
	struct error why;
	const char **argv;
	const char *kept, *invented;
	int argc, unreadable;

	unreadable = answer_decode(&p->policy->prompter, tokens, n, request, a->spans, a->n_spans,
		&p->arena, &argc, &argv, &text, &why);
	kept = arena_strndup(&p->arena, text.data ? text.data : "", text.len);
	buf_release(&text);
	new.argc = argc;
	new.argv = argv;
	new.text = kept;
	if (n == 0 || tokens[n - 1] != p->policy->prompter.end_id)
		fail_completion(p, kept, "unfinished", 0, "the answer does not end");
	else if (unreadable)
		fail_completion(p, kept, "unreadable", 0, why.message);
	else if (argc < 0)
		add_candidate(p, &new); /* the refusal, which is number 0 */
	else if (verify(p->spec, argc, argv, &p->arena, &meaning, &v) != VERDICT_OK)
		fail_completion(p, kept, verdict_name(v.code), v.at, v.message);
	else if (!argv_is_canonical(p->spec, argc, argv, &p->arena))
		fail_completion(p, kept, verdict_name(VERDICT_NOT_CANONICAL), 0,
			"the answer is not in canonical form");
	else if ((invented = ground_check(p->plain.data, p->plain.len, &meaning, &item)) &&
		 !p->options.guidance.no_ground)
		fail_invented(p, kept, invented, item);
	else {
		new.danger = danger_of(&meaning);
		add_candidate(p, &new);
	}
}

/* The most probable answers, their probabilities exact. */
static int search_answers(
	struct proposer *p, const char *request, const struct answer *a, struct error *err)
{
	const struct search_options o = search_options_of(p);
	struct walk *w =
		walk_new(p->constraint, request, a->spans, a->n_spans, p->options.max_tokens);
	struct search_result result = {.n = 0};
	int failed = search_best(
		p->search, p->prompt.data, (int32_t)p->prompt.len, walk_guide(w), &o, &result, err);

	for (int i = 0; !failed && i < result.n; i++)
		take(p, result.found[i].tokens, (size_t)result.found[i].n_tokens,
			exp(result.found[i].logprob), request, a);
	if (!failed && result.n == 0)
		fail_completion(p, "", "unfinished", 0, "no answer came to its end");
	walk_free(w);
	return failed;
}

/* The exact probability of each candidate's canonical spelling. */
static int score(struct proposer *p, const char *request, const struct answer *a, struct error *err)
{
	struct ids *answers = xcalloc(p->n_candidates, sizeof *answers);
	double *logprob = arena_alloc(&p->arena, p->n_candidates * sizeof *logprob);
	int failed;

	for (size_t i = 0; i < p->n_candidates; i++)
		answer_encode(&p->policy->prompter, p->candidates[i].argc, p->candidates[i].argv,
			request, a->spans, a->n_spans, &answers[i]);
	failed = sampled_score(p->sampled, &p->prompt, answers, (int)p->n_candidates, logprob, err);
	for (size_t i = 0; i < p->n_candidates; i++) {
		if (!failed)
			p->candidates[i].confidence = exp(logprob[i]);
		ids_release(&answers[i]);
	}
	free(answers);
	return failed;
}

static int sample_and_take(struct proposer *p, int greedy, const char *request,
	const struct answer *a, struct error *err)
{
	const struct completion *c;
	uint32_t key = (uint32_t)hash_mix(fnv64(FNV64_INIT, request, strlen(request)));
	int n;

	if (sampled_answers(p->sampled, &p->prompt, key, greedy, &c, &n, err) != 0)
		return -1;
	for (int i = 0; i < n; i++)
		take(p, c[i].tokens, (size_t)c[i].n_tokens, 0, request, a);
	return score(p, request, a, err);
}

static int sample_answers(
	struct proposer *p, const char *request, const struct answer *a, struct error *err)
{
	const struct candidate *greedy;

	if (sample_and_take(p, 1, request, a, err) != 0)
		return -1;
	/* Nothing can beat an answer that has half of the probability. */
	greedy = &p->candidates[p->n_candidates - 1];
	if (p->options.tries > 0 && (greedy->confidence <= 0.5 || p->options.count > 1))
		return sample_and_take(p, 0, request, a, err);
	return 0;
}

static int refuse(struct answer *a, enum refusal refusal, const char *reason)
{
	a->refusal = refusal;
	a->code = refusal_names[refusal];
	a->reason = a->message = reason;
	a->at = 0;
	a->n = 0;
	return 0;
}

static int by_confidence(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	return (a->confidence < b->confidence) - (a->confidence > b->confidence);
}

/* Orders the commands and decides between them and the refusal. */
static int decide(struct proposer *p, struct answer *a)
{
	const struct candidate *null = &p->candidates[0];
	struct candidate *best = &p->candidates[1];
	size_t n = p->n_candidates - 1;
	double least;

	qsort(best, n, sizeof *best, by_confidence);
	if (n == 0 && p->failed.code && null->confidence < 0.5) {
		refuse(a, REFUSAL_NOTHING_VERIFIED,
			"none of the model's answers is a command of this CLI");
		a->code = p->failed.code;
		a->message = p->failed.message;
		a->at = p->failed.at;
		a->text = p->failed.text;
		return 0;
	}
	if (n == 0 || null->confidence >= best->confidence)
		best = &p->candidates[0];
	a->text = best->text;
	a->confidence = best->confidence;
	if (best == null)
		return refuse(a, REFUSAL_DECLINED,
			"the model declines: no command of this CLI does that");
	least = best->danger ? p->options.danger_confidence : p->options.min_confidence;
	if (best->confidence < least && best->danger &&
		best->confidence >= p->options.min_confidence)
		return refuse(a, REFUSAL_LOW_CONFIDENCE,
			"the command is a dangerous one, and the model is not sure enough of it; "
			"say it in other words");
	if (best->confidence < least)
		return refuse(a, REFUSAL_LOW_CONFIDENCE,
			"the model is not sure enough of any command; say it in other words");
	a->code = verdict_name(VERDICT_OK);
	a->message = "";
	a->candidates = best;
	a->n = n < (size_t)p->options.count ? n : (size_t)p->options.count;
	return 0;
}

/* What can be said without the model: 1 where that is all. */
static int refuse_early(const char *request, size_t len, struct answer *a)
{
	memset(a, 0, sizeof *a);
	a->confidence = NAN;
	a->text = "";
	if (strspn(request, " \t\r\n") >= len)
		refuse(a, REFUSAL_EMPTY, "there is no request");
	else if (utf8_valid(request, len) != len || memchr(request, '\0', len))
		refuse(a, REFUSAL_NOT_TEXT, "the request is not text in UTF-8");
	else if (len > REQUEST_MAX)
		refuse(a, REFUSAL_TOO_LONG, "the request is too long for the model");
	return a->refusal != REFUSAL_NONE;
}

int proposer_answer(
	struct proposer *p, const char *request, size_t len, struct answer *a, struct error *err)
{
	static const struct candidate refusal = {.argc = -1, .text = "null"};
	int failed;

	if (refuse_early(request, len, a))
		return 0;
	arena_clear(&p->arena);
	p->prompt.len = 0;
	buf_clear(&p->plain);
	words_plain(request, len, &p->plain);
	p->n_candidates = 0;
	p->failed.code = NULL;
	a->n_spans =
		prompt_encode(&p->policy->prompter, request, len, NULL, NULL, a->spans, &p->prompt);
	if (p->prompt.len > (size_t)p->max_prompt)
		return refuse(a, REFUSAL_TOO_LONG, "the request is too long for the model");
	add_candidate(p, &refusal);
	failed = p->constraint ? search_answers(p, request, a, err)
			       : sample_answers(p, request, a, err);
	return failed ? -1 : decide(p, a);
}
