/*
 * The GGUF reader: whatever opens is whole, every key, item and number can be read, and a
 * tokenizer in it encodes.
 * seeds: testdata/gguf
 */
#include "t/fuzz/fuzz.h"

#include "model/gguf.h"
#include "model/gguf_tokenizer.h"

static void read_array(const struct gguf *f, const char *key)
{
	struct gguf_array a;
	size_t len;

	if (gguf_array(f, key, GGUF_STRING, &a, NULL) == 0) {
		unsigned sum = 0;

		while (a.n) {
			const char *text = gguf_next_string(&a, &len);

			for (size_t i = 0; i < len; i++)
				sum += (unsigned char)text[i];
		}
		fuzz_assert(sum < UINT32_MAX);
	}
	for (int type = GGUF_UINT8; type <= GGUF_FLOAT64; type++) {
		int real = type == GGUF_FLOAT32 || type == GGUF_FLOAT64;

		if (type == GGUF_STRING || type == GGUF_ARRAY ||
			gguf_array(f, key, (enum gguf_type)type, &a, NULL) != 0)
			continue;
		while (a.n)
			real ? (void)gguf_next_number(&a) : (void)gguf_next_integer(&a);
	}
}

static void read_keys(const struct gguf *f)
{
	for (int i = 0; i < gguf_n_keys(f); i++) {
		enum gguf_type type;
		const char *key = gguf_key(f, i, &type), *text;
		size_t len = 0;
		int64_t whole;
		double real;
		int flag;

		gguf_integer(f, key, &whole, NULL);
		gguf_number(f, key, &real, NULL);
		gguf_bool(f, key, &flag, NULL);
		text = gguf_string(f, key, &len, NULL);
		fuzz_assert(!text || !len || memchr(text, text[len - 1], len));
		read_array(f, key);
	}
}

static void read_tensors(const struct gguf *f)
{
	for (int i = 0; i < gguf_count(f); i++) {
		const struct gguf_tensor *t = gguf_tensor(f, i);
		float *numbers = xcalloc((size_t)t->n_elements + 1, sizeof *numbers);

		fuzz_assert(gguf_find(f, t->name) == t);
		gguf_floats(t, 0, t->n_elements, numbers);
		free(numbers);
	}
}

static void use_tokenizer(const struct gguf *f)
{
	static const char text[] = "the  \xc3\xa9t\xc3\xa9 12 <s>$1<|im_end|>\xff";
	struct error err;
	struct tokenizer *t = gguf_tokenizer(f, &err);
	struct ids ids = {0};
	struct buf back = {0};

	if (!t)
		return;
	tokenizer_encode(t, text, sizeof text - 1, &ids);
	for (size_t i = 0; i < ids.len; i++)
		fuzz_assert(ids.data[i] >= 0 && (uint32_t)ids.data[i] < tokenizer_size(t));
	tokenizer_decode(t, ids.data, ids.len, 0, &back);
	buf_release(&back);
	ids_release(&ids);
	tokenizer_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct gguf *f;
	struct error err;
	char hash[65];

	fuzz_file_set(&file, data, size);
	f = gguf_open(file.path, &err);
	if (!f)
		return 0;
	read_keys(f);
	read_tensors(f);
	use_tokenizer(f);
	gguf_hash(f, hash);
	gguf_close(f);
	return 0;
}
