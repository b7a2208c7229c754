/* plan.c - everything that records need, worked out once from the spec. */
#include <string.h>
#include "synth/label.h"
#include "synth/synth.h"

static int visible(const struct command *c)
{
	for (; c; c = c->parent)
		if (c->hidden)
			return 0;
	return 1;
}

static void key_of(const struct command *c, const struct spec *spec, struct buf *out)
{
	if (!c->parent) {
		buf_adds(out, spec->name);
		return;
	}
	if (c->parent->parent) {
		key_of(c->parent, spec, out);
		buf_addc(out, '.');
	}
	buf_adds(out, c->name);
}

static int is_informational(const struct option *o)
{
	return o && (o->eager || !strcmp(o->name, "--help") || !strcmp(o->name, "--version"));
}

static void add_item(struct synth_command *c, const struct option *o, const struct argument *a,
	struct arena *arena)
{
	struct synth_item *item = &c->items[c->n_items++];
	struct buf key = {0};

	item->option = o;
	item->argument = a;
	item->informational = is_informational(o);
	item->usable = !a || value_plan_init(&item->value, a, o ? o->name : a->name, arena) == 0;
	if (o)
		buf_addf(&key, "option.%s.%s", c->key, o->name);
	else
		buf_addf(&key, "argument.%s.%s", c->key, a->name);
	item->key = arena_strdup(arena, key.data);
	buf_release(&key);
}

static void add_items(struct synth_command *c, struct arena *arena)
{
	const struct command *command = c->command;

	c->items = arena_zalloc(
		arena, (command->n_options + command->n_arguments + 1) * sizeof *c->items);
	for (size_t i = 0; i < command->n_options && c->n_items < ITEM_MAX; i++)
		if (!command->options[i]->hidden)
			add_item(c, command->options[i], command->options[i]->argument, arena);
	for (size_t i = 0; i < command->n_arguments && c->n_items < ITEM_MAX; i++)
		if (!command->arguments[i]->hidden)
			add_item(c, NULL, command->arguments[i], arena);
}

int set_has(const struct item_set *set, unsigned item)
{
	for (unsigned i = 0; i < set->n; i++)
		if (set->at[i] == item)
			return 1;
	return 0;
}

int set_add(struct item_set *set, unsigned item, int accepted)
{
	unsigned at = 0;

	while (at < set->n && set->at[at] < item)
		at++;
	if (at < set->n && set->at[at] == item) {
		if (accepted >= 0)
			set->accepted[at] = (short)accepted;
		return 0;
	}
	if (set->n == SET_MAX)
		return -1;
	memmove(set->at + at + 1, set->at + at, (set->n - at) * sizeof *set->at);
	memmove(set->accepted + at + 1, set->accepted + at, (set->n - at) * sizeof *set->accepted);
	set->at[at] = (unsigned short)item;
	set->accepted[at] = (short)accepted;
	set->n++;
	return 0;
}

/* Index of a rule's member among the items; n_items where it is hidden. */
static unsigned member(const struct synth_command *c, const struct rule *rule, size_t i)
{
	for (unsigned k = 0; k < c->n_items; k++)
		if (rule->options[i]
				? c->items[k].option == rule->options[i]
				: !c->items[k].option && c->items[k].argument == rule->arguments[i])
			return k;
	return c->n_items;
}

static unsigned count_members(
	const struct synth_command *c, const struct rule *rule, const struct item_set *set)
{
	unsigned n = 0;

	for (size_t i = 0; i < rule->n; i++)
		n += set_has(set, member(c, rule, i)) != 0;
	return n;
}

/* Whether a rule of the spec excludes the item beside the set. */
static int excluded(const struct synth_command *c, unsigned item, const struct item_set *set)
{
	struct item_set with = *set;

	if (set_add(&with, item, -1) < 0)
		return 1;
	for (size_t i = 0; i < c->command->n_rules; i++)
		if (c->command->rules[i].kind == RULE_CONFLICTS &&
			count_members(c, &c->command->rules[i], &with) > 1)
			return 1;
	return 0;
}

/* Adds one of the members from `first` on that does not clash with the set. */
static int add_one_of(const struct synth_command *c, const struct rule *rule, size_t first,
	struct item_set *set, struct rng *r)
{
	size_t n = rule->n - first;
	size_t start = n ? rng_below(r, (uint32_t)n) : 0;

	for (size_t i = 0; i < n; i++) {
		unsigned item = member(c, rule, first + (start + i) % n);
		int clash = item == c->n_items || !c->items[item].usable;

		if (!clash && rule->kind == RULE_ONE_OF)
			clash = excluded(c, item, set);
		for (unsigned k = 0; k < set->n && !clash && c->legal; k++)
			clash = !c->legal[item * c->n_items + set->at[k]];
		if (!clash)
			return set_add(set, item, -1);
	}
	return -1;
}

static int apply_rule(
	const struct synth_command *c, const struct rule *rule, struct item_set *set, struct rng *r)
{
	switch (rule->kind) {
	case RULE_REQUIRES:
		if (!set_has(set, member(c, rule, 0)))
			return 0;
		for (size_t i = 1; i < rule->n; i++) {
			unsigned item = member(c, rule, i);

			if (item == c->n_items || set_add(set, item, -1) < 0)
				return -1;
		}
		return 0;
	case RULE_CONFLICTS:
		return count_members(c, rule, set) > 1 ? -1 : 0;
	case RULE_ONE_OF:
		if (count_members(c, rule, set))
			return 0;
		return add_one_of(c, rule, 0, set, r);
	case RULE_REQUIRES_ANY:
		if (!set_has(set, member(c, rule, 0)) || count_members(c, rule, set) > 1)
			return 0;
		return add_one_of(c, rule, 1, set, r);
	}
	return 0;
}

static int negations_clash(const struct synth_command *c, const struct item_set *set)
{
	for (unsigned i = 0; i < set->n; i++)
		for (unsigned j = 0; j < set->n; j++) {
			const struct option *a = c->items[set->at[i]].option;
			const struct option *b = c->items[set->at[j]].option;

			if (a && b && a->negates == b)
				return 1;
		}
	return 0;
}

int set_close(const struct synth_command *c, struct item_set *set, struct rng *r)
{
	unsigned before;

	if (set->n == 1 && c->items[set->at[0]].informational)
		return 0; /* acts alone, whatever else is required */
	for (unsigned i = 0; i < c->n_items; i++) {
		const struct synth_item *item = &c->items[i];
		int required = item->option ? item->option->required : item->argument->required;

		if (required && set_add(set, i, -1) < 0)
			return -1;
	}
	do {
		before = set->n;
		for (unsigned i = c->n_items;
			i-- > 1;) /* an optional positional needs those before it */
			if (!c->items[i].option && set_has(set, i) && !c->items[i - 1].option &&
				!set_has(set, i - 1) && set_add(set, i - 1, -1) < 0)
				return -1;
		for (size_t i = 0; i < c->command->n_rules; i++)
			if (apply_rule(c, &c->command->rules[i], set, r) < 0)
				return -1;
	} while (set->n != before);
	for (unsigned i = 0; i < set->n; i++)
		if (!c->items[set->at[i]].usable)
			return -1;
	return negations_clash(c, set) ? -1 : 0;
}

/* Asks the verifier itself, so that a rule we do not know is kept too. */
static int pair_is_legal(const struct plan *plan, const struct synth_command *c, unsigned a,
	unsigned b, struct arena *scratch, struct buf *text)
{
	struct rng r;
	struct verdict verdict;

	for (uint32_t attempt = 0; attempt < 4; attempt++) {
		struct item_set set = {0};
		struct label label;

		rng_init(&r, attempt, RNG_SYNTH, (uint64_t)a << 32 | b, 1);
		if (set_add(&set, a, -1) < 0 || set_add(&set, b, -1) < 0 ||
			set_close(c, &set, &r) < 0)
			continue;
		arena_clear(scratch);
		label_draw(plan, c, &set, &r, scratch, text, &label);
		if (verify(plan->spec, label.argc, label.argv, scratch, NULL, &verdict) ==
			VERDICT_OK)
			return 1;
	}
	return 0;
}

static void find_legal_pairs(
	struct plan *plan, struct synth_command *c, struct arena *scratch, struct buf *text)
{
	unsigned char *legal = arena_zalloc(&plan->arena, (size_t)c->n_items * c->n_items + 1);

	for (unsigned a = 0; a < c->n_items; a++)
		for (unsigned b = a; b < c->n_items; b++)
			if (a == b || !(c->items[a].informational || c->items[b].informational))
				legal[a * c->n_items + b] = legal[b * c->n_items + a] =
					(unsigned char)pair_is_legal(plan, c, a, b, scratch, text);
	for (unsigned a = 0; a < c->n_items; a++)
		if (!legal[a * c->n_items + a])
			c->items[a].usable = 0;
	c->legal = legal;
}

/* Whether the command can be said at all: what it requires can be drawn. */
static int can_be_drawn(const struct plan *plan, const struct synth_command *c,
	struct arena *scratch, struct buf *text)
{
	struct item_set set = {0};
	struct label label;
	struct verdict verdict;
	struct rng r;

	rng_init(&r, 0, RNG_SYNTH, 0, 3);
	if (!c->command->runnable) {
		for (unsigned i = 0; i < c->n_items; i++)
			if (c->items[i].usable && c->items[i].informational)
				return 1;
		return 0;
	}
	if (set_close(c, &set, &r) < 0)
		return 0;
	arena_clear(scratch);
	label_draw(plan, c, &set, &r, scratch, text, &label);
	return verify(plan->spec, label.argc, label.argv, scratch, NULL, &verdict) == VERDICT_OK;
}

static int has_own_visible_option(const struct command *c)
{
	for (size_t i = 0; i < c->n_own; i++)
		if (!c->options[i]->hidden)
			return 1;
	return 0;
}

/* The root of a tool with subcommands is only good for --version and the like. */
static int worth_planning(const struct command *c)
{
	return visible(c) && (c->runnable || (!c->parent && has_own_visible_option(c)));
}

struct plan *plan_new(const struct spec *spec, struct error *err)
{
	struct plan *plan = xcalloc(1, sizeof *plan);
	struct arena scratch = {0};
	struct buf key = {0}, text = {0};
	unsigned drawable = 0;

	plan->spec = spec;
	plan->commands =
		arena_zalloc(&plan->arena, (spec->n_commands + 1) * sizeof *plan->commands);
	for (size_t i = 0; i < spec->n_commands; i++) {
		struct synth_command *c = &plan->commands[plan->n_commands];

		if (!worth_planning(spec->commands[i]))
			continue;
		plan->n_commands++;
		c->command = spec->commands[i];
		buf_clear(&key);
		key_of(c->command, spec, &key);
		c->key = arena_strdup(&plan->arena, key.data);
		add_items(c, &plan->arena);
		phrases_of_command(c, spec, &plan->arena);
		find_legal_pairs(plan, c, &scratch, &text);
		/* More to say, more records; but simple commands must not vanish. */
		c->weight = 3 + (c->n_items > 12 ? 12 : c->n_items);
		if (!c->command->runnable)
			c->weight = 0.3;
		if (!can_be_drawn(plan, c, &scratch, &text))
			c->weight = 0;
		else
			drawable++;
	}
	phrases_drop_shared(plan->commands, plan->n_commands);
	for (unsigned i = 0; i < plan->n_commands; i++) {
		buf_clear(&key);
		buf_addf(&key, "command.%s", plan->commands[i].key);
		phrase_finish(&plan->commands[i].phrases, &plan->arena, key.data);
	}
	buf_release(&key);
	buf_release(&text);
	arena_release(&scratch);
	if (!drawable) {
		error_set(err, EXIT_DATA,
			"the spec has no visible command that can be run with "
			"values that we can draw");
		plan_free(plan);
		return NULL;
	}
	return plan;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	arena_release(&plan->arena);
	free(plan);
}
