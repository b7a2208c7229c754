/*
 * lexicon.txt of a model directory, NUL, a request, NUL, its argv, a NUL behind each word.
 * What is loaded is saved and loaded again as the same bytes, and what is learnt from a
 * request can be saved.
 */
#include "t/fuzz/specs.h"

#include "stream/file.h"
#include "text/lexicon.h"

enum {
	ARGC_MAX = 16
};

static void save(const struct lexicon *lex, struct buf *text)
{
	static char path[64];
	struct error err;

	if (!path[0])
		snprintf(path, sizeof path, "/dev/shm/fuzz-lexicon-%d", getpid());
	fuzz_assert(lexicon_save(lex, path, &err) == 0);
	fuzz_assert(file_read(path, SIZE_MAX / 2, text, &err) == 0);
	unlink(path);
}

static void reload(const struct lexicon *lex)
{
	static struct fuzz_file file;
	struct buf text = {0}, again = {0};
	struct lexicon *copy = lexicon_new();
	struct error err;

	save(lex, &text);
	fuzz_file_set(&file, text.data ? text.data : "", text.len);
	fuzz_assert(lexicon_load(copy, file.path, &err) == 0);
	fuzz_assert(lexicon_count(copy) == lexicon_count(lex));
	save(copy, &again);
	fuzz_assert(
		text.len == again.len && (!text.len || !memcmp(text.data, again.data, text.len)));
	lexicon_free(copy);
	buf_release(&text);
	buf_release(&again);
}

static void learn(struct fuzz_input *in)
{
	struct lexicon_counts *counts = lexicon_counts_new();
	struct lexicon *lex = lexicon_new();
	struct buf request = {0};
	char *words[ARGC_MAX + 1];
	size_t len;
	int n = 0;
	char *part = fuzz_part(in, &len);

	utf8_repair(part, len, &request);
	buf_addc(&request, ' ');
	while (in->size && n < ARGC_MAX)
		words[n++] = fuzz_part(in, &len);
	words[n] = NULL;
	lexicon_learn_record(counts, fuzz_spec_known(0), request.data, request.len, n ? n : -1,
		(const char *const *)words);
	lexicon_counts_keep(counts, 1, lex);
	reload(lex);
	for (int i = 0; i < n; i++)
		free(words[i]);
	free(part);
	buf_release(&request);
	lexicon_free(lex);
	lexicon_counts_free(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct fuzz_input in = {data, size};
	struct lexicon *lex = lexicon_new();
	struct error err;
	size_t len;
	char *part = fuzz_part(&in, &len);

	fuzz_file_set(&file, part, len);
	if (lexicon_load(lex, file.path, &err) == 0)
		reload(lex);
	else
		fuzz_assert(err.message[0]);
	if (in.size)
		learn(&in);
	free(part);
	lexicon_free(lex);
	return 0;
}
