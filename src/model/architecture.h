/*
 * architecture.h - the families of decoders that are computed here, as a table of what
 * each adds to the plain Llama block.
 */
#ifndef MODEL_ARCHITECTURE_H
#define MODEL_ARCHITECTURE_H

#include <stddef.h>

enum architecture_id {
	ARCHITECTURE_LLAMA, /* also what a zero-initialised configuration is */
	ARCHITECTURE_MISTRAL,
	ARCHITECTURE_QWEN2,
	ARCHITECTURE_QWEN3,
	ARCHITECTURE_GEMMA3,
	N_ARCHITECTURES
};

/* How a configuration says which layers see a window of the past only. */
enum window_rule {
	WINDOW_NEVER,
	WINDOW_ALL,    /* sliding_window not null: every layer */
	WINDOW_UPPER,  /* use_sliding_window: layers from max_window_layers on */
	WINDOW_PATTERN /* all but every sliding_window_pattern-th */
};

struct architecture {
	const char *model_type; /* config.json's model_type */
	const char *class_name; /* transformers' class */
	const char *gguf;	/* GGUF's general.architecture */
	int qkv_bias;		/* q, k and v projections have biases */
	int qk_norm;		/* RMSNorm of each query and key head, before rotation */
	int post_norms;		/* norms behind attention and MLP, before they are added */
	int gelu;		/* the gate's activation: tanh-approximated GELU, not SiLU */
	int scaled_embedding;	/* embedded rows are multiplied by sqrt(hidden_size) */
	float norm_shift;	/* added to what files hold as a norm's gain */
	enum window_rule window;
	int rope_local;	      /* windowed layers have a rotary base of their own */
	int query_scalar;     /* attention is scaled by query_pre_attn_scalar */
	int default_head_dim; /* 0: hidden_size / num_attention_heads */
	float default_theta;  /* of rope_theta */
	int default_tied;     /* of tie_word_embeddings */
};

/* NULL where it is none of those above. */
const struct architecture *architecture_of(enum architecture_id id);
/* By model_type, or by GGUF's name; -1 where it is not known. */
int architecture_find(const char *model_type);
int architecture_find_gguf(const char *name, size_t len);
/* "llama, mistral, ...", for messages. */
const char *architecture_list(void);

#endif
