#include "propose/proposer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/generate.h"
#include "text/ground.h"
#include "text/words.h"
#include "text/utf8.h"

enum {
	PROMPT_MAX = 512,     /* tokens */
	REQUEST_MAX = 1 << 14 /* bytes: no such request fits into PROMPT_MAX tokens */
};

struct proposer {
	struct policy *policy;
	const struct spec *spec;
	struct proposer_options options;
	struct generator *generator;
	struct completion *completions; /* [tries, at least 1] */
	struct workspace *workspace;
	struct tree *tree;
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

static struct generate_options generate_options_of(const struct proposer *p, int greedy)
{
	return (struct generate_options){
		.n_samples = greedy ? 1 : p->options.tries,
		.max_tokens = p->options.max_tokens,
		.temperature = greedy ? 0 : p->options.temperature,
		.end_id = p->policy->prompter.end_id,
		.seed = p->options.seed,
	};
}

struct proposer *proposer_new(struct policy *policy, const struct spec *spec,
	const struct proposer_options *options, struct error *err)
{
	struct proposer *p = xcalloc(1, sizeof *p);
	struct generate_options g;
	int positions = policy->model->config.max_positions, rows;

	p->policy = policy;
	p->spec = spec;
	p->options = *options;
	p->max_prompt = positions - options->max_tokens;
	if (p->max_prompt > PROMPT_MAX)
		p->max_prompt = PROMPT_MAX;
	if (p->max_prompt < 1) {
		error_set(err, EXIT_USAGE, "--max-tokens %d leaves no room for a request",
			options->max_tokens);
		goto fail;
	}
	p->max_candidates = options->tries + 2;
	p->candidates = xcalloc((size_t)p->max_candidates, sizeof *p->candidates);
	p->completions = xcalloc((size_t)options->tries + 1, sizeof *p->completions);
	p->tree = tree_new();
	g = generate_options_of(p, options->tries == 0);
	p->generator = generator_new(policy->model, 1, p->max_prompt, &g, err);
	/* A canonical answer may have a token or two more than the sampled one. */
	rows = p->max_candidates * 2 * options->max_tokens;
	if (p->generator)
		p->workspace = workspace_new(policy->model, p->max_prompt + rows, rows, err);
	if (!p->workspace)
		goto fail;
	return p;
fail:
	proposer_free(p);
	return NULL;
}

void proposer_free(struct proposer *p)
{
	if (!p)
		return;
	workspace_free(p->workspace);
	generator_free(p->generator);
	if (p->tree)
		tree_free(p->tree);
	ids_release(&p->prompt);
	buf_release(&p->plain);
	arena_release(&p->arena);
	free(p->completions);
	free(p->candidates);
	free(p);
}

uint64_t proposer_bytes(const struct proposer *p)
{
	return generator_bytes(p->generator) + workspace_bytes(p->workspace);
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

static void add_candidate(struct proposer *p, int argc, const char *const *argv, const char *text)
{
	for (size_t i = 0; i < p->n_candidates; i++)
		if (same_words(&p->candidates[i], argc, argv))
			return;
	p->candidates[p->n_candidates++] =
		(struct candidate){.argc = argc, .argv = argv, .text = text};
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

/* Reads and verifies one completion; it becomes a candidate, or the last failure. */
static void take_completion(
	struct proposer *p, const struct completion *c, const char *request, const struct answer *a)
{
	struct buf text = {0};
	const struct meaning_item *item;
	struct meaning meaning;
	struct verdict v;
	struct error why;
	const char **argv;
	const char *kept, *invented;
	int argc, unreadable;

	unreadable = answer_decode(&p->policy->prompter, c->tokens, (size_t)c->n_tokens, request,
		a->spans, a->n_spans, &p->arena, &argc, &argv, &text, &why);
	kept = arena_strndup(&p->arena, text.data ? text.data : "", text.len);
	buf_release(&text);
	if (!c->stopped)
		fail_completion(p, kept, "unfinished", 0, "the answer does not end");
	else if (unreadable)
		fail_completion(p, kept, "unreadable", 0, why.message);
	else if (argc < 0)
		return; /* a refusal, which is a candidate already */
	else if (verify(p->spec, argc, argv, &p->arena, &meaning, &v) != VERDICT_OK)
		fail_completion(p, kept, verdict_name(v.code), v.at, v.message);
	else if (!argv_is_canonical(p->spec, argc, argv, &p->arena))
		fail_completion(p, kept, verdict_name(VERDICT_NOT_CANONICAL), 0,
			"the answer is not in canonical form");
	else if ((invented = ground_check(p->plain.data, p->plain.len, &meaning, &item)))
		fail_invented(p, kept, invented, item);
	else
		add_candidate(p, argc, argv, kept);
}

static int generate_and_take(struct proposer *p, int greedy, const char *request,
	const struct answer *a, struct error *err)
{
	struct generate_options o = generate_options_of(p, greedy);
	struct generate_request r = {
		.prompt = p->prompt.data,
		.n_prompt = (int32_t)p->prompt.len,
		.group = (uint32_t)hash_mix(fnv64(FNV64_INIT, request, strlen(request))),
	};

	if (generate(p->generator, &r, 1, &o, p->completions, err) != 0)
		return -1;
	for (int i = 0; i < o.n_samples; i++)
		take_completion(p, &p->completions[i], request, a);
	return 0;
}

/* The exact probability of each candidate's canonical spelling. */
static int score(struct proposer *p, const char *request, const struct answer *a, struct error *err)
{
	int32_t first = (int32_t)p->prompt.len;
	struct ids ids = {0};
	float *logprob;
	size_t most = (size_t)first + 2 * (size_t)p->options.max_tokens;
	int failed;

	tree_clear(p->tree);
	for (size_t i = 0; i < p->n_candidates; i++) {
		const struct candidate *c = &p->candidates[i];

		ids.len = 0;
		for (size_t k = 0; k < p->prompt.len; k++)
			ids_add(&ids, p->prompt.data[k]);
		answer_encode(&p->policy->prompter, c->argc, c->argv, request, a->spans, a->n_spans,
			&ids);
		if (ids.len > most)
			ids.len = most;
		tree_add(p->tree, ids.data, (int32_t)ids.len, first);
	}
	ids_release(&ids);
	tree_pack(p->tree, 0);
	logprob = arena_alloc(&p->arena, (size_t)p->tree->n_edges * sizeof *logprob);
	failed = model_forward(p->policy->model, p->workspace, p->tree, 1, logprob, NULL, err);
	for (size_t i = 0; !failed && i < p->n_candidates; i++) {
		const int32_t *edges = p->tree->sequence_edges + p->tree->sequence_start[i];
		double sum = 0;

		for (int32_t k = first; k < p->tree->sequence_length[i]; k++)
			sum += (double)logprob[edges[k - 1]];
		p->candidates[i].confidence = exp(sum);
	}
	return failed;
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
	if (best == null && best->confidence >= p->options.min_confidence)
		return refuse(a, REFUSAL_DECLINED,
			"the model declines: no command of this CLI does that");
	if (best == null || best->confidence < p->options.min_confidence)
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
	const struct candidate *greedy;

	if (refuse_early(request, len, a))
		return 0;
	arena_clear(&p->arena);
	p->prompt.len = 0;
	buf_clear(&p->plain);
	words_plain(request, len, &p->plain);
	p->n_candidates = 0;
	p->failed.code = NULL;
	a->n_spans =
		prompt_encode(&p->policy->prompter, request, len, 0, NULL, a->spans, &p->prompt);
	if (p->prompt.len > (size_t)p->max_prompt)
		return refuse(a, REFUSAL_TOO_LONG, "the request is too long for the model");
	add_candidate(p, -1, NULL, "null");
	if (generate_and_take(p, 1, request, a, err) != 0 || score(p, request, a, err) != 0)
		return -1;
	/* Nothing can beat an answer that has half of the probability. */
	greedy = &p->candidates[p->n_candidates - 1];
	if (p->options.tries > 0 && (greedy->confidence <= 0.5 || p->options.count > 1) &&
		(generate_and_take(p, 0, request, a, err) != 0 || score(p, request, a, err) != 0))
		return -1;
	return decide(p, a);
}
