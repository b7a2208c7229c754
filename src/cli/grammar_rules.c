/* grammar_rules.c - the rules of a command while its options are passed in order. */
#include <stdlib.h>
#include <string.h>
#include "cli/grammar_internal.h"
#include "cli/spec_private.h"
#include "cli/value_prefix.h"

/* One member of a rule at a position of the command. */
struct member {
	uint32_t pos;
	struct rule_use use;
};

struct rule_builder {
	struct grammar *g;
	struct level *l;
	struct member *members;
	size_t n, cap;
	size_t cap_rules;
};

static size_t position_of(const struct command *c, const struct option *o, const struct argument *a)
{
	size_t i = 0;

	if (o) {
		while (i < c->n_options && c->options[i] != o)
			i++;
		return i;
	}
	while (i < c->n_arguments && c->arguments[i] != a)
		i++;
	return c->n_options + i;
}

static void rule_begin(struct rule_builder *b, enum rule_kind kind, int common)
{
	struct level *l = b->l;

	l->rules = array_grow(l->rules, &b->cap_rules, l->n_rules, sizeof(*l->rules));
	l->rules[l->n_rules++] = (struct level_rule){(unsigned char)kind, (unsigned char)common, 0};
}

static void rule_member(struct rule_builder *b, size_t pos, int lead)
{
	struct level_rule *rule = &b->l->rules[b->l->n_rules - 1];

	b->members = array_grow(b->members, &b->cap, b->n, sizeof(*b->members));
	b->members[b->n++] = (struct member){
		(uint32_t)pos, {(uint16_t)(b->l->n_rules - 1), (unsigned char)lead}};
	if (pos > rule->last)
		rule->last = (uint16_t)pos;
}

/* Required options (or their negations), and of two sides of a flag only one, unless
 * the later one may be repeated and so stands beside the other; where values that are
 * overridden are not looked at, the earlier one must be repeatable too. */
static void own_rules(struct rule_builder *b, const struct command *c)
{
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option *o = c->options[i];
		const struct option *other = o->negates ? o->negates : o->negated_by;
		size_t k = other ? position_of(c, other, NULL) : c->n_options;

		if (o->required && (i < c->n_own || c->n_commands == 0)) {
			rule_begin(b, RULE_ONE_OF, 1);
			rule_member(b, i, 0);
			if (k < c->n_options)
				rule_member(b, k, 0);
		}
		if (k < i && !(o->repeatable &&
				     (other->repeatable || b->g->traits->checks_overridden))) {
			rule_begin(b, RULE_CONFLICTS, 1);
			rule_member(b, k, 0);
			rule_member(b, i, 0);
		}
	}
}

static void spec_rules(struct rule_builder *b, const struct command *c)
{
	for (size_t i = 0; i < c->n_rules; i++) {
		const struct rule *rule = &c->rules[i];

		rule_begin(b, rule->kind, 0);
		for (size_t k = 0; k < rule->n; k++)
			rule_member(
				b, position_of(c, rule->options[k], rule->arguments[k]), k == 0);
	}
}

/* Sorts the members by position. */
static void uses_fill(struct rule_builder *b)
{
	struct level *l = b->l;
	uint32_t *first = grammar_alloc(b->g, (l->n_positions + 1) * sizeof(*first));

	memset(first, 0, (l->n_positions + 1) * sizeof(*first));
	for (size_t i = 0; i < b->n; i++)
		first[b->members[i].pos]++;
	for (size_t i = 0, sum = 0; i <= l->n_positions; i++) {
		sum += first[i];
		first[i] = (uint32_t)sum;
	}
	l->uses = grammar_alloc(b->g, (b->n + 1) * sizeof(*l->uses));
	for (size_t i = b->n; i-- > 0;)
		l->uses[--first[b->members[i].pos]] = b->members[i].use;
	l->first_use = first;
}

struct level *level_of(struct grammar *g, const struct command *c)
{
	struct rule_builder b = {.g = g};
	struct level *l = g->levels[c->index];
	struct level_rule *rules;

	if (l)
		return l;
	l = b.l = grammar_alloc(g, sizeof(*l));
	*l = (struct level){.command = c,
		.n_positions = c->n_options + c->n_arguments,
		.alive = -1,
		.alive_bare = -1};
	own_rules(&b, c);
	spec_rules(&b, c);
	uses_fill(&b);
	rules = grammar_alloc(g, (l->n_rules + 1) * sizeof(*rules));
	if (l->n_rules)
		memcpy(rules, l->rules, l->n_rules * sizeof(*rules));
	free(l->rules);
	free(b.members);
	l->rules = rules;
	l->takes = grammar_alloc(g, l->n_positions + 1);
	for (size_t i = 0; i < c->n_options; i++)
		l->takes[i] = !c->options[i]->eager && option_is_written(g, c->options[i]);
	for (size_t i = 0; i < c->n_arguments; i++)
		l->takes[c->n_options + i] = value_may(g, c->arguments[i], DASH_ANY) != 0;
	g->levels[c->index] = l;
	return l;
}

/* The state of a rule behind one of its members; -1 where the rule is broken. */
static int rule_next(enum rule_kind kind, int state, int lead, int given)
{
	switch (kind) {
	case RULE_CONFLICTS:
		if (!given)
			return state;
		return state == RULE_BOUND ? -1 : RULE_BOUND;
	case RULE_ONE_OF:
		return given ? RULE_DONE : state;
	case RULE_REQUIRES:
		if (lead)
			return !given ? RULE_DONE : state == RULE_BARRED ? -1 : RULE_BOUND;
		if (given)
			return state;
		return state == RULE_BOUND ? -1 : RULE_BARRED;
	case RULE_REQUIRES_ANY:
		if (lead)
			return !given || state == RULE_BARRED ? RULE_DONE : RULE_BOUND;
		if (!given)
			return state;
		return state == RULE_BOUND ? RULE_DONE : RULE_BARRED;
	}
	return state;
}

/* Behind the last member. */
static int rule_end(enum rule_kind kind, int state)
{
	if ((kind == RULE_ONE_OF && state != RULE_DONE) ||
		(kind == RULE_REQUIRES_ANY && state == RULE_BOUND))
		return -1;
	return RULE_DONE;
}

int rules_pass(const struct level *l, unsigned char *states, size_t pos, int given)
{
	int broken = 0;

	for (uint32_t i = l->first_use[pos]; i < l->first_use[pos + 1]; i++) {
		const struct rule_use *use = &l->uses[i];
		const struct level_rule *rule = &l->rules[use->rule];
		int state = states[use->rule];

		if (state != RULE_DONE)
			state = rule_next((enum rule_kind)rule->kind, state, use->lead, given);
		if (state >= 0 && rule->last == pos)
			state = rule_end((enum rule_kind)rule->kind, state);
		if (state < 0) {
			if (rule->common)
				return 2;
			broken = 1;
			state = RULE_DONE;
		}
		states[use->rule] = (unsigned char)state;
	}
	return broken;
}

int rules_skip(const struct level *l, unsigned char *states, size_t from, size_t to)
{
	int broken = 0;

	for (size_t pos = from; pos < to; pos++) {
		int rc = rules_pass(l, states, pos, 0);

		if (rc == 2)
			return 2;
		broken |= rc;
	}
	return broken;
}

static int search(struct grammar *g, const struct level *l, size_t pos, unsigned char *states);

static int search_both(struct grammar *g, const struct level *l, size_t pos, unsigned char *states)
{
	unsigned char *other = arena_alloc(&g->scratch, l->n_rules + 1);

	if (g->steps++ >= SEARCH_STEPS_MAX) {
		g->exact = 0;
		return 1;
	}
	memcpy(other, states, l->n_rules);
	if (rules_pass(l, other, pos, 0) == 0 && search(g, l, pos + 1, other))
		return 1;
	memcpy(other, states, l->n_rules);
	return l->takes[pos] && rules_pass(l, other, pos, 1) == 0 && search(g, l, pos + 1, other);
}

/* All options decided: with or without operands. */
static int rest_can_end(struct grammar *g, const struct level *l, const unsigned char *states)
{
	const struct command *c = l->command;
	int group = c->n_commands > 0, late = g->traits->late_options;

	if ((!group || c->runnable) && operands_none(g, l, states))
		return 1;
	if (group && late && !c->runnable)
		return 0;
	return ((!group || late) && operands_can_begin(g, l, states, OPERANDS_PLAIN)) ||
	       operands_can_begin(g, l, states, group && !late ? OPERANDS_FIRST : OPERANDS_NEED);
}

/* Remembers what it finds by place and states. */
static int search(struct grammar *g, const struct level *l, size_t pos, unsigned char *states)
{
	const struct command *c = l->command;
	size_t len = 2 * sizeof(uint32_t) + l->n_rules;
	unsigned char *key;
	uint32_t head[2], id;
	int found;

	while (pos < c->n_options && l->first_use[pos] == l->first_use[pos + 1])
		pos++;
	head[0] = (uint32_t)c->index;
	head[1] = (uint32_t)pos;
	key = arena_alloc(&g->scratch, len);
	memcpy(key, head, sizeof(head));
	memcpy(key + sizeof(head), states, l->n_rules);
	id = intern_put(g, &g->searched, key, len);
	while (g->cap_found < g->searched.n) {
		size_t cap = g->cap_found;

		g->found = array_grow(g->found, &g->cap_found, cap, sizeof(*g->found));
		memset(g->found + cap, -1, g->cap_found - cap);
		g->bytes += g->cap_found - cap;
	}
	if (g->found[id] >= 0)
		return g->found[id];
	if (pos < c->n_options) {
		found = search_both(g, l, pos, states);
	} else {
		found = rest_can_end(g, l, states);
	}
	g->found[id] = (signed char)found;
	return found;
}

int level_can_end(struct grammar *g, const struct level *l, size_t pos, const unsigned char *states)
{
	unsigned char *copy = arena_alloc(&g->scratch, l->n_rules + 1);

	g->steps = 0;
	memcpy(copy, states, l->n_rules);
	return search(g, l, pos, copy);
}

/* Whether each required option that is missing can still be given here. */
static int required_can_follow(const struct level *l, size_t pos, const unsigned char *states)
{
	const struct command *c = l->command;

	for (size_t r = 0; r < l->n_rules; r++) {
		int found = 0;

		if (!l->rules[r].common || l->rules[r].kind != RULE_ONE_OF ||
			states[r] == RULE_DONE)
			continue;
		for (size_t i = pos; i <= l->rules[r].last; i++)
			for (uint32_t k = l->first_use[i]; k < l->first_use[i + 1]; k++)
				found |= l->uses[k].rule == r && l->takes[i] && i < c->n_own &&
					 !c->options[i]->recursive;
		if (!found)
			return 0;
	}
	return 1;
}

int level_alive(struct grammar *g, struct level *l, int bare)
{
	signed char *known = bare ? &l->alive_bare : &l->alive;
	const struct command *c = l->command;
	unsigned char *states;

	if (*known >= 0)
		return *known;
	states = arena_zalloc(&g->scratch, l->n_rules + 1);
	*known = 0;
	for (size_t i = 0; bare && i < c->n_options; i++)
		*known |= c->options[i]->eager && option_is_written(g, c->options[i]);
	if (!*known)
		*known = (signed char)(level_can_end(g, l, 0, states) ||
				       level_can_descend(g, l, 0, states, bare) ||
				       (bare && level_can_descend(g, l, 0, states, 0)));
	return *known;
}

int level_can_descend(
	struct grammar *g, const struct level *l, size_t pos, const unsigned char *states, int bare)
{
	const struct command *c = l->command;

	if (!g->traits->late_options && !required_can_follow(l, bare ? c->n_options : pos, states))
		return 0;
	for (size_t i = 0; i < c->n_commands; i++)
		if (level_alive(g, level_of(g, c->commands[i]), bare))
			return 1;
	return 0;
}
