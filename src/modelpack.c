/*
 * modelpack - looks at models, and turns them from one form into another: GGUF files,
 * Hugging Face's model directories, and such directories packed into one file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "model/gguf_model.h"
#include "model/gguf_tokenizer.h"
#include "model/layout.h"
#include "stream/archive.h"
#include "stream/file.h"
#include "stream/jsonl.h"
#include "text/tokenizer.h"

static const char doc[] =
	"Looks at models and converts them.\n"
	"\n"
	"  modelpack inspect MODEL          what it is, as a JSON object\n"
	"  modelpack convert MODEL -o DIR   a model directory: config.json, weights in fp32,\n"
	"                                   tokenizer.json\n"
	"  modelpack pack MODEL -o FILE     a model directory in one file (.tar.zst)"
	"\vMODEL is a model directory, a packed one, or a GGUF file.";

static const uint64_t ARCHIVE_BYTES_MAX = 1ull << 40;

struct options {
	const char *command, *path, *output;
};

/* A model where it lies; file: it is a GGUF file. */
struct source {
	const char *path;
	char *dir; /* NULL for a file */
	int is_file, is_temporary;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			argp_error(state, "one command and one MODEL are expected");
		*(state->arg_num ? &o->path : &o->command) = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->path)
			argp_error(state, "a command and a MODEL are expected");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void source_open(struct source *s, const char *path)
{
	struct error err;

	*s = (struct source){.path = path, .is_file = gguf_is(path)};
	if (!s->is_file &&
		directory_enter(path, ARCHIVE_BYTES_MAX, &s->dir, &s->is_temporary, &err) != 0)
		die_error(&err);
}

/* Leaves the source, and ends the program where something failed. */
static void source_close(struct source *s, int failed, struct error *err)
{
	struct error other;

	if (directory_leave(s->dir, s->is_temporary, failed ? NULL : &other) != 0 && !failed)
		die_error(&other);
	if (failed)
		die_error(err);
}

static const char *source_path(const struct source *s)
{
	return s->is_file ? s->path : s->dir;
}

static int read_config(const struct source *s, struct model_config *c, struct error *err)
{
	struct gguf *f;
	char *path;
	int result;

	if (!s->is_file) {
		path = path_join(s->dir, "config.json");
		result = model_config_read(c, path, err);
		free(path);
		return result;
	}
	f = gguf_open(s->path, err);
	if (!f)
		return -1;
	result = gguf_model_config(f, c, err);
	gguf_close(f);
	return result == 0 ? 0 : error_prefix(err, "%s", s->path);
}

static int inspect(const struct source *s, const struct device *device, struct error *err)
{
	struct model_config c;
	struct model *m;
	json_t *json;
	char *text;
	int bad;

	if (read_config(s, &c, err) != 0)
		return -1;
	m = model_describe(&c, device);
	json = json_pack("{s:s, s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b}", "form",
		s->is_file ? "gguf" : "directory", "architecture",
		architecture_of(c.architecture)->model_type, "parameters",
		(json_int_t)m->n_parameters, "vocab_size", c.vocab_size, "hidden_size",
		c.hidden_size, "intermediate_size", c.intermediate_size, "layers", c.n_layers,
		"heads", c.n_heads, "kv_heads", c.n_kv_heads, "head_dim", c.head_dim, "positions",
		c.max_positions, "tied_head", c.tie_word_embeddings);
	text = json_dumps(json, JSON_COMPACT);
	bad = puts(text) < 0 || fflush(stdout) != 0;
	free(text);
	json_decref(json);
	model_free(m);
	return bad ? error_set_errno(err, EXIT_IO, "cannot write to standard output") : 0;
}

/* The tokenizer: that of a GGUF file written out, a directory's read and written again. */
static int convert_tokenizer(const struct source *s, const char *dir, struct error *err)
{
	char *to = path_join(dir, "tokenizer.json"), *from = NULL;
	struct tokenizer *t = NULL;
	int result = -1;

	if (s->is_file) {
		struct gguf *f = gguf_open(s->path, err);

		if (f) {
			t = gguf_tokenizer(f, err);
			if (!t)
				error_prefix(err, "%s", s->path);
			gguf_close(f);
		}
	} else {
		from = path_join(s->dir, "tokenizer.json");
		t = tokenizer_load(from, err);
	}
	if (t)
		result = tokenizer_save(t, to, err);
	tokenizer_free(t);
	free(from);
	free(to);
	return result;
}

static int convert(
	const struct source *s, const char *output, const struct device *device, struct error *err)
{
	struct model *m = model_load(source_path(s), device, 0, err);
	struct buf temporary = {0};
	int result = -1;

	if (!m)
		return -1;
	buf_addf(&temporary, "%s.new.%ld", output, (long)getpid());
	if (directory_make(temporary.data, err) == 0 && model_save(m, temporary.data, err) == 0 &&
		convert_tokenizer(s, temporary.data, err) == 0)
		result = directory_publish(temporary.data, output, err);
	if (result != 0)
		directory_remove(temporary.data, NULL);
	buf_release(&temporary);
	model_free(m);
	return result;
}

int main(int argc, char **argv)
{
	static const struct argp_option option_list[] = {
		{"output", 'o', "PATH", 0, "what to write, which must not exist", 0}, {0}};
	static const struct argp argp = {option_list, parse, "COMMAND MODEL", doc, 0, 0, 0};
	const struct device *device;
	struct model_config c;
	struct options o = {0};
	struct source s;
	struct error err;
	int result;

	options_parse(&argp, argc, argv, &o);
	const int looks = strcmp(o.command, "inspect") == 0;
	const int packs = strcmp(o.command, "pack") == 0;

	if (!looks && !packs && strcmp(o.command, "convert") != 0)
		die(EXIT_USAGE, "'%s' is no command; inspect, convert and pack are", o.command);
	if (!looks != (o.output != NULL))
		die(EXIT_USAGE, looks ? "inspect writes to standard output: no -o"
				      : "-o says what to write");
	if (o.output && access(o.output, F_OK) == 0)
		die(EXIT_USAGE, "%s exists already", o.output);
	device = device_open("cpu", 1, &err);
	if (!device)
		die_error(&err);
	source_open(&s, o.path);
	if (looks)
		result = inspect(&s, device, &err);
	else if (!packs)
		result = convert(&s, o.output, device, &err);
	else if (s.is_file)
		result = error_set(&err, EXIT_USAGE,
			"%s is one file already; convert makes a directory of it", s.path);
	else if ((result = read_config(&s, &c, &err)) == 0)
		result = archive_pack(s.dir, o.output, &err);
	source_close(&s, result != 0, &err);
	return 0;
}
