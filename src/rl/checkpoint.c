/* checkpoint.c - policies in training, written and published. */
#include "rl/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/file.h"

static const char STATE_FILE[] = "trainer_state.json";
enum {
	STATE_FILE_MAX = 1 << 16
};

static void copy_string(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

static int state_parse(const struct buf *text, struct trainer_state *s)
{
	const char *kind, *policy, *tokenizer, *spec, *options;
	json_int_t step, cursor, dead, seed;
	json_t *json = json_loadb(text->data ? text->data : "", text->len, 0, NULL);
	int failed;

	failed = !json ||
		 json_unpack(json, "{s:s, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:s}", "kind", &kind,
			 "step", &step, "cursor", &cursor, "dead", &dead, "seed", &seed, "policy",
			 &policy, "tokenizer", &tokenizer, "spec", &spec, "options", &options) != 0;
	failed = failed || step < 0 || cursor < 0 || dead < 0 || seed < 0;
	if (!failed) {
		*s = (struct trainer_state){
			.step = step, .cursor = cursor, .dead = dead, .seed = (uint64_t)seed};
		copy_string(s->kind, sizeof s->kind, kind);
		copy_string(s->policy_hash, sizeof s->policy_hash, policy);
		copy_string(s->tokenizer_hash, sizeof s->tokenizer_hash, tokenizer);
		copy_string(s->spec_hash, sizeof s->spec_hash, spec);
		copy_string(s->options, sizeof s->options, options);
	}
	json_decref(json);
	return failed;
}

int trainer_state_read(const char *dir, struct trainer_state *s, struct error *err)
{
	struct buf path = {0}, text = {0};
	int failed = 0;

	memset(s, 0, sizeof *s);
	buf_addf(&path, "%s/%s", dir, STATE_FILE);
	if (access(path.data, F_OK) == 0 || errno != ENOENT) {
		failed = file_read(path.data, STATE_FILE_MAX, &text, err);
		if (!failed && state_parse(&text, s) != 0)
			failed = error_set(
				err, EXIT_DATA, "%s: not the state of a trainer", path.data);
	}
	buf_release(&path);
	buf_release(&text);
	return failed;
}

static int state_write(const struct trainer_state *s, const char *dir, struct error *err)
{
	json_t *json = json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:s}", "kind", s->kind,
		"step", (json_int_t)s->step, "cursor", (json_int_t)s->cursor, "dead",
		(json_int_t)s->dead, "seed", (json_int_t)s->seed, "policy", s->policy_hash,
		"tokenizer", s->tokenizer_hash, "spec", s->spec_hash, "options", s->options);
	char *text = json_dumps(json, JSON_INDENT(2));
	struct buf path = {0}, out = {0};
	FILE *f;
	int failed = 0;

	/* Not published by itself: the directory is. */
	buf_addf(&path, "%s/%s", dir, STATE_FILE);
	buf_addf(&out, "%s\n", text);
	f = fopen(path.data, "we");
	if (!f || fwrite(out.data, 1, out.len, f) != out.len)
		failed = error_set_errno(err, EXIT_IO, "%s", path.data);
	if (f && fclose(f) != 0 && !failed)
		failed = error_set_errno(err, EXIT_IO, "%s", path.data);
	buf_release(&path);
	buf_release(&out);
	free(text);
	json_decref(json);
	return failed;
}

static int write_all_parts(struct policy *p, const struct optimizer *opt, struct trainer_state *s,
	const char *dir, struct error *err)
{
	if (directory_make(dir, err) != 0 || policy_save(p, dir, err) != 0 ||
		optimizer_save(opt, dir, err) != 0)
		return -1;
	copy_string(s->policy_hash, sizeof s->policy_hash, p->model->hash);
	copy_string(s->tokenizer_hash, sizeof s->tokenizer_hash, tokenizer_hash(p->tokenizer));
	copy_string(s->spec_hash, sizeof s->spec_hash, p->spec_hash);
	return state_write(s, dir, err);
}

int checkpoint_publish(struct policy *p, const struct optimizer *opt, struct trainer_state *s,
	const char *temporary, const char *path, struct error *err)
{
	if (write_all_parts(p, opt, s, temporary, err) == 0 &&
		directory_publish(temporary, path, err) == 0) {
		/* The next step links to this one: older ones go away. */
		free(p->dir);
		p->dir = xstrdup(path);
		return 0;
	}
	directory_remove(temporary, NULL);
	return -1;
}
