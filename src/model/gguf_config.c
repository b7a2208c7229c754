/*
 * gguf_config.c - a model's configuration from a GGUF file's keys.
 *
 * What Hugging Face's config.json says and these files leave to their readers is as
 * ggml-org/llama.cpp has it: Gemma 3 sees everything in each sixth layer, its windowed
 * layers have the rotary base 10000, and that of 62 layers scales attention by its
 * hidden size.
 */
#include "model/gguf_model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

struct keys {
	const struct gguf *f;
	const char *architecture; /* before the dot of its keys */
	char key[128];
};

static const char *key_of(struct keys *k, const char *name)
{
	snprintf(k->key, sizeof k->key, "%s.%s", k->architecture, name);
	return k->key;
}

/* fallback where the key is not there; INT_MIN: it must be. */
static int get_integer(struct keys *k, const char *name, int fallback, int *out, struct error *err)
{
	int64_t value = fallback;

	if (gguf_integer(k->f, key_of(k, name), &value, fallback == INT_MIN ? err : NULL) != 0 &&
		fallback == INT_MIN)
		return -1;
	if (value < 0 || value > INT_MAX)
		return error_set(
			err, EXIT_DATA, "key '%s': %lld is out of range", k->key, (long long)value);
	*out = (int)value;
	return 0;
}

static float get_real(struct keys *k, const char *name, double fallback)
{
	double value = fallback;

	gguf_number(k->f, key_of(k, name), &value, NULL);
	return (float)value;
}

/* Llama 3's scaling is stored as a divisor for each pair of dimensions.  The parameters
 * are those that Llama 3.1 and later have, and the divisors must be what they give. */
static int find_llama3(const struct gguf *f, struct model_config *c, struct error *err)
{
	const struct gguf_tensor *t = gguf_find(f, "rope_freqs.weight");
	const double pi = 3.14159265358979323846;
	float *divisors;
	int result = 0;

	if (!t)
		return 0;
	if (t->n_elements != c->head_dim / 2)
		return error_set(err, EXIT_DATA, "tensor '%s': %lld numbers for heads of %d",
			t->name, (long long)t->n_elements, c->head_dim);
	divisors = xreallocarray(NULL, (size_t)t->n_elements, sizeof *divisors);
	gguf_floats(t, 0, t->n_elements, divisors);
	c->rope_scaling = ROPE_LLAMA3;
	c->rope_low = 1.0f;
	c->rope_high = 4.0f;
	c->rope_original = 8192;
	c->rope_factor = 1.0f;
	for (int d = 0; d < t->n_elements; d++)
		c->rope_factor = fmaxf(c->rope_factor, divisors[d]);
	for (int d = 0; d < t->n_elements && result == 0; d++) {
		double wave = 2 * pi * pow((double)c->rope_theta, 2.0 * d / c->head_dim);
		double smooth = (8192 / wave - 1.0) / 3.0;
		double factor = (double)c->rope_factor, want;

		smooth = smooth < 0 ? 0 : smooth > 1 ? 1 : smooth;
		want = 1.0 / ((1.0 - smooth) / factor + smooth);
		if (!(fabs((double)divisors[d] - want) <= 1e-3 * want))
			result = error_set(err, EXIT_DATA,
				"tensor '%s': other positions than those of Llama 3 are not "
				"supported (pair %d is divided by %g, not %g)",
				t->name, d, (double)divisors[d], want);
	}
	free(divisors);
	return result;
}

static int find_scaling(struct keys *k, struct model_config *c, struct error *err)
{
	size_t len;
	const char *type = gguf_string(k->f, key_of(k, "rope.scaling.type"), &len, NULL);

	if (!type || (len == 4 && memcmp(type, "none", 4) == 0))
		return find_llama3(k->f, c, err);
	if (len != 6 || memcmp(type, "linear", 6) != 0)
		return error_set(err, EXIT_DATA,
			"key '%s': rotary positions scaled by '%.*s' are not supported; linear and "
			"those of Llama 3 are",
			k->key, (int)(len < 40 ? len : 40), type);
	c->rope_scaling = ROPE_LINEAR;
	c->rope_factor = get_real(k, "rope.scaling.factor", 0.0);
	return 0;
}

static int find_windows(struct keys *k, struct model_config *c, struct error *err)
{
	const struct architecture *a = architecture_of(c->architecture);

	if (a->window != WINDOW_PATTERN)
		return 0;
	if (get_integer(k, "attention.sliding_window", INT_MIN, &c->window, err) != 0)
		return -1;
	for (int i = 0; i < c->n_layers && i < MODEL_MAX_LAYERS; i++)
		c->windowed[i / 32] |= (uint32_t)((i + 1) % 6 != 0) << i % 32;
	c->rope_local_theta = 10000.0f;
	c->query_scalar = (float)(c->n_layers == 62 && c->n_heads > 0 ? c->hidden_size / c->n_heads
								      : c->head_dim);
	return 0;
}

static int find_sizes(struct keys *k, struct model_config *c, struct error *err)
{
	const struct gguf_tensor *embedding = gguf_find(k->f, "token_embd.weight");
	int64_t end;

	if (!embedding || embedding->n_dims != 2 || embedding->dims[1] > INT_MAX)
		return error_set(err, EXIT_DATA,
			"tensor 'token_embd.weight' is missing, or is "
			"no matrix");
	c->vocab_size = (int)embedding->dims[1];
	if (get_integer(k, "embedding_length", INT_MIN, &c->hidden_size, err) != 0 ||
		get_integer(k, "feed_forward_length", INT_MIN, &c->intermediate_size, err) != 0 ||
		get_integer(k, "block_count", INT_MIN, &c->n_layers, err) != 0 ||
		get_integer(k, "attention.head_count", INT_MIN, &c->n_heads, err) != 0 ||
		get_integer(k, "attention.head_count_kv", c->n_heads, &c->n_kv_heads, err) != 0 ||
		get_integer(k, "context_length", 2048, &c->max_positions, err) != 0 ||
		get_integer(k, "attention.key_length",
			c->n_heads > 0 ? c->hidden_size / c->n_heads : 0, &c->head_dim, err) != 0)
		return -1;
	c->rms_norm_eps = get_real(k, "attention.layer_norm_rms_epsilon", 1e-5);
	c->rope_theta = get_real(
		k, "rope.freq_base", (double)architecture_of(c->architecture)->default_theta);
	c->tie_word_embeddings = !gguf_find(k->f, "output.weight");
	if (gguf_integer(k->f, "tokenizer.ggml.eos_token_id", &end, NULL) == 0 && end > 0 &&
		end < c->vocab_size)
		c->end_token_id = (int32_t)end;
	return 0;
}

int gguf_model_config(const struct gguf *f, struct model_config *config, struct error *err)
{
	struct keys k = {.f = f};
	size_t len;
	const char *name = gguf_string(f, "general.architecture", &len, err);
	int id;

	*config = (struct model_config){0};
	if (!name)
		return -1;
	id = architecture_find_gguf(name, len);
	if (id < 0)
		return error_set(err, EXIT_DATA,
			"the architecture is '%.*s', whose layers are not known here; known: %s",
			(int)(len < 40 ? len : 40), name, architecture_list());
	config->architecture = (enum architecture_id)id;
	k.architecture = architecture_of(config->architecture)->gguf;
	if (find_sizes(&k, config, err) != 0 || find_windows(&k, config, err) != 0 ||
		find_scaling(&k, config, err) != 0)
		return -1;
	return model_config_check(config, err);
}
