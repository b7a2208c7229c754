/* gguf_model.c - a GGUF file's tensors, as a model's parameters. */
#include "model/gguf_model.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "model/gguf_params.h"
#include "model/layout.h"

enum {
	ROWS_AT_ONCE = 256
};

/* A parameter with the shape that the configuration gives it. */
static int find(
	const struct gguf *f, const struct tensor *t, struct gguf_param *p, struct error *err)
{
	int found = gguf_param_find(f, t->name, p, err);
	int64_t rows = tensor_is_vector(t) ? 1 : t->rows;
	int64_t columns = tensor_is_vector(t) ? t->rows : t->cols;

	if (found < 0)
		return -1;
	if (!found)
		return error_set(err, EXIT_DATA, "the tensor for '%s' is missing", t->name);
	if (p->rows != rows || p->columns != columns)
		return error_set(err, EXIT_DATA,
			"tensor '%s' is [%lld, %lld], and its keys make it [%lld, %lld]",
			p->tensor->name, (long long)p->rows, (long long)p->columns, (long long)rows,
			(long long)columns);
	return 0;
}

/* All are there, and no others; before memory is asked for, which the file's size bounds. */
static int check(const struct model *m, const struct gguf *f, struct error *err)
{
	int known = gguf_find(f, "rope_freqs.weight") ? 1 : 0;
	struct gguf_param p;

	for (int i = 0; i < m->n_tensors; i++, known++)
		if (find(f, &m->tensors[i], &p, err) != 0)
			return -1;
	if (gguf_count(f) != known)
		return error_set(err, EXIT_DATA,
			"%d tensors, of which a %s of %d layers has %d: what the others do is not "
			"computed here",
			gguf_count(f), architecture_of(m->config.architecture)->class_name,
			m->config.n_layers, known);
	return 0;
}

static int read_tensor(
	struct model *m, const struct gguf *f, const struct tensor *t, struct error *err)
{
	struct gguf_param p;
	float *values;

	if (find(f, t, &p, err) != 0)
		return -1;
	values = xreallocarray(NULL, (size_t)p.columns * ROWS_AT_ONCE, sizeof *values);
	for (int64_t row = 0; row < p.rows; row += ROWS_AT_ONCE) {
		int64_t n = p.rows - row < ROWS_AT_ONCE ? p.rows - row : ROWS_AT_ONCE;
		size_t count = (size_t)(n * p.columns);

		gguf_param_rows(&p, row, n, values);
		for (size_t i = 0; i < count && t->shift != 0.0f; i++)
			values[i] += t->shift;
		m->device->upload(t->data + row * p.columns, values, count * sizeof *values);
	}
	free(values);
	return 0;
}

static struct model *load(
	const struct gguf *f, const struct device *device, int with_grad, struct error *err)
{
	struct model_config config;
	struct model *m;
	int result;

	if (gguf_model_config(f, &config, err) != 0)
		return NULL;
	m = model_describe(&config, device);
	result = check(m, f, err);
	if (result == 0)
		result = model_allocate(m, with_grad, err);
	for (int i = 0; i < m->n_tensors && result == 0; i++)
		result = read_tensor(m, f, &m->tensors[i], err);
	if (result == 0)
		result = device->sync(err);
	if (result == 0) {
		gguf_hash(f, m->hash);
		return m;
	}
	model_free(m);
	return NULL;
}

struct model *gguf_model_load(
	const char *path, const struct device *device, int with_grad, struct error *err)
{
	struct gguf *f = gguf_open(path, err);
	struct model *m;

	if (!f)
		return NULL;
	m = load(f, device, with_grad, err);
	if (!m)
		error_prefix(err, "%s", path);
	gguf_close(f);
	return m;
}
