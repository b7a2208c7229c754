#include "model/architecture.h"

#include <string.h>

static const struct architecture architectures[N_ARCHITECTURES] = {
	[ARCHITECTURE_LLAMA] = {.model_type = "llama",
		.class_name = "LlamaForCausalLM",
		.gguf = "llama",
		.default_theta = 10000.0f},
	/* GGUF files of Mistral models say llama. */
	[ARCHITECTURE_MISTRAL] = {.model_type = "mistral",
		.class_name = "MistralForCausalLM",
		.gguf = "llama",
		.window = WINDOW_ALL,
		.default_theta = 10000.0f},
	[ARCHITECTURE_QWEN2] = {.model_type = "qwen2",
		.class_name = "Qwen2ForCausalLM",
		.gguf = "qwen2",
		.qkv_bias = 1,
		.window = WINDOW_UPPER,
		.default_theta = 10000.0f},
	[ARCHITECTURE_QWEN3] = {.model_type = "qwen3",
		.class_name = "Qwen3ForCausalLM",
		.gguf = "qwen3",
		.qk_norm = 1,
		.window = WINDOW_UPPER,
		.default_head_dim = 128,
		.default_theta = 10000.0f},
	[ARCHITECTURE_GEMMA3] = {.model_type = "gemma3_text",
		.class_name = "Gemma3ForCausalLM",
		.gguf = "gemma3",
		.qk_norm = 1,
		.post_norms = 1,
		.gelu = 1,
		.scaled_embedding = 1,
		.norm_shift = 1.0f,
		.window = WINDOW_PATTERN,
		.rope_local = 1,
		.query_scalar = 1,
		.default_head_dim = 256,
		.default_theta = 1000000.0f,
		.default_tied = 1},
};

const struct architecture *architecture_of(enum architecture_id id)
{
	return id < N_ARCHITECTURES ? &architectures[id] : NULL;
}

int architecture_find(const char *model_type)
{
	for (int i = 0; i < N_ARCHITECTURES; i++)
		if (strcmp(architectures[i].model_type, model_type) == 0)
			return i;
	return -1;
}

int architecture_find_gguf(const char *name, size_t len)
{
	for (int i = 0; i < N_ARCHITECTURES; i++)
		if (strlen(architectures[i].gguf) == len &&
			memcmp(architectures[i].gguf, name, len) == 0)
			return i;
	return -1;
}

const char *architecture_list(void)
{
	return "llama, mistral, qwen2, qwen3, gemma3_text";
}
