/* weights.h - the tensors of a model directory: model.safetensors, or the shards
 * that model.safetensors.index.json lists. */
#ifndef MODEL_WEIGHTS_H
#define MODEL_WEIGHTS_H

#include "model/safetensors.h"

enum {
	MAX_SHARDS = 1024
};

struct weights {
	struct safetensors **files;
	int n_files, n_tensors;
};

/* 0, or -1 and a message; weights_close() in either case. */
int weights_open(struct weights *w, const char *dir, struct error *err);
void weights_close(struct weights *w);

const struct safetensors_entry *weights_find(const struct weights *w, const char *name);
/* Of one file its SHA-256; of several that of their hashes, in order of their names. */
void weights_hash(const struct weights *w, char hash[65]);

#endif
