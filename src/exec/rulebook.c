#include "exec/rulebook.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/names.h"
#include "exec/walk.h"
#include "stream/jsonl.h"

enum {
	FILE_MAX = 1 << 24,
	RULES_MAX = 100000
};

const char *const decision_names[] = {"auto", "ask", "deny", NULL};

char *rulebook_find(const char *wanted)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct buf path = {0};

	if (wanted)
		return xstrdup(wanted);
	buf_adds(&path, "/etc/confirm-exec/policy.json");
	if (access(path.data, F_OK) == 0 || errno != ENOENT)
		return buf_detach(&path);
	buf_clear(&path);
	if (base && base[0] == '/')
		buf_addf(&path, "%s/confirm-exec/policy.json", base);
	else if (home && home[0] == '/')
		buf_addf(&path, "%s/.config/confirm-exec/policy.json", home);
	if (path.len && (access(path.data, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)))
		return buf_detach(&path);
	buf_release(&path);
	return NULL;
}

void rulebook_settings_default(struct rulebook_settings *s)
{
	static const char *const names[] = {"HOME", "LANG", "TERM", "USER", NULL};

	*s = (struct rulebook_settings){.timeout = 600,
		.output_mib = 64,
		.umask = 022,
		.environment = names,
		.n_environment = 4};
	limits_default(&s->limits);
}

/* Reads one document; at: the JSON path of the place, for messages. */
struct reader {
	struct rulebook *book;
	const char *name;
	char at[128];
	struct error *err;
};

static int __attribute__((format(printf, 2, 3))) fault(struct reader *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return error_set(r->err, EXIT_DATA, "%s: %s: %s", r->name, r->at, text);
}

/* Only keys that mean something: one that is misspelled would open what it was to close. */
static int keys_check(struct reader *r, json_t *object, const char *const *known)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return fault(r, "an object is expected");
	json_object_foreach(object, key, value)
	{
		size_t i = 0;

		while (known[i] && strcmp(known[i], key) != 0)
			i++;
		if (!known[i])
			return fault(r, "'%.64s' means nothing here", key);
	}
	return 0;
}

/* A string without NUL that is not empty; absent: NULL. */
static int take_text(struct reader *r, const json_t *object, const char *key, const char **text)
{
	const json_t *value = json_object_get(object, key);

	*text = NULL;
	if (!value)
		return 0;
	if (!json_is_string(value) || json_string_length(value) == 0 ||
		strlen(json_string_value(value)) != json_string_length(value))
		return fault(r, "'%s' must be a text that is not empty", key);
	*text = arena_strdup(&r->book->arena, json_string_value(value));
	return 0;
}

static int take_list(struct reader *r, const json_t *object, const char *key,
	const char *const **list, size_t *n)
{
	const json_t *array = json_object_get(object, key), *item;
	const char **out;
	size_t i;

	if (!array)
		return 0;
	if (!json_is_array(array))
		return fault(r, "'%s' must be a list of texts", key);
	out = arena_zalloc(&r->book->arena, (json_array_size(array) + 1) * sizeof *out);
	json_array_foreach(array, i, item)
	{
		if (!json_is_string(item) ||
			strlen(json_string_value(item)) != json_string_length(item))
			return fault(r, "'%s' must be a list of texts", key);
		out[i] = arena_strdup(&r->book->arena, json_string_value(item));
	}
	*list = out;
	*n = json_array_size(array);
	return 0;
}

static int take_paths(struct reader *r, const json_t *object, const char *key,
	const char *const **list, size_t *n)
{
	if (take_list(r, object, key, list, n) != 0)
		return -1;
	for (size_t i = 0; json_object_get(object, key) && i < *n; i++)
		if ((*list)[i][0] != '/')
			return fault(r, "'%s': '%.64s' is no absolute path", key, (*list)[i]);
	return 0;
}

static int take_integer(
	struct reader *r, const json_t *object, const char *key, int least, int most, int *value)
{
	const json_t *number = json_object_get(object, key);

	if (!number)
		return 0;
	if (!json_is_integer(number) || json_integer_value(number) < least ||
		json_integer_value(number) > most)
		return fault(r, "'%s' must be a whole number from %d to %d", key, least, most);
	*value = (int)json_integer_value(number);
	return 0;
}

static int take_flag(struct reader *r, const json_t *object, const char *key, int *value)
{
	const json_t *flag = json_object_get(object, key);

	if (!flag)
		return 0;
	if (!json_is_boolean(flag))
		return fault(r, "'%s' must be true or false", key);
	*value = json_is_true(flag);
	return 0;
}

static int take_umask(struct reader *r, const json_t *object, unsigned *mask)
{
	const char *text;
	char *end;

	if (take_text(r, object, "umask", &text) != 0)
		return -1;
	if (!text)
		return 0;
	*mask = (unsigned)strtoul(text, &end, 8);
	if (*end || strlen(text) > 4 || *mask > 0777)
		return fault(r, "'umask' must be an octal text like \"022\"");
	return 0;
}

static int take_settings(struct reader *r, json_t *o, struct rulebook_settings *s)
{
	static const char *const known[] = {"network", "writable", "timeout", "output_mib",
		"processes", "memory_mib", "file_mib", "files", "cpu_seconds", "umask", "read",
		"write", "environment", NULL};

	if (!o)
		return 0;
	if (keys_check(r, o, known) != 0 || take_flag(r, o, "network", &s->network) != 0 ||
		take_flag(r, o, "writable", &s->writable) != 0 ||
		take_integer(r, o, "timeout", 1, 86400 * 7, &s->timeout) != 0 ||
		take_integer(r, o, "output_mib", 1, 1 << 20, &s->output_mib) != 0 ||
		take_integer(r, o, "processes", 1, 1 << 20, &s->limits.processes) != 0 ||
		take_integer(r, o, "memory_mib", 1, 1 << 30, &s->limits.memory_mib) != 0 ||
		take_integer(r, o, "file_mib", 1, 1 << 30, &s->limits.file_mib) != 0 ||
		take_integer(r, o, "files", 8, 1 << 20, &s->limits.files) != 0 ||
		take_integer(r, o, "cpu_seconds", 1, 1 << 30, &s->limits.cpu_seconds) != 0 ||
		take_umask(r, o, &s->umask) != 0 ||
		take_paths(r, o, "read", &s->read, &s->n_read) != 0 ||
		take_paths(r, o, "write", &s->write, &s->n_write) != 0)
		return -1;
	return take_list(r, o, "environment", &s->environment, &s->n_environment);
}

static int hash_check(struct reader *r, const char *key, const char *hash)
{
	if (hash && (strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64))
		return fault(r, "'%s' must be 64 hexadecimal digits in lower case", key);
	return 0;
}

static int take_program(struct reader *r, json_t *o, struct rulebook_program *p)
{
	static const char *const known[] = {"name", "path", "sha256", "interpreter_sha256", NULL};

	if (keys_check(r, o, known) != 0 || take_text(r, o, "name", &p->name) != 0 ||
		take_text(r, o, "path", &p->path) != 0 ||
		take_text(r, o, "sha256", &p->sha256) != 0 ||
		take_text(r, o, "interpreter_sha256", &p->interpreter_sha256) != 0)
		return -1;
	if (!p->name || strchr(p->name, '/'))
		return fault(r, "'name' must be what the command begins with, without a slash");
	if (!p->path || p->path[0] != '/')
		return fault(r, "'path' must be absolute");
	for (const struct rulebook_program *q = r->book->programs; q < p; q++)
		if (strcmp(q->name, p->name) == 0)
			return fault(r, "'%s' is there twice", p->name);
	return hash_check(r, "sha256", p->sha256) ||
			       hash_check(r, "interpreter_sha256", p->interpreter_sha256)
		       ? -1
		       : 0;
}

static int take_decision(
	struct reader *r, const json_t *o, const char *key, enum decision least, enum decision *d)
{
	const char *text;
	int i;

	if (take_text(r, o, key, &text) != 0)
		return -1;
	if (!text)
		return 0;
	i = names_find(decision_names, text);
	if (i < 0 || i < (int)least)
		return fault(r, "'%s' must be %s", key,
			least == DECIDE_AUTO ? "auto, ask or deny" : "ask or deny");
	*d = (enum decision)i;
	return 0;
}

static int take_range(struct reader *r, const json_t *o, struct rulebook_rule *rule)
{
	const json_t *range = json_object_get(o, "range");
	const json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);

	if (!range)
		return 0;
	if (json_array_size(range) != 2 || !json_is_number(low) || !json_is_number(high) ||
		json_number_value(low) > json_number_value(high))
		return fault(r, "'range' must be two numbers, the smaller one first");
	rule->has_range = 1;
	rule->low = json_number_value(low);
	rule->high = json_number_value(high);
	return 0;
}

static int take_rule(struct reader *r, json_t *o, struct rulebook_rule *rule)
{
	static const char *const known[] = {"command", "option", "argument", "decide", "reason",
		"below", "hosts", "is", "range", "settings", NULL};
	size_t n = 0;

	rule->settings = r->book->settings;
	rule->decide = DECIDE_ASK;
	if (keys_check(r, o, known) != 0 || take_text(r, o, "command", &rule->command) != 0 ||
		take_text(r, o, "option", &rule->option) != 0 ||
		take_text(r, o, "argument", &rule->argument) != 0 ||
		take_decision(r, o, "decide", DECIDE_AUTO, &rule->decide) != 0 ||
		take_text(r, o, "reason", &rule->reason) != 0 ||
		take_paths(r, o, "below", &rule->below, &n) != 0 ||
		take_list(r, o, "hosts", &rule->hosts, &n) != 0 ||
		take_list(r, o, "is", &rule->is, &n) != 0 || take_range(r, o, rule) != 0 ||
		take_settings(r, json_object_get(o, "settings"), &rule->settings) != 0)
		return -1;
	if (!rule->command)
		return fault(r, "'command' is missing (\"*\" is any)");
	if (!json_object_get(o, "decide"))
		return fault(r, "'decide' is missing");
	if (rule->option && rule->argument)
		return fault(r, "'option' and 'argument' exclude each other");
	if (!rule->option && !rule->argument &&
		(rule->below || rule->hosts || rule->is || rule->has_range))
		return fault(r, "a condition on values needs an 'option' or 'argument'");
	if ((rule->option || rule->argument) && json_object_get(o, "settings"))
		return fault(r, "'settings' belong to a rule about a command");
	return 0;
}

static int take_programs(struct reader *r, const json_t *list)
{
	struct rulebook *p = r->book;
	json_t *item;
	size_t i;

	p->programs = arena_zalloc(&p->arena, (json_array_size(list) + 1) * sizeof *p->programs);
	json_array_foreach(list, i, item)
	{
		snprintf(r->at, sizeof r->at, "$.programs[%zu]", i);
		if (take_program(r, item, &p->programs[i]) != 0)
			return -1;
		p->n_programs++;
	}
	return 0;
}

static int take_rules(struct reader *r, const json_t *list)
{
	struct rulebook *p = r->book;
	json_t *item;
	size_t i;

	if (json_array_size(list) > RULES_MAX)
		return fault(r, "more than %d rules", RULES_MAX);
	p->rules = arena_zalloc(&p->arena, (json_array_size(list) + 1) * sizeof *p->rules);
	json_array_foreach(list, i, item)
	{
		snprintf(r->at, sizeof r->at, "$.rules[%zu]", i);
		if (take_rule(r, item, &p->rules[i]) != 0)
			return -1;
		p->n_rules++;
	}
	return 0;
}

static int take_document(struct reader *r, json_t *o)
{
	static const char *const known[] = {
		"policy", "default", "programs", "settings", "rules", NULL};
	struct rulebook *p = r->book;
	int version = 0;

	if (keys_check(r, o, known) != 0 || take_integer(r, o, "policy", 1, 1, &version) != 0 ||
		take_decision(r, o, "default", DECIDE_ASK, &p->fallback) != 0)
		return -1;
	if (version != 1)
		return fault(r, "\"policy\": 1 is missing");
	if (!json_is_array(json_object_get(o, "programs")))
		return fault(r, "'programs' must be a list: only what is in it can be run");
	if (json_object_get(o, "rules") && !json_is_array(json_object_get(o, "rules")))
		return fault(r, "'rules' must be a list");
	snprintf(r->at, sizeof r->at, "$.settings");
	if (take_settings(r, json_object_get(o, "settings"), &p->settings) != 0)
		return -1;
	return take_programs(r, json_object_get(o, "programs")) != 0 ||
			       take_rules(r, json_object_get(o, "rules")) != 0
		       ? -1
		       : 0;
}

struct rulebook *rulebook_parse(const char *text, size_t len, const char *name, struct error *err)
{
	struct rulebook *p = xcalloc(1, sizeof *p);
	struct reader r = {.book = p, .name = name, .at = "$", .err = err};
	json_t *document = json_text_parse(text, len, err);
	int result;

	p->fallback = DECIDE_ASK;
	rulebook_settings_default(&p->settings);
	p->path = arena_strdup(&p->arena, name);
	sha256_hex(text, len, p->hash);
	if (!document) {
		error_prefix(err, "%s", name);
		if (err)
			err->code = EXIT_DATA;
		rulebook_free(p);
		return NULL;
	}
	result = take_document(&r, document);
	json_decref(document);
	if (result == 0)
		return p;
	rulebook_free(p);
	return NULL;
}

struct rulebook *rulebook_load(const char *path, struct error *err)
{
	struct buf text = {0};
	struct arena arena = {0};
	const char *real = path;
	struct rulebook *p = NULL;

	if (walk_read(path, WALK_STRICT, FILE_MAX, &arena, &real, &text, err) == 0)
		p = rulebook_parse(text.data ? text.data : "", text.len, real, err);
	else if (err->code == EXIT_NOTFOUND)
		err->code = EXIT_NOINPUT;
	if (!p)
		error_prefix(err, "policy");
	buf_release(&text);
	arena_release(&arena);
	return p;
}

void rulebook_free(struct rulebook *book)
{
	struct arena arena;

	if (!book)
		return;
	arena = book->arena;
	free(book);
	arena_release(&arena);
}

int rulebook_unchanged(const struct rulebook *book, struct error *err)
{
	struct buf text = {0};
	char hash[65] = "";

	if (walk_read(book->path, WALK_STRICT, FILE_MAX, NULL, NULL, &text, err) == 0)
		sha256_hex(text.data ? text.data : "", text.len, hash);
	buf_release(&text);
	if (strcmp(hash, book->hash) != 0)
		return error_set(err, EXIT_REFUSED,
			"policy %s changed after it was read: nothing was run", book->path);
	return 0;
}

const struct rulebook_program *rulebook_program(
	const struct rulebook *book, const char *name, struct error *err)
{
	for (size_t i = 0; i < book->n_programs; i++)
		if (strcmp(book->programs[i].name, name) == 0)
			return &book->programs[i];
	error_set(err, EXIT_REFUSED, "policy %s names no program '%s'", book->path, name);
	return NULL;
}
