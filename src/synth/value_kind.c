/* value_kind.c - what kind of value an argument takes: from its type, else from
 * the words of its name and description, else from the shape of its examples. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "synth/pattern.h"
#include "synth/values.h"

enum {
	POOL_MAX = 512,
	POOL_TRIES = 20000
};

/* Whether word stands in text as a word of its own (case ignored); '_' and '-' part words. */
static int has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strcasestr(text, word); at; at = strcasestr(at + 1, word)) {
		int before = at == text || !isalnum((unsigned char)at[-1]);
		int after = !isalnum((unsigned char)at[len]) ||
			    (at[len] == 's' && !isalnum((unsigned char)at[len + 1]));

		if (before && after)
			return 1;
	}
	return 0;
}

struct word_kind {
	const char *word;
	enum value_kind kind;
};

/* The first that occurs in the name decides. */
static const struct word_kind by_name[] = {
	{"port", KIND_PORT},
	{"secret", KIND_IDENTIFIER},
	{"key", KIND_SECRET},
	{"token", KIND_SECRET},
	{"password", KIND_SECRET},
	{"postgres", KIND_DATABASE},
	{"database", KIND_DATABASE},
	{"dsn", KIND_DATABASE},
	{"tag", KIND_TAG},
	{"version", KIND_VERSION},
	{"url", KIND_URL},
	{"image", KIND_IMAGE},
	{"uri", KIND_URL},
	{"host", KIND_HOST},
	{"hostname", KIND_HOST},
	{"address", KIND_ADDRESS},
	{"repository", KIND_REPOSITORY},
	{"push", KIND_REPOSITORY},
	{"id", KIND_UUID},
	{"uuid", KIND_UUID},
	{"email", KIND_EMAIL},
	{"command", KIND_COMMAND},
	{"cmd", KIND_COMMAND},
	{"dir", KIND_DIRECTORY},
	{"directory", KIND_DIRECTORY},
	{"folder", KIND_DIRECTORY},
	{"file", KIND_FILE},
	{"path", KIND_FILE},
	{"config", KIND_FILE},
	{"time", KIND_TIME},
	{"since", KIND_TIME},
	{"until", KIND_TIME},
	{"date", KIND_TIME},
	{"timeout", KIND_DURATION},
	{"interval", KIND_DURATION},
	{"duration", KIND_DURATION},
	{"size", KIND_SIZE},
	{"memory", KIND_SIZE},
	{"query", KIND_WORDS},
	{"search", KIND_WORDS},
	{"text", KIND_WORDS},
	{"message", KIND_WORDS},
	{"title", KIND_WORDS},
	{"limit", KIND_INTEGER},
	{"count", KIND_INTEGER},
	{"number", KIND_INTEGER},
	{"jobs", KIND_INTEGER},
	{"workers", KIND_INTEGER},
	{"branch", KIND_NAME},
	{"namespace", KIND_NAME},
	{"name", KIND_NAME},
};

static enum value_kind kind_by_words(const char *text, enum value_kind otherwise)
{
	for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
		if (has_word(text, by_name[i].word))
			return by_name[i].kind;
	return otherwise;
}

/* By the shape of an example; KIND_COUNT where it says nothing. */
static enum value_kind kind_of_text(const char *s)
{
	size_t len = strlen(s), digits = strspn(s, "0123456789");

	if (digits == len)
		return KIND_INTEGER;
	if (!strncmp(s, "postgres", 8) && strstr(s, "://"))
		return KIND_DATABASE;
	if (strstr(s, "://"))
		return KIND_URL;
	if (len == 36 && strspn(s, "0123456789abcdef-") == 36)
		return KIND_UUID;
	if (strchr(s, ' '))
		return KIND_COUNT;
	if (len >= 10 && digits == 4 && s[4] == '-' && s[7] == '-')
		return KIND_TIME;
	if (digits && s[digits] == '.' && strspn(s, "0123456789.") == len)
		return KIND_VERSION;
	if (strchr(s, '/') && strchr(s, ':'))
		return KIND_IMAGE;
	return KIND_COUNT;
}

static const char *const ext_json[] = {".json", NULL};
static const char *const ext_yaml[] = {".yml", ".yaml", NULL};
static const char *const ext_key[] = {".key", ".pem", NULL};
static const char *const ext_cert[] = {".crt", ".pem", ".cert", NULL};
static const char *const ext_toml[] = {".toml", NULL};
static const char *const ext_csv[] = {".csv", NULL};
static const char *const ext_text[] = {".txt", ".log", NULL};
static const char *const ext_python[] = {".py", NULL};

/* File extensions that the option's words ask for. */
static const char *const *extensions(const char *name, const char *description)
{
	if (has_word(description, "json"))
		return ext_json;
	if (has_word(name, "compose") || has_word(description, "yml") ||
		has_word(description, "yaml"))
		return ext_yaml;
	if (strcasestr(name, "key"))
		return ext_key;
	if (strcasestr(name, "cert"))
		return ext_cert;
	if (has_word(description, "toml"))
		return ext_toml;
	if (has_word(description, "csv"))
		return ext_csv;
	if (has_word(description, "python"))
		return ext_python;
	if (has_word(name, "config"))
		return ext_json;
	if (has_word(name, "log"))
		return ext_text;
	return NULL;
}

/* Whether the examples look like files: names with an extension, or a capital. */
static int examples_are_files(const struct argument *a)
{
	size_t files = 0, n = 0;

	for (; a->values && a->values[n]; n++) {
		const char *slash = strrchr(a->values[n], '/');
		const char *name = slash ? slash + 1 : a->values[n];

		files += (name[0] && strchr(name + 1, '.')) || isupper((unsigned char)name[0]);
	}
	return n && 2 * files > n;
}

static enum value_kind kind_of_path(const struct argument *a, const char *name)
{
	const char *d = a->description;

	if (a->exists && !strcmp(a->exists, "dir"))
		return KIND_DIRECTORY;
	if (a->exists && !strcmp(a->exists, "file"))
		return KIND_FILE;
	if (a->values && a->values[0])
		return examples_are_files(a) ? KIND_FILE : KIND_DIRECTORY;
	if (has_word(name, "dir") || has_word(name, "directory") || has_word(name, "folder"))
		return KIND_DIRECTORY;
	if (!has_word(name, "file") && !has_word(name, "config") && !has_word(d, "file") &&
		(has_word(d, "directory") || has_word(d, "folder") || has_word(d, "project")))
		return KIND_DIRECTORY;
	if (has_word(name, "path") && !has_word(d, "file"))
		return KIND_DIRECTORY;
	return KIND_FILE;
}

static enum value_kind kind_of_string(const struct argument *a, const char *name)
{
	enum value_kind kind = kind_by_words(name, KIND_COUNT), shape;

	if (kind != KIND_COUNT)
		return kind;
	kind = kind_by_words(a->name, KIND_COUNT);
	if (kind != KIND_COUNT)
		return kind;
	for (size_t i = 0; a->values && a->values[i]; i++) {
		shape = kind_of_text(a->values[i]);
		if (shape != KIND_COUNT)
			return shape;
	}
	if (a->values && a->values[0])
		return KIND_POOL;
	return kind_by_words(a->description, KIND_NAME);
}

static enum value_kind kind_of(const struct argument *a, const char *name)
{
	static const enum value_kind of_type[VALUE_TYPE_COUNT] = {[VALUE_INTEGER] = KIND_INTEGER,
		[VALUE_NUMBER] = KIND_NUMBER,
		[VALUE_BOOLEAN] = KIND_BOOLEAN,
		[VALUE_URL] = KIND_URL,
		[VALUE_HOST] = KIND_HOST,
		[VALUE_PORT] = KIND_PORT,
		[VALUE_DURATION] = KIND_DURATION,
		[VALUE_SIZE] = KIND_SIZE,
		[VALUE_IMAGE] = KIND_IMAGE};

	if (a->n_accepted)
		return KIND_ACCEPTED;
	/* A type that we do not know is like its examples, whatever they look like. */
	if ((a->passthrough || a->type == VALUE_OTHER) && a->values && a->values[0])
		return KIND_POOL;
	switch (a->type) {
	case VALUE_PATH:
		return kind_of_path(a, name);
	case VALUE_INTEGER:
		return has_word(name, "port") ? KIND_PORT : KIND_INTEGER;
	case VALUE_URL:
		return has_word(name, "postgres") || has_word(name, "database") ? KIND_DATABASE
										: KIND_URL;
	case VALUE_IDENTIFIER:
		return has_word(name, "id") ? KIND_UUID
					    : (has_word(name, "tag") ? KIND_TAG : KIND_NAME);
	case VALUE_STRING:
	case VALUE_OTHER:
	case VALUE_TYPE_COUNT:
		return kind_of_string(a, name);
	default:
		return of_type[a->type];
	}
}

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static int fits(pcre2_code *code, pcre2_match_data *match, const char *text)
{
	return pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0,
		       PCRE2_ANCHORED | PCRE2_ENDANCHORED, match, NULL) >= 0;
}

static int has_control(const char *s)
{
	while (*s && (unsigned char)*s >= 0x20 && *s != 0x7f)
		s++;
	return *s != '\0';
}

static int is_listed(const char *const *list, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return 1;
	return 0;
}

/* Whether the pattern merely forbids what is never drawn: every value of the own
 * kind fits, examples too. */
static int fits_anyway(const struct value_plan *p, pcre2_code *code, pcre2_match_data *match)
{
	struct buf value = {0};
	struct rng r;
	int fitting = 1;

	rng_init(&r, 0, RNG_SYNTH, 1, 0);
	for (size_t i = 0; i < p->n_pool && fitting; i++)
		fitting = fits(code, match, p->pool[i]);
	for (int i = 0; i < POOL_TRIES / 4 && fitting; i++) {
		buf_clear(&value);
		value_draw(p, &r, &value);
		fitting = fits(code, match, value.data);
	}
	buf_release(&value);
	return fitting;
}

/* Replaces free drawing by a pool of values that fit the pattern. */
static int fit_pattern(struct value_plan *p, const char *pattern, struct arena *arena)
{
	const char **pool = arena_alloc(arena, POOL_MAX * sizeof *pool);
	struct buf value = {0};
	size_t offset, n = 0;
	int error;
	pcre2_code *code = pcre2_compile(
		(PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &offset, NULL);
	pcre2_match_data *match = code ? pcre2_match_data_create_from_pattern(code, NULL) : NULL;
	struct rng r;

	if (!code)
		return -1;
	rng_init(&r, 0, RNG_SYNTH, 0, 0);
	if (fits_anyway(p, code, match)) {
		pcre2_match_data_free(match);
		pcre2_code_free(code);
		return 0;
	}
	for (int i = 0; i < POOL_TRIES && n < POOL_MAX; i++) {
		buf_clear(&value);
		/* The kind that its name suggests reads best, then other kinds that fit;
		 * what the pattern says letter by letter comes last. */
		if (i < POOL_TRIES / 4)
			value_draw(p, &r, &value);
		else if (i < POOL_TRIES / 2 && n < POOL_MAX / 2)
			value_draw_kind((enum value_kind)(KIND_INTEGER +
							  rng_below(&r, KIND_COUNT - KIND_INTEGER)),
				&r, &value);
		else if (n >= POOL_MAX / 8 || pattern_draw(pattern, &r, &value) < 0)
			continue;
		if (value.len && !has_control(value.data) && fits(code, match, value.data) &&
			!is_listed(pool, n, value.data))
			pool[n++] = arena_strdup(arena, value.data);
	}
	for (size_t i = 0; i < p->n_pool && n < POOL_MAX; i++)
		if (fits(code, match, p->pool[i]) && !is_listed(pool, n, p->pool[i]))
			pool[n++] = p->pool[i];
	if (p->argument->default_value && n < POOL_MAX &&
		fits(code, match, p->argument->default_value))
		pool[n++] = p->argument->default_value;
	pcre2_match_data_free(match);
	pcre2_code_free(code);
	buf_release(&value);
	p->pool = pool;
	p->n_pool = n;
	p->kind = KIND_POOL;
	return n ? 0 : -1;
}

/* The range to draw from: a part of what is allowed that can be reckoned with. */
static void set_range(struct value_plan *p, const struct argument *a)
{
	const double most = 0x1p60, most_real = 1e15;

	p->maximum =
		a->has_maximum ? (long long)fmin(fmax(a->maximum, -most), most) : LLONG_MAX / 4;
	p->minimum = a->has_minimum   ? (long long)fmin(fmax(a->minimum, -most), most)
		     : p->maximum < 1 ? p->maximum - 1000
				      : 1;
	p->real_minimum = a->has_minimum ? fmin(fmax(a->minimum, -most_real), most_real) : 0;
	p->real_maximum = a->has_maximum ? fmin(fmax(a->maximum, -most_real), most_real)
					 : p->real_minimum + 100;
	if (!a->has_minimum && p->real_maximum < 0)
		p->real_minimum = p->real_maximum - 100;
	if (p->minimum == 0 && p->maximum > 1)
		p->minimum = 1;
}

int value_plan_init(
	struct value_plan *p, const struct argument *a, const char *name, struct arena *arena)
{
	memset(p, 0, sizeof *p);
	p->argument = a;
	p->kind = kind_of(a, name);
	p->pool = a->values;
	p->n_pool = list_length(a->values);
	set_range(p, a);
	if (p->kind == KIND_FILE) {
		p->like_examples = examples_are_files(a);
		p->extensions = extensions(name, a->description);
	}
	if (p->kind == KIND_PORT && (p->minimum > 80 || p->maximum < 65535))
		if (a->has_minimum || (a->has_maximum && a->maximum < 65535))
			p->kind = p->minimum > 80 || p->maximum < 65535 ? KIND_INTEGER : KIND_PORT;
	p->example_share = p->n_pool > 40 ? 0.5 : p->n_pool > 8 ? 0.2 : 0.1;
	if (a->pattern && p->kind != KIND_ACCEPTED)
		return fit_pattern(p, a->pattern, arena);
	if (p->kind == KIND_POOL && !p->n_pool)
		p->kind = KIND_NAME;
	return 0;
}
