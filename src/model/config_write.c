/* config_write.c - config.json as transformers reads it. */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

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

static void add_member(struct buf *b, const char *name, float value)
{
	buf_addf(b, ",\n  \"%s\": ", name);
	add_real(b, value);
}

static void format_rope(struct buf *b, const struct model_config *c)
{
	if (c->rope_scaling == ROPE_PLAIN) {
		buf_adds(b, ",\n  \"rope_scaling\": null");
	} else {
		buf_adds(b, ",\n  \"rope_scaling\": {\"factor\": ");
		add_real(b, c->rope_factor);
		if (c->rope_scaling == ROPE_LLAMA3) {
			buf_adds(b, ", \"high_freq_factor\": ");
			add_real(b, c->rope_high);
			buf_adds(b, ", \"low_freq_factor\": ");
			add_real(b, c->rope_low);
			buf_addf(b, ", \"original_max_position_embeddings\": %d", c->rope_original);
		}
		buf_addf(b, ", \"rope_type\": \"%s\"}",
			c->rope_scaling == ROPE_LLAMA3 ? "llama3" : "linear");
	}
	add_member(b, "rope_theta", c->rope_theta);
	if (architecture_of(c->architecture)->rope_local)
		add_member(b, "rope_local_base_freq", c->rope_local_theta);
}

static void format_windows(struct buf *b, const struct model_config *c)
{
	const struct architecture *a = architecture_of(c->architecture);

	if (a->window == WINDOW_NEVER)
		return;
	if (c->window)
		buf_addf(b, ",\n  \"sliding_window\": %d", c->window);
	else
		buf_adds(b, ",\n  \"sliding_window\": null");
	if (a->window == WINDOW_UPPER)
		buf_addf(b, ",\n  \"use_sliding_window\": %s", c->window ? "true" : "false");
	if (a->window == WINDOW_ALL || !c->window)
		return;
	buf_adds(b, ",\n  \"layer_types\": [");
	for (int i = 0; i < c->n_layers; i++)
		buf_addf(b, "%s\"%s_attention\"", i ? ", " : "",
			model_window(c, i) ? "sliding" : "full");
	buf_adds(b, "]");
}

static void format(struct buf *b, const struct model_config *c)
{
	const struct architecture *a = architecture_of(c->architecture);

	buf_addf(b,
		"{\n  \"architectures\": [\"%s\"],\n"
		"  \"attention_bias\": %s,\n  \"attention_dropout\": 0.0,\n"
		"  \"bos_token_id\": null,\n",
		a->class_name, a->qkv_bias ? "true" : "false");
	if (c->end_token_id > 0)
		buf_addf(b, "  \"eos_token_id\": %d,\n", (int)c->end_token_id);
	else
		buf_adds(b, "  \"eos_token_id\": null,\n");
	buf_addf(b, "  \"head_dim\": %d,\n  \"%s\": \"%s\",\n  \"hidden_size\": %d,\n", c->head_dim,
		a->gelu ? "hidden_activation" : "hidden_act",
		a->gelu ? "gelu_pytorch_tanh" : "silu", c->hidden_size);
	buf_addf(b,
		"  \"initializer_range\": 0.02,\n  \"intermediate_size\": %d,\n"
		"  \"max_position_embeddings\": %d,\n  \"mlp_bias\": false,\n"
		"  \"model_type\": \"%s\",\n",
		c->intermediate_size, c->max_positions, a->model_type);
	buf_addf(b,
		"  \"num_attention_heads\": %d,\n  \"num_hidden_layers\": %d,\n"
		"  \"num_key_value_heads\": %d,\n  \"pretraining_tp\": 1,\n  \"rms_norm_eps\": ",
		c->n_heads, c->n_layers, c->n_kv_heads);
	add_real(b, c->rms_norm_eps);
	format_rope(b, c);
	format_windows(b, c);
	if (a->query_scalar)
		add_member(b, "query_pre_attn_scalar", c->query_scalar);
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
