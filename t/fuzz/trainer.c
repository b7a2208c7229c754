/*
 * What a trainer left to go on from: trainer_state.json, NUL, optimizer.safetensors of
 * a small model.
 */
#include "t/fuzz/directory.h"

#include <math.h>

#include "rl/checkpoint.h"
#include "rl/optimizer_state.h"

static struct optimizer *make(void)
{
	static const struct model_config config = {.vocab_size = 4,
		.hidden_size = 4,
		.intermediate_size = 4,
		.n_layers = 1,
		.n_heads = 1,
		.n_kv_heads = 1,
		.head_dim = 4,
		.max_positions = 8,
		.rope_theta = 10000,
		.rms_norm_eps = 1e-6f,
		.tie_word_embeddings = 1};
	static const struct optimizer_options options = {.lr = 1e-3,
		.muon_lr = 1e-2,
		.beta1 = 0.9,
		.beta2 = 0.95,
		.eps = 1e-8,
		.muon_momentum = 0.95,
		.clip = 1};
	struct error err;
	struct model *m = model_new(&config, fuzz_device(), 1, 1, &err);
	struct optimizer *opt = m ? optimizer_new(m, &options, &err) : NULL;

	if (!opt)
		die_error(&err);
	return opt;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"trainer_state.json", "optimizer.safetensors", NULL};
	static struct fuzz_directory directory;
	static struct optimizer *opt;
	struct trainer_state state;
	struct error err;

	if (!opt)
		opt = make();
	fuzz_directory_set(&directory, names, data, size);
	if (trainer_state_read(directory.path, &state, &err) == 0)
		fuzz_assert(state.step >= 0 && state.cursor >= 0 && state.dead >= 0);
	if (optimizer_load(opt, directory.path, &err) == 0)
		fuzz_assert(optimizer_steps(opt) >= 0 && isfinite(opt->slots[0].first[0]));
	return 0;
}
