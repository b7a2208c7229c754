/* label.c - see label.h. */
#include "synth/label.h"

#include <string.h>

enum {
	REDRAWS = 8
};

static int taken(const struct label *label, const struct stated *now, const char *value)
{
	for (unsigned i = 0; i < label->n; i++)
		for (unsigned v = 0; v < label->at[i].n_values; v++)
			if (!strcasecmp(label->at[i].values[v], value))
				return 1;
	for (unsigned v = 0; v < now->n_values; v++)
		if (!strcasecmp(now->values[v], value))
			return 1;
	return 0;
}

/* Words that are passed on come in pairs: "--build-arg" "VERSION=1". */
static void draw_passthrough(const struct value_plan *p, struct rng *r, struct stated *s)
{
	size_t at = rng_below(r, (uint32_t)p->n_pool), n = p->n_pool;

	for (size_t i = 0; i < n && p->pool[at][0] != '-'; i++)
		at = (at + 1) % n;
	s->values[s->n_values++] = p->pool[at];
	if (p->pool[at][0] == '-' && at + 1 < n && p->pool[at + 1][0] != '-')
		s->values[s->n_values++] = p->pool[at + 1];
}

static unsigned values_wanted(const struct synth_item *item, int single, struct rng *r)
{
	const struct argument *a = item->argument;
	unsigned min = a->min_count > 0 ? (unsigned)a->min_count : 1, n = min;
	int many = (item->option && (item->option->repeatable || item->option->separator)) ||
		   a->max_count < 0 || a->max_count > (int)min;

	if (single)
		return 1;
	if (item->option && item->option->optional_value)
		return rng_below(r, 3) ? 1 : 0;
	if (many && rng_below(r, 4) == 0)
		n += 1 + (rng_below(r, 4) == 0);
	if (a->max_count > 0 && !(item->option && item->option->repeatable) &&
		!(item->option && item->option->separator) && n > (unsigned)a->max_count)
		n = (unsigned)a->max_count;
	return n > LIST_MAX ? LIST_MAX : n;
}

static void draw_values(const struct synth_item *item, int accepted, int single, struct rng *r,
	struct arena *arena, struct buf *text, const struct label *label, struct stated *s)
{
	const struct value_plan *p = &item->value;
	unsigned n = values_wanted(item, single, r);

	if (item->argument->passthrough && p->kind == KIND_POOL) {
		draw_passthrough(p, r, s);
		return;
	}
	if (p->kind == KIND_ACCEPTED) {
		if (accepted < 0)
			accepted = (int)rng_below(r, (uint32_t)item->argument->n_accepted);
		s->accepted = accepted;
		s->values[0] = item->argument->accepted[accepted].value;
		s->n_values = 1;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		for (int attempt = 0; attempt < REDRAWS; attempt++) {
			buf_clear(text);
			value_draw(p, r, text);
			if (!taken(label, s, text->data))
				break;
		}
		s->values[s->n_values++] = arena_strndup(arena, text->data, text->len);
	}
}

void label_spell(const struct plan *plan, struct arena *arena, struct label *label)
{
	struct meaning_item *items = arena_zalloc(arena, (label->n + 1) * sizeof *items);
	struct meaning meaning = {label->command->command, label->n, items};

	for (unsigned i = 0; i < label->n; i++) {
		items[i].option = label->at[i].item->option;
		items[i].argument = label->at[i].item->argument;
		items[i].n_values = label->at[i].n_values;
		items[i].values = label->at[i].values;
	}
	label->argc = meaning_argv(plan->spec, &meaning, arena, &label->argv);
}

void label_draw(const struct plan *plan, const struct synth_command *c, const struct item_set *set,
	struct rng *r, struct arena *arena, struct buf *scratch, struct label *label)
{
	memset(label, 0, sizeof *label);
	label->command = c;
	for (unsigned i = 0; i < set->n; i++) {
		struct stated *s = &label->at[label->n];

		s->item = &c->items[set->at[i]];
		s->index = set->at[i];
		s->accepted = -1;
		if (s->item->argument)
			draw_values(s->item, set->accepted[i], set->single, r, arena, scratch,
				label, s);
		label->n++;
	}
	label_spell(plan, arena, label);
}

void set_draw_sized(
	const struct synth_command *c, unsigned wanted, struct rng *r, struct item_set *set)
{
	struct item_set grown;

	memset(set, 0, sizeof *set);
	if (set_close(c, set, r) < 0)
		return;
	for (unsigned attempt = 0; set->n < wanted && attempt < 3 * wanted && c->n_items;
		attempt++) {
		unsigned item = rng_below(r, c->n_items), legal = 1;

		if (c->items[item].informational &&
			(c->command->runnable ? set->n || rng_below(r, 24) : set->n))
			continue;
		for (unsigned k = 0; k < set->n; k++)
			legal &= c->legal[item * c->n_items + set->at[k]];
		grown = *set;
		if (!legal || set_has(set, item) || set_add(&grown, item, -1) < 0 ||
			set_close(c, &grown, r) < 0)
			continue;
		*set = grown;
	}
	if (!c->command->runnable && !set->n)
		for (unsigned i = 0; i < c->n_items && !set->n; i++)
			if (c->items[i].usable)
				set_add(set, i, -1);
}

void set_draw(const struct synth_command *c, struct rng *r, struct item_set *set)
{
	static const unsigned char cumulated[] = {18, 53, 83, 96, 100};
	uint32_t dice = rng_below(r, 100);
	unsigned wanted = 0;

	while (dice >= cumulated[wanted])
		wanted++;
	set_draw_sized(c, wanted, r, set);
}

const struct synth_command *command_draw(const struct plan *plan, struct rng *r)
{
	double total = 0, at;

	for (unsigned i = 0; i < plan->n_commands; i++)
		total += plan->commands[i].weight;
	at = rng_double(r) * total;
	for (unsigned i = 0; i < plan->n_commands; i++) {
		at -= plan->commands[i].weight;
		if (at < 0)
			return &plan->commands[i];
	}
	/* Rounding: the last that may be drawn at all. */
	for (unsigned i = plan->n_commands; i-- > 1;)
		if (plan->commands[i].weight > 0)
			return &plan->commands[i];
	return &plan->commands[0];
}
