/* settle.c - from occurrences and operands to what the argv states. */
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "cli/value.h"

/* Checks one value, naming the option or argument in the verdict. */
static int value_settle(struct parse *p, const char *owner, const struct argument *a,
	const char *value, int at, const char **canonical)
{
	char message[400];
	enum verdict_code code;

	code = value_check(
		p->spec->dialect, a, value, p->arena, canonical, message, sizeof(message));
	if (code == VERDICT_OK)
		return 0;
	return parse_fail(p, code, at, "%s: %s", owner, message);
}

static size_t pieces_count(const char *value, char separator)
{
	size_t n = 1;

	for (; separator && *value; value++)
		n += *value == separator;
	return n;
}

/* Splits a list value; each piece is checked by itself. */
static int pieces_settle(
	struct parse *p, const struct option *o, const char *value, int at, const char **out)
{
	const char *end;

	for (;; value = end + 1) {
		end = o->separator ? strchr(value, o->separator) : NULL;
		if (!end)
			return value_settle(p, o->name, o->argument, value, at, out);
		if (value_settle(p, o->name, o->argument,
			    arena_strndup(p->arena, value, (size_t)(end - value)), at, out++) < 0)
			return -1;
	}
}

int option_value_check(
	struct parse *p, const struct option *o, const char *value, int at, const char **canonical)
{
	const char **pieces;

	if (!o->separator)
		return value_settle(p, o->name, o->argument, value, at, canonical);
	pieces = arena_alloc(p->arena, pieces_count(value, o->separator) * sizeof(*pieces));
	*canonical = value;
	return pieces_settle(p, o, value, at, pieces);
}

static struct pending *pending_add(struct parse *p)
{
	if (p->n_pending == p->cap_pending) {
		size_t cap = p->cap_pending ? 2 * p->cap_pending : 16;
		struct pending *grown = arena_alloc(p->arena, cap * sizeof(*grown));

		if (p->n_pending)
			memcpy(grown, p->pending, p->n_pending * sizeof(*grown));
		p->pending = grown;
		p->cap_pending = cap;
	}
	return &p->pending[p->n_pending++];
}

/* The option of which o is one of two sides (--pull, --no-pull). */
static const struct option *pair_of(const struct option *o)
{
	return o->negates ? o->negates : o;
}

static struct pending *pending_find(struct parse *p, const struct option *o)
{
	for (size_t i = 0; i < p->n_pending; i++)
		if (p->pending[i].item.option && pair_of(p->pending[i].item.option) == pair_of(o))
			return &p->pending[i];
	return NULL;
}

/* Appends the (split, canonical) values of an occurrence to an item. */
static int values_settle(struct parse *p, const struct occurrence *u, struct pending *entry)
{
	const struct option *o = u->option;
	struct meaning_item *item = &entry->item;
	size_t n = item->n_values, total = n;
	const char **values = (const char **)item->values;

	for (size_t i = 0; i < u->n_values; i++)
		total += pieces_count(u->values[i], o->separator);
	if (!values || total + 1 > entry->cap_values) {
		entry->cap_values = n ? 2 * (total + 1) : total + 1;
		values = arena_alloc(p->arena, entry->cap_values * sizeof(*values));
		if (item->values)
			memcpy(values, item->values, n * sizeof(*values));
	}
	for (size_t i = 0; i < u->n_values; i++) {
		int at = u->value_at + (int)i;

		if (!o->argument)
			values[n] = u->values[i];
		else if (pieces_settle(p, o, u->values[i], at, values + n) < 0)
			return -1;
		n += pieces_count(u->values[i], o->separator);
	}
	values[n] = NULL;
	item->values = values;
	item->n_values = n;
	return 0;
}

/* A later occurrence replaces, adds to or is refused beside an earlier one. */
static int occurrence_settle(struct parse *p, const struct occurrence *u)
{
	const struct option *o = u->option;
	struct pending *earlier = pending_find(p, o);

	if (earlier && !o->repeatable && p->traits->repeats_refused && earlier->item.option == o)
		return parse_fail(
			p, VERDICT_REPEATED, u->at, "'%s' may be given only once", o->name);
	if (!earlier || (o->repeatable && !o->argument)) {
		earlier = pending_add(p);
		*earlier = (struct pending){.level = u->level};
	} else if (!o->repeatable || !o->argument) {
		earlier->item.n_values = 0;
	}
	earlier->item.option = o;
	earlier->item.argument = o->argument;
	earlier->item.at = u->at;
	earlier->level = u->level;
	return values_settle(p, u, earlier);
}

/* Click looks only at the value that counts; the others have looked already. */
static int is_overridden(const struct parse *p, size_t i)
{
	const struct option *o = p->occurrences[i].option;

	if (o->repeatable || p->traits->checks_overridden)
		return 0;
	for (size_t k = i + 1; k < p->n_occurrences; k++)
		if (pair_of(p->occurrences[k].option) == pair_of(o))
			return 1;
	return 0;
}

static int eager_find(struct parse *p)
{
	for (size_t i = p->level_start; i < p->n_occurrences; i++)
		if (p->occurrences[i].option->eager) {
			p->eager = p->occurrences[i].option;
			p->eager_at = p->occurrences[i].at;
			return 1;
		}
	return 0;
}

int eager_settle(struct parse *p)
{
	for (size_t i = 0; i < p->n_occurrences; i++)
		if (p->occurrences[i].option == p->eager && p->occurrences[i].at == p->eager_at) {
			p->n_pending = 0;
			return occurrence_settle(p, &p->occurrences[i]);
		}
	return -1;
}

static int required_check(struct parse *p)
{
	const struct command *c = p->command;

	for (size_t i = 0; i < c->n_options; i++) {
		const struct option *o = c->options[i];

		/* An inherited one may still come after a subcommand. */
		if (!o->required || pending_find(p, o) || (i >= c->n_own && c->n_commands > 0))
			continue;
		return parse_fail(
			p, VERDICT_MISSING_REQUIRED, p->argc, "'%s' needs %s", c->name, o->name);
	}
	return 0;
}

int level_settle(struct parse *p)
{
	if (eager_find(p))
		return 1;
	for (size_t i = p->level_start; i < p->n_occurrences; i++)
		if (!is_overridden(p, i) && occurrence_settle(p, &p->occurrences[i]) < 0)
			return -1;
	p->level_start = p->n_occurrences;
	return required_check(p);
}

/* How many of the remaining operands argument j takes.  Click fills each single
 * argument from the left, needed or not, and gives the rest to the one that takes
 * any number; the others keep back what later arguments need. */
static size_t operands_share(const struct parse *p, size_t j, size_t remaining)
{
	const struct command *c = p->command;
	const struct argument *a = c->arguments[j];
	int click = p->spec->dialect == DIALECT_CLICK;
	size_t kept = 0, most = a->max_count < 0 ? remaining : (size_t)a->max_count;

	for (size_t k = j + 1; k < p->n_arguments; k++) {
		const struct argument *later = c->arguments[k];

		if (click)
			kept += later->max_count < 0 ? 0 : (size_t)later->max_count;
		else
			kept += (size_t)later->min_count;
	}
	if (click && a->max_count >= 0)
		kept = 0;
	if (kept >= remaining)
		return remaining < (size_t)a->min_count ? remaining : (size_t)a->min_count;
	return most < remaining - kept ? most : remaining - kept;
}

static int argument_settle(
	struct parse *p, const struct argument *a, const struct operand *first, size_t n)
{
	const char **values = arena_alloc(p->arena, (n + 1) * sizeof(*values));
	struct pending *entry;

	if (n < (size_t)a->min_count)
		return parse_fail(p, VERDICT_MISSING_REQUIRED, p->argc, "'%s' needs %s%s",
			p->command->name, n ? "more of " : "", a->name);
	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		values[i] = first[i].text;
		if (!a->passthrough &&
			value_settle(p, a->name, a, first[i].text, first[i].at, &values[i]) < 0)
			return -1;
	}
	values[n] = NULL;
	entry = pending_add(p);
	*entry = (struct pending){
		.item = {NULL, a, n, values, first[n - 1].at},
		.level = p->command->depth,
	};
	return 0;
}

int operands_settle(struct parse *p)
{
	const struct command *c = p->command;
	size_t done = 0;

	for (size_t j = 0; j < p->n_arguments; j++) {
		size_t n = operands_share(p, j, p->n_operands - done);

		if (argument_settle(p, c->arguments[j], p->operands + done, n) < 0)
			return -1;
		done += n;
	}
	if (done < p->n_operands)
		return parse_fail(p, VERDICT_TOO_MANY, p->operands[done].at,
			"'%s' takes %s operand%s; '%.80s' is one too many", c->name,
			c->n_arguments ? "no further" : "no", c->n_arguments ? "" : "s",
			p->operands[done].text);
	return 0;
}

/* The word at which a member of a rule was given; -1 where it was not. */
static int member_at(const struct parse *p, const struct rule *rule, size_t k)
{
	for (size_t i = 0; i < p->n_pending; i++) {
		const struct meaning_item *item = &p->pending[i].item;

		if (rule->options[k] ? item->option == rule->options[k]
				     : !item->option && item->argument == rule->arguments[k])
			return item->at;
	}
	return -1;
}

static const char *member_name(const struct rule *rule, size_t k)
{
	return rule->options[k] ? rule->options[k]->name : rule->arguments[k]->name;
}

static int conflict_check(struct parse *p, const struct rule *rule)
{
	size_t first = 0, k = 0;

	while (first < rule->n && member_at(p, rule, first) < 0)
		first++;
	for (k = first + 1; k < rule->n; k++) {
		int a, b = member_at(p, rule, k);

		if (b < 0)
			continue;
		a = member_at(p, rule, first);
		return parse_fail(p, VERDICT_CONFLICT, a > b ? a : b,
			"'%s' and '%s' cannot be given together", member_name(rule, first),
			member_name(rule, k));
	}
	return 0;
}

/* requires: all others; requires-any: one of them; one-of: one of all. */
static int need_check(struct parse *p, const struct rule *rule)
{
	size_t from = rule->kind == RULE_ONE_OF ? 0 : 1, given = 0, missing = 0, used;
	struct verdict *v = p->verdict;
	int at = from ? member_at(p, rule, 0) : -1;

	if (from && at < 0)
		return 0;
	for (size_t k = from; k < rule->n; k++) {
		if (member_at(p, rule, k) >= 0)
			given++;
		else if (!missing)
			missing = k;
	}
	if (rule->kind == RULE_REQUIRES ? given == rule->n - 1 : given > 0)
		return 0;
	if (rule->kind == RULE_REQUIRES)
		return parse_fail(p, VERDICT_REQUIRES, at, "'%s' needs '%s' beside it",
			member_name(rule, 0), member_name(rule, missing));
	if (from)
		parse_fail(p, VERDICT_REQUIRES, at, "'%s' needs one of", member_name(rule, 0));
	else
		parse_fail(p, VERDICT_ONE_OF, p->argc, "'%s' needs one of", p->command->name);
	for (size_t k = from; k < rule->n; k++) {
		used = strlen(v->message);
		snprintf(v->message + used, sizeof(v->message) - used, "%s %s", k > from ? "," : "",
			member_name(rule, k));
	}
	return -1;
}

int rules_settle(struct parse *p)
{
	const struct command *c = p->command;

	for (size_t i = 0; i < c->n_rules; i++) {
		const struct rule *rule = &c->rules[i];
		int rc = rule->kind == RULE_CONFLICTS ? conflict_check(p, rule)
						      : need_check(p, rule);

		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Options by level and place in the spec, inherited ones behind, operands last. */
static unsigned rank_of(const struct parse *p, const struct pending *entry)
{
	const struct option *o = entry->item.option;
	const struct command *leaf = p->command;

	if (!o) {
		for (size_t j = 0; j < leaf->n_arguments; j++)
			if (leaf->arguments[j] == entry->item.argument)
				return ((unsigned)(leaf->depth + 1) << 16) + (unsigned)j;
		return ~0u;
	}
	if (!o->recursive)
		return ((unsigned)entry->level << 16) + (unsigned)o->index;
	for (size_t i = 0; i < leaf->n_options; i++)
		if (leaf->options[i] == o)
			return ((unsigned)leaf->depth << 16) + (unsigned)i;
	return ((unsigned)entry->level << 16) + (unsigned)o->index;
}

void meaning_settle(struct parse *p, struct meaning *m)
{
	size_t n = p->n_pending;

	if (!m)
		return;
	m->command = p->command;
	m->n_items = n;
	m->items = arena_alloc(p->arena, (n + 1) * sizeof(*m->items));
	for (size_t i = 0; i < n; i++) {
		struct pending entry = p->pending[i];
		size_t k = i;

		entry.rank = rank_of(p, &entry);
		for (; k > 0 && p->pending[k - 1].rank > entry.rank; k--)
			p->pending[k] = p->pending[k - 1];
		p->pending[k] = entry;
	}
	for (size_t i = 0; i < n; i++)
		m->items[i] = p->pending[i].item;
}
