/*
 * metrics.h - what a training step reports: one JSON object a line in a file that
 * grows, and a line on the terminal.
 */
#ifndef RL_METRICS_H
#define RL_METRICS_H

#include <jansson.h>
#include <stdio.h>
#include "base/error.h"

struct metrics {
	FILE *file; /* NULL: nobody asked for one */
	int shown;  /* a line stands on the terminal */
	int quiet;
	double started, last;
};

/* Opens path (NULL: none) for appending.  Lines of steps after `step` are cut off:
 * a resumed trainer makes them again. */
int metrics_open(struct metrics *m, const char *path, long long step, int quiet, struct error *err);
/* Writes a line and flushes it.  Takes over json. */
int metrics_write(struct metrics *m, json_t *json, struct error *err);
/* "step 3 of 10, loss 0.12, 5 s left" where standard error is a terminal. */
void metrics_progress(struct metrics *m, long long done, long long total, const char *text);
int metrics_close(struct metrics *m, struct error *err);

double seconds_now(void); /* monotonic */

#endif
