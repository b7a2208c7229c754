/*
 * The vocabulary of a GGUF file: lines, a letter first: m model, p pre-tokenizer,
 * t token, c control token, u token of the user, 0 and b byte token, g merge, s scores
 * fall, ? the unknown token is the next one.  What becomes a tokenizer encodes, is saved
 * and is read again as the same.
 */
#include "t/fuzz/fuzz.h"

#include "text/gguf_vocab.h"
#include "text/tokenizer_internal.h"
#include "text/utf8.h"

enum {
	TOKENS_MAX = 4096,
	MERGES_MAX = 4096
};

struct input {
	struct gguf_text tokens[TOKENS_MAX], merges[MERGES_MAX];
	int32_t types[TOKENS_MAX];
	float scores[TOKENS_MAX];
	int fall;
};

static void add_token(struct gguf_vocab *v, struct input *in, struct gguf_text text, int type)
{
	const size_t i = v->n_tokens;

	if (i == TOKENS_MAX)
		return;
	in->tokens[i] = text;
	in->types[i] = type;
	in->scores[i] = in->fall ? -(float)i : (float)((i * 7919) % 100);
	v->n_tokens++;
}

static void take_line(struct gguf_vocab *v, struct input *in, char kind, struct gguf_text text)
{
	switch (kind) {
	case 'm':
		v->model = text;
		break;
	case 'p':
		v->pre = text;
		break;
	case 't':
		add_token(v, in, text, GGUF_TOKEN_NORMAL);
		break;
	case 'c':
		add_token(v, in, text, GGUF_TOKEN_CONTROL);
		break;
	case 'u':
		add_token(v, in, text, GGUF_TOKEN_USER_DEFINED);
		break;
	case 'b':
		add_token(v, in, text, GGUF_TOKEN_BYTE);
		break;
	case '0':
		add_token(v, in, text, GGUF_TOKEN_UNUSED);
		break;
	case 'g':
		if (v->n_merges < MERGES_MAX)
			in->merges[v->n_merges++] = text;
		break;
	case 's':
		in->fall = !in->fall;
		v->scores = in->scores;
		break;
	case '?':
		v->unknown = (int64_t)v->n_tokens;
		v->add_space_prefix = !v->add_space_prefix;
		break;
	default:
		break;
	}
}

static void use(struct tokenizer *t)
{
	static const char text[] = "the  \xc3\xa9t\xc3\xa9 12 <s>$1<|im_end|> \xe6\x97\xa5 aab ab";
	static char path[64];
	struct ids ids = {0}, again = {0};
	struct buf back = {0};
	struct tokenizer *copy;
	struct error err;

	if (!path[0])
		snprintf(path, sizeof path, "/dev/shm/fuzz-vocab-%d", getpid());
	tokenizer_encode(t, text, sizeof text - 1, &ids);
	for (size_t i = 0; i < ids.len; i++)
		fuzz_assert(ids.data[i] >= 0 && (uint32_t)ids.data[i] < tokenizer_size(t));
	tokenizer_decode(t, ids.data, ids.len, 0, &back);
	fuzz_assert(tokenizer_save(t, path, &err) == 0);
	copy = tokenizer_load(path, &err);
	unlink(path);
	fuzz_assert(copy && !strcmp(tokenizer_hash(copy), tokenizer_hash(t)));
	tokenizer_encode(copy, text, sizeof text - 1, &again);
	fuzz_assert(again.len == ids.len &&
		    (!ids.len || !memcmp(ids.data, again.data, ids.len * sizeof *ids.data)));
	tokenizer_free(copy);
	buf_release(&back);
	ids_release(&ids);
	ids_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct input in;
	struct gguf_vocab v = {
		.tokens = in.tokens, .types = in.types, .merges = in.merges, .unknown = -1};
	char *copy = xmalloc(size);
	struct tokenizer *t;
	struct error err;

	in.fall = 0;
	if (size)
		memcpy(copy, data, size);
	for (const char *at = copy, *end = copy + size; at < end;) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		const size_t len = (size_t)((lf ? lf : end) - at);

		if (len)
			take_line(&v, &in, at[0], (struct gguf_text){at + 1, len - 1});
		at += len + 1;
	}
	t = gguf_vocab_tokenizer(&v, &err);
	if (t)
		use(t);
	else
		fuzz_assert(err.message[0]);
	tokenizer_free(t);
	free(copy);
	return 0;
}
