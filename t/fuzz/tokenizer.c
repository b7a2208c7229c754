/*
 * A tokenizer.json, NUL, and a text: the text is encoded in every way, and the ids are
 * of the tokenizer.
 */
#include "t/fuzz/fuzz.h"

#include "text/tokenizer_internal.h"
#include "text/utf8.h"

static void check(const struct tokenizer *t, const struct ids *ids)
{
	struct buf text = {0};
	size_t len;

	for (size_t i = 0; i < ids->len; i++) {
		fuzz_assert(ids->data[i] >= 0 && (uint32_t)ids->data[i] < tokenizer_size(t));
		fuzz_assert(tokenizer_bytes(t, ids->data[i], &len));
	}
	tokenizer_decode(t, ids->data, ids->len, 0, &text);
	buf_clear(&text);
	tokenizer_decode(t, ids->data, ids->len, 1, &text);
	buf_release(&text);
}

static void use(struct tokenizer *t, const char *text, size_t len)
{
	struct ids ids = {0};
	struct rng rng;

	tokenizer_encode(t, text, len, &ids);
	check(t, &ids);
	ids.len = 0;
	tokenizer_encode_ordinary(t, text, len, &ids);
	check(t, &ids);
	ids.len = 0;
	rng_init(&rng, 1, RNG_TEST, 0, 0);
	tokenizer_encode_plain(t, text, len, 0.3, &rng, &ids);
	check(t, &ids);
	ids_release(&ids);
	tokenizer_id(t, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	struct buf json = {0}, text = {0};
	struct tokenizer *t;
	struct error err;
	size_t len;
	char *part = fuzz_part(&in, &len);

	buf_add(&json, part, len);
	free(part);
	t = tokenizer_parse(&json, &err);
	if (t) {
		part = fuzz_rest(&in, &len);
		utf8_repair(part, len, &text);
		buf_adds(&text, " A-word's 12345 \xc3\xa9\xe6\x97\xa5");
		use(t, text.data, text.len);
		free(part);
		buf_release(&text);
	}
	tokenizer_free(t);
	return 0;
}
