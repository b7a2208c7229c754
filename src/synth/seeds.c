/* seeds.c - see seeds.h. */
#include "synth/seeds.h"

#include <ctype.h>
#include <string.h>
#include "stream/jsonl.h"

enum {
	PIECES_MAX = 2 * SET_MAX + 1,
	SLOT_WEIGHT = 20
};

/* Finds value in the request where it is bounded on both sides; NULL where it is
 * not there exactly once. */
static const char *find_value(const char *request, const char *value)
{
	size_t len = strlen(value);
	const char *found = NULL;

	for (const char *at = strstr(request, value); at; at = strstr(at + 1, value)) {
		int before = at == request || strchr(" \"'`(:=,", at[-1]) != NULL;
		const char *end = at + len;
		int after = !*end || strchr(" \"'`),;?!", *end) != NULL ||
			    ((*end == '.' || *end == ':') &&
				    (!end[1] || isspace((unsigned char)end[1])));

		if (!before || !after)
			continue;
		if (found)
			return NULL;
		found = at;
	}
	return found;
}

struct found {
	const char *at;
	size_t len;
	int stated;
};

static unsigned item_index(const struct synth_command *c, const struct meaning_item *item)
{
	for (unsigned i = 0; i < c->n_items; i++)
		if (item->option ? c->items[i].option == item->option
				 : !c->items[i].option && c->items[i].argument == item->argument)
			return i;
	return c->n_items;
}

static int accepted_index(const struct argument *a, const char *value)
{
	for (size_t i = 0; i < a->n_accepted; i++)
		if (!strcmp(a->accepted[i].value, value))
			return (int)i;
	return -1;
}

static void sort_found(struct found *found, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned j = i; j && found[j].at < found[j - 1].at; j--) {
			struct found swap = found[j];

			found[j] = found[j - 1];
			found[j - 1] = swap;
		}
}

/* The set that the seed states, and where its free values stand.  -1 where it
 * can only be used as it is. */
static int find_slots(struct seed *seed, const struct meaning *m, struct found *found, unsigned *n)
{
	*n = 0;
	seed->set.single = 1;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct meaning_item *item = &m->items[i];
		unsigned index = item_index(seed->command, item);
		int accepted = -1;

		if (index == seed->command->n_items || !seed->command->items[index].usable ||
			item->n_values > 1 || (item->argument && !item->n_values))
			return -1;
		if (item->argument && item->argument->n_accepted)
			accepted = accepted_index(item->argument, item->values[0]);
		else if (item->argument) {
			const char *at = find_value(seed->request, item->values[0]);

			if (!at || item->argument->passthrough)
				return -1;
			found[(*n)++] = (struct found){at, strlen(item->values[0]), (int)index};
		}
		if (set_add(&seed->set, index, accepted) < 0)
			return -1;
	}
	sort_found(found, *n);
	for (unsigned i = 1; i < *n; i++)
		if (found[i - 1].at + found[i - 1].len > found[i].at)
			return -1;
	return 0;
}

static void cut(struct seeds *seeds, struct seed *seed, const struct found *found, unsigned n)
{
	const char *at = seed->request;

	seed->pieces = arena_alloc(&seeds->arena, (n + 1) * sizeof *seed->pieces);
	for (unsigned i = 0; i < n; i++) {
		struct seed_piece *p = &seed->pieces[seed->n_pieces++];

		p->literal = arena_strndup(&seeds->arena, at, (size_t)(found[i].at - at));
		p->stated = found[i].stated;
		at = found[i].at + found[i].len;
	}
	seed->pieces[seed->n_pieces++] = (struct seed_piece){arena_strdup(&seeds->arena, at), -1};
	seed->n_slots = n;
}

static void make_template(
	struct seeds *seeds, const struct plan *plan, struct seed *seed, const struct meaning *m)
{
	struct found found[SET_MAX];
	unsigned n;

	for (unsigned i = 0; i < plan->n_commands; i++)
		if (plan->commands[i].command == m->command)
			seed->command = &plan->commands[i];
	if (!seed->command || m->n_items > SET_MAX)
		seed->command = NULL;
	else if (find_slots(seed, m, found, &n) < 0)
		seed->command = NULL;
	else
		cut(seeds, seed, found, n);
}

static int add_seed(struct seeds *seeds, const struct plan *plan, const struct record *record,
	struct error *err)
{
	struct seed seed = {0};
	const char *request, **argv;
	struct verdict verdict;
	struct meaning meaning;
	struct buf id = {0};
	int argc;

	if (record_string(record, "request", &request, err) < 0 ||
		record_argv(record, "argv", &seeds->arena, &argc, &argv, err) < 0)
		return -1;
	if (!request || !*request)
		return error_set(err, EXIT_DATA, "a seed needs a request");
	if (argc == -2)
		return error_set(err, EXIT_DATA, "a seed needs an argv, or null to be declined");
	seed.request = arena_strdup(&seeds->arena, request);
	seed.argc = argc;
	buf_addf(&id, "seed/%u", seeds->n);
	seed.id = arena_strdup(&seeds->arena, id.data);
	buf_release(&id);
	if (argc >= 0) {
		if (verify(plan->spec, argc, argv, &seeds->arena, &meaning, &verdict) != VERDICT_OK)
			return error_set(err, EXIT_DATA, "argv: %s", verdict.message);
		seed.argc = meaning_argv(plan->spec, &meaning, &seeds->arena, &seed.argv);
		make_template(seeds, plan, &seed, &meaning);
	}
	seeds->at = array_grow(seeds->at, &seeds->cap, seeds->n, sizeof *seeds->at);
	seeds->at[seeds->n++] = seed;
	return 0;
}

int seeds_read(struct seeds *seeds, const struct plan *plan, const char *path, struct error *err)
{
	struct jsonl_reader *in = jsonl_open(path, err);
	struct record record;
	int got;

	if (!in)
		return -1;
	record_init(&record);
	while ((got = jsonl_read(in, &record, err)) == 1) {
		if (add_seed(seeds, plan, &record, err) < 0) {
			error_prefix(err, "%s:%ld", record.file, record.line);
			got = -1;
			break;
		}
	}
	record_release(&record);
	jsonl_close(in);
	return got < 0 ? -1 : 0;
}

void seeds_finish(struct seeds *seeds)
{
	seeds->draw = arena_alloc(
		&seeds->arena, ((size_t)seeds->n * SLOT_WEIGHT + 1) * sizeof *seeds->draw);
	seeds->refusals = arena_alloc(&seeds->arena, (seeds->n + 1) * sizeof *seeds->refusals);
	for (unsigned i = 0; i < seeds->n && i < UINT16_MAX; i++) {
		unsigned weight = seeds->at[i].n_slots ? SLOT_WEIGHT : 1;

		if (seeds->at[i].argc < 0)
			seeds->refusals[seeds->n_refusals++] = (unsigned short)i;
		else
			for (unsigned w = 0; seeds->at[i].command && w < weight; w++)
				seeds->draw[seeds->n_draw++] = (unsigned short)i;
	}
}

void seeds_release(struct seeds *seeds)
{
	free(seeds->at);
	arena_release(&seeds->arena);
}

void seed_fill(const struct seed *seed, const struct label *label, struct rng *r, struct text *out)
{
	text_clear(out);
	text_id(out, seed->id);
	for (unsigned i = 0; i < seed->set.n; i++)
		out->verbatim |= seed->set.accepted[i] >= 0;
	for (unsigned i = 0; i < seed->n_pieces; i++) {
		const struct seed_piece *p = &seed->pieces[i];
		const char *value = NULL;
		size_t len = strlen(p->literal);

		text_add(out, p->literal);
		for (unsigned k = 0; p->stated >= 0 && k < label->n; k++)
			if (label->at[k].index == (unsigned)p->stated)
				value = label->at[k].values[0];
		if (!value)
			continue;
		if (len && strchr("\"'`", p->literal[len - 1]))
			text_value(out, value);
		else
			text_value_quoted(out, value, r);
	}
}
