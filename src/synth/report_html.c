/* report_html.c - the quality of a dataset as one page that needs nothing else. */
#include <string.h>
#include "synth/report_data.h"

static const char style[] =
	":root{color-scheme:light dark;--bar:#3b7dd8;--soft:#8884}"
	"body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
	"h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem;border-bottom:1px solid "
	"var(--soft)}"
	"table{border-collapse:collapse;width:100%}td,th{padding:.15rem .5rem;text-align:left;"
	"vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
	"td.bar{width:45%}td.bar div{background:var(--bar);height:.8rem;border-radius:2px}"
	"dl{margin:.5rem 0}dt{margin-top:.5rem}dd{margin:0 0 0 1.5rem;font-family:ui-monospace,"
	"monospace;font-size:.85rem;overflow-wrap:anywhere}.all{color:#2a8a4a}.some{color:#c0392b}"
	"p.note{opacity:.75;font-size:.9rem}";

static void add_escaped(const char *text, struct buf *out)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '&')
			buf_adds(out, "&amp;");
		else if (c == '<')
			buf_adds(out, "&lt;");
		else if (c == '>')
			buf_adds(out, "&gt;");
		else if (c == '"')
			buf_adds(out, "&quot;");
		else if (c < 0x20 || c == 0x7f)
			buf_addf(out, "\\x%02x", c);
		else
			buf_addc(out, *text);
	}
}

static double percent(long long part, long long whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void open_table(const char *title, const char *note, struct buf *out)
{
	buf_addf(out, "<h2>%s</h2>\n", title);
	if (note)
		buf_addf(out, "<p class=\"note\">%s</p>\n", note);
	buf_adds(out, "<table>\n");
}

static void add_row(const char *name, long long n, long long whole, long long most, struct buf *out)
{
	buf_adds(out, "<tr><td>");
	add_escaped(name, out);
	buf_addf(out,
		"</td><td class=\"n\">%lld</td><td class=\"n\">%.2f %%</td>"
		"<td class=\"bar\"><div style=\"width:%.1f%%\"></div></td></tr>\n",
		n, percent(n, whole), percent(n, most));
}

static void add_coverage(const struct data_report *r, struct buf *out)
{
	static const char *const names[] = {"commands", "options", "values", "pairs"};
	static const char *const titles[] = {
		"commands", "options and operands", "accepted values", "legal pairs"};
	json_t *json = report_json(&r->coverage);

	open_table("Coverage",
		"Of what the spec shows: a pair is legal where some command states both.", out);
	for (int i = 0; i < 4; i++) {
		json_t *t = json_object_get(json, names[i]);
		json_t *missing = json_object_get(t, "missing");
		long long total = json_integer_value(json_object_get(t, "total"));
		long long covered = json_integer_value(json_object_get(t, "covered"));

		buf_addf(out,
			"<tr><td>%s</td><td class=\"n\">%lld of %lld</td><td class=\"n %s\">%.2f "
			"%%</td><td>",
			titles[i], covered, total, covered == total ? "all" : "some",
			total ? percent(covered, total) : 100);
		if (json_array_size(missing)) {
			buf_addf(out, "<details><summary>%zu missing</summary>",
				json_array_size(missing));
			for (size_t k = 0; k < json_array_size(missing); k++) {
				add_escaped(json_string_value(json_array_get(missing, k)), out);
				buf_adds(out, "<br>");
			}
			buf_adds(out, "</details>");
		}
		buf_adds(out, "</td></tr>\n");
	}
	buf_adds(out, "</table>\n");
	json_decref(json);
}

static void add_balance(const struct data_report *r, struct buf *out)
{
	long long most = r->declined, sizes = 0, most_size = 0;
	struct buf name = {0};

	for (unsigned c = 0; c < r->plan->n_commands; c++)
		if (r->coverage.commands[c].count > most)
			most = r->coverage.commands[c].count;
	buf_addf(&name, "Evenness %.3f: entropy over commands by its maximum.",
		data_report_balance(r));
	open_table("Records by command", name.data, out);
	for (unsigned c = 0; c < r->plan->n_commands; c++)
		add_row(r->plan->commands[c].key, r->coverage.commands[c].count, r->records, most,
			out);
	add_row("(declined)", r->declined, r->records, most, out);
	buf_adds(out, "</table>\n");
	for (int i = 0; i <= SET_MAX; i++) {
		sizes += r->coverage.by_size[i];
		if (r->coverage.by_size[i] > most_size)
			most_size = r->coverage.by_size[i];
	}
	open_table("Records by number of options and operands", NULL, out);
	for (int i = 0; i <= SET_MAX; i++) {
		if (!r->coverage.by_size[i])
			continue;
		buf_clear(&name);
		buf_addf(&name, "%d", i);
		add_row(name.data, r->coverage.by_size[i], sizes, most_size, out);
	}
	buf_adds(out, "</table>\n");
	buf_release(&name);
}

static void add_lengths(const struct data_report *r, struct buf *out)
{
	long long most = 0;
	struct buf name = {0};

	buf_addf(&name, "Mean %.1f words; half have at most %d, 95 %% at most %d.",
		r->records ? (double)r->words / (double)r->records : 0, data_report_length(r, 0.5),
		data_report_length(r, 0.95));
	open_table("Length of requests", name.data, out);
	for (int i = 0; i < LENGTHS_MAX; i++)
		most = r->lengths[i] > most ? r->lengths[i] : most;
	for (int i = 0; i < LENGTHS_MAX; i++) {
		buf_clear(&name);
		buf_addf(&name, i + 1 < LENGTHS_MAX ? "%d" : "%d or more", i);
		if (r->lengths[i])
			add_row(name.data, r->lengths[i], r->records, most, out);
	}
	buf_adds(out, "</table>\n");
	buf_release(&name);
}

static void add_language(const struct data_report *r, struct buf *out)
{
	long long most = 0;
	struct buf name = {0};

	add_lengths(r, out);
	open_table("Diversity", NULL, out);
	buf_addf(out,
		"<tr><td>different words</td><td class=\"n\">%zu</td></tr>\n"
		"<tr><td>of them used once</td><td class=\"n\">%zu</td></tr>\n"
		"<tr><td>different pairs of neighbouring words, of %lld</td>"
		"<td class=\"n\">%zu</td></tr>\n"
		"<tr><td>different wordings, values left out, of %lld</td>"
		"<td class=\"n\">%zu</td></tr>\n"
		"<tr><td>records that repeat an earlier wording</td>"
		"<td class=\"n\">%.2f %%</td></tr>\n</table>\n",
		r->vocabulary.len, r->vocabulary.len - r->vocabulary_twice.len, r->pairs_seen,
		r->pairs.len, r->wordings_seen, r->wordings.len,
		percent(r->wordings_seen - (long long)r->wordings.len, r->wordings_seen));
	buf_addf(&name,
		"In a sample of %u: Jaccard&#39;s index of words and pairs of words. To the "
		"nearest other request %.3f in the mean, at least 0.8 for %.2f %%; of any two "
		"%.4f.",
		r->n_sample, r->nearest_mean, 100 * r->near_share, r->pairwise_mean);
	open_table("Similarity to the nearest other request", name.data, out);
	for (int i = 0; i < SIMILAR_STEPS; i++)
		most = r->nearest[i] > most ? r->nearest[i] : most;
	for (int i = 0; i < SIMILAR_STEPS; i++) {
		buf_clear(&name);
		buf_addf(&name, "%.1f to %.1f", i / 10.0, (i + 1) / 10.0);
		add_row(name.data, r->nearest[i], r->n_sample, most, out);
	}
	buf_adds(out, "</table>\n");
	buf_release(&name);
}

static void add_groups(
	const char *title, const struct data_groups *groups, long long whole, struct buf *out)
{
	long long most = 0;

	for (size_t i = 0; i < groups->n; i++)
		most = groups->at[i].count > most ? groups->at[i].count : most;
	open_table(title, NULL, out);
	for (size_t i = 0; i < groups->n; i++)
		add_row(groups->at[i].name, groups->at[i].count, whole, most, out);
	buf_adds(out, "</table>\n");
}

static void add_samples(const struct data_groups *groups, const char *prefix, struct buf *out)
{
	for (size_t i = 0; i < groups->n; i++) {
		const struct data_group *g = &groups->at[i];

		if (!g->n_samples)
			continue;
		buf_addf(out, "<h2>Samples: %s", prefix);
		add_escaped(g->name, out);
		buf_adds(out, "</h2>\n<dl>\n");
		for (unsigned k = 0; k < g->n_samples; k++) {
			buf_adds(out, "<dt>");
			add_escaped(g->samples[k].request, out);
			buf_adds(out, "</dt><dd>");
			add_escaped(g->samples[k].answer, out);
			buf_adds(out, "</dd>\n");
		}
		buf_adds(out, "</dl>\n");
	}
}

void data_report_html(const struct data_report *r, struct buf *out)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	add_escaped(r->plan->spec->name, out);
	buf_addf(out, ": dataset</title>\n<style>%s</style></head><body>\n<h1>", style);
	add_escaped(r->plan->spec->name, out);
	buf_addf(out, ": %lld records</h1>\n<p>%lld of them are to be declined", r->records,
		r->declined);
	if (r->rejected)
		buf_addf(out, "; %lld were rejected (%.2f %%)", r->rejected,
			percent(r->rejected, r->records + r->rejected));
	if (r->unreadable)
		buf_addf(out, "; %lld have an argv that the spec refuses", r->unreadable);
	buf_adds(out, ".</p>\n");
	add_coverage(r, out);
	add_groups("Records by kind", &r->kinds, r->records, out);
	add_groups("Records by split", &r->splits, r->records, out);
	if (r->rejects.n)
		add_groups("Rejected by reason", &r->rejects, r->rejected, out);
	add_balance(r, out);
	add_language(r, out);
	add_samples(&r->kinds, "", out);
	add_samples(&r->rejects, "rejected for ", out);
	buf_adds(out, "</body></html>\n");
}
