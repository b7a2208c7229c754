/*
 * Rewarded rollouts, as grpo-step reads them: lines of text where the input begins with a
 * brace; else changes to a record that is good, KEY=JSON each (KEY may be policy.KEY), a
 * NUL behind each, and an empty one ends a record.  What is taken is whole: its tokens are
 * in the vocabulary, and each is one of its choices.
 */
#include "t/fuzz/directory.h"

#include <math.h>

#include "rl/guidance.h"
#include "rl/rewarded.h"
#include "stream/file.h"

static struct policy *policy_make(void)
{
	static const char *const texts[] = {" use the port with a name and a host"};
	static struct arena arena;
	struct added_token *added;
	struct buf grammar = {0};
	struct model_config config = {.hidden_size = 8,
		.intermediate_size = 16,
		.n_layers = 1,
		.n_heads = 1,
		.n_kv_heads = 1,
		.head_dim = 8,
		.max_positions = 64,
		.rope_theta = 10000,
		.rms_norm_eps = 1e-5f,
		.tie_word_embeddings = 1};
	struct policy *p = NULL;
	struct tokenizer *t;
	struct model *m;
	struct error err;
	size_t n;

	if (file_read("testdata/exec/mark.json", SIZE_MAX / 2, &grammar, &err) != 0)
		die_error(&err);
	struct spec *spec = spec_parse(grammar.data, grammar.len, "mark", &err);

	n = spec ? answer_tokens(spec, &arena, &added) : 0;
	t = spec ? tokenizer_train(texts, 1, 60, added, n, &err) : NULL;
	config.vocab_size = t ? (int)tokenizer_size(t) : 0;
	config.end_token_id = t ? tokenizer_id(t, "<|end|>") : 0;
	m = t ? model_new(&config, fuzz_device(), 1, 0, &err) : NULL;
	if (m)
		p = policy_new(t, NULL, m, SPANS_REPLACE, "mark", &grammar, &err);
	if (!p)
		die_error(&err);
	spec_free(spec);
	buf_release(&grammar);
	return p;
}

static json_t *json_of(const struct ids *ids, size_t from, size_t to)
{
	json_t *list = json_array();

	for (size_t i = from; i < to; i++)
		json_array_append_new(list, json_integer(ids->data[i]));
	return list;
}

/* A record that nothing is wrong with. */
static json_t *record_good(struct policy *p)
{
	static const char request[] = "use port 8123";
	static const char *const argv[] = {"mark", "args", "--port", "8123"};
	struct span spans[SPANS_MAX];
	struct ids ids = {0};
	struct error err;
	struct constraint *c = policy_constraint(p, 1, &err);
	json_t *list = json_array(), *logprobs = json_array(), *record;
	size_t n, n_prompt;
	struct walk *w;

	if (!c)
		die_error(&err);
	n = prompt_encode(&p->prompter, request, strlen(request), NULL, NULL, spans, &ids);
	n_prompt = ids.len;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list,
			json_pack("{s:i, s:i, s:s, s:s%}", "from", (int)spans[i].from, "to",
				(int)spans[i].to, "type", span_type_names[spans[i].type], "text",
				request + spans[i].from, spans[i].to - spans[i].from));
	w = walk_new(c, request, spans, n, 24);
	if (walk_answer(w, 4, argv, &ids, NULL, &err) != 0)
		die_error(&err);
	walk_free(w);
	for (size_t i = n_prompt; i < ids.len; i++)
		json_array_append_new(logprobs, json_real(-0.5));
	record = json_pack("{s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:s, s:f,"
			   " s:{s:i, s:s, s:f, s:{s:i, s:i}, s:o}}",
		"request", request, "spans", list, "group", "g", "sample", 0, "prompt_tokens",
		json_of(&ids, 0, n_prompt), "tokens", json_of(&ids, n_prompt, ids.len), "logprobs",
		logprobs, "finish", "stop", "reward", 1.0, "policy", "step", 0, "hash", "x",
		"temperature", 1.0, "batch", "index", 0, "size", 1, "constraint",
		json_from_guidance(p, 1, 24));
	fuzz_assert(record);
	ids_release(&ids);
	return record;
}

static void change(json_t *record, char *part, size_t len)
{
	char *equals = memchr(part, '=', len);
	json_t *in = record, *value;
	const char *key = part;

	if (!equals)
		return;
	*equals = '\0';
	if (strncmp(key, "policy.", 7) == 0) {
		in = json_object_get(record, "policy");
		key += 7;
	}
	value = json_loadb(equals + 1, len - (size_t)(equals + 1 - part), JSON_DECODE_ANY, NULL);
	if (value)
		json_object_set_new(in, key, value);
	else
		json_object_del(in, key);
}

static void add_record(struct buf *lines, const json_t *record)
{
	json_text_print(record, lines);
	buf_addc(lines, '\n');
}

static void changed_records(const json_t *good, struct fuzz_input *in, struct buf *lines)
{
	json_t *record = json_deep_copy(good);
	size_t len;

	while (in->size) {
		char *part = fuzz_part(in, &len);

		if (len) {
			change(record, part, len);
		} else {
			add_record(lines, record);
			json_decref(record);
			record = json_deep_copy(good);
		}
		free(part);
	}
	add_record(lines, record);
	json_decref(record);
}

static void check(const struct rewarded *s, int vocab)
{
	fuzz_assert(s->n_prompt > 0 && s->n_tokens > 0 && s->name);
	fuzz_assert(!isinf(s->reward));
	for (int i = 0; i < s->n_prompt; i++)
		fuzz_assert(s->prompt[i] >= 0 && s->prompt[i] < vocab);
	for (int i = 0; i < s->n_tokens; i++) {
		fuzz_assert(s->tokens[i] >= 0 && s->tokens[i] < vocab);
		fuzz_assert(isfinite(s->logp_old[i]));
		fuzz_assert(!s->choices || choices_have(s->choices[i], s->tokens[i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct policy *p;
	static json_t *good;
	static struct fuzz_file file;
	struct fuzz_input rest = {data, size};
	struct input_options options = {.skip_bad = "/dev/null", .quiet = 1};
	struct rewarded_batch batch = {0};
	struct buf lines = {0};
	struct input in;
	struct error err;
	size_t n = 0;
	int got;

	if (!p) {
		note_enable(0);
		p = policy_make();
		good = record_good(p);
	}
	if (size && data[0] == '{')
		buf_add(&lines, (const char *)data, size);
	else
		changed_records(good, &rest, &lines);
	fuzz_file_set(&file, lines.data, lines.len);
	options.files = xcalloc(1, sizeof *options.files);
	options.files[0] = file.path;
	options.n_files = 1;
	input_open(&in, &options);
	while ((got = rewarded_read(&batch, &in, p, &err)) == 1) {
		for (size_t i = 0; i < batch.n; i++)
			check(&batch.samples[i], p->model->config.vocab_size);
		n += batch.n;
	}
	fuzz_assert(got == 0 || err.message[0]);
	fuzz_assert(size || (n == 1 && got == 0));
	rewarded_release(&batch);
	jsonl_close(in.in);
	in.in = NULL;
	in.n_bad = 0;
	input_close(&in);
	buf_release(&lines);
	return 0;
}
