/*
 * What people and their records ask propose: lines of text or records.  A request becomes
 * tokens that end where the prompt ends, and none of its text is ever a control token.
 * seeds: testdata/stream
 */
#include "t/fuzz/specs.h"

#include "propose/requests.h"
#include "stream/jsonl.h"
#include "text/prompt.h"

static const struct prompter *prompter(enum spans_mode mode)
{
	static struct prompter prompters[SPANS_NONE + 1];
	static struct arena arena;
	struct prompter *p = &prompters[mode];
	static const char *const texts[] = {" start the server on port and wait for it"};
	struct added_token *added;
	struct tokenizer *t;
	struct lexicon *lex;
	struct error err;
	size_t n;

	if (p->tokenizer)
		return p;
	n = answer_tokens(fuzz_spec_known(0), &arena, &added);
	t = tokenizer_train(texts, 1, 60, added, n, &err);
	lex = lexicon_new();
	lexicon_add(lex, "start", 5);
	if (!t || prompter_init(p, t, lex, mode, &err) != 0)
		die_error(&err);
	return p;
}

/* Tokens of the prompt that are none of plain text: those of spans are numbered, or say
 * their type; the others stand at its begin and its end. */
static void ask(const char *request, size_t len, enum spans_mode mode)
{
	const struct prompter *p = prompter(mode);
	struct span spans[SPANS_MAX];
	struct ids ids = {0};
	const size_t n = prompt_encode(p, request, len, NULL, NULL, spans, &ids);
	size_t special = 0;

	fuzz_assert(ids.len >= 2 && n <= SPANS_MAX);
	fuzz_assert(ids.data[0] == p->request_id && ids.data[ids.len - 1] == p->answer_id);
	for (size_t i = 0; i < ids.len; i++) {
		fuzz_assert(
			ids.data[i] >= 0 && (uint32_t)ids.data[i] < tokenizer_size(p->tokenizer));
		special += tokenizer_is_special(p->tokenizer, ids.data[i]) != 0;
	}
	fuzz_assert(special <= 2 + n && (mode != SPANS_NONE || special == 2));
	ids_release(&ids);
}

static void ask_all(const char *request, size_t len)
{
	struct buf text = {0};

	utf8_repair(request, len, &text);
	for (int mode = 0; mode <= SPANS_NONE; mode++)
		ask(text.data ? text.data : "", text.len, (enum spans_mode)mode);
	buf_release(&text);
}

static void read_records(const char *path)
{
	struct error err;
	struct jsonl_reader *in = jsonl_open(path, &err);
	const char *request;
	struct record r;
	int got;

	fuzz_assert(in);
	record_init(&r);
	while ((got = jsonl_read(in, &r, &err)) == 1 || got == -1)
		if (got == 1 && record_string(&r, "request", &request, &err) == 0 && request)
			ask_all(request, strlen(request));
	record_release(&r);
	jsonl_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct buf line = {0};
	enum input_kind kind;
	struct error err;
	int got = 0;

	fuzz_file_set(&file, data, size);
	fuzz_assert(freopen(file.path, "r", stdin));
	fuzz_assert(input_kind(&kind, &err) == 0 && kind != INPUT_PERSON);
	if (kind == INPUT_RECORDS)
		read_records(file.path);
	else
		while ((got = request_line(&line, &err)) == 1)
			ask_all(line.data ? line.data : "", line.len);
	fuzz_assert(got == 0);
	buf_release(&line);
	return 0;
}
