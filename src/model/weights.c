/* weights.c - the tensors of a model directory, in one file or in shards. */
#include "model/weights.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/mem.h"

static int open_file(struct weights *w, const char *dir, const char *name, struct error *err)
{
	struct buf path = {0};
	struct safetensors *f;

	buf_addf(&path, "%s/%s", dir, name);
	f = safetensors_open(path.data, err);
	buf_release(&path);
	if (!f)
		return -1;
	w->files = xreallocarray(w->files, (size_t)w->n_files + 1, sizeof *w->files);
	w->files[w->n_files++] = f;
	w->n_tensors += safetensors_count(f);
	return 0;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Opens every file that the map names.  A name stays within the directory. */
static int open_shards(struct weights *w, const char *dir, const json_t *map, struct error *err)
{
	const char **names = xcalloc(json_object_size(map) + 1, sizeof *names), *key;
	const json_t *value;
	size_t n = 0;
	int result = 0;

	json_object_foreach((json_t *)map, key, value)
	{
		const char *name = json_string_value(value);

		if (!name || strchr(name, '/') || name[0] == '.' || !*name) {
			result = error_set(err, EXIT_DATA,
				"tensor '%s': its file is not the name of one beside the index",
				key);
			break;
		}
		names[n++] = name;
	}
	qsort(names, n, sizeof *names, compare_strings);
	for (size_t i = 0; i < n && result == 0; i++) {
		if (i && strcmp(names[i], names[i - 1]) == 0)
			continue;
		result = w->n_files == MAX_SHARDS
				 ? error_set(err, EXIT_DATA, "more than %d files", MAX_SHARDS)
				 : open_file(w, dir, names[i], err);
	}
	free(names);
	return result;
}

/* A tensor in two files would be read from either. */
static int check_once(const struct weights *w, struct error *err)
{
	for (int f = 1; f < w->n_files; f++)
		for (int i = 0; i < safetensors_count(w->files[f]); i++) {
			const char *name = safetensors_entry(w->files[f], i)->name;

			for (int g = 0; g < f; g++)
				if (safetensors_find(w->files[g], name))
					return error_set(err, EXIT_DATA,
						"tensor '%s' is in two files", name);
		}
	return 0;
}

static int open_index(struct weights *w, const char *dir, const char *path, struct error *err)
{
	json_error_t fault;
	json_t *index = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
	const json_t *map = json_object_get(index, "weight_map");
	int result;

	if (!index)
		return error_set(err, EXIT_DATA, "%s:%d: %s", path, fault.line, fault.text);
	if (json_is_object(map))
		result = open_shards(w, dir, map, err);
	else
		result = error_set(err, EXIT_DATA, "weight_map is not an object");
	if (result == 0)
		result = check_once(w, err);
	if (result != 0)
		error_prefix(err, "%s", path);
	json_decref(index);
	return result;
}

int weights_open(struct weights *w, const char *dir, struct error *err)
{
	struct buf single = {0}, index = {0};
	int result;

	*w = (struct weights){0};
	buf_addf(&single, "%s/model.safetensors", dir);
	buf_addf(&index, "%s.index.json", single.data);
	if (access(single.data, F_OK) != 0 && access(index.data, F_OK) == 0)
		result = open_index(w, dir, index.data, err);
	else
		result = open_file(w, dir, "model.safetensors", err);
	buf_release(&single);
	buf_release(&index);
	return result;
}

void weights_close(struct weights *w)
{
	for (int i = 0; i < w->n_files; i++)
		safetensors_close(w->files[i]);
	free(w->files);
	*w = (struct weights){0};
}

const struct safetensors_entry *weights_find(const struct weights *w, const char *name)
{
	const struct safetensors_entry *e = NULL;

	for (int i = 0; i < w->n_files && !e; i++)
		e = safetensors_find(w->files[i], name);
	return e;
}

void weights_hash(const struct weights *w, char hash[65])
{
	struct buf all = {0};

	for (int i = 0; i < w->n_files; i++) {
		safetensors_hash(w->files[i], hash);
		buf_adds(&all, hash);
	}
	if (w->n_files > 1)
		sha256_hex(all.data, all.len, hash);
	buf_release(&all);
}
