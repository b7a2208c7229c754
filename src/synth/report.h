/* report.h - what a run covered of the CLI, as proof. */
#ifndef SYNTH_REPORT_H
#define SYNTH_REPORT_H

#include <jansson.h>
#include "synth/label.h"

struct report {
	const struct plan *plan;
	struct report_command {
		long long count;
		long long *items;     /* n_items */
		long long **values;   /* n_items x n_accepted; NULL where any value goes */
		unsigned char *pairs; /* n_items x n_items */
	} * commands;
	long long records, refusals, seeds;
	long long by_size[SET_MAX + 1];
};

void report_init(struct report *r, const struct plan *plan);
void report_release(struct report *r);
/* label NULL: a refusal, or (seed set) a seed as it is. */
void report_add(struct report *r, const struct label *label, int refusal, int seed);
/* {"records", "out_of_scope", "commands", "options", "values", "pairs", ...}, each
 * with total, covered and the list of what is missing.  A new reference. */
json_t *report_json(const struct report *r);

#endif
