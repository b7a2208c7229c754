/* safetensors and model directories: round trips, and files that lie. */
#include "t/model_test.h"

#include <sys/stat.h>
#include <unistd.h>
#include "model/safetensors.h"

static char dir[64], path[128];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "build/model-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/model.safetensors", dir);
	return 0;
}

static int remove_dir(void **state)
{
	char other[128];

	(void)state;
	snprintf(other, sizeof other, "%s/config.json", dir);
	unlink(path);
	unlink(other);
	return rmdir(dir);
}

static void put_file(const char *name, const void *data, size_t len)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

/* A file of this header (its length stated as given, -1: the true one) and n bytes. */
static void write_raw(const char *header, long long stated, size_t n)
{
	size_t len = strlen(header);
	uint64_t length = stated < 0 ? len : (uint64_t)stated;
	char *all = xcalloc(1, 8 + len + n);

	for (int i = 0; i < 8; i++)
		all[i] = (char)(length >> (8 * i));
	memcpy(all + 8, header, len);
	put_file(path, all, 8 + len + n);
	free(all);
}

static void refused(const char *header, long long stated, size_t n, const char *why)
{
	struct error err;
	struct safetensors *f;

	write_raw(header, stated, n);
	f = safetensors_open(path, &err);
	if (f)
		fail_msg("accepted: %s", header);
	if (!strstr(err.message, why) || !strstr(err.message, path))
		fail_msg("'%s' lacks '%s'", err.message, why);
	assert_int_equal(err.code, EXIT_DATA);
}

static void test_hostile(void **state)
{
	(void)state;
	refused("{}", 1 << 30, 0, "header of");
	refused("{}", 0x7fffffffffffffff, 0, "header of");
	refused("[]", -1, 0, "not a JSON object");
	refused("{\"a\":", -1, 0, "not a JSON object");
	refused("{\"a\":{},\"a\":{}}", -1, 0, "duplicate");
	refused("{\"a\":1}", -1, 0, "dtype");
	refused("{\"a\":{\"dtype\":\"Q9\",\"shape\":[1],\"data_offsets\":[0,4]}}", -1, 4, "Q9");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", -1, 3,
		"outside");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", -1, 4,
		"outside");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", -1, 4,
		"outside");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", -1, 4,
		"two numbers");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", -1, 4,
		"do not fit");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", -1, 4,
		"impossible shape");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],"
		"\"data_offsets\":[0,4]}}",
		-1, 4, "impossible shape");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],"
		"\"data_offsets\":[0,4]}}",
		-1, 4, "do not fit");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", -1, 4,
		"impossible shape");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],"
		"\"data_offsets\":[0,4]}}",
		-1, 4, "at most 8");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
		"\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
		-1, 6, "overlaps");
	refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", -1, 5,
		"belong to no tensor");
	put_file(path, "abc", 3);
	assert_null(safetensors_open(path, NULL));
}

static void test_types(void **state)
{
	static const char header[] =
		"{\"__metadata__\":{\"format\":\"pt\"},"
		"\"h\":{\"dtype\":\"F16\",\"shape\":[6],\"data_offsets\":[0,12]},"
		"\"b\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[12,16]},"
		"\"i\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[16,20]}}";
	/* 1, -2, the smallest subnormal, the largest number, infinity, NaN; 1.5, -0.25. */
	static const uint16_t bits[] = {
		0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e01, 0x3fc0, 0xbe80, 0, 0};
	char all[8 + sizeof header - 1 + sizeof bits] = {0};
	struct safetensors *f;
	struct error err;
	float x[6];

	(void)state;
	all[0] = (char)(sizeof header - 1), all[1] = (char)((sizeof header - 1) >> 8);
	memcpy(all + 8, header, sizeof header - 1);
	memcpy(all + 8 + sizeof header - 1, bits, sizeof bits);
	put_file(path, all, sizeof all);
	f = safetensors_open(path, &err);
	if (!f)
		fail_msg("%s", err.message);
	assert_int_equal(safetensors_count(f), 3);
	assert_null(safetensors_find(f, "__metadata__"));
	assert_ok(safetensors_floats(safetensors_find(f, "h"), x, &err), err);
	assert_true(x[0] == 1.0f && x[1] == -2.0f && x[2] == 0x1p-24f && x[3] == 65504.0f);
	assert_true(isinf(x[4]) && isnan(x[5]));
	assert_ok(safetensors_floats(safetensors_find(f, "b"), x, &err), err);
	assert_true(x[0] == 1.5f && x[1] == -0.25f);
	assert_int_equal(safetensors_floats(safetensors_find(f, "i"), x, &err), -1);
	assert_non_null(strstr(err.message, "I32"));
	safetensors_close(f);
}

static const struct model_config config = {.vocab_size = 11,
	.hidden_size = 6,
	.intermediate_size = 10,
	.n_layers = 2,
	.n_heads = 2,
	.n_kv_heads = 1,
	.head_dim = 4,
	.max_positions = 32,
	.rope_theta = 12345.678f,
	.rms_norm_eps = 1e-6f,
	.end_token_id = 2};

static void test_round_trip(void **state)
{
	struct error err;
	struct model *m = model_new(&config, test_device(1), 5, 0, &err), *n;
	char first[65];

	(void)state;
	assert_non_null(m);
	assert_string_equal(m->hash, "");
	assert_ok(model_save(m, dir, &err), err);
	memcpy(first, m->hash, sizeof first);
	assert_int_equal(strlen(first), 64);
	n = model_load(dir, test_device(1), 1, &err);
	if (!n)
		fail_msg("%s", err.message);
	assert_memory_equal(&n->config, &config, sizeof config);
	assert_int_equal(n->n_parameters, m->n_parameters);
	assert_memory_equal(n->data, m->data, (size_t)m->n_parameters * sizeof *m->data);
	assert_string_equal(n->hash, first);
	assert_ok(model_save(n, dir, &err), err);
	assert_string_equal(n->hash, first);
	n->data[3] = 9.0f;
	assert_ok(model_save(n, dir, &err), err);
	assert_string_not_equal(n->hash, first);
	assert_ok(model_copy(m, n, &err), err);
	assert_memory_equal(n->data, m->data, (size_t)m->n_parameters * sizeof *m->data);
	model_free(n);
	n = model_new(&config, test_device(1), 6, 0, &err);
	assert_memory_not_equal(n->data, m->data, (size_t)m->n_parameters * sizeof *m->data);
	model_free(n);
	model_free(m);
	assert_int_equal(model_load("/nonexistent", test_device(1), 0, &err) != NULL, 0);
	assert_int_equal(err.code, EXIT_NOINPUT);
}

static void load_refused(const char *why)
{
	struct error err;
	struct model *m = model_load(dir, test_device(1), 0, &err);

	if (m)
		fail_msg("accepted instead of '%s'", why);
	if (!strstr(err.message, why))
		fail_msg("'%s' lacks '%s'", err.message, why);
}

static void test_mismatch(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} changes[] = {
		{"\"vocab_size\": 11", "\"vocab_size\": 12", "another shape"},
		{"\"vocab_size\": 11", "\"vocab_size\": -1", "vocab_size is -1"},
		{"\"vocab_size\": 11", "\"vocab_size\": 1e9", "not an integer"},
		{"\"hidden_size\": 6", "\"hidden_size\": 1000000000", "hidden_size is"},
		{"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "is missing"},
		{"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1", "belongs to no part"},
		{"\"num_key_value_heads\": 1", "\"num_key_value_heads\": 3", "num_key_value_heads"},
		{"\"head_dim\": 4", "\"head_dim\": 5", "even"},
		{"\"model_type\": \"llama\"", "\"model_type\": \"gpt2\"", "gpt2"},
		{"\"silu\"", "\"gelu\"", "gelu"},
		{"\"mlp_bias\": false", "\"mlp_bias\": true", "mlp_bias"},
		{"\"rope_scaling\": null", "\"rope_scaling\": {\"type\": \"yarn\"}",
			"scaled by 'yarn'"},
		{"\"rope_scaling\": null", "\"rope_scaling\": {\"type\": \"linear\"}",
			"the factor"},
		{"\"rope_scaling\": null", "\"rope_scaling\": {\"factor\": 2.0}", "no rope_type"},
		{"\"rope_scaling\": null",
			"\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 2.0}",
			"original_max_position_embeddings"},
		{"\"model_type\": \"llama\"", "\"model_type\": \"mamba\"", "'mamba', whose layers"},
		{"\"rope_theta\"", "\"vocab_size\"", "duplicate"},
	};
	struct error err;
	struct model *m = model_new(&config, test_device(1), 5, 0, &err);
	char name[128], text[4096] = {0};
	FILE *f;

	(void)state;
	assert_ok(model_save(m, dir, &err), err);
	snprintf(name, sizeof name, "%s/config.json", dir);
	f = fopen(name, "rb");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof text - 1, f) > 0);
	fclose(f);
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct buf b = {0};
		char *at = strstr(text, changes[i].from);

		assert_non_null(at);
		buf_add(&b, text, (size_t)(at - text));
		buf_adds(&b, changes[i].to);
		buf_adds(&b, at + strlen(changes[i].from));
		put_file(name, b.data, b.len);
		load_refused(changes[i].why);
		buf_release(&b);
	}
	put_file(name, text, strlen(text));
	write_raw("{\"model.embed_tokens.weight\":{\"dtype\":\"I8\",\"shape\":[11,6],"
		  "\"data_offsets\":[0,66]}}",
		-1, 66);
	load_refused("I8");
	assert_ok(model_save(m, dir, &err), err);
	assert_int_equal(truncate(path, 300), 0);
	load_refused("header of");
	unlink(path);
	load_refused("cannot open");
	model_free(m);
}

/* Writes every second tensor of m to one shard and the others to another. */
static void write_shards(const struct model *m, char names[2][128])
{
	struct error err;

	for (int shard = 0; shard < 2; shard++) {
		struct safetensors_writer *w;

		snprintf(names[shard], 128, "%s/model-%d.safetensors", dir, shard);
		w = safetensors_create(names[shard], &err);
		assert_non_null(w);
		for (int i = shard; i < m->n_tensors; i += 2) {
			const int64_t dims[] = {m->tensors[i].rows, m->tensors[i].cols};

			safetensors_declare(w, m->tensors[i].name,
				m->tensors[i].role == TENSOR_NORM ? 1 : 2, dims);
		}
		for (int i = shard; i < m->n_tensors; i += 2)
			assert_ok(safetensors_write(w, m->tensors[i].data, &err), err);
		assert_ok(safetensors_finish(w, NULL, &err), err);
	}
}

static void test_shards(void **state)
{
	static const char index[] = "{\"weight_map\":{\"a\":\"model-1.safetensors\","
				    "\"b\":\"model-0.safetensors\",\"c\":\"model-1.safetensors\"}}";
	static const char outside[] = "{\"weight_map\":{\"a\":\"../model-1.safetensors\"}}";
	struct error err;
	struct model *m = model_new(&config, test_device(1), 5, 0, &err), *n;
	char names[2][128], map[128];

	(void)state;
	assert_ok(model_save(m, dir, &err), err);
	write_shards(m, names);
	unlink(path);
	snprintf(map, sizeof map, "%s/model.safetensors.index.json", dir);
	put_file(map, index, sizeof index - 1);
	n = model_load(dir, test_device(1), 0, &err);
	if (!n)
		fail_msg("%s", err.message);
	assert_memory_equal(n->data, m->data, (size_t)m->n_parameters * sizeof *m->data);
	assert_int_equal(strlen(n->hash), 64);
	model_free(n);
	put_file(map, outside, sizeof outside - 1);
	load_refused("beside the index");
	put_file(map, "{}", 2);
	load_refused("weight_map");
	put_file(map, "{", 1);
	load_refused("index.json:");
	put_file(map, index, sizeof index - 1);
	rename(names[0], path); /* the same tensors in both shards */
	assert_int_equal(link(names[1], names[0]), 0);
	unlink(path);
	load_refused("in two files");
	unlink(names[0]);
	unlink(names[1]);
	unlink(map);
	model_free(m);
}

static size_t get_file(const char *name, char *data, size_t size)
{
	FILE *f = fopen(name, "rb");
	size_t len;

	assert_non_null(f);
	len = fread(data, 1, size, f);
	fclose(f);
	return len;
}

/* Bytes changed at random: loaded or refused with a message, never a crash (this
 * runs under the sanitizers). */
static void test_mutations(void **state)
{
	enum {
		ROUNDS = 1500
	};
	static char weights[65536], text[4096], changed[65536];
	struct error err;
	struct model *m = model_new(&config, test_device(1), 5, 0, &err);
	char name[128];
	size_t n_weights, n_text, header;
	int refused_files = 0;
	struct rng r;

	(void)state;
	assert_ok(model_save(m, dir, &err), err);
	model_free(m);
	snprintf(name, sizeof name, "%s/config.json", dir);
	n_weights = get_file(path, weights, sizeof weights);
	n_text = get_file(name, text, sizeof text);
	header = 8 + (unsigned char)weights[0] + 256 * (size_t)(unsigned char)weights[1];
	assert_true(header < n_weights);
	rng_init(&r, 35, RNG_TEST, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		int of_config = i % 3 == 0;
		size_t len = of_config ? n_text : n_weights, reach = of_config ? n_text : header;

		memcpy(changed, of_config ? text : weights, len);
		for (uint32_t k = 1 + rng_below(&r, 3); k > 0; k--) {
			char *at = &changed[rng_below(&r, (uint32_t)reach)];

			*at = rng_chance(&r, 0.5) ? (char)rng_u32(&r)
						  : (char)('0' + (int)rng_below(&r, 10));
		}
		put_file(path, of_config ? weights : changed, n_weights);
		put_file(name, of_config ? changed : text, n_text);
		err.message[0] = '\0';
		m = model_load(dir, test_device(1), 0, &err);
		if (!m) {
			assert_true(err.message[0] != '\0');
			refused_files++;
		}
		model_free(m);
	}
	assert_true(refused_files > ROUNDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_types), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_mismatch), cmocka_unit_test(test_shards),
		cmocka_unit_test(test_mutations)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
