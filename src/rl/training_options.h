/* training_options.h - the options that every training program has. */
#ifndef RL_TRAINING_OPTIONS_H
#define RL_TRAINING_OPTIONS_H

#include "base/options.h"
#include "rl/optimizer.h"

struct training_options {
	struct optimizer_options optimizer;
	enum schedule_kind schedule;
	double warmup; /* share of the steps */
	double floor;  /* what a cosine ends at, share of the peak */
	long long steps;
	uint64_t seed;
	const char *device, *metrics;
	int threads, fresh;
};

/* argp child; its input is a struct training_options that holds the defaults. */
extern const struct argp training_argp;

double training_schedule(const struct training_options *o, long long step, long long total);

#endif
