/* policy.c - opening and writing policies. */
#include "rl/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/names.h"
#include "rl/run.h"
#include "stream/archive.h"
#include "stream/file.h"
#include "stream/jsonl.h"

static const char TOKENIZER_FILE[] = "tokenizer.json";
static const char LEXICON_FILE[] = "lexicon.txt";
static const char POLICY_FILE[] = "policy.json";
static const char GRAMMAR_FILE[] = "cli.json";
enum {
	POLICY_FILE_MAX = 1 << 20,
	GRAMMAR_FILE_MAX = 1 << 26
};
static const uint64_t ARCHIVE_BYTES_MAX = 1ull << 40;

static int exists(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	int there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* Fields of policy.json; a directory without one is a model that saw no spans. */
static int description_read(struct policy *p, struct error *err)
{
	char *path = path_join(p->dir, POLICY_FILE);
	struct buf text = {0};
	json_t *json = NULL;
	const char *spans = NULL, *cli = "", *hash = "";
	int failed = -1, mode;

	if (file_read(path, POLICY_FILE_MAX, &text, err) != 0)
		goto out;
	json = json_loadb(text.data ? text.data : "", text.len, JSON_REJECT_DUPLICATES, NULL);
	if (!json ||
		json_unpack(json, "{s:s, s?s, s?s}", "spans", &spans, "cli", &cli, "spec", &hash) !=
			0 ||
		strlen(hash) > 64) {
		error_set(err, EXIT_DATA, "%s: not {\"spans\": ..., \"cli\": ..., \"spec\": ...}",
			path);
		goto out;
	}
	mode = names_find(spans_mode_names, spans);
	failed = mode < 0;
	if (!failed)
		p->spans = (enum spans_mode)mode;
	else
		error_set(err, EXIT_DATA, "%s: spans: '%s' is no way to show spans", path, spans);
	free(p->cli);
	p->cli = xstrdup(cli);
	snprintf(p->spec_hash, sizeof p->spec_hash, "%s", hash);
out:
	json_decref(json);
	buf_release(&text);
	free(path);
	return failed;
}

static int description_write(const struct policy *p, const char *dir, struct error *err)
{
	json_t *json = json_pack("{s:s, s:s, s:s}", "cli", p->cli, "spec", p->spec_hash, "spans",
		spans_mode_names[p->spans]);
	char *path = path_join(dir, POLICY_FILE), *text = json_dumps(json, JSON_INDENT(2));
	struct buf out = {0};
	int failed;

	buf_addf(&out, "%s\n", text);
	failed = file_publish(path, out.data, out.len, err);
	buf_release(&out);
	free(text);
	free(path);
	json_decref(json);
	return failed;
}

/* A directory without a grammar is an older one, or one of another system's. */
static int grammar_read(struct policy *p, struct error *err)
{
	char *path, hash[65];
	int failed = 0;

	if (!exists(p->dir, GRAMMAR_FILE))
		return 0;
	path = path_join(p->dir, GRAMMAR_FILE);
	failed = file_read(path, GRAMMAR_FILE_MAX, &p->grammar, err);
	if (!failed) {
		sha256_hex(p->grammar.data, p->grammar.len, hash);
		if (!p->spec_hash[0])
			memcpy(p->spec_hash, hash, sizeof hash);
		else if (strcmp(hash, p->spec_hash) != 0)
			failed = error_set(err, EXIT_DATA,
				"%s: not the grammar that the policy was made for: its SHA-256 is "
				"%.12s..., %s says %.12s...; put the right one there",
				path, hash, POLICY_FILE, p->spec_hash);
	}
	free(path);
	return failed;
}

static int parts_load(
	struct policy *p, const struct device *device, int with_grad, struct error *err)
{
	char *tokenizer = path_join(p->dir, TOKENIZER_FILE);
	char *lexicon = path_join(p->dir, LEXICON_FILE);
	int failed = -1;

	if (description_read(p, err) != 0 || grammar_read(p, err) != 0)
		goto out;
	p->tokenizer = tokenizer_load(tokenizer, err);
	if (!p->tokenizer)
		goto out;
	if (exists(p->dir, LEXICON_FILE)) {
		p->lexicon = lexicon_new();
		if (lexicon_load(p->lexicon, lexicon, err) != 0)
			goto out;
	}
	if (prompter_init(&p->prompter, p->tokenizer, p->lexicon, p->spans, err) != 0)
		goto out;
	p->model = model_load(p->dir, device, with_grad, err);
	if (!p->model)
		goto out;
	if ((int64_t)tokenizer_size(p->tokenizer) > p->model->config.vocab_size)
		error_set(err, EXIT_DATA, "%s: the tokenizer has %u tokens, the model %d", p->dir,
			tokenizer_size(p->tokenizer), p->model->config.vocab_size);
	else
		failed = 0;
out:
	free(tokenizer);
	free(lexicon);
	return failed;
}

struct policy *policy_open(
	const char *path, const struct device *device, int with_grad, struct error *err)
{
	struct policy *p = xcalloc(1, sizeof *p);
	struct buf dir = {0};
	struct stat st;
	long long newest;

	p->cli = xstrdup("");
	p->dir = xstrdup("");
	if (stat(path, &st) != 0) {
		error_set_errno(err, EXIT_NOINPUT, "%s", path);
		policy_free(p);
		return NULL;
	}
	if (directory_enter(path, ARCHIVE_BYTES_MAX, &p->entered, &p->is_temporary, err) != 0) {
		policy_free(p);
		return NULL;
	}
	newest = exists(p->entered, "config.json") ? -1 : run_newest(p->entered);
	if (newest >= 0)
		run_step_path(p->entered, newest, &dir);
	else
		buf_adds(&dir, p->entered);
	free(p->dir);
	p->dir = buf_detach(&dir);
	if (parts_load(p, device, with_grad, err) != 0) {
		policy_free(p);
		return NULL;
	}
	return p;
}

struct policy *policy_new(struct tokenizer *tokenizer, struct lexicon *lexicon, struct model *model,
	enum spans_mode spans, const char *cli, const struct buf *grammar, struct error *err)
{
	struct policy *p = xcalloc(1, sizeof *p);

	p->dir = xstrdup("");
	p->tokenizer = tokenizer;
	p->lexicon = lexicon;
	p->model = model;
	p->spans = spans;
	p->cli = xstrdup(cli);
	buf_add(&p->grammar, grammar->data, grammar->len);
	sha256_hex(grammar->data, grammar->len, p->spec_hash);
	if (prompter_init(&p->prompter, tokenizer, lexicon, spans, err) != 0) {
		policy_free(p);
		return NULL;
	}
	return p;
}

struct constraint *policy_constraint(struct policy *p, int ground, struct error *err)
{
	struct constraint **c = &p->constraints[ground != 0];
	struct buf name = {0};

	if (*c)
		return *c;
	if (!p->grammar.len) {
		error_set(err, EXIT_DATA,
			"%s: no %s: without a grammar answers cannot be constrained; --free does "
			"without",
			p->dir[0] ? p->dir : "the policy", GRAMMAR_FILE);
		return NULL;
	}
	if (!p->spec) {
		buf_addf(&name, "%s/%s", p->dir, GRAMMAR_FILE);
		p->spec = spec_parse(p->grammar.data, p->grammar.len, name.data, err);
		buf_release(&name);
	}
	if (p->spec)
		*c = constraint_new(p->spec, &p->prompter, ground != 0, err);
	return *c;
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	constraint_free(p->constraints[0]);
	constraint_free(p->constraints[1]);
	spec_free(p->spec);
	model_free(p->model);
	tokenizer_free(p->tokenizer);
	lexicon_free(p->lexicon);
	if (p->entered)
		directory_leave(p->entered, p->is_temporary, NULL);
	buf_release(&p->grammar);
	free(p->cli);
	free(p->dir);
	free(p);
}

/* Tries to hard-link p->dir/name into dir: 1 where that is done.  Model directories
 * may be full of symbolic links; what they lead to is linked. */
static int link_file(const struct policy *p, const char *dir, const char *name)
{
	char *from, *to;
	int linked;

	if (!p->dir[0])
		return 0;
	from = path_join(p->dir, name);
	to = path_join(dir, name);
	linked = linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0;
	free(from);
	free(to);
	return linked;
}

int policy_save(struct policy *p, const char *dir, struct error *err)
{
	char *path;
	int failed = 0;

	if (model_save(p->model, dir, err) != 0)
		return -1;
	if (!link_file(p, dir, TOKENIZER_FILE)) {
		path = path_join(dir, TOKENIZER_FILE);
		failed = tokenizer_save(p->tokenizer, path, err);
		free(path);
	}
	if (!failed && p->lexicon && !link_file(p, dir, LEXICON_FILE)) {
		path = path_join(dir, LEXICON_FILE);
		failed = lexicon_save(p->lexicon, path, err);
		free(path);
	}
	if (!failed && p->grammar.len && !link_file(p, dir, GRAMMAR_FILE)) {
		path = path_join(dir, GRAMMAR_FILE);
		failed = file_publish(path, p->grammar.data, p->grammar.len, err);
		free(path);
	}
	if (!failed && !link_file(p, dir, POLICY_FILE))
		failed = description_write(p, dir, err);
	return failed;
}

int policy_reload(struct policy *p, const char *dir, struct error *err)
{
	struct model *m = p->model, *other = model_load(dir, m->device, 0, err);
	int failed = 0;

	if (!other)
		return -1;
	if (other->n_parameters != m->n_parameters ||
		memcmp(&other->config, &m->config, sizeof m->config) != 0) {
		failed = error_set(
			err, EXIT_DATA, "%s: a model of another shape than %s", dir, p->dir);
	} else {
		m->device->copy(m->data, other->data, (size_t)m->n_parameters * sizeof(float));
		memcpy(m->hash, other->hash, sizeof m->hash);
		failed = m->device->sync(err);
	}
	model_free(other);
	if (!failed) {
		free(p->dir);
		p->dir = xstrdup(dir);
	}
	return failed;
}
