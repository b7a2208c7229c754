#include "model/gguf_params.h"

#include <stdlib.h>
#include <string.h>

struct naming {
	const char *theirs, *ours;
};

static const struct naming outer[] = {
	{"model.embed_tokens.weight", "token_embd.weight"},
	{"model.norm.weight", "output_norm.weight"},
	{"lm_head.weight", "output.weight"},
};

/* Within a layer, but for .weight and .bias. */
static const struct naming inner[] = {
	{"input_layernorm", "attn_norm"},
	{"self_attn.q_proj", "attn_q"},
	{"self_attn.k_proj", "attn_k"},
	{"self_attn.v_proj", "attn_v"},
	{"self_attn.o_proj", "attn_output"},
	{"self_attn.q_norm", "attn_q_norm"},
	{"self_attn.k_norm", "attn_k_norm"},
	{"post_attention_layernorm", "ffn_norm"},
	{"mlp.gate_proj", "ffn_gate"},
	{"mlp.up_proj", "ffn_up"},
	{"mlp.down_proj", "ffn_down"},
};

/* Gemma's have norms behind attention and MLP, too. */
static const struct naming gemma[] = {
	{"post_attention_layernorm", "post_attention_norm"},
	{"pre_feedforward_layernorm", "ffn_norm"},
	{"post_feedforward_layernorm", "post_ffw_norm"},
};

static int is_gemma(const char *architecture)
{
	return !strncmp(architecture, "gemma", 5);
}

static const char *look_up(const struct naming *list, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(list[i].theirs) == len && !memcmp(list[i].theirs, name, len))
			return list[i].ours;
	}
	return NULL;
}

#define LOOK_UP(list, name, len) look_up(list, sizeof(list) / sizeof((list)[0]), name, len)

int gguf_param_name(const char *architecture, const char *name, struct buf *out)
{
	static const char layers[] = "model.layers.";
	const char *ours = LOOK_UP(outer, name, strlen(name)), *part, *kind;
	size_t digits;

	if (ours) {
		buf_adds(out, ours);
		return 0;
	}
	if (strncmp(name, layers, sizeof layers - 1) != 0)
		return -1;
	name += sizeof layers - 1;
	digits = strspn(name, "0123456789");
	if (!digits || digits > 9 || name[digits] != '.')
		return -1;
	part = name + digits + 1;
	kind = strrchr(part, '.');
	if (!kind || (strcmp(kind, ".weight") != 0 && strcmp(kind, ".bias") != 0))
		return -1;
	ours = NULL;
	if (is_gemma(architecture))
		ours = LOOK_UP(gemma, part, (size_t)(kind - part));
	if (!ours)
		ours = LOOK_UP(inner, part, (size_t)(kind - part));
	if (!ours)
		return -1;
	buf_addf(out, "blk.%.*s.%s%s", (int)digits, name, ours, kind);
	return 0;
}

static int ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), size = strlen(end);

	return len >= size && !strcmp(name + len - size, end);
}

/* Numbers of a head of a query or key projection; 0: its order is Hugging Face's. */
static int find_head(const struct gguf *f, const char *architecture, const char *name,
	struct gguf_param *param, struct error *err)
{
	int query = ends_with(name, ".q_proj.weight") || ends_with(name, ".q_proj.bias");
	int64_t heads = 0, rows = param->tensor->n_dims > 1 ? param->rows : param->columns;

	param->head = 0;
	if (strcmp(architecture, "llama") != 0 ||
		(!query && !ends_with(name, ".k_proj.weight") && !ends_with(name, ".k_proj.bias")))
		return 0;
	if (query || gguf_integer(f, "llama.attention.head_count_kv", &heads, NULL) != 0) {
		if (gguf_integer(f, "llama.attention.head_count", &heads, err) != 0)
			return -1;
	}
	if (heads < 1 || rows % heads || rows / heads % 2)
		return error_set(err, EXIT_DATA, "tensor '%s': %lld rows for %lld heads",
			param->tensor->name, (long long)rows, (long long)heads);
	param->head = rows / heads;
	return 0;
}

int gguf_param_find(
	const struct gguf *f, const char *name, struct gguf_param *param, struct error *err)
{
	struct buf architecture = {0}, ours = {0};
	size_t len;
	const char *text = gguf_string(f, "general.architecture", &len, err);
	int result = 0;

	*param = (struct gguf_param){0};
	if (!text)
		return -1;
	buf_add(&architecture, text, len);
	if (gguf_param_name(architecture.data, name, &ours) == 0)
		param->tensor = gguf_find(f, ours.data);
	buf_release(&ours);
	if (param->tensor) {
		const struct gguf_tensor *t = param->tensor;

		param->columns = t->n_dims ? t->dims[0] : 1;
		param->rows = param->columns ? t->n_elements / param->columns : 0;
		if (is_gemma(architecture.data) && ends_with(name, "norm.weight"))
			param->shift = -1;
		result = find_head(f, architecture.data, name, param, err) == 0 ? 1 : -1;
	}
	buf_release(&architecture);
	return result;
}

/* Where number i of a projection's output is: the second half of a head is stored
 * between the numbers of the first. */
static int64_t stored(int64_t i, int64_t head)
{
	int64_t in = i % head, half = head / 2;

	return i - in + (in < half ? 2 * in : 2 * (in - half) + 1);
}

static void reorder(float *x, int64_t n, int64_t head)
{
	float *copy = xcalloc((size_t)n, sizeof *copy);

	memcpy(copy, x, (size_t)n * sizeof *copy);
	for (int64_t i = 0; i < n; i++)
		x[i] = copy[stored(i, head)];
	free(copy);
}

void gguf_param_rows(const struct gguf_param *param, int64_t first, int64_t n, float *out)
{
	int64_t columns = param->columns;

	if (param->head && param->tensor->n_dims > 1) {
		for (int64_t i = 0; i < n; i++)
			gguf_floats(param->tensor, stored(first + i, param->head) * columns,
				columns, out + i * columns);
		return;
	}
	gguf_floats(param->tensor, first * columns, n * columns, out);
	if (param->head && n)
		reorder(out, columns, param->head);
	for (int64_t i = 0; param->shift != 0 && i < n * columns; i++)
		out[i] += param->shift;
}
