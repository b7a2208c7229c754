/* explain.c - what each word of a valid argv does, in the words of the spec. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/explain.h"
#include "cli/parse.h"

static const char *text_format(struct arena *arena, const char *fmt, ...) ATTR_PRINTF(2, 3);

static const char *text_format(struct arena *arena, const char *fmt, ...)
{
	struct buf b = {0};
	char small[512];
	va_list args, again;
	const char *out;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(small, sizeof(small), fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n >= sizeof(small)) {
		buf_reserve(&b, (size_t)n + 1);
		vsnprintf(b.data, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	out = arena_strdup(arena, b.data ? b.data : small);
	buf_release(&b);
	return out;
}

static const char *careful(struct arena *arena, const char *text, const char *danger)
{
	return danger ? text_format(arena, "%s Careful: %s.", text, danger) : text;
}

static const char *option_text(struct arena *arena, const struct option *o)
{
	const char *text = o->description;

	if (!*text && o->negates)
		text = text_format(arena, "Turns off %s.", o->negates->name);
	else if (!*text)
		text = text_format(arena, "The option %s.", o->name);
	return careful(arena, text, o->danger);
}

/* The first phrase by which people ask for an accepted value; NULL. */
static const char *value_phrase(const struct argument *a, const char *value)
{
	for (size_t i = 0; i < a->n_accepted; i++)
		if (!strcmp(a->accepted[i].value, value) && a->accepted[i].says[0])
			return a->accepted[i].says[0];
	return NULL;
}

static const char *value_text(
	struct arena *arena, const char *owner, const struct argument *a, const char *value)
{
	const char *phrase = value_phrase(a, value);
	int usual = a->default_value && !strcmp(a->default_value, value);

	if (phrase)
		return text_format(arena, "Value of %s: %s%s.", owner, phrase,
			usual ? " (as without it)" : "");
	return text_format(arena, "Value of %s, of type %s%s.", owner, a->type_name,
		usual ? " (the default)" : "");
}

static void line_add(struct arena *arena, const char **line, const char *text)
{
	*line = *line ? text_format(arena, "%s %s", *line, text) : text;
}

/* Whether a later word says the same or the contrary. */
static int is_replaced(const struct parse *p, const struct occurrence *u)
{
	const struct occurrence *end = p->occurrences + p->n_occurrences;

	if (u->option->repeatable)
		return 0;
	for (const struct occurrence *later = u + 1; later < end; later++)
		if (later->option == u->option || later->option->negates == u->option ||
			u->option->negates == later->option)
			return 1;
	return 0;
}

static void occurrence_explain(struct parse *p, const struct occurrence *u, const char **lines)
{
	const struct option *o = u->option;

	line_add(p->arena, &lines[u->at], option_text(p->arena, o));
	for (size_t i = 0; o->argument && i < u->n_values; i++) {
		int at = u->value_at + (int)i;

		/* After --o=v the first value stands in the word of the option. */
		if (u->value_at == u->at || at >= p->argc)
			at = u->at + (int)i;
		line_add(p->arena, &lines[at],
			value_text(p->arena, o->name, o->argument, u->values[i]));
	}
}

static void operands_explain(struct parse *p, const char **lines)
{
	size_t next = 0;

	for (size_t i = 0; i < p->n_pending; i++) {
		const struct meaning_item *item = &p->pending[i].item;
		const struct argument *a = item->argument;

		for (size_t k = 0; !item->option && k < item->n_values; k++) {
			int at = p->operands[next++].at;

			line_add(p->arena, &lines[at],
				*a->description
					? a->description
					: value_text(p->arena, a->name, a, item->values[k]));
		}
	}
}

static void commands_explain(struct parse *p, const char **lines)
{
	for (const struct command *c = p->command; c->parent; c = c->parent)
		lines[p->command_at[c->depth]] = careful(p->arena,
			*c->description ? c->description
					: text_format(p->arena, "The command %s.", c->name),
			c->danger);
	lines[0] = *p->spec->summary ? p->spec->summary
				     : text_format(p->arena, "The program %s.", p->spec->name);
}

int explain_words(const struct spec *spec, int argc, const char *const *argv, struct arena *arena,
	const char *const **lines, struct error *err)
{
	struct parse p;
	struct verdict v;
	const char **out;
	int rc = parse_run(&p, spec, argc, argv, arena, &v);

	if (rc < 0)
		return error_set(err, EXIT_DATA, "word %d: %s", v.at, v.message);
	out = arena_zalloc(arena, ((size_t)argc + 1) * sizeof(*out));
	commands_explain(&p, out);
	for (size_t i = 0; i < p.n_occurrences; i++) {
		const struct occurrence *u = &p.occurrences[i];

		if (rc == 1 ? u->option == p.eager && u->at == p.eager_at : !is_replaced(&p, u))
			occurrence_explain(&p, u, out);
	}
	if (rc == 0)
		operands_explain(&p, out);
	for (int i = 0; i < argc; i++)
		if (!out[i])
			out[i] = rc == 0 && !strcmp(argv[i], "--")
					 ? "Ends the options: what follows is taken as it is."
				 : rc == 1 ? "Not looked at: what is asked for acts alone."
					   : "Replaced by a later word.";
	*lines = out;
	return 0;
}
