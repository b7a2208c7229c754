/*
 * helper-argv-fuzz SPEC SEED COUNT right|damaged [plain] - prints random argvs of a spec, one
 * JSON object a line, with what the verifier says of each: ok, code, at, message,
 * its meaning ("items"), its canonical argv, and that with defaults left out.
 */
#include <stdlib.h>
#include "argv_random.h"
#include "base/error.h"
#include "stream/jsonl.h"

/* [spelling, values] for each item; a flag has no values. */
static json_t *items_json(const struct meaning *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_items; i++) {
		const struct meaning_item *item = &m->items[i];
		json_t *values = json_array();

		for (size_t k = 0; k < item->n_values; k++)
			json_array_append_new(values, json_string(item->values[k]));
		json_array_append_new(list,
			json_pack("[so]", item->option ? item->option->name : item->argument->name,
				values));
	}
	return list;
}

static json_t *path_json(const struct command *c)
{
	json_t *list = c->parent ? path_json(c->parent) : json_array();

	json_array_append_new(list, json_string(c->name));
	return list;
}

static void meaning_print(struct argv_random *r, struct meaning *m, json_t *out)
{
	const char **argv;
	int n = meaning_argv(r->spec, m, &r->arena, &argv);

	json_object_set_new(out, "command", path_json(m->command));
	json_object_set_new(out, "items", items_json(m));
	json_object_set_new(out, "canonical", json_from_argv(n, argv));
	meaning_drop_defaults(m);
	n = meaning_argv(r->spec, m, &r->arena, &argv);
	json_object_set_new(out, "bare", json_from_argv(n, argv));
}

static int is_rule(enum verdict_code code)
{
	return code == VERDICT_CONFLICT || code == VERDICT_REQUIRES || code == VERDICT_ONE_OF;
}

int main(int argc, char **argv)
{
	static struct argv_random r;
	struct error err;
	long count;
	int damaged;

	program_name_set("helper-argv-fuzz");
	if (argc < 5)
		die(EXIT_USAGE, "SPEC SEED COUNT right|damaged [plain]");
	r.spec = spec_load(argv[1], &err);
	if (!r.spec)
		die_error(&err);
	count = atol(argv[3]);
	damaged = !strcmp(argv[4], "damaged");
	r.plain = argc > 5;
	for (long i = 0, index = 0; i < count; index++) {
		struct verdict v;
		struct meaning m;
		enum verdict_code code;
		json_t *out;
		char *text;

		argv_random(&r, strtoull(argv[2], NULL, 10), (uint64_t)index, damaged);
		code = verify(r.spec, r.n, r.words, &r.arena, &m, &v);
		/* Random options break rules more often than is interesting. */
		if (is_rule(code) && !damaged && index % 8)
			continue;
		i++;
		out = verdict_json(&v);
		json_object_set_new(out, "argv", json_from_argv(r.n, r.words));
		if (code == VERDICT_OK)
			meaning_print(&r, &m, out);
		text = json_dumps(out, JSON_COMPACT);
		if (!text)
			die(EXIT_INTERNAL, "argv %ld is not UTF-8", index);
		puts(text);
		free(text);
		json_decref(out);
	}
	return 0;
}
