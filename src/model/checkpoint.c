/* checkpoint.c - Hugging Face model directories to models and back. */
#include "model/layout.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "model/gguf_model.h"
#include "model/weights.h"

static char *path_of(const char *dir, const char *file)
{
	struct buf b = {0};

	buf_addf(&b, "%s/%s", dir, file);
	return buf_detach(&b);
}

static int has_shape(const struct safetensors_entry *e, const struct tensor *t)
{
	if (tensor_is_vector(t))
		return e->n_dims == 1 && e->dims[0] == t->rows;
	return e->n_dims == 2 && e->dims[0] == t->rows && e->dims[1] == t->cols;
}

/* Stored by some exporters and not parameters: computed anew. */
static int is_redundant(const struct model *m, const char *name)
{
	static const char suffix[] = "rotary_emb.inv_freq";
	size_t len = strlen(name), n = sizeof suffix - 1;

	return (len >= n && strcmp(name + len - n, suffix) == 0) ||
	       (m->config.tie_word_embeddings && strcmp(name, "lm_head.weight") == 0);
}

static int is_known(const struct model *m, const char *name)
{
	for (int i = 0; i < m->n_tensors; i++)
		if (strcmp(name, m->tensors[i].name) == 0)
			return 1;
	return is_redundant(m, name);
}

/* Every tensor is there with its shape, and there is none that we would ignore.
 * Done before memory is asked for, so that its size is bounded by the file's. */
static int check_tensors(const struct model *m, const struct weights *w, struct error *err)
{
	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];
		const struct safetensors_entry *e = weights_find(w, t->name);

		if (!e)
			return error_set(err, EXIT_DATA, "tensor '%s' is missing", t->name);
		if (!has_shape(e, t))
			return error_set(err, EXIT_DATA,
				"tensor '%s' has another shape than config.json gives it: "
				"[%lld, %lld]",
				t->name, (long long)t->rows, (long long)t->cols);
		if (e->type == SAFETENSORS_OTHER)
			return safetensors_floats(e, NULL, err);
	}
	/* A few redundant ones a layer are more than any exporter writes. */
	if (w->n_tensors > 2 * m->n_tensors + 64)
		return error_set(
			err, EXIT_DATA, "%d tensors; the model has %d", w->n_tensors, m->n_tensors);
	for (int f = 0; f < w->n_files; f++)
		for (int i = 0; i < safetensors_count(w->files[f]); i++)
			if (!is_known(m, safetensors_entry(w->files[f], i)->name))
				return error_set(err, EXIT_DATA,
					"tensor '%s' belongs to no part of a %s of %d layers",
					safetensors_entry(w->files[f], i)->name,
					architecture_of(m->config.architecture)->class_name,
					m->config.n_layers);
	return 0;
}

static int64_t largest_tensor(const struct model *m)
{
	int64_t largest = 0;

	for (int i = 0; i < m->n_tensors; i++)
		if (m->tensors[i].rows * m->tensors[i].cols > largest)
			largest = m->tensors[i].rows * m->tensors[i].cols;
	return largest;
}

static void add_shift(float *values, int64_t n, float shift)
{
	for (int64_t i = 0; i < n && shift != 0.0f; i++)
		values[i] += shift;
}

static int read_weights(struct model *m, const struct weights *w, struct error *err)
{
	float *values = xreallocarray(NULL, (size_t)largest_tensor(m), sizeof *values);

	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];

		if (safetensors_floats(weights_find(w, t->name), values, err) != 0) {
			free(values);
			return -1;
		}
		add_shift(values, t->rows * t->cols, t->shift);
		m->device->upload(t->data, values, (size_t)(t->rows * t->cols) * sizeof *values);
	}
	free(values);
	weights_hash(w, m->hash);
	return m->device->sync(err);
}

struct model *model_load(
	const char *dir, const struct device *device, int with_grad, struct error *err)
{
	struct model_config config;
	struct model *m = NULL;
	struct weights w;
	char *path;
	int result;

	if (gguf_is(dir))
		return gguf_model_load(dir, device, with_grad, err);
	path = path_of(dir, "config.json");
	result = model_config_read(&config, path, err);
	free(path);
	if (result != 0)
		return NULL;
	if (weights_open(&w, dir, err) == 0) {
		m = model_describe(&config, device);
		if (check_tensors(m, &w, err) != 0 || model_allocate(m, with_grad, err) != 0 ||
			read_weights(m, &w, err) != 0) {
			error_prefix(err, "%s", dir);
			model_free(m);
			m = NULL;
		}
	}
	weights_close(&w);
	return m;
}

static int write_weights(const struct model *m, struct safetensors_writer *w, struct error *err)
{
	float *values = xreallocarray(NULL, (size_t)largest_tensor(m), sizeof *values);
	int result = 0;

	for (int i = 0; i < m->n_tensors && result == 0; i++) {
		const struct tensor *t = &m->tensors[i];

		m->device->download(values, t->data, (size_t)(t->rows * t->cols) * sizeof *values);
		result = m->device->sync(err);
		add_shift(values, t->rows * t->cols, -t->shift);
		if (result == 0)
			result = safetensors_write(w, values, err);
	}
	free(values);
	return result;
}

int model_save(struct model *m, const char *dir, struct error *err)
{
	char *path = path_of(dir, "config.json"), hash[65];
	struct safetensors_writer *w;
	int result = model_config_write(&m->config, path, err);

	free(path);
	if (result != 0)
		return -1;
	path = path_of(dir, "model.safetensors");
	w = safetensors_create(path, err);
	free(path);
	if (!w)
		return -1;
	for (int i = 0; i < m->n_tensors; i++) {
		const struct tensor *t = &m->tensors[i];
		const int64_t dims[] = {t->rows, t->cols};

		safetensors_declare(w, t->name, tensor_is_vector(t) ? 1 : 2, dims);
	}
	result = write_weights(m, w, err);
	/* A failed write has said what is wrong already. */
	if (safetensors_finish(w, hash, result == 0 ? err : NULL) != 0 || result != 0)
		return -1;
	memcpy(m->hash, hash, sizeof m->hash);
	return 0;
}
