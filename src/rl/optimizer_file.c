/*
 * optimizer_file.c - the optimizer's state as optimizer.safetensors: arrays named
 * as torch names them (exp_avg, exp_avg_sq, momentum_buffer), in the order of the
 * model's tensors, and the number of updates made.
 */
#include "rl/optimizer.h"
#include "rl/optimizer_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/safetensors.h"

static const char STEP_NAME[] = "step";

static void path_of(const char *dir, struct buf *out)
{
	buf_addf(out, "%s/optimizer.safetensors", dir);
}

static const char *first_name(const struct slot *slot)
{
	return slot->muon ? "momentum_buffer" : "exp_avg";
}

static void declare(struct safetensors_writer *w, const struct tensor *t, const char *what)
{
	char name[512];
	int64_t dims[2] = {t->rows, t->cols};

	snprintf(name, sizeof name, "%s.%s", t->name, what);
	safetensors_declare(w, name, tensor_is_vector(t) ? 1 : 2, dims);
}

static int write_array(struct safetensors_writer *w, const struct optimizer *opt, const float *data,
	int64_t n, float *host, struct error *err)
{
	opt->model->device->download(host, data, (size_t)n * sizeof(float));
	return safetensors_write(w, host, err);
}

int optimizer_save(const struct optimizer *opt, const char *dir, struct error *err)
{
	const struct model *m = opt->model;
	struct buf path = {0};
	float *host = xcalloc((size_t)m->n_parameters, sizeof *host);
	float steps = (float)opt->steps;
	int64_t one = 1;
	int failed = 0;

	path_of(dir, &path);
	struct safetensors_writer *w = safetensors_create(path.data, err);
	buf_release(&path);
	if (!w) {
		free(host);
		return -1;
	}
	safetensors_unhashed(w);
	safetensors_declare(w, STEP_NAME, 1, &one);
	for (int i = 0; i < m->n_tensors; i++) {
		declare(w, &m->tensors[i], first_name(&opt->slots[i]));
		if (opt->slots[i].second)
			declare(w, &m->tensors[i], "exp_avg_sq");
	}
	failed = safetensors_write(w, &steps, err);
	for (int i = 0; i < m->n_tensors && !failed; i++) {
		int64_t n = m->tensors[i].rows * m->tensors[i].cols;

		failed = write_array(w, opt, opt->slots[i].first, n, host, err);
		if (!failed && opt->slots[i].second)
			failed = write_array(w, opt, opt->slots[i].second, n, host, err);
	}
	free(host);
	if (failed) {
		safetensors_finish(w, NULL, NULL);
		return -1;
	}
	return safetensors_finish(w, NULL, err);
}

/* One array of the file into device memory, where name and shape fit. */
static int read_array(const struct safetensors *f, const struct optimizer *opt,
	const struct tensor *t, const char *what, float *to, float *host, struct error *err)
{
	char name[512];
	int64_t n = t->rows * t->cols;

	snprintf(name, sizeof name, "%s.%s", t->name, what);
	const struct safetensors_entry *e = safetensors_find(f, name);
	if (!e || e->n_elements != n || e->dims[0] != t->rows)
		return error_set(err, EXIT_DATA,
			"no array '%s' of %lld x %lld numbers: the state is of another model or "
			"optimizer (--fresh drops it)",
			name, (long long)t->rows, (long long)t->cols);
	if (safetensors_floats(e, host, err) != 0)
		return -1;
	for (int64_t i = 0; i < n; i++)
		if (!isfinite(host[i]))
			return error_set(
				err, EXIT_DATA, "'%s' holds a number that is not finite", name);
	opt->model->device->upload(to, host, (size_t)n * sizeof(float));
	return 0;
}

static int read_all(
	struct optimizer *opt, const struct safetensors *f, float *host, struct error *err)
{
	const struct model *m = opt->model;
	const struct safetensors_entry *e = safetensors_find(f, STEP_NAME);
	float steps;

	if (!e || e->n_elements != 1 || safetensors_floats(e, &steps, err) != 0 ||
		!(steps >= 0 && steps < 0x1p24f))
		return error_set(err, EXIT_DATA, "no count of updates ('%s')", STEP_NAME);
	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];
		const struct slot *slot = &opt->slots[i];

		if (read_array(f, opt, t, first_name(slot), slot->first, host, err) != 0)
			return -1;
		if (slot->second &&
			read_array(f, opt, t, "exp_avg_sq", slot->second, host, err) != 0)
			return -1;
	}
	opt->steps = (long long)steps;
	return 0;
}

int optimizer_load(struct optimizer *opt, const char *dir, struct error *err)
{
	struct buf path = {0};
	float *host;
	int failed = -1;

	path_of(dir, &path);
	struct safetensors *f = safetensors_open(path.data, err);
	if (f) {
		host = xcalloc((size_t)opt->model->n_parameters, sizeof *host);
		failed = read_all(opt, f, host, err);
		if (failed)
			error_prefix(err, "%s", path.data);
		free(host);
		safetensors_close(f);
	}
	buf_release(&path);
	return failed;
}
