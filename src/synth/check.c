#include "synth/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synth/dedup.h"
#include "text/ground.h"
#include "synth/leftovers.h"
#include "text/words.h"
#include "text/utf8.h"

const char *const check_names[] = {"schema", "length", "verdict", "canonical", "leftovers",
	"grounded", "contradictions", "duplicates", "near-duplicates", NULL};

struct checker {
	const struct spec *spec;
	unsigned checks;
	struct dedup *dedup;
	struct arena arena;
	struct meaning meaning;
	struct buf request;
};

int checks_parse(const char *text, unsigned *checks, struct error *err)
{
	*checks = 0;
	while (*text) {
		size_t len = strcspn(text, ",");
		int found = -1;

		for (int i = 0; i < CHECK_COUNT; i++) {
			if (strlen(check_names[i]) == len && memcmp(check_names[i], text, len) == 0)
				found = i;
		}
		if (len == 3 && memcmp(text, "all", 3) == 0)
			*checks |= CHECKS_ALL;
		else if (found >= 0)
			*checks |= 1u << found;
		else
			return error_set(err, EXIT_USAGE, "'%.*s' is no check", (int)len, text);
		text += len;
		text += *text == ',';
	}
	if (!*checks)
		return error_set(err, EXIT_USAGE, "no check is named");
	return 0;
}

static void teach_list(struct dedup *d, const char *const *texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		dedup_teach(d, texts[i]);
}

static void teach_argument(struct dedup *d, const struct argument *a)
{
	if (!a)
		return;
	if (a->description)
		dedup_teach(d, a->description);
	for (size_t i = 0; i < a->n_accepted; i++) {
		dedup_teach(d, a->accepted[i].value);
		teach_list(d, a->accepted[i].says);
	}
	teach_list(d, a->says);
}

/* The words of the spec are well spelt. */
static void teach_spec(struct dedup *d, const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_commands; i++) {
		const struct command *c = spec->commands[i];

		dedup_teach(d, c->name);
		if (c->description)
			dedup_teach(d, c->description);
		teach_list(d, c->says);
		for (size_t k = 0; k < c->n_own; k++) {
			dedup_teach(d, c->options[k]->name);
			if (c->options[k]->description)
				dedup_teach(d, c->options[k]->description);
			teach_list(d, c->options[k]->says);
			teach_argument(d, c->options[k]->argument);
		}
		for (size_t k = 0; k < c->n_arguments; k++)
			teach_argument(d, c->arguments[k]);
	}
}

struct checker *checker_new(const struct spec *spec, unsigned checks)
{
	struct checker *c = xcalloc(1, sizeof *c);

	c->spec = spec;
	c->checks = checks;
	if (checks & (1u << CHECK_CONTRADICTIONS | 1u << CHECK_DUPLICATES |
			     1u << CHECK_NEAR_DUPLICATES)) {
		c->dedup = dedup_new();
		teach_spec(c->dedup, spec);
	}
	return c;
}

void checker_free(struct checker *c)
{
	if (!c)
		return;
	dedup_free(c->dedup);
	arena_release(&c->arena);
	buf_release(&c->request);
	free(c);
}

static int enabled(const struct checker *c, enum check check)
{
	return c->checks >> check & 1;
}

static int fail(struct checked *out, enum check check, const char *fmt, ...) ATTR_PRINTF(3, 4);

static int fail(struct checked *out, enum check check, const char *fmt, ...)
{
	va_list args;
	size_t len;

	va_start(args, fmt);
	vsnprintf(out->message, sizeof out->message, fmt, args);
	va_end(args);
	len = strlen(out->message);
	/* What had to be cut may have been cut within a character. */
	for (size_t at = 0; (at += utf8_valid(out->message + at, len - at)) < len; at++)
		out->message[at] = '?';
	out->failed = (int)check;
	return 0;
}

/* 1 where origin.template, if there is one, lists strings "KEY/N". */
static int template_ok(const json_t *template)
{
	if (!template)
		return 1;
	if (!json_is_array(template))
		return 0;
	for (size_t i = 0; i < json_array_size(template); i++) {
		const char *name = json_string_value(json_array_get(template, i));
		const char *slash = name ? strrchr(name, '/') : NULL;

		if (!slash || slash == name || !slash[1] ||
			strspn(slash + 1, "0123456789") != strlen(slash + 1))
			return 0;
	}
	return 1;
}

static int check_schema(const struct checker *c, const struct record *r, struct checked *out)
{
	static const char *const strings[] = {"id", "cli", "request"};
	const json_t *origin = json_object_get(r->json, "origin");
	const char *cli;

	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		const json_t *field = json_object_get(r->json, strings[i]);

		if (field && !json_is_string(field))
			return fail(out, CHECK_SCHEMA, "field '%s' is no string", strings[i]);
	}
	if (!json_object_get(r->json, "request"))
		return fail(out, CHECK_SCHEMA, "field 'request' is missing");
	cli = json_string_value(json_object_get(r->json, "cli"));
	if (cli && strcmp(cli, c->spec->name) != 0)
		return fail(out, CHECK_SCHEMA, "field 'cli' is '%.200s', the spec is of '%.200s'",
			cli, c->spec->name);
	if (origin && !json_is_object(origin))
		return fail(out, CHECK_SCHEMA, "field 'origin' is no object");
	if (!template_ok(json_object_get(origin, "template")))
		return fail(
			out, CHECK_SCHEMA, "field 'origin.template' is no array of strings KEY/N");
	return 1;
}

static int check_length(const struct record *r, struct checked *out)
{
	const json_t *request = json_object_get(r->json, "request");
	size_t len = json_string_length(request);

	if (json_is_string(request) && (len < 1 || len > REQUEST_BYTES_MAX))
		return fail(out, CHECK_LENGTH, "request of %zu bytes, allowed are 1 to %d", len,
			REQUEST_BYTES_MAX);
	if (out->argc > ARGV_WORDS_MAX)
		return fail(out, CHECK_LENGTH, "argv of %d words, allowed are %d", out->argc,
			ARGV_WORDS_MAX);
	for (int i = 0; i < out->argc; i++) {
		size_t word = strlen(out->argv[i]);

		if (word > WORD_BYTES_MAX)
			return fail(out, CHECK_LENGTH,
				"word %d of argv has %zu bytes, allowed are %d", i, word,
				WORD_BYTES_MAX);
	}
	return 1;
}

static int check_canonical(struct checker *c, struct checked *out)
{
	const char **argv;
	int argc = meaning_argv(c->spec, out->meaning, &c->arena, &argv);
	struct buf text = {0};
	int same = argc == out->argc;

	for (int i = 0; same && i < argc; i++)
		same = strcmp(argv[i], out->argv[i]) == 0;
	if (same)
		return 1;
	for (int i = 0; i < argc; i++)
		buf_addf(&text, "%s%s", i ? " " : "", argv[i]);
	fail(out, CHECK_CANONICAL, "the canonical form is: %s", text.data ? text.data : "");
	buf_release(&text);
	return 0;
}

static int check_grounded(struct checked *out)
{
	const struct meaning_item *item;
	const char *value = ground_check(out->request, out->request_len, out->meaning, &item);

	if (!value)
		return 1;
	return fail(out, CHECK_GROUNDED,
		"value '%.400s' of %.100s does not follow from the request", value,
		item->option ? item->option->name : item->argument->name);
}

static int check_leftovers(struct checked *out)
{
	size_t len;
	const char *what;
	const char *found = leftover_find(out->request, out->request_len, out->argc,
		(const char *const *)out->argv, &len, &what);

	if (!found)
		return 1;
	return fail(out, CHECK_LEFTOVERS, "%s at byte %zu: '%.*s'", what,
		(size_t)(found - out->request), (int)(len < 200 ? len : 200), found);
}

static int check_seen(struct checker *c, struct checked *out)
{
	unsigned found = dedup_find(c->dedup, out->request, out->request_len, out->argc,
		(const char *const *)out->argv);

	/* Records without a request are compared by their argv alone. */
	if (found & DEDUP_CONTRADICTION && out->request_len > 0 && enabled(c, CHECK_CONTRADICTIONS))
		return fail(out, CHECK_CONTRADICTIONS,
			"an earlier pair has another argv for this request");
	if (found & DEDUP_DUPLICATE && enabled(c, CHECK_DUPLICATES))
		return fail(out, CHECK_DUPLICATES, "an earlier pair is the same");
	if (found & (DEDUP_NEAR | DEDUP_DUPLICATE) && enabled(c, CHECK_NEAR_DUPLICATES))
		return fail(out, CHECK_NEAR_DUPLICATES,
			"an earlier pair differs only in case, punctuation or spelling");
	dedup_add(c->dedup);
	return 1;
}

/* Reads request and argv. */
static void read_pair(
	struct checker *c, const struct record *r, struct checked *out, struct error *err)
{
	const json_t *request = json_object_get(r->json, "request");

	out->failed = -1;
	out->message[0] = '\0';
	out->has_verdict = 0;
	out->meaning = NULL;
	out->argv = NULL;
	buf_clear(&c->request);
	if (json_is_string(request))
		words_plain(json_string_value(request), json_string_length(request), &c->request);
	out->request = c->request.data ? c->request.data : "";
	out->request_len = c->request.len;
	err->message[0] = '\0';
	if (record_argv(r, "argv", &c->arena, &out->argc, &out->argv, err) != 0)
		out->argc = -2;
}

/* The verdict and the meaning, whatever checks are made. */
static void verify_pair(struct checker *c, struct checked *out)
{
	if (out->argc == -2)
		return;
	out->has_verdict = 1;
	if (out->argc == -1) {
		out->verdict.code = VERDICT_OK;
		out->verdict.at = 0;
		out->verdict.message[0] = '\0';
	} else if (verify(c->spec, out->argc, (const char *const *)out->argv, &c->arena,
			   &c->meaning, &out->verdict) == VERDICT_OK) {
		out->meaning = &c->meaning;
	}
}

int checker_run(struct checker *c, const struct record *r, struct checked *out)
{
	struct error err;

	arena_clear(&c->arena);
	read_pair(c, r, out, &err);
	if (enabled(c, CHECK_SCHEMA)) {
		if (!check_schema(c, r, out))
			return 0;
		if (out->argc == -2)
			return fail(out, CHECK_SCHEMA, "%s",
				err.message[0] ? err.message : "field 'argv' is missing");
	}
	if (enabled(c, CHECK_LENGTH) && !check_length(r, out))
		return 0;
	verify_pair(c, out);
	for (int check = CHECK_VERDICT; check <= CHECK_GROUNDED; check++) {
		/* These three judge a meaning; null has none and needs none. */
		if (enabled(c, (enum check)check) && check != CHECK_LEFTOVERS && !out->meaning &&
			out->argc != -1)
			return fail(out, (enum check)check, "%s",
				out->has_verdict ? out->verdict.message
				: err.message[0] ? err.message
						 : "field 'argv' is missing");
	}
	if (enabled(c, CHECK_CANONICAL) && out->meaning && !check_canonical(c, out))
		return 0;
	if (enabled(c, CHECK_LEFTOVERS) && !check_leftovers(out))
		return 0;
	if (enabled(c, CHECK_GROUNDED) && out->meaning && !check_grounded(out))
		return 0;
	return c->dedup ? check_seen(c, out) : 1;
}
