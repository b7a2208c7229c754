/* config.c - config.json of a Llama model: read, checked, written. */
#include "model/model.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

enum {
	MAX_VOCAB = 1 << 22,
	MAX_WIDTH = 1 << 20,
	MAX_LAYERS = 1024,
	MAX_HEAD_DIM = 256
};

static int check_range(const char *name, int value, int min, int max, struct error *err)
{
	if (value < min || value > max)
		return error_set(err, EXIT_DATA, "%s is %d; it must lie between %d and %d", name,
			value, min, max);
	return 0;
}

int model_config_check(const struct model_config *c, struct error *err)
{
	if (check_range("vocab_size", c->vocab_size, 1, MAX_VOCAB, err) != 0 ||
		check_range("hidden_size", c->hidden_size, 1, MAX_WIDTH, err) != 0 ||
		check_range("intermediate_size", c->intermediate_size, 1, MAX_WIDTH, err) != 0 ||
		check_range("num_hidden_layers", c->n_layers, 1, MAX_LAYERS, err) != 0 ||
		check_range("num_attention_heads", c->n_heads, 1, MAX_WIDTH, err) != 0 ||
		check_range("num_key_value_heads", c->n_kv_heads, 1, c->n_heads, err) != 0 ||
		check_range("head_dim", c->head_dim, 2, MAX_HEAD_DIM, err) != 0 ||
		check_range("max_position_embeddings", c->max_positions, 1, INT_MAX, err) != 0)
		return -1;
	if (c->n_heads % c->n_kv_heads != 0)
		return error_set(err, EXIT_DATA,
			"%d attention heads do not divide among %d key/value heads", c->n_heads,
			c->n_kv_heads);
	if (c->head_dim % 2 != 0)
		return error_set(err, EXIT_DATA, "head_dim is %d; it must be even", c->head_dim);
	if ((int64_t)c->n_heads * c->head_dim > MAX_WIDTH)
		return error_set(
			err, EXIT_DATA, "%d heads of %d are too wide", c->n_heads, c->head_dim);
	if (!(c->rope_theta > 0.0f) || !isfinite(c->rope_theta))
		return error_set(err, EXIT_DATA, "rope_theta must be a positive number");
	if (!(c->rms_norm_eps >= 0.0f) || !(c->rms_norm_eps < 1.0f))
		return error_set(err, EXIT_DATA, "rms_norm_eps must lie in [0, 1)");
	return 0;
}

/* An integer member; fallback where it is absent or null (INT_MIN: required). */
static int get_integer(
	const json_t *root, const char *name, int fallback, int *out, struct error *err)
{
	const json_t *value = json_object_get(root, name);

	if (!value || json_is_null(value)) {
		if (fallback == INT_MIN)
			return error_set(err, EXIT_DATA, "%s is missing", name);
		*out = fallback;
		return 0;
	}
	if (!json_is_integer(value) || json_integer_value(value) < INT_MIN ||
		json_integer_value(value) > INT_MAX)
		return error_set(err, EXIT_DATA, "%s is not an integer in range", name);
	*out = (int)json_integer_value(value);
	return 0;
}

static int get_real(
	const json_t *root, const char *name, double fallback, float *out, struct error *err)
{
	const json_t *value = json_object_get(root, name);

	if (value && !json_is_null(value) && !json_is_number(value))
		return error_set(err, EXIT_DATA, "%s is not a number", name);
	*out = (float)(json_is_number(value) ? json_number_value(value) : fallback);
	return 0;
}

/* Features of the family that are not computed here must not be asked for. */
static int refuse_unsupported(const json_t *root, struct error *err)
{
	static const char *const flags[] = {"attention_bias", "mlp_bias"};
	const char *type = json_string_value(json_object_get(root, "model_type"));
	const char *act = json_string_value(json_object_get(root, "hidden_act"));
	const json_t *rope = json_object_get(root, "rope_parameters");
	const json_t *scaling = json_object_get(root, "rope_scaling");
	const char *rope_type = json_string_value(json_object_get(rope, "rope_type"));
	const char *scaling_type = json_string_value(json_object_get(scaling, "rope_type"));

	if (!type || strcmp(type, "llama") != 0)
		return error_set(
			err, EXIT_DATA, "model_type is '%s'; only llama is read", type ? type : "");
	if (act && strcmp(act, "silu") != 0)
		return error_set(err, EXIT_DATA, "hidden_act is '%s'; only silu is read", act);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (json_is_true(json_object_get(root, flags[i])))
			return error_set(err, EXIT_DATA, "%s is not supported", flags[i]);
	if ((rope_type && strcmp(rope_type, "default") != 0) ||
		(json_is_object(scaling) &&
			(!scaling_type || strcmp(scaling_type, "default") != 0)))
		return error_set(err, EXIT_DATA, "scaled rotary positions are not supported");
	return 0;
}

static int parse(struct model_config *c, const json_t *root, struct error *err)
{
	const json_t *rope = json_object_get(root, "rope_parameters");
	const json_t *tied = json_object_get(root, "tie_word_embeddings");
	const json_t *end = json_object_get(root, "eos_token_id");

	*c = (struct model_config){0};
	if (!json_is_object(root))
		return error_set(err, EXIT_DATA, "not a JSON object");
	if (refuse_unsupported(root, err) != 0 ||
		get_integer(root, "vocab_size", INT_MIN, &c->vocab_size, err) != 0 ||
		get_integer(root, "hidden_size", INT_MIN, &c->hidden_size, err) != 0 ||
		get_integer(root, "intermediate_size", INT_MIN, &c->intermediate_size, err) != 0 ||
		get_integer(root, "num_hidden_layers", INT_MIN, &c->n_layers, err) != 0 ||
		get_integer(root, "num_attention_heads", INT_MIN, &c->n_heads, err) != 0 ||
		get_integer(root, "num_key_value_heads", c->n_heads, &c->n_kv_heads, err) != 0 ||
		get_integer(root, "max_position_embeddings", 2048, &c->max_positions, err) != 0 ||
		get_integer(root, "head_dim", c->n_heads > 0 ? c->hidden_size / c->n_heads : 0,
			&c->head_dim, err) != 0 ||
		get_real(root, "rms_norm_eps", 1e-6, &c->rms_norm_eps, err) != 0 ||
		get_real(root, "rope_theta", 10000.0, &c->rope_theta, err) != 0)
		return -1;
	if (json_object_get(rope, "rope_theta") &&
		get_real(rope, "rope_theta", 10000.0, &c->rope_theta, err) != 0)
		return -1;
	if (tied && !json_is_boolean(tied))
		return error_set(err, EXIT_DATA, "tie_word_embeddings is not true or false");
	c->tie_word_embeddings = json_is_true(tied);
	/* Some models list several ends: the first is as good as any. */
	if (json_is_array(end))
		end = json_array_get(end, 0);
	if (json_is_integer(end) && json_integer_value(end) > 0 &&
		json_integer_value(end) < c->vocab_size)
		c->end_token_id = (int32_t)json_integer_value(end);
	return model_config_check(c, err);
}

int model_config_read(struct model_config *config, const char *path, struct error *err)
{
	enum {
		MAX_BYTES = 1 << 20
	};
	FILE *file = fopen(path, "rbe");
	json_error_t fault;
	json_t *root;
	char *text;
	size_t len;
	int result;

	if (!file)
		return error_set_errno(err, EXIT_NOINPUT, "%s: cannot open it", path);
	text = xmalloc(MAX_BYTES);
	len = fread(text, 1, MAX_BYTES, file);
	if (ferror(file) || len == MAX_BYTES) {
		result = ferror(file) ? error_set_errno(err, EXIT_IO, "%s: cannot read it", path)
				      : error_set(err, EXIT_DATA, "%s: too large", path);
		fclose(file);
		free(text);
		return result;
	}
	fclose(file);
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
	free(text);
	if (!root)
		return error_set(
			err, EXIT_DATA, "%s:%d: not JSON: %s", path, fault.line, fault.text);
	result = parse(config, root, err);
	json_decref(root);
	return result == 0 ? 0 : error_prefix(err, "%s", path);
}

/* The shortest decimal that reads back as the same fp32 number. */
static void add_real(struct buf *b, float value)
{
	char text[64];

	for (int digits = 1; digits <= 9; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	buf_adds(b, text);
	if (!strpbrk(text, ".e"))
		buf_adds(b, ".0");
}

static void format(struct buf *b, const struct model_config *c)
{
	buf_adds(b, "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n"
		    "  \"attention_bias\": false,\n  \"attention_dropout\": 0.0,\n"
		    "  \"bos_token_id\": null,\n");
	if (c->end_token_id > 0)
		buf_addf(b, "  \"eos_token_id\": %d,\n", (int)c->end_token_id);
	else
		buf_adds(b, "  \"eos_token_id\": null,\n");
	buf_addf(b, "  \"head_dim\": %d,\n  \"hidden_act\": \"silu\",\n  \"hidden_size\": %d,\n",
		c->head_dim, c->hidden_size);
	buf_addf(b,
		"  \"initializer_range\": 0.02,\n  \"intermediate_size\": %d,\n"
		"  \"max_position_embeddings\": %d,\n  \"mlp_bias\": false,\n"
		"  \"model_type\": \"llama\",\n",
		c->intermediate_size, c->max_positions);
	buf_addf(b,
		"  \"num_attention_heads\": %d,\n  \"num_hidden_layers\": %d,\n"
		"  \"num_key_value_heads\": %d,\n  \"pretraining_tp\": 1,\n  \"rms_norm_eps\": ",
		c->n_heads, c->n_layers, c->n_kv_heads);
	add_real(b, c->rms_norm_eps);
	buf_adds(b, ",\n  \"rope_scaling\": null,\n  \"rope_theta\": ");
	add_real(b, c->rope_theta);
	buf_addf(b,
		",\n  \"tie_word_embeddings\": %s,\n  \"torch_dtype\": \"float32\",\n"
		"  \"use_cache\": true,\n  \"vocab_size\": %d\n}\n",
		c->tie_word_embeddings ? "true" : "false", c->vocab_size);
}

int model_config_write(const struct model_config *config, const char *path, struct error *err)
{
	struct buf text = {0};
	FILE *file = fopen(path, "wbe");
	int bad;

	if (!file)
		return error_set_errno(err, EXIT_IO, "%s: cannot create it", path);
	format(&text, config);
	bad = fwrite(text.data, 1, text.len, file) != text.len;
	buf_release(&text);
	bad |= fclose(file) != 0;
	return bad ? error_set_errno(err, EXIT_IO, "%s: cannot write it", path) : 0;
}
