/* tokens.c - words to options and operands, for all dialects but argparse. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "cli/number_text.h"
#include "cli/value.h"

/* A word that was cut within a character must not make the message malformed. */
static void message_tidy(char *text)
{
	for (; *text; text++) {
		char saved, *end = text + 1;

		if (!((unsigned char)*text & 0x80))
			continue;
		while (((unsigned char)*end & 0xc0) == 0x80)
			end++;
		saved = *end;
		*end = '\0';
		if (!value_is_clean(text))
			memset(text, '?', (size_t)(end - text));
		*end = saved;
		text = end - 1;
	}
}

int parse_fail(struct parse *p, enum verdict_code code, int at, const char *fmt, ...)
{
	va_list args;

	p->verdict->code = code;
	p->verdict->at = at;
	va_start(args, fmt);
	vsnprintf(p->verdict->message, sizeof(p->verdict->message), fmt, args);
	va_end(args);
	message_tidy(p->verdict->message);
	return -1;
}

int unknown_option(struct parse *p, const char *word, size_t len, int at)
{
	const struct command *c = p->command;
	struct nearest nearest = {0};
	char name[SPEC_NAME_MAX + 1];

	snprintf(name, sizeof(name), "%.*s", (int)(len < 128 ? len : 128), word);
	for (size_t i = 0; i < c->n_options; i++) {
		nearest_offer(&nearest, name, c->options[i]->name);
		for (const char *const *a = c->options[i]->aliases; *a; a++)
			if ((*a)[1] == '-')
				nearest_offer(&nearest, name, *a);
	}
	if (nearest.text)
		return parse_fail(p, VERDICT_UNKNOWN_OPTION, at,
			"'%s' has no option '%s'; did you mean '%s'?", c->name, name, nearest.text);
	return parse_fail(p, VERDICT_UNKNOWN_OPTION, at, "'%s' has no option '%s'", c->name, name);
}

int occurrence_add(struct parse *p, const struct option *o, size_t n_values,
	const char *const *values, int at, int value_at)
{
	const char *canonical;

	if (p->n_occurrences == VERIFY_OPTIONS_MAX)
		return parse_fail(
			p, VERDICT_TOO_MANY, at, "more than %d options", VERIFY_OPTIONS_MAX);
	if (p->n_occurrences == p->cap_occurrences) {
		struct occurrence *grown =
			arena_alloc(p->arena, 2 * p->cap_occurrences * sizeof(*grown));

		memcpy(grown, p->occurrences, p->n_occurrences * sizeof(*grown));
		p->occurrences = grown;
		p->cap_occurrences *= 2;
	}
	if (p->traits->checks_overridden && o->argument)
		for (size_t i = 0; i < n_values; i++)
			if (option_value_check(p, o, values[i], value_at + (int)i, &canonical) < 0)
				return -1;
	p->occurrences[p->n_occurrences++] =
		(struct occurrence){o, values, n_values, at, value_at, p->command->depth};
	return 0;
}

void operand_add(struct parse *p, const char *text, int at)
{
	p->operands[p->n_operands++] = (struct operand){text, at};
}

/* The next word that names no command; -1 at the end. */
static int word_next(struct parse *p)
{
	while (p->taken && p->next < p->argc && p->taken[p->next])
		p->next++;
	return p->next < p->argc ? p->next++ : -1;
}

static int word_peek(struct parse *p)
{
	int at = word_next(p);

	if (at >= 0)
		p->next = at;
	return at;
}

static int matches_name(const char *name, const char *word, size_t len)
{
	return name[0] == '-' && name[1] == '-' && !strncmp(name, word, len);
}

/* Counts the long names that begin with word; the last option found. */
static int abbreviation_find(
	struct parse *p, const char *word, size_t len, int at, const struct option **option)
{
	const struct command *c = p->command;
	const char *first = NULL;

	*option = NULL;
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option *o = c->options[i];
		const char *name = o->name;

		for (const char *const *a = o->aliases; name; name = *a++) {
			if (!matches_name(name, word, len))
				continue;
			if (*option && (*option != o || p->traits->alias_ambiguous))
				return parse_fail(p, VERDICT_AMBIGUOUS_OPTION, at,
					"'%.*s' may mean '%s' or '%s'", (int)len, word, first,
					name);
			*option = o;
			first = name;
		}
	}
	return *option != NULL;
}

int long_option_find(
	struct parse *p, const char *name, size_t len, int at, const struct option **option)
{
	*option = lookup_option(p->command, name, len);
	if (*option)
		return 1;
	if (p->traits->abbreviations && len > 2 && name[1] == '-')
		return abbreviation_find(p, name, len, at, option);
	return 0;
}

/* Whether an option of this kind leaves the next word alone unless it is attached. */
static int value_optional(const struct option *o)
{
	return o->argument->min_count == 0;
}

/* How many further words an option with a value takes; the first may be attached. */
static int values_take(struct parse *p, const struct option *o, const char *spelling, size_t len,
	int at, const char *attached)
{
	const struct argument *a = o->argument;
	size_t least = a->min_count > 1 ? (size_t)a->min_count : 1, n = 0;
	const char **list;
	int word, value_at = at;

	if (!attached && value_optional(o)) {
		word = p->traits->optional_separate && !o->attached ? word_peek(p) : -1;
		if (word < 0 || (p->argv[word][0] == '-' && p->argv[word][1]))
			return occurrence_add(p, o, 0, NULL, at, at);
	}
	if (!attached && o->attached)
		return parse_fail(p, VERDICT_MISSING_VALUE, at,
			"'%.*s' takes its value only as %s=VALUE", (int)len, spelling, o->name);
	list = arena_alloc(p->arena, least * sizeof(*list));
	if (attached)
		list[n++] = attached;
	while (n < least) {
		word = word_next(p);
		if (word < 0 ||
			(!p->traits->dash_values && p->argv[word][0] == '-' && p->argv[word][1]))
			return parse_fail(p, VERDICT_MISSING_VALUE, word < 0 ? p->argc : word,
				"'%.*s' needs %s", (int)len, spelling,
				least > 1 ? "more values" : "a value");
		if (n == 0)
			value_at = word;
		list[n++] = p->argv[word];
	}
	return occurrence_add(p, o, n, list, at, value_at);
}

/* A flag with an attached value: Go's --flag=false; refused elsewhere. */
static int flag_valued(
	struct parse *p, const struct option *o, size_t len, int at, const char *value)
{
	static const char *const off[] = {"false"};
	const char *canonical;

	if (!p->traits->flag_values)
		return parse_fail(p, VERDICT_UNEXPECTED_VALUE, at, "'%.*s' takes no value",
			(int)len, p->argv[at]);
	if (!boolean_text(p->spec->dialect, value, &canonical))
		return parse_fail(p, VERDICT_BAD_TYPE, at, "'%.80s' is not a truth value", value);
	if (!strcmp(canonical, "true"))
		return occurrence_add(p, o, 0, NULL, at, at);
	return occurrence_add(p, o, 1, off, at, at);
}

/* A word that may be --name, --name=value or, with one_dash_long, -name.
 * 1: it was; 0: no such option; -1. */
static int long_read(struct parse *p, const char *word, int at)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct option *o;
	int found;

	if (p->traits->one_dash_long && word[1] == '-' && !lookup_option(p->command, word, len))
		word++, len--;
	found = long_option_find(p, word, len, at, &o);
	/* "-p" is a short option: "-p=5" is for short_read(). */
	if (found == 1 && word[1] != '-' && len == 2 && !p->traits->one_dash_long)
		found = 0;
	if (found <= 0)
		return found;
	if (!o->argument) {
		found = equals ? flag_valued(p, o, len, at, equals + 1)
			       : occurrence_add(p, o, 0, NULL, at, at);
	} else {
		found = values_take(p, o, word, len, at, equals ? equals + 1 : NULL);
	}
	return found < 0 ? -1 : 1;
}

/* Bytes of the character at s (valid UTF-8). */
static size_t character_size(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* The value in the rest of a cluster: "value", or "=value" where '=' separates.
 * pflag keeps a lone "=". */
static const char *cluster_value(const struct parse *p, const char *rest)
{
	if (!*rest || !p->traits->short_attached)
		return NULL;
	if (p->traits->short_equals && rest[0] == '=' &&
		(rest[1] || p->spec->dialect != DIALECT_COBRA))
		return rest + 1;
	return rest;
}

/* -a, -abc, -ovalue.  Unknown letters are gathered in *unknown where they may pass. */
static int short_read(struct parse *p, const char *word, int at, int ignores, char **unknown)
{
	char spelling[8] = "-", *out = NULL;

	for (const char *s = word + 1; *s;) {
		size_t size = character_size(s);
		const struct option *o;

		memcpy(spelling + 1, s, size);
		o = lookup_option(p->command, spelling, size + 1);
		s += size;
		if (!o && ignores) {
			if (!out) {
				out = *unknown = arena_alloc(p->arena, strlen(word) + 1);
				*out++ = '-';
			}
			memcpy(out, s - size, size);
			out += size;
			*out = '\0';
			continue;
		}
		if (!o)
			return unknown_option(p, word[2] && !p->traits->clusters ? word : spelling,
				word[2] && !p->traits->clusters ? strlen(word) : size + 1, at);
		if (o->argument && p->traits->optional_equals && value_optional(o) && s[0] != '=') {
			if (occurrence_add(p, o, 0, NULL, at, at) < 0)
				return -1;
			continue;
		}
		if (o->argument) {
			const char *attached = cluster_value(p, s);

			if (*s && !attached)
				return parse_fail(p, VERDICT_MISSING_VALUE, at,
					"'%s' needs its value as the next word", o->name);
			return values_take(p, o, spelling, size + 1, at, attached);
		}
		if (p->traits->flag_values && s[0] == '=' && s[1])
			return flag_valued(p, o, size + 1, at, s + 1);
		if (occurrence_add(p, o, 0, NULL, at, at) < 0)
			return -1;
	}
	return 0;
}

static int option_read(struct parse *p, const char *word, int at, int ignores)
{
	const struct dialect_traits *t = p->traits;
	char *unknown = NULL;
	int rc;

	if (t->long_options || t->one_dash_long) {
		rc = long_read(p, word, at);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		if (word[1] == '-' || t->one_dash_long) {
			if (!ignores)
				return unknown_option(p, word, strcspn(word, "="), at);
			operand_add(p, word, at);
			return 0;
		}
	}
	rc = short_read(p, word, at, ignores, &unknown);
	if (rc == 0 && unknown)
		operand_add(p, unknown, at);
	return rc;
}

static const struct argument *passthrough_of(const struct command *c)
{
	const struct argument *last = c->n_arguments ? c->arguments[c->n_arguments - 1] : NULL;

	return last && last->passthrough ? last : NULL;
}

/* All that is left goes to the operands as it is. */
static void rest_take(struct parse *p)
{
	int at;

	while ((at = word_next(p)) >= 0)
		operand_add(p, p->argv[at], at);
}

/* Whether an operand ends the options of this level. */
static int operand_ends(const struct parse *p, const struct argument *passthrough)
{
	const struct command *c = p->command;

	if (!p->traits->interspersed || (c->n_commands > 0 && !p->traits->late_options))
		return 1;
	return passthrough && !p->traits->ignores_unknown && p->n_operands + 1 >= c->n_arguments;
}

int tokens_read(struct parse *p)
{
	const struct argument *passthrough = passthrough_of(p->command);
	int ignores = passthrough && p->traits->ignores_unknown, at;

	while ((at = word_next(p)) >= 0) {
		const char *word = p->argv[at];
		int is_option = word[0] == '-' && word[1];

		if (!strcmp(word, "--")) {
			rest_take(p);
			return 0;
		}
		if (is_option) {
			if (option_read(p, word, at, ignores) < 0)
				return -1;
			if (p->traits->eager == EAGER_AT_ONCE && p->n_occurrences > 0 &&
				p->occurrences[p->n_occurrences - 1].option->eager)
				return 0;
			continue;
		}
		operand_add(p, word, at);
		if (operand_ends(p, passthrough))
			rest_take(p);
	}
	return 0;
}

int tokens_reread(struct parse *p, int from)
{
	p->next = from;
	p->n_operands = 0;
	return tokens_read(p);
}
