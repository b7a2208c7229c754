/*
 * bench_model.c - how fast the model trains and samples on this machine.
 *
 * usage: bench_model [THREADS [HIDDEN [SECONDS]]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "model/generate.h"
#include "model/model.h"
#include "model/search.h"
#include "t/toy_guide.h"

enum {
	VOCAB = 2300,
	REQUESTS = 8,
	SAMPLES = 16,
	PROMPT = 25,
	ANSWER = 8,
	DISTINCT = 5,
	CHOICES = 20,
	MAX_ROWS = 8192,
	ACTIVE = 64
};

/* On one thread its own time counts, whatever else the machine does. */
static clockid_t clock_used = CLOCK_PROCESS_CPUTIME_ID;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(clock_used, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* REQUESTS prompts that share a short beginning; SAMPLES answers to each, drawn
 * from a few distinct ones that begin alike, as a policy half-way trained does.
 * Only answers have a loss (first_target at the prompt's end), or all tokens. */
static void fill_tree(struct tree *t, struct rng *r, int prompts_too)
{
	int32_t tokens[PROMPT + ANSWER], answers[DISTINCT][ANSWER];

	tree_clear(t);
	for (int q = 0; q < REQUESTS; q++) {
		for (int i = 0; i < PROMPT; i++)
			tokens[i] = i < 2 ? i : (int32_t)rng_below(r, VOCAB);
		for (int a = 0; a < DISTINCT; a++)
			for (int i = 0; i < ANSWER; i++)
				answers[a][i] = i == ANSWER - 1	 ? 2
						: a && i < a + 1 ? answers[0][i]
								 : (int32_t)rng_below(r, VOCAB);
		for (int s = 0; s < SAMPLES; s++) {
			memcpy(tokens + PROMPT, answers[rng_below(r, DISTINCT)], sizeof answers[0]);
			tree_add(t, tokens, PROMPT + ANSWER, prompts_too ? 1 : PROMPT);
		}
	}
}

/* The same where each token of an answer is one of CHOICES: place i of all answers has
 * those of sets[i], multiples of i + 2 below VOCAB. */
static void fill_guided(struct tree *t, struct rng *r)
{
	static int32_t ids[ANSWER][CHOICES];
	static struct choices sets[ANSWER];
	const struct choices *choices[PROMPT + ANSWER] = {0};
	int32_t tokens[PROMPT + ANSWER];

	tree_clear(t);
	for (int i = 0; i < ANSWER; i++) {
		for (int j = 0; j < CHOICES; j++)
			ids[i][j] = (i + 2) * 10 * j;
		sets[i] = (struct choices){ids[i], CHOICES, (uint64_t)i};
		choices[PROMPT + i] = &sets[i];
	}
	for (int q = 0; q < REQUESTS; q++) {
		for (int i = 0; i < PROMPT; i++)
			tokens[i] = i < 2 ? i : (int32_t)rng_below(r, VOCAB);
		for (int s = 0; s < SAMPLES; s++) {
			/* A few distinct ones, as above. */
			uint32_t a = rng_below(r, DISTINCT);

			for (int i = 0; i < ANSWER; i++)
				tokens[PROMPT + i] = ids[i][(uint32_t)i > a ? a + 1 : 0];
			tree_add_guided(t, tokens, PROMPT + ANSWER, PROMPT, choices);
		}
	}
}

/* Sequences that share nothing: supervised batches of about n rows. */
static void fill_plain(struct tree *t, struct rng *r, int n)
{
	int32_t tokens[PROMPT + ANSWER];

	tree_clear(t);
	for (int rows = 0; rows < n; rows += PROMPT + ANSWER - 1) {
		for (int i = 0; i < PROMPT + ANSWER; i++)
			tokens[i] = (int32_t)rng_below(r, VOCAB);
		tree_add(t, tokens, PROMPT + ANSWER, 1);
	}
}

/* Seconds of one forward and backward pass over the tree, as packed. */
static double train_step(struct model *m, struct workspace *w, struct tree *t, double budget)
{
	float *logprob = xcalloc((size_t)t->n_edges, sizeof *logprob);
	float *coefficient = xcalloc((size_t)t->n_edges, sizeof *coefficient);
	double start, best = INFINITY, all = seconds();
	struct error err;

	for (int e = 0; e < t->n_edges; e++)
		coefficient[e] = -1.0f / (float)t->n_edges;
	do {
		start = seconds();
		model_grad_zero(m);
		if (model_forward(m, w, t, 1.0f, logprob, NULL, &err) != 0 ||
			model_backward(m, w, t, coefficient, &err) != 0)
			die_error(&err);
		best = fmin(best, seconds() - start);
	} while (seconds() - all < budget);
	free(logprob);
	free(coefficient);
	return best;
}

static void bench_training(struct model *m, double budget)
{
	struct error err;
	struct workspace *w = workspace_new(m, MAX_ROWS, MAX_ROWS, &err);
	struct tree *t = tree_new();
	struct rng r;
	double tree_time, flat_time;

	if (!w)
		die_error(&err);
	rng_init(&r, 1, RNG_TEST, 0, 0);
	fill_plain(t, &r, 1000);
	tree_pack(t, 1);
	tree_time = train_step(m, w, t, budget);
	printf("train, plain batch      %5d rows, %5d edges: %8.0f tokens/s\n", (int)t->n_rows,
		(int)t->n_edges, t->n_rows / tree_time);
	fill_tree(t, &r, 0);
	tree_pack(t, 1);
	flat_time = train_step(m, w, t, budget);
	printf("train, 8x16 flat        %5d rows, %5d edges: %8.0f tokens/s\n", (int)t->n_rows,
		(int)t->n_edges, t->n_rows / flat_time);
	tree_pack(t, 0);
	tree_time = train_step(m, w, t, budget);
	printf("train, 8x16 tree        %5d rows, %5d edges: %8.0f rows/s, %.0f tokens/s of the "
	       "flat batch, %.1f times flat\n",
		(int)t->n_rows, (int)t->n_edges, t->n_rows / tree_time,
		(double)t->flat_rows / tree_time, flat_time / tree_time);
	fill_guided(t, &r);
	tree_pack(t, 0);
	tree_time = train_step(m, w, t, budget);
	printf("train, 8x16 tree, %d choices a token: %5d rows, %5d edges: %8.0f rows/s\n", CHOICES,
		(int)t->n_rows, (int)t->n_edges, t->n_rows / tree_time);
	tree_free(t);
	workspace_free(w);
}

/* Sampling with many living branches: a random model hardly ever agrees with itself. */
static void bench_sampling(struct model *m, double budget)
{
	struct generate_options o = {.n_samples = SAMPLES,
		.max_tokens = 24,
		.temperature = 1.0f,
		.end_id = 2,
		.seed = 1};
	struct generate_request q[ACTIVE];
	struct completion *c = xcalloc(ACTIVE * SAMPLES, sizeof *c);
	int32_t prompts[ACTIVE][PROMPT];
	struct error err;
	struct generator *g = generator_new(m, ACTIVE, PROMPT, &o, &err);
	double start, tokens = 0.0;
	struct rng r;

	if (!g)
		die_error(&err);
	rng_init(&r, 2, RNG_TEST, 0, 0);
	for (int i = 0; i < ACTIVE; i++) {
		for (int j = 0; j < PROMPT; j++)
			prompts[i][j] = (int32_t)rng_below(&r, VOCAB);
		q[i] = (struct generate_request){prompts[i], PROMPT, (uint32_t)i, NULL};
	}
	start = seconds();
	do {
		if (generate(g, q, ACTIVE, &o, c, &err) != 0)
			die_error(&err);
		for (int i = 0; i < ACTIVE * SAMPLES; i++)
			tokens += c[i].n_tokens;
		o.step++;
	} while (seconds() - start < budget);
	printf("sample, %d x %d branches                        %8.0f tokens/s\n", ACTIVE, SAMPLES,
		tokens / (seconds() - start));
	generator_free(g);
	free(c);
}

/* Sentences like commands: few decisions, and what is certain between them. */
static struct toy *command_language(void)
{
	enum {
		N = 64
	};
	struct sentence *s = xcalloc(N, sizeof *s);
	struct toy *t;

	for (int i = 0; i < N; i++) {
		for (int decision = 0; decision < 6; decision++) {
			s[i].tokens[s[i].n++] = 10 + 2 * decision + (i >> decision) % 2;
			s[i].tokens[s[i].n++] = 100 + decision;
			s[i].tokens[s[i].n++] = 200 + decision;
		}
		s[i].tokens[s[i].n++] = 2;
	}
	t = toy_new(s, N, 2);
	free(s);
	return t;
}

static void bench_guided(struct model *m, double budget)
{
	struct generate_options o = {.n_samples = SAMPLES,
		.max_tokens = 24,
		.temperature = 1.0f,
		.end_id = 2,
		.seed = 1};
	struct search_options so = {.count = 3,
		.max_tokens = 24,
		.max_expansions = 256,
		.batch = 4,
		.floor = -14,
		.end_id = 2};
	struct toy *t = command_language();
	struct generate_request q[ACTIVE];
	struct completion *c = xcalloc(ACTIVE * SAMPLES, sizeof *c);
	int32_t prompts[ACTIVE][PROMPT];
	struct search_result found;
	struct error err;
	struct generator *g = generator_new(m, ACTIVE, PROMPT, &o, &err);
	struct search *s = search_new(m, PROMPT, &so, &err);
	struct generator_counts n;
	double start, searches = 0.0, expansions = 0.0;
	struct rng r;

	if (!g || !s)
		die_error(&err);
	rng_init(&r, 2, RNG_TEST, 0, 0);
	for (int i = 0; i < ACTIVE; i++) {
		for (int j = 0; j < PROMPT; j++)
			prompts[i][j] = (int32_t)rng_below(&r, VOCAB);
		q[i] = (struct generate_request){prompts[i], PROMPT, (uint32_t)i, &t->guide};
	}
	start = seconds();
	do {
		if (generate(g, q, ACTIVE, &o, c, &err) != 0)
			die_error(&err);
		o.step++;
	} while (seconds() - start < budget);
	n = generator_counts(g);
	printf("sample, %d x %d guided, %.1f tokens a draw       %8.0f tokens/s, %.2f rows a "
	       "token\n",
		ACTIVE, SAMPLES, (double)n.tokens / (double)n.drawn,
		(double)n.tokens / (seconds() - start), (double)n.rows / (double)n.tokens);
	start = seconds();
	do {
		if (search_best(s, prompts[(int)searches % ACTIVE], PROMPT, &t->guide, &so, &found,
			    &err) != 0)
			die_error(&err);
		expansions += found.expansions;
		searches++;
	} while (seconds() - start < budget);
	printf("search, the best %d of 64 sentences               %8.2f ms, %.1f prefixes\n",
		so.count, 1000.0 * (seconds() - start) / searches, expansions / searches);
	toy_free(t);
	generator_free(g);
	search_free(s);
	free(c);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	int hidden = argc > 2 ? atoi(argv[2]) : 64;
	double budget = argc > 3 ? atof(argv[3]) : 1.0;
	struct model_config c = {.vocab_size = VOCAB,
		.hidden_size = hidden,
		.intermediate_size = (hidden * 8 / 3 + 15) / 16 * 16,
		.n_layers = 4,
		.n_heads = 4,
		.n_kv_heads = 4,
		.head_dim = hidden / 4,
		.max_positions = 1024,
		.rope_theta = 10000.0f,
		.rms_norm_eps = 1e-6f,
		.tie_word_embeddings = 1};
	const struct device *d;
	struct model *m;
	struct error err;

	program_name_set(argv[0]);
	if (threads != 1)
		clock_used = CLOCK_MONOTONIC;
	if (!(d = device_open("cpu", threads, &err)) || !(m = model_new(&c, d, 1, 1, &err)))
		die_error(&err);
	bench_training(m, budget);
	bench_sampling(m, budget);
	bench_guided(m, budget);
	model_free(m);
	return 0;
}
