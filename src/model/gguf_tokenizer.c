#include "model/gguf_tokenizer.h"

#include <stdlib.h>
#include "base/mem.h"
#include "text/gguf_vocab.h"

/* What the vocabulary points to. */
struct lists {
	struct gguf_text *tokens, *merges;
	int32_t *types;
	float *scores;
};

static struct gguf_text *texts(struct gguf_array *a, size_t *n)
{
	struct gguf_text *list;

	*n = a->n;
	list = xcalloc(*n + 1, sizeof *list);
	for (size_t i = 0; i < *n; i++)
		list[i].data = gguf_next_string(a, &list[i].len);
	return list;
}

static int same_length(const struct gguf_vocab *v, const char *key, uint64_t n, struct error *err)
{
	if (n == v->n_tokens)
		return 0;
	return error_set(err, EXIT_DATA, "key '%s': %llu items for %zu tokens", key,
		(unsigned long long)n, v->n_tokens);
}

static int read_lists(
	const struct gguf *f, struct gguf_vocab *v, struct lists *lists, struct error *err)
{
	static const char types_key[] = "tokenizer.ggml.token_type",
			  scores_key[] = "tokenizer.ggml.scores";
	struct gguf_array a;

	if (gguf_array(f, "tokenizer.ggml.tokens", GGUF_STRING, &a, err) != 0)
		return -1;
	v->tokens = lists->tokens = texts(&a, &v->n_tokens);
	if (gguf_array(f, "tokenizer.ggml.merges", GGUF_STRING, &a, NULL) == 0)
		v->merges = lists->merges = texts(&a, &v->n_merges);
	if (gguf_array(f, types_key, GGUF_INT32, &a, NULL) == 0) {
		if (same_length(v, types_key, a.n, err) != 0)
			return -1;
		v->types = lists->types = xcalloc(v->n_tokens + 1, sizeof *lists->types);
		for (size_t i = 0; i < v->n_tokens; i++)
			lists->types[i] = (int32_t)gguf_next_integer(&a);
	}
	if (gguf_array(f, scores_key, GGUF_FLOAT32, &a, NULL) == 0) {
		if (same_length(v, scores_key, a.n, err) != 0)
			return -1;
		v->scores = lists->scores = xcalloc(v->n_tokens + 1, sizeof *lists->scores);
		for (size_t i = 0; i < v->n_tokens; i++)
			lists->scores[i] = (float)gguf_next_number(&a);
	}
	return 0;
}

struct tokenizer *gguf_tokenizer(const struct gguf *f, struct error *err)
{
	/* SentencePiece's own default is a blank before the text. */
	struct gguf_vocab v = {.unknown = -1, .add_space_prefix = 1};
	struct lists lists = {0};
	struct tokenizer *t = NULL;

	v.model.data = gguf_string(f, "tokenizer.ggml.model", &v.model.len, err);
	if (!v.model.data)
		return NULL;
	v.pre.data = gguf_string(f, "tokenizer.ggml.pre", &v.pre.len, NULL);
	gguf_integer(f, "tokenizer.ggml.unknown_token_id", &v.unknown, NULL);
	gguf_bool(f, "tokenizer.ggml.add_space_prefix", &v.add_space_prefix, NULL);
	if (read_lists(f, &v, &lists, err) == 0)
		t = gguf_vocab_tokenizer(&v, err);
	free(lists.tokens);
	free(lists.merges);
	free(lists.types);
	free(lists.scores);
	return t;
}
