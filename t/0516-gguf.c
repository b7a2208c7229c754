/* GGUF files: numbers, keys, tokenizers, and files that lie.  Against the package `gguf`
 * on large random data: 0517-gguf-peers.sh. */
#include "tap.h"

#include "model/gguf.h"
#include "model/gguf_params.h"
#include "model/gguf_tokenizer.h"

static struct gguf *open_ok(const char *path)
{
	struct error err;
	struct gguf *f = gguf_open(path, &err);

	if (!f)
		fail_msg("%s", err.message);
	return f;
}

static void numbers_are_those_of_the_package(void **state)
{
	struct gguf *f = open_ok("testdata/gguf/blocks.gguf");
	int formats = 0;

	(void)state;
	assert_int_equal(gguf_version(f), 3);
	for (int i = 0; i < gguf_count(f); i++) {
		const struct gguf_tensor *t = gguf_tensor(f, i), *want;
		char name[64];
		float got[1024];

		snprintf(name, sizeof name, "%s.expected", t->name);
		want = gguf_find(f, name);
		if (!want)
			continue;
		assert_int_equal(want->n_elements, t->n_elements);
		assert_true(t->n_elements <= 1024);
		gguf_floats(t, 0, t->n_elements, got);
		assert_memory_equal(got, want->data, (size_t)t->n_elements * sizeof *got);
		/* the second row alone */
		memset(got, 0xff, sizeof got);
		gguf_floats(t, t->dims[0], t->dims[0], got);
		assert_memory_equal(
			got, want->data + t->dims[0] * 4, (size_t)t->dims[0] * sizeof *got);
		formats++;
	}
	assert_int_equal(formats, 13);
	gguf_close(f);
}

static void keys_are_read(void **state)
{
	struct gguf *f = open_ok("testdata/gguf/blocks.gguf");
	struct gguf_array list;
	struct error err;
	const char *text;
	int64_t whole;
	double real;
	size_t len;

	(void)state;
	text = gguf_string(f, "test.text", &len, &err);
	assert_non_null(text);
	assert_int_equal(len, 2);
	assert_memory_equal(text, "\xc3\xa9", 2);
	assert_int_equal(gguf_array(f, "test.list", GGUF_INT32, &list, &err), 0);
	assert_int_equal(list.n, 3);
	assert_int_equal(gguf_next_integer(&list), 1);
	assert_int_equal(gguf_next_integer(&list), -2);
	assert_int_equal(gguf_next_integer(&list), 3);
	assert_int_equal(list.n, 0);
	assert_int_equal(gguf_integer(f, "test.text", &whole, &err), -1);
	assert_string_equal(err.message, "key 'test.text': it is of type STRING, not an integer");
	assert_int_equal(gguf_number(f, "test.none", &real, &err), -1);
	assert_string_equal(err.message, "key 'test.none' is missing");
	assert_int_equal(gguf_array(f, "test.list", GGUF_STRING, &list, &err), -1);
	assert_null(gguf_find(f, "x"));
	gguf_close(f);
}

static void encodes(const char *path, const char *text, const char *const *tokens, size_t n)
{
	struct gguf *f = open_ok(path);
	struct error err;
	struct tokenizer *t = gguf_tokenizer(f, &err);
	struct ids ids = {0};
	struct buf back = {0};

	if (!t)
		fail_msg("%s", err.message);
	tokenizer_encode(t, text, strlen(text), &ids);
	assert_int_equal(ids.len, n);
	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *bytes = tokenizer_bytes(t, ids.data[i], &len);

		assert_int_equal(len, strlen(tokens[i]));
		assert_memory_equal(bytes, tokens[i], len);
		/* <unk>, <s>, </s>, <|im_start|> ... are found by their text, too */
		if (len > 1)
			assert_int_equal(tokenizer_id(t, tokens[i]), ids.data[i]);
	}
	tokenizer_decode(t, ids.data, ids.len, 0, &back);
	assert_string_equal(back.data, text);
	ids_release(&ids);
	buf_release(&back);
	tokenizer_free(t);
	gguf_close(f);
}

static void tokenizers_are_read(void **state)
{
	static const char *const bytes[] = {"<|im_start|>", "th", "e", " the", "1", "2", "\xc3\xa9",
		"  ", "\n", "$1", "<|im_end|>"};
	static const char *const pieces[] = {
		" the", " th", "\xc3\xa9", "\xe2", "\x82", "\xac", "  ", "1", "2"};

	(void)state;
	encodes("testdata/gguf/bytes.gguf", "<|im_start|>the the12\xc3\xa9  \n$1<|im_end|>", bytes,
		sizeof bytes / sizeof *bytes);
	encodes("testdata/gguf/pieces.gguf", "the th\xc3\xa9\xe2\x82\xac  12", pieces,
		sizeof pieces / sizeof *pieces);
}

/* A file in pieces. */
static void put(struct buf *b, uint64_t x, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(b, (char)(x >> (8 * i)));
}

static void put_text(struct buf *b, const char *text)
{
	put(b, strlen(text), 8);
	buf_adds(b, text);
}

static void put_header(struct buf *b, uint64_t n_tensors, uint64_t n_keys)
{
	buf_adds(b, "GGUF");
	put(b, 3, 4);
	put(b, n_tensors, 8);
	put(b, n_keys, 8);
}

static void put_key(struct buf *b, const char *name, enum gguf_type type)
{
	put_text(b, name);
	put(b, type, 4);
}

static void put_tensor(
	struct buf *b, const char *name, uint64_t rows, uint64_t columns, int type, uint64_t offset)
{
	put_text(b, name);
	put(b, 2, 4);
	put(b, columns, 8);
	put(b, rows, 8);
	put(b, (uint64_t)type, 4);
	put(b, offset, 8);
}

static void put_vector(struct buf *b, const char *name, uint64_t n, int type, uint64_t offset)
{
	put_text(b, name);
	put(b, 1, 4);
	put(b, n, 8);
	put(b, (uint64_t)type, 4);
	put(b, offset, 8);
}

/* n bytes of data, aligned. */
static void put_data(struct buf *b, size_t n)
{
	while (b->len % 32)
		buf_addc(b, 0);
	for (size_t i = 0; i < n; i++)
		buf_addc(b, 1);
}

static struct gguf *open_bytes(const struct buf *b, struct error *err)
{
	const char *path = scratch_path("hostile.gguf");
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(b->data, 1, b->len, file), b->len);
	fclose(file);
	return gguf_open(path, err);
}

/* Refuses the file, for this reason; empties the buffer. */
static void refused(struct buf *b, const char *why)
{
	struct error err;
	struct gguf *f = open_bytes(b, &err);

	if (f)
		fail_msg("accepted, though: %s", why);
	if (!strstr(err.message, why) || !strstr(err.message, "hostile.gguf"))
		fail_msg("'%s' lacks '%s'", err.message, why);
	assert_int_equal(err.code, EXIT_DATA);
	buf_release(b);
}

static void headers_that_lie(void **state)
{
	struct buf b = {0};
	struct error err;

	(void)state;
	buf_adds(&b, "GGML");
	refused(&b, "not a GGUF file");
	buf_adds(&b, "GGUF\1");
	refused(&b, "cut short");
	buf_add(&b, "GGUF\0\0\0\3", 8);
	refused(&b, "big-endian");
	buf_add(&b, "GGUF\1\0\0\0", 8);
	refused(&b, "version 1");
	put_header(&b, UINT64_MAX, 0);
	refused(&b, "18446744073709551615 tensors");
	put_header(&b, 0, UINT64_MAX);
	refused(&b, "18446744073709551615 keys");
	put_header(&b, 1, 0);
	refused(&b, "1 tensors in a file of");
	assert_null(gguf_open(scratch_path("none.gguf"), &err));
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_null(gguf_open(scratch, &err));
	assert_int_equal(err.code, EXIT_DATA);
}

static void keys_that_lie(void **state)
{
	struct buf b = {0};

	(void)state;
	put_header(&b, 0, 1);
	put(&b, UINT64_MAX, 8);
	put(&b, 0, 8);
	refused(&b, "key number 1");
	put_header(&b, 0, 1);
	put_key(&b, "a\nb", GGUF_BOOL);
	put(&b, 1, 8);
	refused(&b, "control character");
	put_header(&b, 0, 1);
	put_key(&b, "k", (enum gguf_type)13);
	put(&b, 0, 8);
	refused(&b, "key 'k': unknown type 13");
	put_header(&b, 0, 1);
	put_key(&b, "k", GGUF_STRING);
	put(&b, UINT64_MAX - 7, 8);
	refused(&b, "key 'k': the file ends");
	put_header(&b, 0, 1);
	put_key(&b, "k", GGUF_ARRAY);
	put(&b, GGUF_UINT64, 4);
	put(&b, UINT64_MAX / 8 + 2, 8);
	refused(&b, "key 'k': the file ends");
	put_header(&b, 0, 1);
	put_key(&b, "k", GGUF_ARRAY);
	for (int i = 0; i < 8; i++) {
		put(&b, GGUF_ARRAY, 4);
		put(&b, 1, 8);
	}
	refused(&b, "nested");
	put_header(&b, 0, 2);
	for (int i = 0; i < 2; i++) {
		put_key(&b, "same", GGUF_UINT8);
		put(&b, 7, 1);
	}
	refused(&b, "key 'same' is there twice");
	put_header(&b, 0, 1);
	put_key(&b, "general.alignment", GGUF_UINT32);
	put(&b, 24, 4);
	refused(&b, "'general.alignment': 24");
	put_header(&b, 0, 1);
	put_key(&b, "split.count", GGUF_UINT16);
	put(&b, 3, 2);
	refused(&b, "one of 3 files");
}

static void one_tensor(struct buf *b, uint64_t rows, uint64_t columns, int type, uint64_t offset)
{
	put_header(b, 1, 0);
	put_tensor(b, "w", rows, columns, type, offset);
	put_data(b, 64);
}

static void tensors_that_lie(void **state)
{
	struct buf b = {0};
	struct error err;
	struct gguf *f;

	(void)state;
	one_tensor(&b, 2, 8, DEQUANT_F32, 0);
	f = open_bytes(&b, &err);
	assert_non_null(f);
	gguf_close(f);
	buf_release(&b);
	one_tensor(&b, 2, 9, DEQUANT_F32, 0);
	refused(&b, "tensor 'w': 72 bytes at offset 0 lie outside");
	one_tensor(&b, 2, 8, DEQUANT_F32, 32);
	refused(&b, "tensor 'w': 64 bytes at offset 32 lie outside");
	one_tensor(&b, 1, 8, DEQUANT_F32, 8);
	refused(&b, "no multiple of 32");
	one_tensor(&b, 1, 8, DEQUANT_F32, UINT64_MAX - 31);
	refused(&b, "lie outside");
	one_tensor(&b, (uint64_t)1 << 32, (uint64_t)1 << 32, DEQUANT_F32, 0);
	refused(&b, "tensor 'w': impossible shape");
	one_tensor(&b, (uint64_t)1 << 31, (uint64_t)1 << 31, DEQUANT_F32, 0);
	refused(&b, "tensor 'w': impossible shape");
	one_tensor(&b, UINT64_MAX, 1, DEQUANT_F32, 0);
	refused(&b, "tensor 'w': impossible shape");
	one_tensor(&b, 2, 16, DEQUANT_Q4_0, 0);
	refused(&b, "tensor 'w': rows of 16 numbers are not whole blocks of Q4_0");
	one_tensor(&b, 1, 256, 22, 0);
	refused(&b, "tensor 'w': type 22 (IQ2_S) is not supported");
	one_tensor(&b, 1, 256, 4, 0);
	refused(&b, "tensor 'w': type 4 (?)");
	put_header(&b, 1, 0);
	put_text(&b, "w");
	put(&b, 5, 4);
	put_data(&b, 128);
	refused(&b, "tensor 'w': 5 dimensions");
	put_header(&b, 2, 0);
	put_tensor(&b, "w", 1, 8, DEQUANT_F32, 0);
	put_tensor(&b, "w", 1, 8, DEQUANT_F32, 32);
	put_data(&b, 64);
	refused(&b, "tensor 'w' is there twice");
	put_header(&b, 2, 0);
	put_tensor(&b, "v", 2, 8, DEQUANT_F32, 0);
	put_tensor(&b, "w", 1, 8, DEQUANT_F32, 32);
	put_data(&b, 64);
	refused(&b, "tensor 'w': its data overlaps that of 'v'");
}

static void names_are_those_of_hugging_face(void **state)
{
	static const char *const names[][3] = {
		{"llama", "model.embed_tokens.weight", "token_embd.weight"},
		{"llama", "lm_head.weight", "output.weight"},
		{"qwen2", "model.layers.12.self_attn.k_proj.bias", "blk.12.attn_k.bias"},
		{"qwen3", "model.layers.0.self_attn.q_norm.weight", "blk.0.attn_q_norm.weight"},
		{"llama", "model.layers.3.post_attention_layernorm.weight",
			"blk.3.ffn_norm.weight"},
		{"gemma3", "model.layers.3.post_attention_layernorm.weight",
			"blk.3.post_attention_norm.weight"},
		{"gemma3", "model.layers.3.pre_feedforward_layernorm.weight",
			"blk.3.ffn_norm.weight"},
		{"llama", "model.layers.3.pre_feedforward_layernorm.weight", NULL},
		{"llama", "model.layers..mlp.up_proj.weight", NULL},
		{"llama", "model.layers.1.mlp.up_proj", NULL},
		{"llama", "model.layers.1", NULL},
		{"llama", "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf out = {0};
		int rc = gguf_param_name(names[i][0], names[i][1], &out);

		assert_int_equal(rc, names[i][2] ? 0 : -1);
		if (names[i][2])
			assert_string_equal(out.data, names[i][2]);
		buf_release(&out);
	}
}

/* Two heads of four rows of two numbers, and a norm; each number tells its place. */
static void put_model(struct buf *b, const char *architecture, uint64_t heads)
{
	put_header(b, 3, 2);
	put_key(b, "general.architecture", GGUF_STRING);
	put_text(b, architecture);
	put_key(b, "llama.attention.head_count", GGUF_UINT32);
	put(b, heads, 4);
	put_tensor(b, "blk.0.attn_q.weight", 8, 2, DEQUANT_F32, 0);
	put_vector(b, "blk.0.attn_q.bias", 8, DEQUANT_F32, 64);
	put_tensor(b, "output_norm.weight", 1, 4, DEQUANT_F32, 96);
	put_data(b, 0);
	for (int i = 0; i < 28; i++) {
		float x = (float)(i < 16 ? i / 2 : i < 24 ? i - 16 : 1);

		buf_add(b, &x, sizeof x);
	}
}

static void rows_are_in_their_order(void **state)
{
	static const float order[8] = {0, 2, 1, 3, 4, 6, 5, 7};
	struct buf b = {0};
	struct gguf_param p;
	struct error err;
	struct gguf *f;
	float got[16];

	(void)state;
	put_model(&b, "llama", 2);
	f = open_bytes(&b, &err);
	assert_non_null(f);
	assert_int_equal(gguf_param_find(f, "model.layers.0.self_attn.q_proj.weight", &p, &err), 1);
	gguf_param_rows(&p, 1, 7, got);
	for (int i = 0; i < 14; i++)
		assert_true(got[i] == order[1 + i / 2]);
	assert_int_equal(gguf_param_find(f, "model.layers.0.self_attn.q_proj.bias", &p, &err), 1);
	assert_int_equal(p.rows, 1);
	gguf_param_rows(&p, 0, 1, got);
	assert_memory_equal(got, order, sizeof order);
	assert_int_equal(gguf_param_find(f, "model.norm.weight", &p, &err), 1);
	gguf_param_rows(&p, 0, 1, got);
	assert_true(got[0] == 1 && got[3] == 1);
	assert_int_equal(gguf_param_find(f, "lm_head.weight", &p, &err), 0);
	gguf_close(f);
	buf_release(&b);

	put_model(&b, "llama", 3);
	f = open_bytes(&b, &err);
	assert_int_equal(
		gguf_param_find(f, "model.layers.0.self_attn.q_proj.weight", &p, &err), -1);
	assert_string_equal(err.message, "tensor 'blk.0.attn_q.weight': 8 rows for 3 heads");
	gguf_close(f);
	buf_release(&b);

	put_model(&b, "gemma3", 2);
	f = open_bytes(&b, &err);
	assert_int_equal(gguf_param_find(f, "model.layers.0.self_attn.q_proj.weight", &p, &err), 1);
	gguf_param_rows(&p, 0, 8, got);
	for (int i = 0; i < 16; i++)
		assert_true(got[i] == (float)(i / 2));
	assert_int_equal(gguf_param_find(f, "model.norm.weight", &p, &err), 1);
	gguf_param_rows(&p, 0, 1, got);
	assert_true(got[0] == 0 && got[3] == 0);
	gguf_close(f);
	buf_release(&b);
}

/* Cut anywhere, and with any byte changed: refused or read, never worse. */
static void damaged_files_do_no_harm(void **state)
{
	static const char *const files[] = {"testdata/gguf/blocks.gguf", "testdata/gguf/bytes.gguf",
		"testdata/gguf/pieces.gguf"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct buf whole = {0}, cut;
		struct error err;

		assert_int_equal(file_read(files[i], 1 << 20, &whole, &err), 0);
		for (size_t at = 1; at < whole.len; at += 1 + at / 40) {
			struct gguf *f;
			struct tokenizer *t;

			cut = (struct buf){whole.data, at, at};
			f = open_bytes(&cut, &err);
			assert_true(!f || at + 32 > whole.len || i > 0);
			gguf_close(f);
			whole.data[at] ^= (char)(1 << at % 8);
			f = open_bytes(&whole, &err);
			whole.data[at] ^= (char)(1 << at % 8);
			t = f ? gguf_tokenizer(f, &err) : NULL;
			tokenizer_free(t);
			gguf_close(f);
		}
		buf_release(&whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_package),
		cmocka_unit_test(keys_are_read),
		cmocka_unit_test(tokenizers_are_read),
		cmocka_unit_test(headers_that_lie),
		cmocka_unit_test(keys_that_lie),
		cmocka_unit_test(tensors_that_lie),
		cmocka_unit_test(names_are_those_of_hugging_face),
		cmocka_unit_test(rows_are_in_their_order),
		cmocka_unit_test(damaged_files_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
