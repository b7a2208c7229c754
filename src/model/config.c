/* config.c - config.json of a model: read and checked. */
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
	MAX_HEAD_DIM = 256
};

static int check_range(const char *name, int value, int min, int max, struct error *err)
{
	if (value < min || value > max)
		return error_set(err, EXIT_DATA, "%s is %d; it must lie between %d and %d", name,
			value, min, max);
	return 0;
}

static int check_scaling(const struct model_config *c, struct error *err)
{
	if (c->rope_scaling == ROPE_PLAIN)
		return 0;
	if (!(c->rope_factor > 0.0f) || !isfinite(c->rope_factor))
		return error_set(
			err, EXIT_DATA, "the factor of rope_scaling must be a positive number");
	if (c->rope_scaling == ROPE_LLAMA3 &&
		(!(c->rope_low > 0.0f) || !(c->rope_high > c->rope_low) ||
			!isfinite(c->rope_high) || c->rope_original < 1))
		return error_set(err, EXIT_DATA,
			"rope_scaling: 0 < low_freq_factor < high_freq_factor and a positive "
			"original_max_position_embeddings are needed");
	return 0;
}

int model_config_check(const struct model_config *c, struct error *err)
{
	if (check_range("vocab_size", c->vocab_size, 1, MAX_VOCAB, err) != 0 ||
		check_range("hidden_size", c->hidden_size, 1, MAX_WIDTH, err) != 0 ||
		check_range("intermediate_size", c->intermediate_size, 1, MAX_WIDTH, err) != 0 ||
		check_range("num_hidden_layers", c->n_layers, 1, MODEL_MAX_LAYERS, err) != 0 ||
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
	if (architecture_of(c->architecture)->rope_local &&
		(!(c->rope_local_theta > 0.0f) || !isfinite(c->rope_local_theta)))
		return error_set(err, EXIT_DATA, "rope_local_base_freq must be a positive number");
	if (check_scaling(c, err) != 0)
		return -1;
	if (c->window < 0 || !(c->query_scalar >= 0.0f) || !isfinite(c->query_scalar))
		return error_set(err, EXIT_DATA,
			"sliding_window and query_pre_attn_scalar must not be negative");
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

/* Features that are not computed here must not be asked for. */
static int refuse_unsupported(const json_t *root, const struct architecture *a, struct error *err)
{
	static const char *const flags[] = {
		"attention_bias", "mlp_bias", "use_bidirectional_attention"};
	static const char *const caps[] = {"attn_logit_softcapping", "final_logit_softcapping"};
	const char *wanted = a->gelu ? "gelu_pytorch_tanh" : "silu";
	const char *act = json_string_value(
		json_object_get(root, a->gelu ? "hidden_activation" : "hidden_act"));

	if (act && strcmp(act, wanted) != 0)
		return error_set(err, EXIT_DATA,
			"the activation is '%s'; of %s models only %s is computed", act,
			a->model_type, wanted);
	/* A Qwen2 model has biases whether its configuration says so or not. */
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (json_is_true(json_object_get(root, flags[i])) && !(i == 0 && a->qkv_bias))
			return error_set(err, EXIT_DATA, "%s is not supported", flags[i]);
	for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
		if (json_is_number(json_object_get(root, caps[i])))
			return error_set(err, EXIT_DATA, "%s is not supported", caps[i]);
	return 0;
}

static int find_architecture(struct model_config *c, const json_t *root, struct error *err)
{
	const char *type = json_string_value(json_object_get(root, "model_type"));
	int id = type ? architecture_find(type) : -1;

	if (id < 0 && type && strcmp(type, "gemma3") == 0)
		return error_set(err, EXIT_DATA,
			"model_type is 'gemma3', which also sees images; of that family the text "
			"models (gemma3_text) are computed");
	if (id < 0)
		return error_set(err, EXIT_DATA,
			"model_type is '%s', whose layers are not known here; known: %s",
			type ? type : "", architecture_list());
	c->architecture = (enum architecture_id)id;
	return refuse_unsupported(root, architecture_of(c->architecture), err);
}

/* An object as rope_scaling, or rope_parameters, holds it: also rope_theta, then. */
static int parse_scaling(struct model_config *c, const json_t *rope, struct error *err)
{
	const char *type = json_string_value(json_object_get(rope, "rope_type"));

	if (!type)
		type = json_string_value(json_object_get(rope, "type"));
	if (!type && json_object_get(rope, "factor"))
		return error_set(err, EXIT_DATA, "rope_scaling has a factor and no rope_type");
	if (!type || strcmp(type, "default") == 0)
		return 0;
	c->rope_low = c->rope_high = 0.0f;
	c->rope_original = 0;
	if (strcmp(type, "linear") == 0)
		c->rope_scaling = ROPE_LINEAR;
	else if (strcmp(type, "llama3") == 0)
		c->rope_scaling = ROPE_LLAMA3;
	else
		return error_set(err, EXIT_DATA,
			"rotary positions scaled by '%s' are not supported; linear and llama3 are",
			type);
	if (get_real(rope, "factor", 0.0, &c->rope_factor, err) != 0)
		return -1;
	if (c->rope_scaling == ROPE_LINEAR)
		return 0;
	return get_real(rope, "low_freq_factor", 0.0, &c->rope_low, err) != 0 ||
			       get_real(rope, "high_freq_factor", 0.0, &c->rope_high, err) != 0 ||
			       get_integer(rope, "original_max_position_embeddings", INT_MIN,
				       &c->rope_original, err) != 0
		       ? -1
		       : 0;
}

/* Newer files have rope_parameters, of gemma3 one for each kind of layer. */
static int parse_rope(struct model_config *c, const json_t *root, struct error *err)
{
	const struct architecture *a = architecture_of(c->architecture);
	const json_t *rope = json_object_get(root, "rope_parameters");
	const json_t *scaling = json_object_get(root, "rope_scaling");
	const json_t *all = json_object_get(rope, "full_attention");
	const json_t *local = json_object_get(rope, "sliding_attention");

	if (get_real(root, "rope_theta", (double)a->default_theta, &c->rope_theta, err) != 0)
		return -1;
	if (a->rope_local &&
		get_real(root, "rope_local_base_freq", 10000.0, &c->rope_local_theta, err) != 0)
		return -1;
	if (all)
		rope = all;
	if (rope &&
		(get_real(rope, "rope_theta", (double)c->rope_theta, &c->rope_theta, err) != 0 ||
			parse_scaling(c, rope, err) != 0))
		return -1;
	if (a->rope_local && local &&
		get_real(local, "rope_theta", (double)c->rope_local_theta, &c->rope_local_theta,
			err) != 0)
		return -1;
	return scaling ? parse_scaling(c, scaling, err) : 0;
}

static int is_windowed(const struct architecture *a, int layer, int number)
{
	switch (a->window) {
	case WINDOW_NEVER:
		return 0;
	case WINDOW_ALL:
		return 1;
	case WINDOW_UPPER:
		return layer >= number;
	case WINDOW_PATTERN:
		return (layer + 1) % number != 0;
	}
	return 0;
}

/* layer_types names each layer's kind; older files have a rule. */
static int parse_windows(struct model_config *c, const json_t *root, struct error *err)
{
	const struct architecture *a = architecture_of(c->architecture);
	const json_t *types = json_object_get(root, "layer_types");
	int number = 1;

	if (a->window == WINDOW_NEVER ||
		(a->window == WINDOW_UPPER &&
			!json_is_true(json_object_get(root, "use_sliding_window"))))
		return 0;
	if (get_integer(root, "sliding_window", 0, &c->window, err) != 0)
		return -1;
	if (a->window == WINDOW_UPPER &&
		get_integer(root, "max_window_layers", 28, &number, err) != 0)
		return -1;
	if (a->window == WINDOW_PATTERN &&
		(get_integer(root, "_sliding_window_pattern", 6, &number, err) != 0 ||
			get_integer(root, "sliding_window_pattern", number, &number, err) != 0))
		return -1;
	if (number < (a->window == WINDOW_PATTERN))
		return error_set(err, EXIT_DATA, "sliding_window_pattern is %d", number);
	if (a->window == WINDOW_ALL || !json_is_array(types))
		types = NULL;
	if (types && json_array_size(types) != (size_t)c->n_layers)
		return error_set(err, EXIT_DATA, "layer_types names %zu layers of %d",
			json_array_size(types), c->n_layers);
	for (int i = 0; i < c->n_layers && i < MODEL_MAX_LAYERS && c->window; i++) {
		const char *type = json_string_value(json_array_get(types, (size_t)i));
		int windowed =
			type ? strcmp(type, "sliding_attention") == 0 : is_windowed(a, i, number);

		if (types && !windowed && (!type || strcmp(type, "full_attention") != 0))
			return error_set(err, EXIT_DATA, "layer_types: '%s' is not supported",
				type ? type : "");
		c->windowed[i / 32] |= (uint32_t)windowed << i % 32;
	}
	return 0;
}

static int parse_sizes(struct model_config *c, const json_t *root, struct error *err)
{
	const struct architecture *a = architecture_of(c->architecture);

	if (get_integer(root, "vocab_size", INT_MIN, &c->vocab_size, err) != 0 ||
		get_integer(root, "hidden_size", INT_MIN, &c->hidden_size, err) != 0 ||
		get_integer(root, "intermediate_size", INT_MIN, &c->intermediate_size, err) != 0 ||
		get_integer(root, "num_hidden_layers", INT_MIN, &c->n_layers, err) != 0 ||
		get_integer(root, "num_attention_heads", INT_MIN, &c->n_heads, err) != 0 ||
		get_integer(root, "num_key_value_heads", c->n_heads, &c->n_kv_heads, err) != 0 ||
		get_integer(root, "max_position_embeddings", 2048, &c->max_positions, err) != 0 ||
		get_integer(root, "head_dim",
			a->default_head_dim ? a->default_head_dim
			: c->n_heads > 0    ? c->hidden_size / c->n_heads
					    : 0,
			&c->head_dim, err) != 0 ||
		get_real(root, "rms_norm_eps", 1e-6, &c->rms_norm_eps, err) != 0)
		return -1;
	return a->query_scalar
		       ? get_real(root, "query_pre_attn_scalar", 256.0, &c->query_scalar, err)
		       : 0;
}

static int parse(struct model_config *c, const json_t *root, struct error *err)
{
	const json_t *tied = json_object_get(root, "tie_word_embeddings");
	const json_t *end = json_object_get(root, "eos_token_id");

	*c = (struct model_config){0};
	if (!json_is_object(root))
		return error_set(err, EXIT_DATA, "not a JSON object");
	if (find_architecture(c, root, err) != 0 || parse_sizes(c, root, err) != 0 ||
		parse_rope(c, root, err) != 0 || parse_windows(c, root, err) != 0)
		return -1;
	if (tied && !json_is_boolean(tied))
		return error_set(err, EXIT_DATA, "tie_word_embeddings is not true or false");
	c->tie_word_embeddings =
		tied ? json_is_true(tied) : architecture_of(c->architecture)->default_tied;
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
