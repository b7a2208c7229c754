/* infer.c - types, defaults, accepted values and ranges out of words. */
#include "help/infer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "help/measure.h"

static const struct {
	const char *metavar;
	enum value_type type;
} metavar_types[] = {
	{"INTEGER", VALUE_INTEGER},
	{"INT", VALUE_INTEGER},
	{"uint", VALUE_INTEGER},
	{"int32", VALUE_INTEGER},
	{"int64", VALUE_INTEGER},
	{"N", VALUE_INTEGER},
	{"NUM", VALUE_INTEGER},
	{"NUMBER", VALUE_INTEGER},
	{"COUNT", VALUE_INTEGER},
	{"FLOAT", VALUE_NUMBER},
	{"float64", VALUE_NUMBER},
	{"float32", VALUE_NUMBER},
	{"BOOLEAN", VALUE_BOOLEAN},
	{"PATH", VALUE_PATH},
	{"FILE", VALUE_PATH},
	{"FILENAME", VALUE_PATH},
	{"FILEPATH", VALUE_PATH},
	{"DIR", VALUE_PATH},
	{"DIRECTORY", VALUE_PATH},
	{"FOLDER", VALUE_PATH},
	{"URL", VALUE_URL},
	{"URI", VALUE_URL},
	{"HOST", VALUE_HOST},
	{"HOSTNAME", VALUE_HOST},
	{"PORT", VALUE_PORT},
	{"DURATION", VALUE_DURATION},
};

enum value_type help_type_of(const char *metavar)
{
	char word[41];
	size_t n = 0;

	for (const char *s = metavar; *s && n < sizeof word - 1; s++)
		if (isalnum((unsigned char)*s))
			word[n++] = *s;
		else if (n > 0 && strchr("_ -", *s))
			n = 0; /* OUTPUT_FILE: the last word tells */
	word[n] = '\0';
	for (size_t i = 0; i < sizeof metavar_types / sizeof *metavar_types; i++)
		if (!strcasecmp(word, metavar_types[i].metavar))
			return metavar_types[i].type;
	return VALUE_STRING;
}

static int number_at(const char **s, double *value)
{
	char *end;

	*value = strtod(*s, &end);
	if (end == *s || !isfinite(*value))
		return 0;
	*s = end;
	return 1;
}

int help_range_read(const char *text, struct help_value *v)
{
	const char *s = text + strspn(text, " [(");
	double low, high;
	int found = 0, strict;

	if (number_at(&s, &low) && *s == '<') {
		strict = s[1] != '=';
		s += 2 - strict;
		v->has_minimum = found = 1;
		v->minimum = strict && v->type == VALUE_INTEGER ? low + 1 : low;
	}
	if (*s != 'x')
		return found;
	s++;
	if (*s == '>' || *s == '<') {
		int greater = *s == '>';

		strict = s[1] != '=';
		s += 2 - strict;
		if (!number_at(&s, &high))
			return found;
		if (greater) {
			v->has_minimum = 1;
			v->minimum = strict && v->type == VALUE_INTEGER ? high + 1 : high;
		} else {
			v->has_maximum = 1;
			v->maximum = strict && v->type == VALUE_INTEGER ? high - 1 : high;
		}
		found = 1;
	}
	return found;
}

/* The bracketed note, "[a: b; c]" or "(default: x)", that holds the key. */
static const char *note_find(const char *d, const char *key, size_t *len)
{
	size_t n = strlen(key);

	for (const char *s = strcasestr(d, key); s; s = strcasestr(s + 1, key)) {
		const char *end;
		char opens;
		int depth = 0;

		if (s == d || isalnum((unsigned char)s[-1]) || s[-1] == '-')
			continue;
		for (opens = s[-1]; opens == ' ' && s - d > 2 && strchr(";,", s[-2]); opens = '[')
			;
		if (!strchr("[({,;", opens))
			continue;
		for (end = s + n; *end; end++) {
			if (strchr("[({", *end))
				depth++;
			else if (strchr("])}", *end) && depth-- == 0)
				break;
			else if (*end == ';' && opens == '[' && depth == 0)
				break;
		}
		if (!*end)
			continue;
		*len = (size_t)(end - s) - n;
		return s + n;
	}
	return NULL;
}

static const char *trim(const char *s, size_t *len)
{
	while (*len > 0 && strchr(" :=", *s))
		s++, (*len)--;
	while (*len > 0 && strchr(" ,", s[*len - 1]))
		(*len)--;
	if (*len >= 2 && strchr("\"'`", s[0]) && s[*len - 1] == s[0])
		s++, *len -= 2;
	return s;
}

static int is_null(const char *s, size_t len)
{
	static const char *const words[] = {
		"None", "null", "nil", "none set", "not set", "unset", "[]", "{}", "\"\"", NULL};

	for (size_t i = 0; words[i]; i++)
		if (strlen(words[i]) == len && !strncmp(words[i], s, len))
			return 1;
	return len == 0;
}

/* What is stated in a sentence: "Default is X.", "Defaults to X". */
static const char *sentence_default(const char *d, size_t *len)
{
	static const char *const heads[] = {
		"Default: ", "Default is ", "defaults to ", "default is ", "default to ", NULL};

	for (size_t i = 0; heads[i]; i++) {
		const char *s = strstr(d, heads[i]);

		if (!s && i == 2)
			s = strstr(d, "Defaults to ");
		if (!s)
			continue;
		s += strlen(heads[i]);
		*len = strcspn(s, " ,;)]");
		if (*s == '"' || *s == '\'' || *s == '`') {
			const char *end = strchr(s + 1, *s);

			if (end)
				*len = (size_t)(end - s) + 1;
		} else if (s[*len] == ' ') {
			return NULL; /* a phrase, not a value */
		}
		while (*len > 0 && s[*len - 1] == '.')
			(*len)--;
		return s;
	}
	return NULL;
}

static void default_infer(const char *d, struct help_value *v, struct arena *arena)
{
	size_t len = 0;
	const char *s = note_find(d, "default:", &len);

	if (!s)
		s = note_find(d, "default=", &len);
	if (!s)
		s = note_find(d, "default is", &len);
	if (!s)
		s = note_find(d, "default ", &len);
	if (!s)
		s = note_find(d, "defaults to", &len);
	if (!s)
		s = sentence_default(d, &len);
	if (!s)
		return;
	s = trim(s, &len);
	if (is_null(s, len) || len > 200 || *s == '(' || memchr(s, '<', len) != NULL)
		return;
	v->default_value = arena_strndup(arena, s, len);
}

/* "[possible values: a, b]", "{a,b}", "one of: a, b". */
static void choices_infer(const char *d, struct help_value *v, struct arena *arena)
{
	static const char *const heads[] = {
		"possible values:", "choices:", "one of:", "allowed values:", "one of ", NULL};
	const char *list[HELP_CHOICES_MAX];
	size_t n = 0, len = 0;
	const char *s = NULL;

	for (size_t i = 0; heads[i] && !s; i++)
		s = note_find(d, heads[i], &len);
	if (!s || v->n_choices)
		return;
	while (len > 0 && n < HELP_CHOICES_MAX) {
		size_t word = 0;
		const char *w;

		while (word < len && s[word] != ',' && s[word] != '|')
			word++;
		w = s;
		s += word < len ? word + 1 : word;
		len -= word < len ? word + 1 : word;
		w = trim(w, &word);
		if (word == 0 || word > 40 || memchr(w, ' ', word))
			return;
		list[n++] = arena_strndup(arena, w, word);
	}
	if (n < 2)
		return;
	v->choices = arena_alloc(arena, n * sizeof *v->choices);
	memcpy(v->choices, list, n * sizeof *list);
	v->n_choices = n;
}

/* clap's long form: "Possible values: - a: what it means - b: ..." */
static void listed_infer(const char *d, struct help_value *v, struct arena *arena)
{
	const char *s = strstr(d, "Possible values: - "), *list[HELP_CHOICES_MAX];
	size_t n = 0;

	for (; s && !v->n_choices && n < HELP_CHOICES_MAX; s = strstr(s + 1, " - ")) {
		const char *word = strstr(s, " - ") + 3;
		size_t len = strcspn(word, " :");

		if (len == 0 || (word[len] == ' ' && strncmp(word + len, " - ", 3) != 0 &&
					word[len + 1] != '['))
			continue;
		list[n++] = arena_strndup(arena, word, len);
		s = word - 3;
	}
	if (n < 2)
		return;
	v->choices = arena_alloc(arena, n * sizeof *v->choices);
	memcpy(v->choices, list, n * sizeof *list);
	v->n_choices = n;
}

/* click's note of a range: "[...; 1<=x<=5]". */
static void range_infer(const char *d, struct help_value *v)
{
	if (v->type != VALUE_INTEGER && v->type != VALUE_NUMBER)
		return;
	for (const char *s = strchr(d, 'x'); s && !v->has_minimum && !v->has_maximum;
		s = strchr(s + 1, 'x')) {
		const char *from = s;

		if (s == d || (!strchr("<>", s[1]) && !strchr("<=", s[-1])) || !s[1])
			continue;
		while (from > d && !strchr(" [;", from[-1]))
			from--;
		help_range_read(from, v);
	}
}

static int fits(enum value_type type, const char *text)
{
	char *end;
	double x;

	if (type == VALUE_BOOLEAN)
		return !strcasecmp(text, "true") || !strcasecmp(text, "false");
	if (type != VALUE_INTEGER && type != VALUE_NUMBER && type != VALUE_PORT)
		return 1;
	x = strtod(text, &end);
	if (*end || end == text || !isfinite(x))
		return 0;
	if (type == VALUE_PORT && (x < 0 || x > 65535))
		return 0;
	return type == VALUE_NUMBER || (x == floor(x) && fabs(x) < 1e15 && !strpbrk(text, ".eExX"));
}

void help_value_settle(struct help_value *v)
{
	int ok = !v->default_value || fits(v->type, v->default_value);

	for (size_t i = 0; i < v->n_choices; i++)
		ok &= fits(v->type, v->choices[i]);
	if (!ok || v->n_choices)
		v->type = VALUE_STRING;
	if (v->type != VALUE_INTEGER && v->type != VALUE_NUMBER && v->type != VALUE_PORT)
		v->has_minimum = v->has_maximum = 0;
	if (v->has_minimum && v->has_maximum && v->minimum > v->maximum)
		v->has_minimum = v->has_maximum = 0;
	if (v->default_value && v->n_choices) {
		size_t i = 0, insensitive = v->n_choices;

		for (; i < v->n_choices && strcmp(v->choices[i], v->default_value) != 0; i++)
			if (!strcasecmp(v->choices[i], v->default_value))
				insensitive = i;
		if (i == v->n_choices)
			v->default_value =
				insensitive < v->n_choices ? v->choices[insensitive] : NULL;
	}
	if (v->default_value && (v->has_minimum || v->has_maximum)) {
		double x = strtod(v->default_value, NULL);

		if ((v->has_minimum && x < v->minimum) || (v->has_maximum && x > v->maximum))
			v->has_minimum = v->has_maximum = 0;
	}
}

static int is_marked(const char *d, const char *word)
{
	size_t len;
	const char *s = note_find(d, word, &len);

	return s && len == strspn(s, " ");
}

/* The variable of "[env var: X; ...]", "[env: X=]", "[$X]"; NULL: none. */
static const char *environment_infer(const char *d, struct arena *arena)
{
	size_t len = 0, n = 0;
	const char *s = note_find(d, "env var:", &len);

	if (!s)
		s = note_find(d, "env:", &len);
	if (!s)
		s = note_find(d, "$", &len);
	if (!s)
		return NULL;
	s = trim(s, &len);
	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == '_'))
		n++;
	return n > 1 ? arena_strndup(arena, s, n) : NULL;
}

static int says_repeatable(const char *d)
{
	static const char *const words[] = {"multiple times", "may be repeated", "can be repeated",
		"more than once", "several times", "be used multiple", "be given multiple",
		"repeat for", "(repeatable)", "specified multiple", NULL};

	for (size_t i = 0; words[i]; i++)
		if (strcasestr(d, words[i]))
			return 1;
	return 0;
}

/* A flag's default: on or off. */
static void flag_default_infer(struct help_option *o, struct arena *arena)
{
	struct help_value stated = {0};

	o->flag_default = -1;
	default_infer(o->description, &stated, arena);
	if (!stated.default_value)
		return;
	for (size_t i = 0; i < o->n_negative; i++)
		if (!strcmp(o->negative[i] + strspn(o->negative[i], "-"), stated.default_value))
			o->flag_default = 0;
	for (size_t i = 0; i < o->n_names; i++)
		if (!strcmp(o->names[i] + strspn(o->names[i], "-"), stated.default_value))
			o->flag_default = 1;
	if (!strcasecmp(stated.default_value, "true"))
		o->flag_default = 1;
	else if (!strcasecmp(stated.default_value, "false"))
		o->flag_default = 0;
}

void help_infer_option(struct help_option *o, struct arena *arena)
{
	const char *d = o->description;

	o->environment = environment_infer(d, arena);
	o->required |= is_marked(d, "required");
	o->repeatable |= says_repeatable(d);
	if (!o->takes_value) {
		flag_default_infer(o, arena);
		return;
	}
	o->flag_default = -1;
	choices_infer(d, &o->value, arena);
	listed_infer(d, &o->value, arena);
	range_infer(d, &o->value);
	default_infer(d, &o->value, arena);
	help_measure(&o->value, d);
	help_value_settle(&o->value);
}

void help_infer_argument(struct help_argument *a, struct arena *arena)
{
	choices_infer(a->description, &a->value, arena);
	listed_infer(a->description, &a->value, arena);
	range_infer(a->description, &a->value);
	default_infer(a->description, &a->value, arena);
	help_measure(&a->value, a->description);
	help_value_settle(&a->value);
}
