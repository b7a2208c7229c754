#include "exec/proposal.h"

#include <string.h>

#include "cli/verify.h"
#include "exec/visible.h"

/* Longer ones cannot be read by a person before they say yes. */
enum {
	WORDS_MAX = 512,
	BYTES_MAX = 32768
};

int proposal_read(struct record *r, struct error *err)
{
	struct jsonl_reader *in = jsonl_open(NULL, err);
	struct record more;
	int got;

	if (!in)
		return -1;
	record_init(&more);
	got = jsonl_read(in, r, err);
	if (got == 0)
		error_set(err, EXIT_REFUSED, "no proposal on standard input: nothing to run");
	if (got == 1) {
		got = jsonl_read(in, &more, err);
		if (got == 1)
			error_set(err, EXIT_REFUSED,
				"more than one proposal on standard input: all are refused; give "
				"one");
		got = got == 0 ? 1 : -1;
	}
	record_release(&more);
	jsonl_close(in);
	if (got == 1)
		return 0;
	err->code = EXIT_REFUSED;
	return -1;
}

static const char *reason_of(const struct record *r)
{
	const char *reason = json_string_value(json_object_get(r->json, "reason"));

	if (!reason)
		reason = json_string_value(
			json_object_get(json_object_get(r->json, "verdict"), "message"));
	return reason && *reason ? reason : "the request is out of scope";
}

int proposal_take(
	const struct record *r, struct arena *arena, struct proposal *p, struct error *err)
{
	const char *key = json_object_get(r->json, "proposal") ? "proposal" : "argv";

	memset(p, 0, sizeof *p);
	if (record_argv(r, key, arena, &p->argc, &p->argv, err) != 0) {
		err->code = EXIT_REFUSED;
		return -1;
	}
	if (p->argc == -2)
		return error_set(err, EXIT_REFUSED, "the record has no field 'proposal' or 'argv'");
	p->request = json_string_value(json_object_get(r->json, "request"));
	if (p->argc < 0)
		p->reason = reason_of(r);
	return 0;
}

static int size_check(struct proposal *p, struct error *err)
{
	size_t bytes = 0;

	for (int i = 0; i < p->argc; i++)
		bytes += strlen(p->argv[i]) + 1;
	p->too_long = p->argc > WORDS_MAX || bytes > BYTES_MAX;
	if (p->too_long)
		return error_set(err, EXIT_REFUSED,
			"the command has %d words and %zu bytes: too long for a person to check",
			p->argc, bytes);
	return 0;
}

static void add_danger(
	struct proposal *p, const char *what, const char *danger, struct arena *arena)
{
	struct buf text = {0};

	buf_addf(&text, "%s: %s", what, danger);
	p->dangers[p->n_dangers++] = arena_strndup(arena, text.data, text.len);
	buf_release(&text);
}

/* The words that spell the option, in canonical form: its name, maybe with "=VALUE". */
static void mark_option(struct proposal *p, const struct option *option)
{
	size_t len = strlen(option->name);

	for (int i = 1; i < p->argc; i++)
		if (strncmp(p->argv[i], option->name, len) == 0 &&
			(p->argv[i][len] == '\0' || p->argv[i][len] == '='))
			p->at_word[i] = option->danger;
}

static void collect_dangers(struct proposal *p, const struct meaning *m, struct arena *arena)
{
	p->dangers = arena_zalloc(arena, (m->command->depth + m->n_items + 2) * sizeof *p->dangers);
	p->at_word = arena_zalloc(arena, ((size_t)p->argc + 1) * sizeof *p->at_word);
	for (const struct command *c = m->command; c; c = c->parent) {
		if (!c->danger)
			continue;
		add_danger(p, c->name, c->danger, arena);
		for (int i = 0; i < p->argc; i++)
			if (!p->at_word[i] && strcmp(p->argv[i], c->name) == 0)
				p->at_word[i] = c->danger;
	}
	for (size_t i = 0; i < m->n_items; i++) {
		const struct option *option = m->items[i].option;

		if (!option || !option->danger)
			continue;
		add_danger(p, option->name, option->danger, arena);
		mark_option(p, option);
	}
}

static int metadata_true(const json_t *node, const char *name)
{
	const json_t *list = json_object_get(node, "metadata"), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *key = json_string_value(json_object_get(item, "name"));

		if (key && strcmp(key, name) == 0)
			return json_is_true(json_object_get(item, "value"));
	}
	return 0;
}

/* The object of a command in the document; its parents' are on the way. */
static const json_t *command_json(const struct spec *spec, const struct command *c)
{
	const json_t *parent, *list, *item;
	size_t i;

	if (!c->parent)
		return spec->document;
	parent = command_json(spec, c->parent);
	list = json_object_get(parent, "commands");
	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));

		if (name && strcmp(name, c->name) == 0)
			return item;
	}
	return NULL;
}

int proposal_verify(
	const struct spec *spec, struct arena *arena, struct proposal *p, struct error *err)
{
	const char *const *argv = p->argv;
	struct verdict v;

	secrets_find(spec, NULL, p->argc, argv, arena, &p->secrets);
	if (size_check(p, err) != 0)
		return -1;
	if (verify(spec, p->argc, argv, arena, &p->meaning, &v) != VERDICT_OK)
		return error_set(err, EXIT_REFUSED, "not a command of %s: %s: %s", spec->name,
			verdict_name(v.code), v.message);
	if (!argv_is_canonical(spec, p->argc, argv, arena))
		return error_set(err, EXIT_REFUSED,
			"the command is not in canonical form: whoever proposed it is not "
			"trusted to have shown what it means");
	secrets_find(spec, p->meaning.command, p->argc, argv, arena, &p->secrets);
	collect_dangers(p, &p->meaning, arena);
	for (const struct command *c = p->meaning.command; c; c = c->parent)
		if (metadata_true(command_json(spec, c), "network"))
			p->network = 1;
	return 0;
}
