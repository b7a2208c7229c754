/* The synthesiser: labels that verify, requests that say them, coverage, sameness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/verify.h"
#include "stream/jsonl.h"
#include "synth/generator.h"
#include "text/ground.h"
#include "synth/leftovers.h"
#include "synth/pattern.h"
#include "synth/report.h"

struct fixture {
	struct spec *spec;
	struct plan *plan;
	struct seeds seeds;
	struct generator g;
};

static void open_fixture(struct fixture *f, const char *spec, const char *seeds, uint64_t seed)
{
	struct error err = {0};

	memset(f, 0, sizeof *f);
	f->spec = spec_load(spec, &err);
	if (!f->spec)
		fail_msg("%s", err.message);
	f->plan = plan_new(f->spec, &err);
	if (!f->plan)
		fail_msg("%s", err.message);
	if (seeds && seeds_read(&f->seeds, f->plan, seeds, &err) < 0)
		fail_msg("%s", err.message);
	seeds_finish(&f->seeds);
	generator_init(&f->g, f->plan, &f->seeds, seed, 0.1);
}

static void close_fixture(struct fixture *f)
{
	generator_release(&f->g);
	seeds_release(&f->seeds);
	plan_free(f->plan);
	spec_free(f->spec);
}

static const char *const specs[] = {
	"seeds/langgraph/cli.json", "testdata/synth/plain.json", "testdata/synth/rules.json"};
static const char *const seeds_of[] = {"seeds/langgraph/seeds.jsonl", NULL, NULL};

/* Checks one parsed record against the verifier and the checks of synvalidate. */
static void check_record(const struct spec *spec, const char *line, size_t line_len,
	struct arena *arena, long long *refusals)
{
	struct record record;
	struct error err = {0};
	struct verdict verdict;
	struct meaning meaning;
	const struct meaning_item *item;
	const char *request, **argv, *what, *ungrounded;
	size_t len;
	int argc;

	record_init(&record);
	assert_int_equal(record_parse(&record, line, line_len, &err), 0);
	assert_int_equal(record_string(&record, "request", &request, &err), 0);
	assert_int_equal(record_argv(&record, "argv", arena, &argc, &argv, &err), 0);
	assert_true(json_array_size(json_object_get(
			    json_object_get(record.json, "origin"), "template")) > 0);
	if (leftover_find(request, strlen(request), argc, argv, &len, &what))
		fail_msg("%s in: %s", what, request);
	*refusals += argc < 0;
	if (argc >= 0) {
		if (verify(spec, argc, argv, arena, &meaning, &verdict) != VERDICT_OK)
			fail_msg("%s in: %.*s", verdict.message, (int)line_len, line);
		if (!argv_is_canonical(spec, argc, argv, arena))
			fail_msg("not canonical: %.*s", (int)line_len, line);
		ungrounded = ground_check(request, strlen(request), &meaning, &item);
		if (ungrounded)
			fail_msg("'%s' is not said in: %.*s", ungrounded, (int)line_len, line);
	}
	record_release(&record);
}

static void records_are_valid(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct fixture f;
		struct generated what;
		struct buf json = {0};
		struct arena arena = {0};
		long long refusals = 0, n = i == 0 ? 50000 : 8000;

		open_fixture(&f, specs[i], seeds_of[i], 11);
		for (long long k = 0; k < n; k++) {
			buf_clear(&json);
			arena_clear(&arena);
			generator_record(&f.g, (uint64_t)k, &json, &what);
			check_record(f.spec, json.data, json.len, &arena, &refusals);
		}
		assert_in_range(refusals, n * 8 / 100, n * 12 / 100);
		buf_release(&json);
		arena_release(&arena);
		close_fixture(&f);
	}
}

static long long covered(json_t *report, const char *what)
{
	json_t *part = json_object_get(report, what);
	long long total = json_integer_value(json_object_get(part, "total"));

	if (json_array_size(json_object_get(part, "missing")))
		fail_msg("%s: %s is missing", what,
			json_string_value(json_array_get(json_object_get(part, "missing"), 0)));
	assert_int_equal(total, json_integer_value(json_object_get(part, "covered")));
	return total;
}

/* Counts what must be covered from the document itself. */
static long long count_visible(const struct spec *spec)
{
	long long n = 0;

	for (size_t i = 0; i < spec->n_commands; i++) {
		const struct command *c = spec->commands[i];
		int hidden = 0;

		for (const struct command *up = c; up; up = up->parent)
			hidden |= up->hidden;
		if (hidden || (!c->runnable && c->parent))
			continue;
		for (size_t j = 0; j < c->n_options; j++)
			n += !c->options[j]->hidden;
		n += (long long)c->n_arguments;
	}
	return n;
}

static void everything_is_covered(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct fixture f;
		struct generated what;
		struct report report;
		struct buf json = {0};
		json_t *root;

		open_fixture(&f, specs[i], seeds_of[i], 3);
		report_init(&report, f.plan);
		/* As soon as the rows of the covering array have had their places. */
		for (uint64_t k = 0; k < f.g.cover.n_rows * 5 / 2 + f.seeds.n + 8; k++) {
			buf_clear(&json);
			generator_record(&f.g, k, &json, &what);
			report_add(&report, what.label, what.refusal, what.seed);
		}
		root = report_json(&report);
		assert_true(covered(root, "commands") > 0);
		assert_int_equal(covered(root, "options"), count_visible(f.spec));
		assert_true(covered(root, "values") > 0);
		assert_true(covered(root, "pairs") > 20);
		json_decref(root);
		report_release(&report);
		buf_release(&json);
		close_fixture(&f);
	}
}

/* A pair that the verifier accepts must count as legal, and no other. */
static void legal_pairs_are_those_of_the_verifier(void **state)
{
	struct fixture f;
	const struct synth_command *c;
	unsigned user = 0, password = 0, key = 0, compress = 0, off = 0;

	(void)state;
	open_fixture(&f, "testdata/synth/rules.json", NULL, 1);
	c = &f.plan->commands[0];
	for (unsigned i = 0; i < c->n_items; i++) {
		const char *name = c->items[i].option ? c->items[i].option->name : "";

		user = strcmp(name, "--user") ? user : i;
		password = strcmp(name, "--password-file") ? password : i;
		key = strcmp(name, "--key-file") ? key : i;
		compress = strcmp(name, "--compress") ? compress : i;
		off = strcmp(name, "--no-compress") ? off : i;
	}
	assert_true(c->legal[user * c->n_items + password]);
	assert_true(c->legal[user * c->n_items + key]);
	assert_false(c->legal[password * c->n_items + key]);
	assert_false(c->legal[compress * c->n_items + off]);
	close_fixture(&f);
}

static void same_seed_same_bytes(void **state)
{
	struct fixture a, b, other;
	struct generated what;
	struct buf x = {0}, y = {0}, z = {0};
	int differ = 0;

	(void)state;
	open_fixture(&a, specs[0], seeds_of[0], 7);
	open_fixture(&b, specs[0], seeds_of[0], 7);
	open_fixture(&other, specs[0], seeds_of[0], 8);
	for (uint64_t k = 0; k < 3000; k++) {
		buf_clear(&x);
		buf_clear(&y);
		buf_clear(&z);
		generator_record(&a.g, k, &x, &what);
		generator_record(&b.g, 2999 - k, &y, &what); /* no state between records */
		buf_clear(&y);
		generator_record(&b.g, k, &y, &what);
		generator_record(&other.g, k, &z, &what);
		assert_string_equal(x.data, y.data);
		differ += strcmp(x.data, z.data) != 0;
	}
	assert_true(differ > 2500);
	buf_release(&x);
	buf_release(&y);
	buf_release(&z);
	close_fixture(&a);
	close_fixture(&b);
	close_fixture(&other);
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void requests_are_diverse(void **state)
{
	enum {
		N = 100000
	};
	struct fixture f;
	struct generated what;
	struct buf json = {0};
	uint64_t *hashes = xmalloc(N * sizeof *hashes);
	size_t distinct = 1;

	(void)state;
	open_fixture(&f, specs[0], seeds_of[0], 5);
	for (uint64_t k = 0; k < N; k++) {
		buf_clear(&json);
		generator_record(&f.g, k, &json, &what);
		hashes[k] = fnv64(FNV64_INIT, f.g.text.buf.data, f.g.text.buf.len);
	}
	qsort(hashes, N, sizeof *hashes, compare_hashes);
	for (size_t i = 1; i < N; i++)
		distinct += hashes[i] != hashes[i - 1];
	printf("# %zu distinct requests of %d\n", distinct, N);
	assert_true(distinct >= N / 100 * 97);
	free(hashes);
	buf_release(&json);
	close_fixture(&f);
}

static void hidden_things_stay_hidden(void **state)
{
	struct fixture f;
	struct generated what;
	struct buf json = {0};

	(void)state;
	open_fixture(&f, "testdata/synth/plain.json", NULL, 2);
	for (uint64_t k = 0; k < 5000; k++) {
		buf_clear(&json);
		generator_record(&f.g, k, &json, &what);
		assert_null(strstr(json.data, "secret-option"));
		assert_null(strstr(json.data, "debug-internals"));
	}
	buf_release(&json);
	close_fixture(&f);
}

static void forms_are_told_by_first_words(void **state)
{
	(void)state;
	assert_int_equal(phrase_form_of("on port {}"), PHRASE_ADVERB);
	assert_int_equal(phrase_form_of("tagged {}"), PHRASE_ADVERB);
	assert_int_equal(phrase_form_of("use {} as the image"), PHRASE_VERB);
	assert_int_equal(phrase_form_of("don't pull"), PHRASE_VERB);
	assert_int_equal(phrase_form_of("the port should be {}"), PHRASE_SENTENCE);
	assert_int_equal(phrase_form_of("my key is {}"), PHRASE_SENTENCE);
	assert_int_equal(phrase_form_of("port {}"), PHRASE_NOUN);
	assert_int_equal(phrase_form_of("no hot reload"), PHRASE_NOUN);
	assert_int_equal(phrase_form_of("which version is installed"), PHRASE_QUESTION);
	assert_int_equal(phrase_form_of("where the port is {}"), PHRASE_ADVERB);
}

static void patterns_are_drawn(void **state)
{
	static const char *const patterns[] = {"[A-Z]{2}-[0-9]{4}", "v\\d+(\\.\\d+){1,2}",
		"(?i)(?:ab|cd|)x?", "^[^@\\s]+@[a-z]+\\.(com|org)$", "a{3}b*c+", "(?s).*\\S.*",
		"[]a]-[b-]"};
	static const char *const beyond[] = {"(?=a)b", "(a)\\1", "[a", "(a", "a)"};
	struct buf text = {0};
	struct rng r;

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct argument argument = {.name = "x",
			.description = "",
			.pattern = patterns[i],
			.min_count = 1,
			.max_count = 1};
		struct value_plan plan;
		struct arena arena = {0};

		rng_init(&r, i, RNG_TEST, 0, 0);
		for (int k = 0; k < 200; k++) {
			buf_clear(&text);
			assert_int_equal(pattern_draw(patterns[i], &r, &text), 0);
		}
		/* What was drawn and does not match is thrown away; enough must be left. */
		assert_int_equal(value_plan_init(&plan, &argument, "x", &arena), 0);
		arena_release(&arena);
	}
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
		assert_int_equal(pattern_draw(beyond[i], &r, &text), -1);
	buf_release(&text);
}

static void gerunds(void **state)
{
	static const char *const pairs[][2] = {{"start the server", "starting the server"},
		{"make it", "making it"}, {"run x", "running x"},
		{"get rid of y", "getting rid of y"}, {"set up z", "setting up z"},
		{"don't pull", "not pulling"}, {"do not restart", "not restarting"},
		{"see it", "seeing it"}, {"sanity check a", "sanity checking a"},
		{"show b", "showing b"}};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		buf_clear(&out);
		phrase_gerund(pairs[i][0], &out);
		assert_string_equal(out.data, pairs[i][1]);
	}
	buf_release(&out);
}

static void slips_spare_values(void **state)
{
	struct surface surface = {.typos = 2, .lower = 1, .telegraphic = 1};
	struct text in = {0}, out = {0};
	struct rng r;

	(void)state;
	text_add(&in, "Please start the development server on ");
	text_value(&in, "The/A-Path.JSON");
	text_add(&in, " with logging, the usual way");
	for (uint32_t i = 0; i < 500; i++) {
		rng_init(&r, i, RNG_TEST, 0, 0);
		surface_apply(&surface, &in, &r, &out);
		assert_int_equal(out.n_values, 1);
		assert_int_equal(out.values[0].to - out.values[0].from, strlen("The/A-Path.JSON"));
		assert_memory_equal(out.buf.data + out.values[0].from, "The/A-Path.JSON", 15);
		assert_null(strstr(out.buf.data, "  "));
		assert_null(strstr(out.buf.data, " the "));
	}
	text_release(&in);
	text_release(&out);
}

static void seeds_become_templates(void **state)
{
	struct fixture f;
	struct rng r;
	unsigned with_slots = 0;

	(void)state;
	open_fixture(&f, specs[0], seeds_of[0], 1);
	assert_true(f.seeds.n >= 100);
	assert_true(f.seeds.n_refusals >= 15);
	for (unsigned i = 0; i < f.seeds.n; i++) {
		const struct seed *seed = &f.seeds.at[i];
		struct label label = {0};
		struct text out = {0};

		if (!seed->command)
			continue;
		with_slots += seed->n_slots > 0;
		rng_init(&r, i, RNG_TEST, 0, 0);
		label_draw(f.plan, seed->command, &seed->set, &r, &f.g.arena, &f.g.scratch, &label);
		seed_fill(seed, &label, &r, &out);
		for (unsigned k = 0; k < label.n; k++)
			if (label.at[k].n_values && label.at[k].accepted < 0)
				assert_non_null(strstr(out.buf.data, label.at[k].values[0]));
		text_release(&out);
	}
	assert_true(with_slots > 50);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(forms_are_told_by_first_words),
		cmocka_unit_test(gerunds), cmocka_unit_test(patterns_are_drawn),
		cmocka_unit_test(slips_spare_values), cmocka_unit_test(seeds_become_templates),
		cmocka_unit_test(legal_pairs_are_those_of_the_verifier),
		cmocka_unit_test(everything_is_covered), cmocka_unit_test(same_seed_same_bytes),
		cmocka_unit_test(hidden_things_stay_hidden), cmocka_unit_test(records_are_valid),
		cmocka_unit_test(requests_are_diverse)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
