/* usage.c - reads usage lines. */
#include "help/usage.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "help/entry.h"
#include "help/infer.h"
#include "help/term.h"

struct state {
	struct help_command *command;
	struct help_usage *usage;
	struct arena *arena;
	size_t line, n_seen, n_described;
};

/* Bytes of the group at s: a bracket with what it holds, or a word; dots included. */
static size_t token_length(const char *s)
{
	size_t i = 0;
	int depth = 0;

	for (; s[i]; i++) {
		if (strchr("[({<", s[i]))
			depth++;
		else if (strchr("])}>", s[i]) && depth > 0)
			depth--;
		else if (s[i] == ' ' && depth == 0)
			break;
	}
	if (!strncmp(s + i, " ...", 4))
		i += 4;
	return i;
}

static int word_is(const char *s, size_t len, const char *const *words)
{
	while (len > 0 && strchr("[<(", *s))
		s++, len--;
	while (len > 0 && strchr("]>).", s[len - 1]))
		len--;
	for (; *words; words++)
		if (strlen(*words) == len && !strncasecmp(*words, s, len))
			return 1;
	return 0;
}

static const char *const placeholders[] = {"options", "option", "flags", "opts", "global options",
	"global_options", "options...", "global-options", "common options", "global flags", "--",
	"-", "|", NULL};
static const char *const commands[] = {
	"command", "subcommand", "commands", "cmd", "verb", "action", "sub-command", NULL};
static const char *const command_rest[] = {"args", "arg", "arguments", NULL};

static struct help_argument *argument_find(struct help_command *c, const char *name)
{
	for (size_t i = 0; i < c->n_arguments; i++)
		if (!strcmp(c->arguments[i].value.name, name))
			return &c->arguments[i];
	return NULL;
}

/* Moves the argument to the place where the usage line has it. */
static void argument_place(struct state *s, struct help_argument *a)
{
	struct help_command *c = s->command;
	size_t i = (size_t)(a - c->arguments);
	struct help_argument moved = *a;

	if (i < s->n_seen)
		return;
	memmove(&c->arguments[s->n_seen + 1], &c->arguments[s->n_seen],
		(i - s->n_seen) * sizeof moved);
	c->arguments[s->n_seen++] = moved;
}

static void positional_read(struct state *s, const char *t, size_t len, int optional)
{
	struct help_argument *a, fresh = {.description = "", .line = s->line, .sure = 0.7};
	int repeated;

	help_term_value(t, len, s->arena, &fresh.value, &repeated);
	if (repeated || fresh.value.max > 1)
		fresh.value.max = repeated ? -1 : fresh.value.max;
	if (optional)
		fresh.value.min = 0;
	if (fresh.value.n_choices && !strcmp(fresh.value.name, "value"))
		fresh.value.name = "choice";
	a = argument_find(s->command, fresh.value.name);
	if (a) {
		/* argparse: NAME [NAME ...] */
		if (a < s->command->arguments + s->n_seen) {
			if (fresh.value.max < 0)
				a->value.max = -1;
			else if (a->value.max > 0)
				a->value.min += fresh.value.min, a->value.max += fresh.value.max;
			return;
		}
		a->value.min = fresh.value.min;
		a->value.max = fresh.value.max;
		if (!a->value.n_choices) {
			a->value.choices = fresh.value.choices;
			a->value.n_choices = fresh.value.n_choices;
		}
		a->sure = 0.95;
	} else {
		/* Whoever lists arguments lists them all; other words are hints. */
		if (s->n_described > 0 || s->command->n_arguments >= HELP_ARGUMENTS_MAX)
			return;
		help_argument_add(s->command, &fresh);
		a = &s->command->arguments[s->command->n_arguments - 1];
	}
	argument_place(s, a);
}

/* An option within the usage: unknown ones are added; one outside of brackets is
 * required.  Returns the bytes read. */
static size_t option_usage(struct state *s, const char *t, size_t len, int optional, int alone)
{
	struct help_option o = {.description = "",
		.group = "",
		.line = s->line,
		.sure = 0.6,
		.flag_default = -1,
		.from_usage = 1};
	char *text = arena_strndup(s->arena, t, len);
	size_t name = strcspn(t, " =[|<,"), i = name;
	struct help_option *known;
	const char *rest;

	text[name < len ? name : len] = '\0';
	known = help_option_find(s->command, text);
	if (known) {
		if (known->takes_value && i < len && t[i] == ' ') {
			int n = known->value.min > 0 ? known->value.min : 1;

			for (; n > 0 && i < len && t[i] == ' '; n--)
				i += 1 + token_length(t + i + 1);
			/* TAG [TAG ...] */
			if (known->value.max < 0 && i + 1 < len && t[i + 1] == '[')
				i += 1 + token_length(t + i + 1);
		} else if (i < len && t[i] == '=') {
			i += token_length(t + i);
		}
		if (!optional && alone && strcmp(text, "-h") != 0 && !known->from_usage)
			known->required = 1;
		return i < len ? i : len;
	}
	if (alone) {
		len = token_length(t);
		if (t[len] == ' ' && (isupper((unsigned char)t[len + 1]) || t[len + 1] == '<'))
			len += 1 + token_length(t + len + 1);
	}
	text = arena_strndup(s->arena, t, len);
	if (help_term_option(text, 0, s->arena, &o, &rest) == 0 && !rest) {
		o.required = !optional && alone;
		help_option_add(s->command, &o);
	}
	return len;
}

static void group_read(struct state *s, const char *t, size_t len, int optional);

/* Notes the next alternative of a group; *ok ends where it is no option that is known,
 * or one that is noted already. */
static void exclusive_note(struct state *s, struct help_exclusive *e, int *ok, const char *t)
{
	const char *name = arena_strndup(s->arena, t, strcspn(t, " =[|<,])"));
	struct help_option *o = help_is_option(t) ? help_option_find(s->command, name) : NULL;

	*ok = *ok && o && e->n < HELP_NAMES_MAX;
	for (size_t i = 0; *ok && i < e->n; i++)
		*ok = help_option_find(s->command, e->names[i]) != o;
	if (*ok)
		e->names[e->n++] = name;
}

/* [-a | -b X], (--x | --y), [FILE] [FILE ...] */
static void bracket_read(struct state *s, const char *t, size_t len, int optional)
{
	struct help_exclusive exclusive = {.needed = t[0] == '(' && !optional};
	size_t from = 1, depth = 0, dots = 0;
	int several = 0, ok = 1;

	while (dots < len && t[len - 1 - dots] == '.')
		dots++;
	for (size_t i = 1; i < len; i++) {
		depth += strchr("[({<", t[i]) != NULL;
		if (depth > 0 && strchr("])}>", t[i]))
			depth--;
		several |= depth == 0 && t[i] == '|';
	}
	if (!several && !help_is_option(t + 1) && t[1] != '[' && t[1] != '(') {
		positional_read(s, t, len, optional);
		return;
	}
	depth = 0;
	for (size_t i = 1; i < len; i++) {
		int closes = depth == 0 && strchr("])", t[i]) != NULL;

		if (!closes && strchr("[({<", t[i]))
			depth++;
		if (!closes && depth > 0 && strchr("])}>", t[i]))
			depth--;
		if (closes || (depth == 0 && t[i] == '|')) {
			while (from < i && t[from] == ' ')
				from++;
			group_read(s, t + from, i - from, optional || t[0] == '[' || several);
			exclusive_note(s, &exclusive, &ok, t + from);
			from = i + 1;
		}
		if (closes)
			break;
	}
	if (ok && several && exclusive.n > 1)
		help_exclusive_add(s->command, &exclusive);
}

static void token_read(struct state *s, const char *t, size_t len, int optional)
{
	if (word_is(t, len, placeholders) || strcasestr(t, "options]") == t + 1 ||
		!strncasecmp(t, "[more options", 13))
		return;
	if (word_is(t, len, commands) && s->command->n_children > 0) {
		s->usage->commands = *t == '[' || optional ? 1 : 2;
		return;
	}
	if (s->usage->commands && word_is(t, len, command_rest))
		return;
	if (*t == '{' && len > 4 && !strncmp(t + len - 4, " ...", 4))
		s->usage->commands = 2;
	if (*t == '[' || *t == '(')
		bracket_read(s, t, len, optional || *t == '[');
	else if (isalnum((unsigned char)*t) || *t == '<' || *t == '{')
		positional_read(s, t, len, optional);
}

static void group_read(struct state *s, const char *t, size_t len, int optional)
{
	for (size_t i = 0; i < len;) {
		size_t n;

		while (i < len && t[i] == ' ')
			i++;
		if (i == len)
			break;
		if (help_is_option(t + i)) {
			i += option_usage(s, t + i, len - i, optional, 0);
			continue;
		}
		n = token_length(t + i);
		if (n == 0 || n > len - i)
			n = len - i;
		token_read(s, t + i, n, optional);
		i += n;
	}
}

/* Behind the words of the line that name the program and the commands above: the
 * command's own name, which may stand behind what its parent takes. */
static const char *path_skip(const struct help_command *c, const char *s)
{
	size_t n = strlen(c->name);

	s += strcspn(s, " ");
	s += strspn(s, " ");
	for (const char *t = s; c->parent && *t; t += strspn(t, " ")) {
		size_t len = strcspn(t, " ");

		if (len == n && !strncmp(t, c->name, n))
			return t + len + strspn(t + len, " ");
		t += len;
	}
	return s;
}

void help_usage_read(struct help_command *c, const char *line, size_t number, struct arena *arena,
	struct help_usage *usage)
{
	struct state s = {.command = c,
		.usage = usage,
		.arena = arena,
		.line = number,
		.n_described = c->n_arguments};
	const char *t = path_skip(c, line);

	if (!usage->program)
		usage->program = arena_strndup(arena, line, strcspn(line, " "));
	while (*t) {
		size_t n;

		t += strspn(t, " ");
		if (!*t)
			break;
		n = token_length(t);
		if (help_is_option(t))
			n = option_usage(&s, t, strlen(t), 0, 1);
		else
			token_read(&s, t, n, 0);
		t += n ? n : 1;
	}
	c->runnable = usage->commands != 2;
}
