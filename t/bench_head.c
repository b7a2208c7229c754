/*
 * bench_head.c - what the output head costs a row, with the whole vocabulary and with
 * a few choices: forward and backward as in training, and one draw.
 *
 * usage: bench_head [THREADS [HIDDEN [SECONDS]]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/device.h"

enum {
	ROWS = 512,
	LISTS = 64 /* different ones: rows at the same place in a grammar share theirs */
};

static const struct device *device;
static clockid_t clock_used = CLOCK_PROCESS_CPUTIME_ID;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(clock_used, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct problem {
	struct head_shape shape;
	int32_t start[ROWS + 1], token[ROWS], choice_start[ROWS], choice_end[ROWS], *choice;
	float *x, *w, *dx, *dw, *scratch;
	float lse[ROWS], logprob[ROWS], coefficient[ROWS];
	double uniform[ROWS];
};

static float *floats(struct rng *r, size_t n)
{
	float *x = xreallocarray(NULL, n, sizeof *x);

	for (size_t i = 0; i < n; i++)
		x[i] = (float)(0.1 * rng_normal(r));
	return x;
}

static void problem_init(struct problem *p, struct rng *r, int hidden, int vocab)
{
	p->shape = (struct head_shape){
		ROWS, hidden, vocab, 1.0f, p->start, p->token, p->choice_start, NULL, NULL};
	p->x = floats(r, (size_t)ROWS * (size_t)hidden);
	p->dx = floats(r, (size_t)ROWS * (size_t)hidden);
	p->w = floats(r, (size_t)vocab * (size_t)hidden);
	p->dw = floats(r, (size_t)vocab * (size_t)hidden);
	p->scratch = xcalloc((size_t)HEAD_CHUNK * (size_t)vocab, sizeof *p->scratch);
	p->choice = xcalloc((size_t)LISTS * (size_t)vocab, sizeof *p->choice);
	for (int i = 0; i < ROWS; i++) {
		p->start[i + 1] = i + 1;
		p->uniform[i] = rng_double(r);
		p->coefficient[i] = 1.0f;
	}
}

/* Each row gets one of the lists, of n tokens; 0: none. */
static void give_choices(struct problem *p, struct rng *r, int n)
{
	const int vocab = p->shape.vocab;
	int at = 0;

	for (int i = 0; i < LISTS; i++)
		for (int j = 0, left = n; j < vocab && left; j++)
			if ((int)rng_below(r, (uint32_t)(vocab - j)) < left) {
				p->choice[at++] = j;
				left--;
			}
	for (int i = 0; i < ROWS; i++) {
		p->choice_start[i] = i % LISTS * n;
		p->choice_end[i] = p->choice_start[i] + n;
		p->token[i] = n ? p->choice[p->choice_end[i] - 1] : i % vocab;
	}
	p->shape.choice = p->choice;
}

static void problem_release(struct problem *p)
{
	free(p->x), free(p->w), free(p->dx), free(p->dw), free(p->scratch), free(p->choice);
}

static double train(struct problem *p, double budget)
{
	double best = INFINITY, all = seconds();

	do {
		double start = seconds();

		device->head_forward(&p->shape, p->lse, p->logprob, NULL, p->x, p->w, p->scratch);
		device->head_backward(
			&p->shape, p->dx, p->dw, p->coefficient, p->x, p->w, p->lse, p->scratch);
		best = fmin(best, seconds() - start);
	} while (seconds() - all < budget);
	return best / ROWS;
}

static double sample(struct problem *p, double budget)
{
	double best = INFINITY, all = seconds();

	do {
		double start = seconds();

		device->head_sample(
			&p->shape, p->token, p->logprob, p->uniform, p->x, p->w, p->scratch);
		best = fmin(best, seconds() - start);
	} while (seconds() - all < budget);
	return best / ROWS;
}

static void bench(int hidden, int vocab, double budget)
{
	static struct problem p;
	const int lengths[] = {0, 2, 20, 200, vocab / 8, vocab / 4, vocab / 16 * 15};
	double dense_train = 0, dense_sample = 0;
	struct rng r;

	rng_init(&r, 1, RNG_TEST, 0, 0);
	problem_init(&p, &r, hidden, vocab);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		double t, s;

		give_choices(&p, &r, lengths[i]);
		t = train(&p, budget);
		give_choices(&p, &r, lengths[i]);
		s = sample(&p, budget);
		if (i == 0)
			dense_train = t, dense_sample = s;
		printf("%6d of %6d: training %9.3f us a row (%6.1f times faster), a draw %9.3f us "
		       "(%6.1f times)\n",
			lengths[i] ? lengths[i] : vocab, vocab, 1e6 * t, dense_train / t, 1e6 * s,
			dense_sample / s);
		fflush(stdout);
	}
	problem_release(&p);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	int hidden = argc > 2 ? atoi(argv[2]) : 64;
	double budget = argc > 3 ? atof(argv[3]) : 0.3;
	struct error err;

	program_name_set(argv[0]);
	if (threads != 1)
		clock_used = CLOCK_MONOTONIC;
	if (!(device = device_open("cpu", threads, &err)))
		die_error(&err);
	bench(hidden, 2048, budget);
	bench(hidden, 49152, budget);
	return 0;
}
