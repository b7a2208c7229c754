/* front.c - the living branches of a step, and draws sorted by their tokens. */
#include "model/front.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

void front_init(struct front *f, size_t max_samples)
{
	*f = (struct front){0};
	f->branches = xcalloc(max_samples, sizeof *f->branches);
	f->samples = xcalloc(max_samples, sizeof *f->samples);
}

void front_clear(struct front *f)
{
	f->n = f->n_samples = 0;
	pass_clear(&f->pass);
}

void front_free(struct front *f)
{
	free(f->branches);
	free(f->samples);
	pass_free(&f->pass);
	*f = (struct front){0};
}

struct branch *front_add(struct front *f, const struct branch *b, const int32_t *samples)
{
	struct branch *to = &f->branches[f->n++];

	*to = *b;
	to->first_sample = f->n_samples;
	memcpy(f->samples + f->n_samples, samples, (size_t)b->n_samples * sizeof *samples);
	f->n_samples += b->n_samples;
	return to;
}

void groups_init(struct groups *g, size_t max_draws, int32_t vocab)
{
	*g = (struct groups){0};
	g->first = xcalloc(max_draws + 1, sizeof *g->first);
	g->draw = xcalloc(max_draws, sizeof *g->draw);
	g->of_draw = xcalloc(max_draws, sizeof *g->of_draw);
	g->of_token = xcalloc((size_t)vocab, sizeof *g->of_token);
	for (int32_t i = 0; i < vocab; i++)
		g->of_token[i] = -1;
}

void groups_free(struct groups *g)
{
	free(g->first);
	free(g->draw);
	free(g->of_draw);
	free(g->of_token);
	*g = (struct groups){0};
}

void groups_make(struct groups *g, const int32_t *drawn, int32_t n, int apart)
{
	g->n = 0;
	for (int32_t d = 0; d < n; d++) {
		int32_t *of = &g->of_token[drawn[d]];

		if (*of < 0 || apart) {
			*of = g->n;
			g->first[++g->n] = 0;
		}
		g->of_draw[d] = *of;
		g->first[*of + 1]++;
	}
	g->first[0] = 0;
	for (int32_t i = 0; i < g->n; i++)
		g->first[i + 1] += g->first[i];
	/* first[i] runs to the end of group i and so becomes the beginning of the next. */
	for (int32_t d = 0; d < n; d++) {
		g->draw[g->first[g->of_draw[d]]++] = d;
		g->of_token[drawn[d]] = -1;
	}
	memmove(g->first + 1, g->first, (size_t)g->n * sizeof *g->first);
	g->first[0] = 0;
}
