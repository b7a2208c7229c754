/* report_similar.c - how alike the sampled requests of a dataset are. */
#include "synth/report_data.h"

static const double near = 0.8;

/* Jaccard's index of two sorted sets. */
static double similarity(const struct data_features *a, const struct data_features *b)
{
	unsigned i = 0, j = 0, common = 0;

	while (i < a->n && j < b->n) {
		if (a->at[i] == b->at[j]) {
			common++;
			i++;
			j++;
		} else if (a->at[i] < b->at[j]) {
			i++;
		} else {
			j++;
		}
	}
	return a->n + b->n ? (double)common / (double)(a->n + b->n - common) : 1;
}

void data_report_finish(struct data_report *r)
{
	double nearest_sum = 0, pair_sum = 0;
	long long n_near = 0;

	for (unsigned i = 0; i < r->n_sample; i++) {
		double best = 0;
		int bin;

		for (unsigned k = 0; k < r->n_sample; k++) {
			double s = k == i ? 0 : similarity(&r->sample[i], &r->sample[k]);

			pair_sum += s;
			best = s > best ? s : best;
		}
		bin = (int)(best * SIMILAR_STEPS);
		r->nearest[bin < SIMILAR_STEPS ? bin : SIMILAR_STEPS - 1]++;
		nearest_sum += best;
		n_near += best >= near;
	}
	if (r->n_sample > 1) {
		r->nearest_mean = nearest_sum / r->n_sample;
		r->near_share = (double)n_near / r->n_sample;
		r->pairwise_mean = pair_sum / ((double)r->n_sample * (r->n_sample - 1));
	}
}
