/* report_data.c - takes records in.  See report_data.h. */
#include "synth/report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "synth/preview.h"
#include "text/words.h"

enum {
	FEATURES_MAX = 400
};

void data_report_init(struct data_report *r, const struct plan *plan, unsigned samples)
{
	memset(r, 0, sizeof *r);
	r->plan = plan;
	r->samples = samples;
	report_init(&r->coverage, plan);
	rng_init(&r->rng, 0, RNG_SAMPLE, 0, 0);
}

static void groups_release(struct data_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		for (unsigned k = 0; k < groups->at[i].n_samples; k++) {
			free(groups->at[i].samples[k].request);
			free(groups->at[i].samples[k].answer);
		}
		free(groups->at[i].samples);
	}
	free(groups->at);
}

void data_report_release(struct data_report *r)
{
	report_release(&r->coverage);
	groups_release(&r->kinds);
	groups_release(&r->splits);
	groups_release(&r->rejects);
	hash_set_release(&r->vocabulary);
	hash_set_release(&r->vocabulary_twice);
	hash_set_release(&r->pairs);
	hash_set_release(&r->wordings);
	for (unsigned i = 0; i < r->n_sample; i++)
		free(r->sample[i].at);
	arena_release(&r->arena);
	arena_release(&r->names);
}

static struct data_group *group_of(
	struct data_report *r, struct data_groups *groups, const char *name)
{
	struct data_group *group;

	for (size_t i = 0; i < groups->n; i++)
		if (!strcmp(groups->at[i].name, name))
			return &groups->at[i];
	groups->at = array_grow(groups->at, &groups->cap, groups->n, sizeof *groups->at);
	group = &groups->at[groups->n++];
	memset(group, 0, sizeof *group);
	group->name = arena_strdup(&r->names, name);
	group->samples = xcalloc(r->samples ? r->samples : 1, sizeof *group->samples);
	return group;
}

/* Every record of a group is among its samples with the same chance (algorithm R of
 * Vitter: "Random Sampling with a Reservoir", ACM TOMS 11(1), 1985). */
static void group_add(
	struct data_report *r, struct data_group *group, const char *request, const char *answer)
{
	struct data_sample *sample = NULL;
	long long n = group->count++;
	uint64_t at;

	if (group->n_samples < r->samples) {
		sample = &group->samples[group->n_samples++];
	} else if (r->samples) {
		at = rng_u64(&r->rng) % (uint64_t)(n + 1);
		if (at < r->samples)
			sample = &group->samples[at];
	}
	if (!sample)
		return;
	free(sample->request);
	free(sample->answer);
	sample->request = xstrdup(request);
	sample->answer = xstrdup(answer);
}

static int hash_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Keeps the request's features if the draw falls on it. */
static void sample_add(struct data_report *r, uint64_t *features, unsigned n)
{
	struct data_features *slot;
	unsigned kept = 0;
	uint64_t at = r->n_sample;

	if (r->records > SIMILAR_SAMPLE)
		at = rng_u64(&r->rng) % (uint64_t)r->records;
	if (at >= SIMILAR_SAMPLE)
		return;
	slot = &r->sample[at];
	r->n_sample += at == r->n_sample;
	qsort(features, n, sizeof *features, hash_compare);
	for (unsigned i = 0; i < n; i++)
		if (!kept || features[kept - 1] != features[i])
			features[kept++] = features[i];
	slot->at = xreallocarray(slot->at, kept ? kept : 1, sizeof *slot->at);
	if (kept)
		memcpy(slot->at, features, kept * sizeof *features);
	slot->n = kept;
}

static int argv_states(int argc, const char *const *argv, const char *word, size_t len)
{
	for (int i = 1; i < argc; i++)
		if (len && memmem(argv[i], strlen(argv[i]), word, len))
			return 1;
	return 0;
}

static void add_words(struct data_report *r, const char *request, int argc, const char *const *argv)
{
	uint64_t features[FEATURES_MAX], last = 0, wording = FNV64_INIT;
	unsigned n = 0, words = 0;
	size_t at = 0, len;
	const char *word;
	struct buf plain = {0};

	words_plain(request, strlen(request), &plain);
	while ((word = words_next(plain.data ? plain.data : "", plain.len, &at, &len))) {
		uint64_t h = word_hash(word, len), pair = words_chain(last, h);

		words++;
		if (!hash_set_add(&r->vocabulary, h ? h : 1))
			hash_set_add(&r->vocabulary_twice, h ? h : 1);
		if (words > 1) {
			r->pairs_seen++;
			hash_set_add(&r->pairs, pair ? pair : 1);
		}
		if (n + 2 <= FEATURES_MAX) {
			features[n++] = h;
			if (words > 1)
				features[n++] = pair;
		}
		if (!argv_states(argc, argv, word, len))
			wording = words_chain(wording, h);
		last = h;
	}
	r->words += words;
	r->lengths[words < LENGTHS_MAX ? words : LENGTHS_MAX - 1]++;
	r->wordings_seen++;
	hash_set_add(&r->wordings, wording ? wording : 1);
	sample_add(r, features, n);
	buf_release(&plain);
}

static const struct synth_command *planned(const struct plan *plan, const struct command *c)
{
	for (unsigned i = 0; i < plan->n_commands; i++)
		if (plan->commands[i].command == c)
			return &plan->commands[i];
	return NULL;
}

/* The meaning as the coverage counts it; items beyond what it can hold are left out. */
static int label_of(const struct plan *plan, const struct meaning *m, struct label *label)
{
	memset(label, 0, sizeof *label);
	label->command = planned(plan, m->command);
	if (!label->command)
		return 0;
	for (size_t i = 0; i < m->n_items && label->n < SET_MAX; i++) {
		const struct meaning_item *item = &m->items[i];
		struct stated *s = &label->at[label->n];

		for (unsigned k = 0; k < label->command->n_items; k++) {
			const struct synth_item *own = &label->command->items[k];

			if (own->option != item->option ||
				(!item->option && own->argument != item->argument))
				continue;
			s->item = own;
			s->index = k;
			s->accepted = -1;
			for (size_t v = 0;
				item->n_values && own->argument && v < own->argument->n_accepted;
				v++)
				if (!strcmp(own->argument->accepted[v].value, item->values[0]))
					s->accepted = (int)v;
			label->n++;
			break;
		}
	}
	return 1;
}

static void add_coverage(struct data_report *r, int argc, const char *const *argv)
{
	struct verdict verdict;
	struct meaning meaning;
	struct label label;

	if (argc < 0) {
		r->declined += argc == -1;
		report_add(&r->coverage, NULL, argc == -1, 0);
		return;
	}
	if (verify(r->plan->spec, argc, argv, &r->arena, &meaning, &verdict) != VERDICT_OK) {
		r->unreadable++;
		return;
	}
	report_add(&r->coverage, label_of(r->plan, &meaning, &label) ? &label : NULL, 0, 0);
}

static const char *string_in(json_t *object, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : otherwise;
}

/* Request and argv of a record, and the argv as a person would type it. */
static int record_read(struct data_report *r, const struct record *record, const char **request,
	int *argc, const char ***argv, struct buf *shown, struct error *err)
{
	arena_clear(&r->arena);
	if (record_string(record, "request", request, err) < 0 ||
		record_argv(record, "argv", &r->arena, argc, argv, err) < 0)
		return -1;
	if (!*request)
		return error_set(err, EXIT_DATA, "the record has no request");
	preview_argv(*argc, *argc < 0 ? NULL : *argv, shown);
	return 0;
}

/* "synth", "seed"; of what is declined also why: "out-of-scope, missing". */
static void kind_of_record(const struct record *record, struct buf *out)
{
	json_t *origin = json_object_get(record->json, "origin"), *template, *id;
	const char *text;
	size_t i;

	buf_adds(out, string_in(origin, "kind", "unknown"));
	template = json_object_get(origin, "template");
	json_array_foreach(template, i, id)
	{
		text = json_string_value(id);
		if (!text || strncmp(text, "oos.", 4) != 0)
			continue;
		buf_addf(out, ", %.*s", (int)strcspn(text + 4, "/"), text + 4);
		return;
	}
}

int data_report_add(struct data_report *r, const struct record *record, struct error *err)
{
	const char *request, **argv;
	struct buf shown = {0}, kind = {0};
	int argc;

	if (record_read(r, record, &request, &argc, &argv, &shown, err) < 0)
		return -1;
	r->records++;
	kind_of_record(record, &kind);
	group_add(r, group_of(r, &r->kinds, kind.data), request, shown.data);
	group_of(r, &r->splits, string_in(record->json, "split", "none"))->count++;
	add_words(r, request, argc, argc < 0 ? NULL : argv);
	add_coverage(r, argc, argc < 0 ? NULL : argv);
	buf_release(&shown);
	buf_release(&kind);
	return 0;
}

int data_report_add_reject(struct data_report *r, const struct record *record, struct error *err)
{
	json_t *reason = json_object_get(record->json, "reason");
	const char *request, **argv;
	struct buf shown = {0};
	int argc;

	if (record_read(r, record, &request, &argc, &argv, &shown, err) < 0)
		return -1;
	r->rejected++;
	buf_addf(&shown, "  (%s)", string_in(reason, "message", "no reason given"));
	group_add(r, group_of(r, &r->rejects, string_in(reason, "check", "unknown")), request,
		shown.data);
	buf_release(&shown);
	return 0;
}

int data_report_length(const struct data_report *r, double share)
{
	long long sum = 0;

	for (int i = 0; i < LENGTHS_MAX; i++) {
		sum += r->lengths[i];
		if ((double)sum >= share * (double)r->records)
			return i;
	}
	return LENGTHS_MAX - 1;
}

double data_report_balance(const struct data_report *r)
{
	double total = 0, entropy = 0;

	for (unsigned c = 0; c < r->plan->n_commands; c++)
		total += (double)r->coverage.commands[c].count;
	for (unsigned c = 0; c < r->plan->n_commands && total > 0; c++) {
		double p = (double)r->coverage.commands[c].count / total;

		if (p > 0)
			entropy -= p * log(p);
	}
	return r->plan->n_commands > 1 ? entropy / log(r->plan->n_commands) : 1;
}
