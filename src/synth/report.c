/* report.c - see report.h. */
#include "synth/report.h"

#include <string.h>

void report_init(struct report *r, const struct plan *plan)
{
	memset(r, 0, sizeof *r);
	r->plan = plan;
	r->commands = xcalloc(plan->n_commands, sizeof *r->commands);
	for (unsigned c = 0; c < plan->n_commands; c++) {
		const struct synth_command *command = &plan->commands[c];
		size_t n = command->n_items;

		r->commands[c].items = xcalloc(n + 1, sizeof *r->commands[c].items);
		r->commands[c].values = xcalloc(n + 1, sizeof *r->commands[c].values);
		r->commands[c].pairs = xcalloc(n * n + 1, 1);
		for (size_t i = 0; i < n; i++) {
			const struct argument *a = command->items[i].argument;

			if (a && a->n_accepted)
				r->commands[c].values[i] =
					xcalloc(a->n_accepted, sizeof(long long));
		}
	}
}

void report_release(struct report *r)
{
	for (unsigned c = 0; c < r->plan->n_commands; c++) {
		for (unsigned i = 0; i < r->plan->commands[c].n_items; i++)
			free(r->commands[c].values[i]);
		free(r->commands[c].values);
		free(r->commands[c].items);
		free(r->commands[c].pairs);
	}
	free(r->commands);
}

void report_add(struct report *r, const struct label *label, int refusal, int seed)
{
	struct report_command *c;
	size_t n;

	r->records++;
	r->refusals += refusal != 0;
	r->seeds += seed != 0;
	if (!label)
		return;
	c = &r->commands[label->command - r->plan->commands];
	n = label->command->n_items;
	c->count++;
	r->by_size[label->n]++;
	for (unsigned i = 0; i < label->n; i++) {
		const struct stated *s = &label->at[i];

		c->items[s->index]++;
		if (s->accepted >= 0 && c->values[s->index])
			c->values[s->index][s->accepted]++;
		for (unsigned j = 0; j < label->n; j++)
			c->pairs[s->index * n + label->at[j].index] = 1;
	}
}

/* Counts of one kind of thing to cover. */
struct tally {
	long long total, covered;
	json_t *missing;
};

static void tally_add(struct tally *t, int covered, const char *name)
{
	t->total++;
	if (covered)
		t->covered++;
	else
		json_array_append_new(t->missing, json_string(name));
}

static json_t *tally_json(struct tally *t)
{
	return json_pack("{sIsIso}", "total", (json_int_t)t->total, "covered",
		(json_int_t)t->covered, "missing", t->missing);
}

static void tally_command(const struct report *r, unsigned c, struct tally t[4], json_t *counts)
{
	const struct synth_command *command = &r->plan->commands[c];
	const struct report_command *seen = &r->commands[c];
	struct buf name = {0};
	unsigned n = command->n_items;

	tally_add(&t[0], seen->count > 0, command->key);
	for (unsigned i = 0; i < n; i++) {
		const struct synth_item *item = &command->items[i];

		json_object_set_new(counts, item->key, json_integer(seen->items[i]));
		tally_add(&t[1], seen->items[i] > 0, item->key);
		for (size_t v = 0; item->argument && v < item->argument->n_accepted; v++) {
			buf_clear(&name);
			buf_addf(&name, "%s=%s", item->key, item->argument->accepted[v].value);
			tally_add(&t[2], seen->values[i][v] > 0, name.data);
		}
		for (unsigned j = i + 1; j < n; j++) {
			if (!command->legal[i * n + j])
				continue;
			buf_clear(&name);
			buf_addf(&name, "%s %s", item->key, command->items[j].key);
			tally_add(&t[3], seen->pairs[i * n + j], name.data);
		}
	}
	buf_release(&name);
}

json_t *report_json(const struct report *r)
{
	static const char *const names[] = {"commands", "options", "values", "pairs"};
	struct tally t[4];
	json_t *root = json_object(), *counts = json_object(), *sizes = json_array();
	json_t *commands = json_object(), *informational = json_array();

	for (int i = 0; i < 4; i++)
		t[i] = (struct tally){0, 0, json_array()};
	for (unsigned c = 0; c < r->plan->n_commands; c++) {
		const struct synth_command *command = &r->plan->commands[c];

		tally_command(r, c, t, counts);
		json_object_set_new(commands, command->key, json_integer(r->commands[c].count));
		for (unsigned i = 0; i < command->n_items; i++)
			if (command->items[i].informational)
				json_array_append_new(
					informational, json_string(command->items[i].key));
	}
	for (int i = 0; i <= SET_MAX; i++)
		json_array_append_new(sizes, json_integer(r->by_size[i]));
	json_object_set_new(root, "cli", json_string(r->plan->spec->name));
	json_object_set_new(root, "records", json_integer(r->records));
	json_object_set_new(root, "seeds", json_integer(r->seeds));
	json_object_set_new(root, "out_of_scope", json_integer(r->refusals));
	json_object_set_new(root, "out_of_scope_share",
		json_real(r->records ? (double)r->refusals / (double)r->records : 0));
	for (int i = 0; i < 4; i++)
		json_object_set_new(root, names[i], tally_json(&t[i]));
	json_object_set_new(root, "without_pairs", informational);
	json_object_set_new(root, "records_by_command", commands);
	json_object_set_new(root, "records_by_option", counts);
	json_object_set_new(root, "records_by_number_of_options", sizes);
	return root;
}
