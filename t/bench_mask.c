/*
 * bench_mask.c - what the choices of a token cost: the answers of a dataset are walked
 * under the guides of their requests.
 *
 * usage: bench_mask TOKENIZER SPEC LEXICON RECORDS N [TOKENS]
 *
 * CPU time.  First seen: every token of the first walk of a request.  Warm: the same walk again,
 * its sets being known.  With TOKENS, the answers' tokens are written there, a line an answer, for
 * others to walk along.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stream/jsonl.h"
#include "text/constraint.h"

enum {
	WARM_ROUNDS = 20
};

struct times {
	float *us;
	size_t n, cap;
	double sum;
};

static void __attribute__((noreturn)) stop(const char *what)
{
	fprintf(stderr, "bench_mask: %s\n", what);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void add_time(struct times *t, double us)
{
	t->us = array_grow(t->us, &t->cap, t->n, sizeof *t->us);
	t->us[t->n++] = (float)us;
	t->sum += us;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void show(const char *what, struct times *t)
{
	if (t->n == 0)
		stop("nothing was measured");
	qsort(t->us, t->n, sizeof *t->us, by_size);
	printf("  %-26s mean %9.2f us, median %9.2f, 99 %% below %9.2f, most %9.2f\n", what,
		t->sum / (double)t->n, (double)t->us[t->n / 2], (double)t->us[t->n * 99 / 100],
		(double)t->us[t->n - 1]);
	free(t->us);
}

/* One walk along the tokens; adds the time of each to t, where it is given. */
static void follow(struct guide *g, const struct ids *ids, struct times *t, size_t *choices)
{
	int32_t state = 0;

	for (size_t i = 0; i < ids->len; i++) {
		double start = t ? now_us() : 0;
		const struct choices *c = g->choices(g, state);

		state = g->next(g, state, ids->data[i]);
		if (t)
			add_time(t, now_us() - start);
		if (state < 0)
			stop("a token of the answer is no choice");
		*choices += (size_t)c->n;
	}
}

struct bench {
	struct prompter p;
	struct constraint *c;
	struct times fresh, warm, first, begin;
	size_t tokens, answers, choices, walk_bytes;
	FILE *out;
};

static void walk_record(struct bench *b, const struct record *r)
{
	struct arena arena = {0};
	struct ids prompt = {0}, ids = {0};
	struct span spans[SPANS_MAX];
	const char *request, **argv;
	struct guide *g;
	struct walk *w;
	struct error err;
	size_t n_spans, seen = b->choices;
	double start;
	int argc;

	if (record_string(r, "request", &request, &err) != 0 ||
		record_argv(r, "argv", &arena, &argc, &argv, &err) != 0 || argc == -2)
		stop("a record lacks request or argv");
	n_spans = prompt_encode(&b->p, request, strlen(request), NULL, NULL, spans, &prompt);
	w = walk_new(b->c, request, spans, n_spans, 0);
	if (walk_answer(w, argc, argv, &ids, NULL, &err) != 0)
		stop(err.message);
	walk_free(w);

	start = now_us();
	w = walk_new(b->c, request, spans, n_spans, 0);
	add_time(&b->begin, now_us() - start);
	g = walk_guide(w);
	follow(g, &ids, b->answers ? &b->fresh : &b->first, &b->choices);
	b->walk_bytes += walk_bytes(w);
	for (int i = 0; i < WARM_ROUNDS; i++) {
		start = now_us();
		follow(g, &ids, NULL, &seen);
		add_time(&b->warm, (now_us() - start) / (double)ids.len);
	}
	for (size_t i = 0; b->out && i < ids.len; i++)
		fprintf(b->out, "%d%c", ids.data[i], i + 1 < ids.len ? ' ' : '\n');
	b->tokens += ids.len;
	b->answers++;
	walk_free(w);
	ids_release(&ids);
	ids_release(&prompt);
	arena_release(&arena);
}

static void bench_open(struct bench *b, char **argv)
{
	struct error err;
	struct tokenizer *t = tokenizer_load(argv[1], &err);
	struct spec *spec = t ? spec_load(argv[2], &err) : NULL;
	struct lexicon *lexicon = lexicon_new();

	if (!spec || lexicon_load(lexicon, argv[3], &err) != 0 ||
		prompter_init(&b->p, t, lexicon, SPANS_REPLACE, &err) != 0)
		stop(err.message);
	b->c = constraint_new(spec, &b->p, 1, &err);
	if (!b->c)
		stop(err.message);
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct record r = {0};
	struct jsonl_reader *in;
	struct error err;
	size_t n;

	if (argc < 6)
		stop("usage: bench_mask TOKENIZER SPEC LEXICON RECORDS N [TOKENS]");
	bench_open(&b, argv);
	n = (size_t)atol(argv[5]);
	if (argc > 6 && !(b.out = fopen(argv[6], "w")))
		stop("cannot write the tokens");
	in = jsonl_open(argv[4], &err);
	if (!in)
		stop(err.message);
	while (b.answers < n && jsonl_read(in, &r, &err) > 0)
		walk_record(&b, &r);
	if (b.answers == 0)
		stop("no records");
	if (b.out && fclose(b.out) != 0)
		stop("cannot write the tokens");
	printf("%u tokens: %zu answers of %.1f tokens, %.1f choices each; answers have %s\n",
		tokenizer_size(b.p.tokenizer), b.answers, (double)b.tokens / (double)b.answers,
		(double)b.choices / (double)b.tokens,
		constraint_has_tokens(b.c) ? "tokens of their own" : "bytes");
	show("warm, a token", &b.warm);
	show("first seen, a token", &b.fresh);
	show("... of the first request", &b.first);
	show("a request's walk", &b.begin);
	printf("  memory: %.2f MB shared, %.1f KB a request\n",
		(double)constraint_bytes(b.c) * 1e-6,
		(double)b.walk_bytes / (double)b.answers * 1e-3);
	record_release(&r);
	jsonl_close(in);
	return 0;
}
