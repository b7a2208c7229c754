/* GGUF files as models: the same weights and configuration as the model directories
 * that they were made from (t/make_gguf_models.py), or one message. */
#include "t/model_test.h"

#include "model/gguf_model.h"

static struct model *load(const char *format, const char *name)
{
	char path[256];
	struct error err;
	struct model *m;

	snprintf(path, sizeof path, format, name);
	m = model_load(path, test_device(1), 0, &err);
	if (!m)
		fail_msg("%s", err.message);
	return m;
}

static void compare_weights(const struct model *got, const struct model *want)
{
	assert_int_equal(got->n_tensors, want->n_tensors);
	for (int i = 0; i < want->n_tensors; i++) {
		const struct tensor *a = &got->tensors[i], *b = &want->tensors[i];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->rows, b->rows);
		assert_int_equal(a->cols, b->cols);
		/* Norms of Gemma are rounded where 1 is added or taken away. */
		assert_close(a->data, b->data, (size_t)(a->rows * a->cols),
			a->shift != 0.0f ? 2e-7 : 0.0);
	}
}

static void test_same(void **state)
{
	struct model *got = load("testdata/gguf/models/%s.gguf", *state);
	struct model *want = load("testdata/model/%s", *state);

	compare_weights(got, want);
	assert_memory_equal(&got->config, &want->config, sizeof got->config);
	assert_int_equal(strlen(got->hash), 64);
	model_free(got);
	model_free(want);
}

/* What these files do not say is as every Gemma 3 has it. */
static void test_gemma(void **state)
{
	struct model *got = load("testdata/gguf/models/%s.gguf", "gemma3");
	struct model *want = load("testdata/model/%s", "gemma3");
	const struct model_config *c = &got->config;

	(void)state;
	compare_weights(got, want);
	assert_int_equal(c->architecture, ARCHITECTURE_GEMMA3);
	assert_int_equal(c->window, 3);
	for (int i = 0; i < c->n_layers; i++)
		assert_int_equal(model_window(c, i), (i + 1) % 6 ? 3 : 0);
	assert_true(c->rope_theta == 500.0f && c->rope_local_theta == 10000.0f);
	assert_true(c->rope_scaling == ROPE_LINEAR && c->rope_factor == 2.0f);
	assert_true(c->query_scalar == 8.0f && c->tie_word_embeddings);
	model_free(got);
	model_free(want);
}

static void test_llama3(void **state)
{
	struct model *m = load("testdata/gguf/models/%s.gguf", "llama3");
	const struct model_config *c = &m->config;

	(void)state;
	assert_int_equal(c->rope_scaling, ROPE_LLAMA3);
	assert_true(c->rope_factor == 32.0f && c->rope_low == 1.0f && c->rope_high == 4.0f);
	assert_int_equal(c->rope_original, 8192);
	model_free(m);
}

/* A file with one string replaced by another of its length. */
static void refuse_changed(const char *from, const char *to, const char *why)
{
	char path[] = "/tmp/gguf-model-XXXXXX", *text, *at;
	FILE *f = fopen("testdata/gguf/models/tied.gguf", "rb");
	const size_t len = strlen(from), max = 1 << 20;
	struct error err = {0};
	size_t n;

	assert_non_null(f);
	text = xmalloc(max);
	n = fread(text, 1, max, f);
	fclose(f);
	at = memmem(text, n, from, len);
	assert_non_null(at);
	memcpy(at, to, len);
	f = fdopen(mkstemp(path), "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
	assert_null(model_load(path, test_device(1), 0, &err));
	assert_int_equal(err.code, EXIT_DATA);
	if (!strstr(err.message, why) || !strstr(err.message, path))
		fail_msg("'%s' lacks '%s' or its path", err.message, why);
	remove(path);
	free(text);
}

static void test_refused(void **state)
{
	struct error err = {0};

	(void)state;
	assert_null(
		model_load("testdata/gguf/models/other-positions.gguf", test_device(1), 0, &err));
	if (!strstr(err.message, "other positions than those of Llama 3"))
		fail_msg("%s", err.message);
	/* The first is the value of general.architecture. */
	refuse_changed("llama", "rwkv6", "'rwkv6', whose layers are not known here");
	refuse_changed("llama.block_count", "llama.block_Count", "llama.block_count");
	refuse_changed("blk.1.attn_v.weight", "blk.1.attn_w.weight",
		"the tensor for 'model.layers.1.self_attn.v_proj.weight' is missing");
	refuse_changed("llama.embedding_length", "llama.embedding_lengty", "embedding_length");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"llama, tied head", test_same, NULL, NULL, "tied"},
		{"llama, grouped heads", test_same, NULL, NULL, "grouped"},
		{"qwen2", test_same, NULL, NULL, "qwen2"},
		{"qwen3", test_same, NULL, NULL, "qwen3"},
		cmocka_unit_test(test_gemma),
		cmocka_unit_test(test_llama3),
		cmocka_unit_test(test_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
