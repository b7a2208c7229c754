/* report_text.c - the quality of a dataset, for a terminal. */
#include <string.h>
#include "synth/preview.h"
#include "synth/report_data.h"

enum {
	NAME_COLUMNS = 26,
	MISSING_MAX = 10
};

static double percent(long long part, long long whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_bar(long long n, long long most, unsigned columns, struct buf *out)
{
	unsigned full = most ? (unsigned)((double)n / (double)most * columns + 0.5) : 0;

	for (unsigned i = 0; i < full; i++)
		buf_addc(out, '#');
	buf_addc(out, '\n');
}

static void add_line(const char *name, long long n, long long whole, long long most, unsigned width,
	struct buf *out)
{
	buf_addf(out, "  %-*.*s %9lld %6.2f%%  ", NAME_COLUMNS, NAME_COLUMNS, name, n,
		percent(n, whole));
	add_bar(n, most, width > 60 ? width - 50 : 10, out);
}

static void add_coverage(const struct data_report *r, struct buf *out)
{
	static const char *const names[] = {"commands", "options", "values", "pairs"};
	json_t *json = report_json(&r->coverage);

	buf_adds(out, "\nCoverage\n");
	for (int i = 0; i < 4; i++) {
		json_t *t = json_object_get(json, names[i]);
		json_t *missing = json_object_get(t, "missing");
		long long total = json_integer_value(json_object_get(t, "total"));
		long long covered = json_integer_value(json_object_get(t, "covered"));

		buf_addf(out, "  %-10s %6lld of %6lld  %6.2f%%\n",
			i == 3 ? "legal pairs" : names[i], covered, total,
			total ? percent(covered, total) : 100);
		for (size_t k = 0; k < json_array_size(missing) && k < MISSING_MAX; k++)
			buf_addf(out, "    missing: %s\n",
				json_string_value(json_array_get(missing, k)));
		if (json_array_size(missing) > MISSING_MAX)
			buf_addf(out, "    and %zu more\n", json_array_size(missing) - MISSING_MAX);
	}
	json_decref(json);
}

static void add_balance(const struct data_report *r, unsigned width, struct buf *out)
{
	long long most = 0, sizes = 0;
	struct buf name = {0};

	for (unsigned c = 0; c < r->plan->n_commands; c++)
		if (r->coverage.commands[c].count > most)
			most = r->coverage.commands[c].count;
	buf_addf(out, "\nRecords by command (evenness %.3f of 1)\n", data_report_balance(r));
	for (unsigned c = 0; c < r->plan->n_commands; c++)
		add_line(r->plan->commands[c].key, r->coverage.commands[c].count, r->records, most,
			width, out);
	add_line("(declined)", r->declined, r->records, most > r->declined ? most : r->declined,
		width, out);
	most = 0;
	for (int i = 0; i <= SET_MAX; i++) {
		most = r->coverage.by_size[i] > most ? r->coverage.by_size[i] : most;
		sizes += r->coverage.by_size[i];
	}
	buf_adds(out, "\nRecords by number of options and operands\n");
	for (int i = 0; i <= SET_MAX; i++) {
		if (!r->coverage.by_size[i])
			continue;
		buf_clear(&name);
		buf_addf(&name, "%d", i);
		add_line(name.data, r->coverage.by_size[i], sizes, most, width, out);
	}
	buf_release(&name);
}

static void add_language(const struct data_report *r, unsigned width, struct buf *out)
{
	long long most = 0;
	struct buf name = {0};

	buf_addf(out,
		"\nRequests\n"
		"  words: mean %.1f, half have at most %d, 95 %% at most %d\n"
		"  vocabulary: %zu words, %zu of them used once; %zu pairs of neighbours in %lld\n"
		"  wordings (values left out): %zu in %lld records, %.2f %% repeat an earlier "
		"one\n",
		r->records ? (double)r->words / (double)r->records : 0, data_report_length(r, 0.5),
		data_report_length(r, 0.95), r->vocabulary.len,
		r->vocabulary.len - r->vocabulary_twice.len, r->pairs.len, r->pairs_seen,
		r->wordings.len, r->wordings_seen,
		percent(r->wordings_seen - (long long)r->wordings.len, r->wordings_seen));
	for (int i = 0; i < LENGTHS_MAX; i += 5) {
		long long n = 0;

		for (int k = i; k < i + 5 && k < LENGTHS_MAX; k++)
			n += r->lengths[k];
		most = n > most ? n : most;
	}
	for (int i = 0; i < LENGTHS_MAX; i += 5) {
		long long n = 0;

		for (int k = i; k < i + 5 && k < LENGTHS_MAX; k++)
			n += r->lengths[k];
		buf_clear(&name);
		buf_addf(&name, i + 5 < LENGTHS_MAX ? "%d to %d words" : "%d words or more", i,
			i + 4);
		if (n)
			add_line(name.data, n, r->records, most, width, out);
	}
	buf_release(&name);
	buf_addf(out,
		"\nSimilarity in a sample of %u\n"
		"  to the nearest other request: mean %.3f; at least 0.8 for %.2f %%\n"
		"  of any two requests: mean %.4f\n",
		r->n_sample, r->nearest_mean, 100 * r->near_share, r->pairwise_mean);
}

static void add_groups(const char *title, const struct data_groups *groups, long long whole,
	unsigned width, struct buf *out)
{
	long long most = 0;

	for (size_t i = 0; i < groups->n; i++)
		most = groups->at[i].count > most ? groups->at[i].count : most;
	buf_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < groups->n; i++)
		add_line(groups->at[i].name, groups->at[i].count, whole, most, width, out);
}

static void add_samples(const struct data_groups *groups, const char *prefix, struct buf *out)
{
	for (size_t i = 0; i < groups->n; i++) {
		const struct data_group *g = &groups->at[i];

		if (g->n_samples)
			buf_addf(out, "\nSamples: %s%s\n", prefix, g->name);
		for (unsigned k = 0; k < g->n_samples; k++) {
			buf_adds(out, "  ");
			preview_text(g->samples[k].request, out);
			buf_addf(out, "\n      %s\n", g->samples[k].answer);
		}
	}
}

void data_report_text(const struct data_report *r, unsigned width, struct buf *out)
{
	buf_addf(out, "%s: %lld records, %lld of them declined", r->plan->spec->name, r->records,
		r->declined);
	if (r->rejected)
		buf_addf(out, "; %lld rejected (%.2f %%)", r->rejected,
			percent(r->rejected, r->records + r->rejected));
	buf_addc(out, '\n');
	if (r->unreadable)
		buf_addf(out, "%lld records have an argv that the spec refuses\n", r->unreadable);
	add_coverage(r, out);
	add_balance(r, width, out);
	add_language(r, width, out);
	add_groups("Records by kind", &r->kinds, r->records, width, out);
	add_groups("Records by split", &r->splits, r->records, width, out);
	if (r->rejects.n)
		add_groups("Rejected by reason", &r->rejects, r->rejected, width, out);
	add_samples(&r->kinds, "", out);
	add_samples(&r->rejects, "rejected for ", out);
}
