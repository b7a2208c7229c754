/*
 * model_dump.c - for 0540-transformers.sh: writes a random model to a directory, and
 * tokens and logits beside it.
 *
 * usage: model_dump DIR TIED
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/model.h"
#include "model/safetensors.h"

enum {
	N = 40,
	VOCAB = 101
};

static void dump(const char *dir, const float *tokens, const float *logits, struct error *err)
{
	const int64_t n_tokens[] = {N}, shape[] = {N, VOCAB};
	struct safetensors_writer *w;
	struct buf path = {0};

	buf_addf(&path, "%s/dump.safetensors", dir);
	w = safetensors_create(path.data, err);
	if (!w)
		die_error(err);
	safetensors_declare(w, "tokens", 1, n_tokens);
	safetensors_declare(w, "logits", 2, shape);
	if (safetensors_write(w, tokens, err) != 0 || safetensors_write(w, logits, err) != 0 ||
		safetensors_finish(w, NULL, err) != 0)
		die_error(err);
	buf_release(&path);
}

int main(int argc, char **argv)
{
	struct model_config config = {.vocab_size = VOCAB,
		.hidden_size = 48,
		.intermediate_size = 72,
		.n_layers = 3,
		.n_heads = 4,
		.n_kv_heads = 2,
		.head_dim = 16,
		.max_positions = 512,
		.rope_theta = 10000.0f,
		.rms_norm_eps = 1e-6f,
		.tie_word_embeddings = argc > 2 && atoi(argv[2]),
		.end_token_id = 7};
	float tokens[N], *logits = xcalloc(N * VOCAB, sizeof *logits);
	struct tree *t = tree_new();
	const struct device *d;
	struct workspace *w;
	struct error err;
	struct model *m;
	int32_t ids[N];

	program_name_set(argv[0]);
	note_enable(0);
	if (argc != 3)
		die(EXIT_USAGE, "usage: model_dump DIR TIED");
	if (!(d = device_open("cpu", 1, &err)) || !(m = model_new(&config, d, 5, 0, &err)) ||
		!(w = workspace_new(m, N, N, &err)))
		die_error(&err);
	/* Larger than at the start of training, so that everything shows. */
	for (int i = 0; i < m->n_tensors; i++)
		for (int64_t j = 0; m->tensors[i].role != TENSOR_NORM &&
				    j < m->tensors[i].rows * m->tensors[i].cols;
			j++)
			m->tensors[i].data[j] *= 8.0f;
	for (int i = 0; i < N; i++)
		tokens[i] = (float)(ids[i] = (i * i + 3) % VOCAB);
	tree_add(t, ids, N, N);
	tree_pack(t, 0);
	if (model_save(m, argv[1], &err) != 0 || model_logits(m, w, t, logits, &err) != 0)
		die_error(&err);
	dump(argv[1], tokens, logits, &err);
	free(logits);
	tree_free(t);
	workspace_free(w);
	model_free(m);
	return 0;
}
