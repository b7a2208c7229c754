/* vocabulary.c - the lexicon and the tokenizer of a new model. */
#include "rl/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "text/lexicon.h"
#include "text/prompt.h"

enum {
	SEEN_AT_LEAST = 2,
	RECORDS_PER_SIGHT = 12500
};

static int learn_record(struct lexicon_counts *counts, const struct spec *spec,
	const struct record *r, struct arena *arena, struct error *err)
{
	const char *request, **argv;
	int argc;

	arena_clear(arena);
	if (record_string(r, "request", &request, err) != 0 ||
		record_argv(r, "argv", arena, &argc, &argv, err) != 0)
		return error_prefix(err, "%s:%ld", r->file, r->line);
	if (request)
		lexicon_learn_record(counts, spec, request, strlen(request), argc, argv);
	return 0;
}

struct lexicon *lexicon_of(const struct spec *spec, const struct dataset *data, struct error *err)
{
	struct lexicon_counts *counts = lexicon_counts_new();
	struct lexicon *lex = NULL;
	struct arena arena = {0};
	struct record r = {0};
	size_t n = dataset_count(data);
	int failed = 0;

	for (size_t i = 0; i < n && !failed; i++) {
		dataset_get(data, i, &r);
		failed = learn_record(counts, spec, &r, &arena, err);
	}
	if (!failed) {
		lex = lexicon_new();
		lexicon_counts_keep(counts, SEEN_AT_LEAST + n / RECORDS_PER_SIGHT, lex);
	}
	lexicon_counts_free(counts);
	record_release(&r);
	arena_release(&arena);
	return lex;
}

/* What the model will read of the requests, as texts in arena memory. */
static int collect(const struct dataset *data, const struct lexicon *lex, enum spans_mode mode,
	struct arena *arena, const char **texts, size_t taken, struct error *err)
{
	struct record r = {0};
	struct buf text = {0};
	int failed = 0;

	for (size_t k = 0; k < taken && !failed; k++) {
		const char *request;
		double place = (double)k * (double)dataset_count(data) / (double)taken;

		dataset_get(data, (size_t)place, &r);
		failed = record_string(&r, "request", &request, err);
		buf_clear(&text);
		if (!failed && request)
			prompt_text(lex, mode, request, strlen(request), &text);
		texts[k] = arena_strndup(arena, text.data ? text.data : "", text.len);
	}
	record_release(&r);
	buf_release(&text);
	return failed;
}

struct tokenizer *tokenizer_of(const struct spec *spec, const struct dataset *data,
	const struct lexicon *lex, enum spans_mode mode, size_t vocab, struct error *err)
{
	enum {
		BYTES = 256
	};
	struct arena arena = {0};
	struct tokenizer *t = NULL;
	struct added_token *added;
	size_t n = dataset_count(data), n_added = answer_tokens(spec, &arena, &added);
	size_t taken = n < TOKENIZER_RECORDS_MAX ? n : TOKENIZER_RECORDS_MAX;
	const char **texts = xcalloc(taken, sizeof *texts);

	if (vocab < BYTES + n_added)
		error_set(err, EXIT_USAGE,
			"--vocab %zu is too small: 256 bytes and %zu tokens of answers", vocab,
			n_added);
	else if (collect(data, lex, mode, &arena, texts, taken, err) == 0)
		t = tokenizer_train(texts, taken, vocab - BYTES - n_added, added, n_added, err);
	free(texts);
	arena_release(&arena);
	return t;
}
