/* rope.c - the angles of rotary positions. */
#include "model/decoder.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"

/* Llama 3's change of a frequency (transformers, _compute_llama3_parameters): waves
 * shorter than original / high stay, those longer than original / low are stretched by
 * the factor, and between the two there is a linear passage. */
static double scale_llama3(const struct model_config *c, double frequency)
{
	const double pi = 3.14159265358979323846;
	const double wave = 2.0 * pi / frequency, turns = c->rope_original / wave;
	double smooth;

	if (turns > (double)c->rope_high)
		return frequency;
	if (turns < (double)c->rope_low)
		return frequency / (double)c->rope_factor;
	smooth = (turns - (double)c->rope_low) / ((double)c->rope_high - (double)c->rope_low);
	return (1.0 - smooth) * frequency / (double)c->rope_factor + smooth * frequency;
}

/* Of dimension pair d; rounded to fp32 as transformers rounds it. */
static float frequency_of(const struct model_config *c, int d, int local)
{
	double theta = (double)(local ? c->rope_local_theta : c->rope_theta);
	double frequency = 1.0 / pow(theta, (double)(2 * d) / c->head_dim);

	if (local || c->rope_scaling == ROPE_PLAIN)
		return (float)frequency;
	if (c->rope_scaling == ROPE_LINEAR)
		return (float)frequency / c->rope_factor;
	return (float)scale_llama3(c, frequency);
}

static float *rope_table_new(const struct model *m, int n, int local, struct error *err)
{
	const int half = m->config.head_dim / 2;
	size_t bytes = (size_t)n * m->config.head_dim * sizeof(float);
	float *host = xmalloc(bytes), *table = m->device->alloc(bytes, err);

	for (int d = 0; d < half; d++) {
		float frequency = frequency_of(&m->config, d, local);

		for (int i = 0; i < n; i++) {
			float angle = (float)i * frequency;
			float *row = host + (size_t)i * m->config.head_dim;

			row[d] = (float)cos((double)angle);
			row[half + d] = (float)sin((double)angle);
		}
	}
	if (table)
		m->device->upload(table, host, bytes);
	free(host);
	return table;
}

int rope_tables_alloc(
	struct rope_tables *r, const struct model *m, int n, uint64_t *bytes, struct error *err)
{
	const int tables = 1 + architecture_of(m->config.architecture)->rope_local;

	*bytes += (uint64_t)tables * (uint64_t)n * (uint64_t)m->config.head_dim * sizeof(float);
	r->local = NULL;
	if (!(r->all = rope_table_new(m, n, 0, err)) ||
		(tables > 1 && !(r->local = rope_table_new(m, n, 1, err))))
		return -1;
	return 0;
}

void rope_tables_free(struct rope_tables *r, const struct model *m)
{
	m->device->free(r->all);
	m->device->free(r->local);
	*r = (struct rope_tables){0};
}

const float *rope_table(const struct rope_tables *r, const struct model_config *c, int layer)
{
	return r->local && model_window(c, layer) ? r->local : r->all;
}
