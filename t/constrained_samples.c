/*
 * constrained_samples.c - every answer that a model gives under a constraint is valid,
 * canonical and grounded, and every answer of a dataset can be given.
 *
 * usage: constrained_samples MODEL RECORDS SAMPLES GROUP
 *
 * Each record's argv must have its tokens under the guide of its request (the answer,
 * read back, must be that argv).  Then GROUP completions a request are drawn until there
 * are SAMPLES, each judged by what knows nothing of the constraint: verify.h, ground.h.
 * Prints figures; exits 1 where anything is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/verify.h"
#include "model/generate.h"
#include "rl/policy.h"
#include "stream/jsonl.h"
#include "text/ground.h"
#include "text/words.h"

enum {
	MAX_TOKENS = 40,
	BATCH = 32, /* requests sampled together */
	PROMPT_MAX = 512,
	SHOWN_MAX = 5 /* complaints of a kind */
};

struct request {
	char *text;
	struct ids prompt;
	struct span spans[SPANS_MAX];
	size_t n_spans;
	struct walk *walk;
};

struct run {
	struct policy *policy;
	struct constraint *constraint;
	struct generator *generator;
	struct generate_options options;
	struct request requests[BATCH];
	int n;
	struct completion *completions;
	long wanted, records, nulls_wanted, unsaid, misread, skipped;
	long samples, nulls, unended, unreadable, invalid, uncanonical, ungrounded;
};

static void stop(const char *what)
{
	fprintf(stderr, "constrained_samples: %s\n", what);
	exit(1);
}

static void complain(long *count, const char *what, const char *request, const char *why)
{
	if ((*count)++ < SHOWN_MAX)
		printf("# %s: '%s': %s\n", what, request, why);
}

static int same_argv(int a, const char *const *x, int b, const char *const *y)
{
	if (a != b)
		return 0;
	for (int i = 0; i < a; i++)
		if (strcmp(x[i], y[i]) != 0)
			return 0;
	return 1;
}

/* The expected answer has tokens, and they say it. */
static void expect(struct run *r, struct request *q, int argc, const char *const *argv)
{
	struct arena arena = {0};
	struct ids ids = {0};
	struct error err;
	const char **read;
	int n;

	r->records++;
	r->nulls_wanted += argc < 0;
	if (walk_answer(q->walk, argc, argv, &ids, NULL, &err) != 0)
		complain(&r->unsaid, "cannot be said", q->text, err.message);
	else if (answer_decode(&r->policy->prompter, ids.data, ids.len, q->text, q->spans,
			 q->n_spans, &arena, &n, &read, NULL, &err) != 0)
		complain(&r->misread, "unreadable answer", q->text, err.message);
	else if (!same_argv(argc, argv, n, read))
		complain(&r->misread, "answer read back", q->text, "says something else");
	ids_release(&ids);
	arena_release(&arena);
}

static void judge(struct run *r, const struct request *q, const struct completion *c)
{
	const struct spec *spec = r->policy->spec;
	const struct meaning_item *item;
	struct arena arena = {0};
	struct buf plain = {0}, text = {0};
	struct meaning meaning;
	struct verdict v;
	struct error err;
	const char **argv, *invented;
	int argc;

	r->samples++;
	if (!c->stopped)
		complain(&r->unended, "no end", q->text, "cut off");
	if (answer_decode(&r->policy->prompter, c->tokens, (size_t)c->n_tokens, q->text, q->spans,
		    q->n_spans, &arena, &argc, &argv, &text, &err) != 0) {
		complain(&r->unreadable, text.data, q->text, err.message);
	} else if (argc < 0) {
		r->nulls++;
	} else if (verify(spec, argc, argv, &arena, &meaning, &v) != VERDICT_OK) {
		complain(&r->invalid, text.data, q->text, v.message);
	} else {
		if (!argv_is_canonical(spec, argc, argv, &arena))
			complain(&r->uncanonical, text.data, q->text, "not canonical");
		words_plain(q->text, strlen(q->text), &plain);
		invented = ground_check(plain.data, plain.len, &meaning, &item);
		if (invented)
			complain(&r->ungrounded, text.data, q->text, invented);
	}
	buf_release(&plain);
	buf_release(&text);
	arena_release(&arena);
}

static void sample(struct run *r)
{
	struct generate_request requests[BATCH];
	struct error err;

	for (int i = 0; i < r->n && r->samples < r->wanted; i++)
		requests[i] = (struct generate_request){r->requests[i].prompt.data,
			(int32_t)r->requests[i].prompt.len, (uint32_t)(r->records - r->n + i),
			walk_guide(r->requests[i].walk)};
	if (r->samples < r->wanted) {
		if (generate(r->generator, requests, r->n, &r->options, r->completions, &err) != 0)
			stop(err.message);
		for (int i = 0; i < r->n * r->options.n_samples; i++)
			judge(r, &r->requests[i / r->options.n_samples], &r->completions[i]);
	}
	for (int i = 0; i < r->n; i++) {
		walk_free(r->requests[i].walk);
		ids_release(&r->requests[i].prompt);
		free(r->requests[i].text);
	}
	r->n = 0;
}

static void take(struct run *r, const struct record *record)
{
	struct request *q = &r->requests[r->n];
	struct arena arena = {0};
	const char *request, **argv;
	struct error err;
	int argc;

	if (record_string(record, "request", &request, &err) != 0 ||
		record_argv(record, "argv", &arena, &argc, &argv, &err) != 0 || argc == -2)
		stop("a record lacks request or argv");
	memset(q, 0, sizeof *q);
	q->n_spans = prompt_encode(
		&r->policy->prompter, request, strlen(request), NULL, NULL, q->spans, &q->prompt);
	if (q->prompt.len > PROMPT_MAX) {
		r->skipped++;
		ids_release(&q->prompt);
	} else {
		q->text = xstrdup(request);
		q->walk = walk_new(
			r->constraint, request, q->spans, q->n_spans, r->options.max_tokens);
		expect(r, q, argc, argv);
		if (++r->n == BATCH)
			sample(r);
	}
	arena_release(&arena);
}

static int report(const struct run *r, double seconds)
{
	const long wrong = r->unended + r->unreadable + r->invalid + r->uncanonical + r->ungrounded;

	printf("%ld answers: %ld null, %ld unsaid, %ld misread, %ld requests too long\n",
		r->records, r->nulls_wanted, r->unsaid, r->misread, r->skipped);
	printf("%ld samples: %ld null, %ld unended, %ld unreadable, %ld invalid, "
	       "%ld not canonical, %ld not grounded\n",
		r->samples, r->nulls, r->unended, r->unreadable, r->invalid, r->uncanonical,
		r->ungrounded);
	fprintf(stderr, "%.1f s of one core, constraint %.1f MB\n", seconds,
		(double)constraint_bytes(r->constraint) * 1e-6);
	return wrong || r->unsaid || r->misread || r->skipped * 100 > r->records ||
	       r->samples < r->wanted || r->nulls == r->samples;
}

static void run_open(struct run *r, const char *model, int group)
{
	struct error err;
	const struct device *device = device_open("cpu", 1, &err);

	if (!device)
		stop(err.message);
	r->policy = policy_open(model, device, 0, &err);
	if (!r->policy)
		stop(err.message);
	r->constraint = policy_constraint(r->policy, 1, &err);
	if (!r->constraint)
		stop(err.message);
	r->options = (struct generate_options){.n_samples = group,
		.max_tokens = constraint_limit(r->constraint, MAX_TOKENS),
		.temperature = 1,
		.end_id = r->policy->prompter.end_id,
		.seed = 1};
	r->generator = generator_new(r->policy->model, BATCH, PROMPT_MAX, &r->options, &err);
	if (!r->generator)
		stop(err.message);
	r->completions = xcalloc((size_t)BATCH * (size_t)group, sizeof *r->completions);
}

int main(int argc, char **argv)
{
	static struct run r;
	struct record record = {0};
	struct jsonl_reader *in;
	struct error err;
	int got, status;

	if (argc != 5)
		stop("usage: constrained_samples MODEL RECORDS SAMPLES GROUP");
	r.wanted = atol(argv[3]);
	run_open(&r, argv[1], atoi(argv[4]));
	in = jsonl_open(argv[2], &err);
	if (!in)
		stop(err.message);
	while ((got = jsonl_read(in, &record, &err)) > 0)
		take(&r, &record);
	if (got < 0)
		stop(err.message);
	sample(&r);
	status = report(&r, (double)clock() / CLOCKS_PER_SEC);
	record_release(&record);
	jsonl_close(in);
	free(r.completions);
	generator_free(r.generator);
	policy_free(r.policy);
	return status;
}
