/*
 * newmodel - a small model with random weights, and the tokenizer and the lexicon
 * that it reads requests with, learnt from training records: the embedded default.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "rl/dataset.h"
#include "rl/input.h"
#include "rl/policy.h"
#include "rl/vocabulary.h"
#include "stream/file.h"

static const char doc[] =
	"Makes a model directory (Hugging Face layout) with random weights for the CLI of a spec."
	"\vThe tokenizer and the lexicon are learnt from the records that belong to the train "
	"split or to none.  The same records, options and seed give the same bytes.";

enum {
	KEY_SPEC = 256,
	KEY_HIDDEN,
	KEY_LAYERS,
	KEY_HEADS,
	KEY_KV,
	KEY_FFN,
	KEY_VOCAB,
	KEY_SEED,
	KEY_SPANS,
	KEY_POSITIONS,
	KEY_PLAN
};

enum {
	GRAMMAR_MAX = 1 << 26
};

static const struct argp_option option_list[] = {
	{"spec", KEY_SPEC, "FILE", 0, "the CLI (cli.json)", 1},
	{"hidden", KEY_HIDDEN, "N", 0, "width of the model (64)", 2},
	{"layers", KEY_LAYERS, "N", 0, "number of layers (4)", 2},
	{"heads", KEY_HEADS, "N", 0, "attention heads (4)", 2},
	{"kv-heads", KEY_KV, "N", 0, "key and value heads (as many as heads)", 2},
	{"ffn", KEY_FFN, "N", 0, "width of the feed-forward part (8/3 of the model's)", 2},
	{"vocab", KEY_VOCAB, "N", 0, "number of tokens, those of answers included (2048)", 2},
	{"positions", KEY_POSITIONS, "N", 0, "longest sequence in tokens (1024)", 2},
	{"spans", KEY_SPANS, "MODE", 0, "how values are shown: replace (default), mark, none", 2},
	{"seed", KEY_SEED, "N", 0, "of the weights (0)", 3},
	{"output", 'o', "DIR", 0, "the new directory, which must not exist", 3},
	{"plan", KEY_PLAN, 0, 0, "print the number of parameters and stop", 3}, {0}};

struct options {
	struct input_options input;
	const char *spec, *output;
	int hidden, layers, heads, kv_heads, ffn, vocab, positions, plan;
	enum spans_mode spans;
	uint64_t seed;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->input;
		break;
	case KEY_SPEC:
		o->spec = arg;
		break;
	case 'o':
		o->output = arg;
		break;
	case KEY_HIDDEN:
		o->hidden = (int)option_integer(state, "--hidden", arg, 8, 65536);
		break;
	case KEY_LAYERS:
		o->layers = (int)option_integer(state, "--layers", arg, 1, 1024);
		break;
	case KEY_HEADS:
		o->heads = (int)option_integer(state, "--heads", arg, 1, 1024);
		break;
	case KEY_KV:
		o->kv_heads = (int)option_integer(state, "--kv-heads", arg, 1, 1024);
		break;
	case KEY_FFN:
		o->ffn = (int)option_integer(state, "--ffn", arg, 0, 1 << 20);
		break;
	case KEY_VOCAB:
		o->vocab = (int)option_integer(state, "--vocab", arg, 257, 1 << 20);
		break;
	case KEY_POSITIONS:
		o->positions = (int)option_integer(state, "--positions", arg, 16, 1 << 20);
		break;
	case KEY_SPANS:
		o->spans = (enum spans_mode)option_choice(state, "--spans", arg, spans_mode_names);
		break;
	case KEY_SEED:
		o->seed = option_seed(state, arg);
		break;
	case KEY_PLAN:
		o->plan = 1;
		break;
	case ARGP_KEY_END:
		if (!o->spec || (!o->output && !o->plan))
			argp_error(state, "--spec and --output are needed");
		if (o->hidden % (2 * o->heads) != 0)
			argp_error(state, "--hidden must be a multiple of twice --heads");
		if (o->kv_heads && o->heads % o->kv_heads != 0)
			argp_error(state, "--heads must be a multiple of --kv-heads");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The grammar goes into the new directory as it was read here. */
static struct spec *read_spec(const char *path, struct buf *grammar)
{
	struct spec *spec = NULL;
	struct error err;

	if (file_read(path, GRAMMAR_MAX, grammar, &err) == 0)
		spec = spec_parse(grammar->data ? grammar->data : "", grammar->len, path, &err);
	if (!spec)
		die_error(&err);
	return spec;
}

static struct dataset *read_records(const struct options *o)
{
	struct dataset *data = dataset_new();
	struct input in;
	struct record r = {0};

	input_open(&in, &o->input);
	while (input_next(&in, &r))
		if (record_in_split(&r, SPLIT_TRAIN))
			dataset_add(data, &r);
	record_release(&r);
	input_close(&in);
	if (dataset_count(data) == 0)
		die(EXIT_DATA, "no training records (split absent or \"train\") to learn from");
	return data;
}

/* 8/3 of the width, rounded up to a multiple of 16. */
static int ffn_default(int hidden)
{
	return (8 * hidden / 3 + 15) / 16 * 16;
}

static struct model_config config_of(const struct options *o, const struct tokenizer *t)
{
	return (struct model_config){
		.vocab_size = (int)tokenizer_size(t),
		.end_token_id = tokenizer_id(t, "<|end|>"),
		.hidden_size = o->hidden,
		.intermediate_size = o->ffn ? o->ffn : ffn_default(o->hidden),
		.n_layers = o->layers,
		.n_heads = o->heads,
		.n_kv_heads = o->kv_heads ? o->kv_heads : o->heads,
		.head_dim = o->hidden / o->heads,
		.max_positions = o->positions,
		.rope_theta = 10000,
		.rms_norm_eps = 1e-5f,
		.tie_word_embeddings = 1,
	};
}

static void publish(struct policy *p, const char *output)
{
	struct buf temporary = {0};
	struct error err;

	buf_addf(&temporary, "%s.new.%ld", output, (long)getpid());
	if (directory_make(temporary.data, &err) != 0 ||
		policy_save(p, temporary.data, &err) != 0 ||
		directory_publish(temporary.data, output, &err) != 0) {
		directory_remove(temporary.data, NULL);
		die_error(&err);
	}
	buf_release(&temporary);
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&input_argp, 0, "Input", 0}, {0}};
	static const struct argp argp = {option_list, parse, "[FILE...]", doc, children, 0, 0};
	struct options o = {.hidden = 64,
		.layers = 4,
		.heads = 4,
		.vocab = 2048,
		.positions = 1024,
		.spans = SPANS_REPLACE};
	struct error err;

	options_parse(&argp, argc, argv, &o);
	if (o.output && access(o.output, F_OK) == 0)
		die(EXIT_USAGE, "%s exists already", o.output);
	struct buf grammar = {0};
	struct spec *spec = read_spec(o.spec, &grammar);
	struct dataset *data = read_records(&o);
	struct lexicon *lex = lexicon_of(spec, data, &err);
	if (!lex)
		die_error(&err);
	struct tokenizer *t = tokenizer_of(spec, data, lex, o.spans, (size_t)o.vocab, &err);
	if (!t)
		die_error(&err);
	const struct device *device = device_open("cpu", 1, &err);
	if (!device)
		die_error(&err);
	struct model_config config = config_of(&o, t);
	struct model *m = model_new(&config, device, o.seed, 0, &err);
	if (!m)
		die_error(&err);
	struct policy *p = policy_new(t, lex, m, o.spans, spec->name, &grammar, &err);
	if (!p)
		die_error(&err);
	note("%zu records, %zu words in the lexicon, %u tokens, %lld parameters",
		dataset_count(data), lexicon_count(lex), tokenizer_size(t),
		(long long)m->n_parameters);
	if (!o.plan)
		publish(p, o.output);
	policy_free(p);
	dataset_free(data);
	spec_free(spec);
	buf_release(&grammar);
	return EXIT_OK;
}
