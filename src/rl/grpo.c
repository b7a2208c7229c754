/*
 * grpo.c - advantages and losses of group relative policy optimisation.
 *
 * Everything here is in double precision and in the order of the samples, so a
 * result does not depend on how the forward passes were cut into micro-batches.
 */
#include "rl/grpo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const advantage_scale_names[] = {"group", "batch", "none", NULL};
const char *const loss_kind_names[] = {"dapo", "grpo", "dr_grpo", "bnpo", NULL};

/* Added to a standard deviation before dividing by it, as TRL does. */
static const double STD_FLOOR = 1e-4;

struct member {
	long long group;
	size_t index;
};

static int member_compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

struct moments {
	size_t n;
	double mean, std; /* std: the sample one, 0 where n < 2 */
	int varies;
};

/* Mean and sample standard deviation of the rewards of m[0..n), NaN left out. */
static struct moments moments_of(const struct member *m, size_t n, const double *reward)
{
	struct moments out = {0};
	double sum = 0, squares = 0, first = NAN;

	for (size_t i = 0; i < n; i++) {
		double r = reward[m[i].index];

		if (isnan(r))
			continue;
		if (!out.n)
			first = r;
		else if (r != first)
			out.varies = 1;
		out.n++;
		sum += r;
	}
	if (!out.n)
		return out;
	out.mean = sum / (double)out.n;
	for (size_t i = 0; i < n; i++) {
		double r = reward[m[i].index];

		if (!isnan(r))
			squares += (r - out.mean) * (r - out.mean);
	}
	if (out.n > 1)
		out.std = sqrt(squares / (double)(out.n - 1));
	return out;
}

void grpo_advantages(size_t n, const double *reward, const long long *group,
	enum advantage_scale scale, double *advantage, size_t *n_groups, size_t *n_dead)
{
	struct member *m = xcalloc(n, sizeof *m);
	double batch_std = 0;

	for (size_t i = 0; i < n; i++)
		m[i] = (struct member){.group = 0, .index = i};
	if (scale == SCALE_BATCH)
		batch_std = moments_of(m, n, reward).std;
	for (size_t i = 0; i < n; i++)
		m[i].group = group[i];
	qsort(m, n, sizeof *m, member_compare);

	*n_groups = *n_dead = 0;
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && m[to].group == m[from].group; to++)
			;
		struct moments g = moments_of(m + from, to - from, reward);
		double divisor = 1;

		++*n_groups;
		*n_dead += !g.varies;
		if (scale == SCALE_GROUP)
			divisor = g.std + STD_FLOOR;
		else if (scale == SCALE_BATCH)
			divisor = batch_std + STD_FLOOR;
		for (size_t i = from; i < to; i++) {
			double r = reward[m[i].index];

			advantage[m[i].index] = g.varies && !isnan(r) ? (r - g.mean) / divisor : 0;
		}
	}
	free(m);
}

void grpo_window_add(struct grpo_window *w, const struct grpo_sample *s)
{
	if (!s->counted)
		return;
	w->n_samples++;
	w->n_tokens += (size_t)s->n_tokens;
}

/* What the summed loss of a sample's tokens is multiplied by. */
static double sample_weight(
	const struct grpo_sample *s, const struct grpo_options *o, const struct grpo_window *w)
{
	double tokens = w->n_tokens ? (double)w->n_tokens : 1;

	switch (o->loss) {
	case LOSS_GRPO:
		return 1 / ((double)w->n_samples * (s->n_tokens > 0 ? s->n_tokens : 1));
	case LOSS_DR_GRPO:
		return 1 / ((double)w->n_samples * o->max_completion_length);
	case LOSS_DAPO:
	case LOSS_BNPO:
		break;
	}
	return 1 / tokens;
}

/* Adds one token's loss to the sums; d loss / d logp, not yet weighted. */
static double token_loss(const struct grpo_sample *s, int t, const struct grpo_options *o,
	double *loss, struct grpo_sums *sums)
{
	double ratio = exp((double)s->logp[t] - s->logp_old[t]), a = s->advantage;
	double low = 1 - o->epsilon_low, high = 1 + o->epsilon_high;
	double clipped = ratio < low ? low : ratio > high ? high : ratio;
	double slope = 0, gap = fabs(ratio - 1);

	/* Without an advantage the surrogate is 0 whatever the ratio (0 * inf is not). */
	if (a != 0) {
		int is_clipped = clipped * a < ratio * a;

		*loss = -(is_clipped ? clipped : ratio) * a;
		slope = is_clipped ? 0 : -ratio * a;
		sums->clip_low += ratio < low && a < 0;
		sums->clip_high += ratio > high && a > 0;
	} else {
		*loss = 0;
	}
	if (o->beta != 0 && s->logp_ref) {
		double d = (double)s->logp_ref[t] - s->logp[t], k3 = exp(d) - d - 1;

		*loss += o->beta * k3;
		slope += o->beta * (1 - exp(d));
		sums->kl += k3;
	}
	sums->ratio += ratio;
	if (gap > sums->ratio_max_gap || isnan(gap))
		sums->ratio_max_gap = gap;
	sums->n_tokens++;
	return slope;
}

void grpo_loss_part(size_t n, const struct grpo_sample *samples, const struct grpo_options *o,
	const struct grpo_window *window, float *const *coefficient, struct grpo_sums *sums)
{
	for (size_t i = 0; i < n; i++) {
		const struct grpo_sample *s = &samples[i];
		double weight, sum = 0;

		if (!s->counted) {
			memset(coefficient[i], 0, (size_t)s->n_tokens * sizeof(float));
			continue;
		}
		weight = sample_weight(s, o, window);
		for (int t = 0; t < s->n_tokens; t++) {
			double loss, slope = token_loss(s, t, o, &loss, sums);

			coefficient[i][t] = (float)(slope * weight);
			sum += loss;
		}
		sums->loss += sum * weight;
	}
}

void grpo_metrics_of(const struct grpo_sums *sums, struct grpo_metrics *metrics)
{
	double n = sums->n_tokens ? (double)sums->n_tokens : 1;

	*metrics = (struct grpo_metrics){
		.loss = sums->loss,
		.kl = sums->kl / n,
		.clip_low = sums->clip_low / n,
		.clip_high = sums->clip_high / n,
		.ratio_mean = sums->n_tokens ? sums->ratio / n : 1,
		.ratio_max_gap = sums->ratio_max_gap,
		.n_tokens = sums->n_tokens,
	};
}

void grpo_loss(size_t n, const struct grpo_sample *samples, const struct grpo_options *o,
	float *const *coefficient, struct grpo_metrics *metrics)
{
	struct grpo_window window = {0};
	struct grpo_sums sums = {0};

	for (size_t i = 0; i < n; i++)
		grpo_window_add(&window, &samples[i]);
	grpo_loss_part(n, samples, o, &window, coefficient, &sums);
	grpo_metrics_of(&sums, metrics);
}
