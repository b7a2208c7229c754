/* Constrained, grounded decoding: what may come next, and that nothing else can. */
#include "tap.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "cli/verify.h"
#include "stream/jsonl.h"
#include "text/constraint.h"
#include "text/ground.h"
#include "text/lexicon.h"
#include "text/words.h"

static const char spec_text[] =
	"{'opencli':'0.1','info':{'title':'srv','version':'1'},"
	"'metadata':[{'name':'dialect','value':'click'}],"
	"'options':[{'name':'--dir','arguments':[{'name':'DIR'}]}],"
	"'commands':[{'name':'up','options':["
	" {'name':'--port','arguments':[{'name':'PORT','metadata':["
	"  {'name':'type','value':'integer'},{'name':'minimum','value':1},"
	"  {'name':'maximum','value':65535}]}]},"
	" {'name':'--wait'},"
	" {'name':'--lang','arguments':[{'name':'LANG','acceptedValues':['python','node.js'],"
	"  'metadata':[{'name':'says','value':{'python':['snake'],'node.js':['javascript']}}]}]},"
	" {'name':'--tag','arguments':[{'name':'TAG'}],"
	"  'metadata':[{'name':'repeatable','value':true}]}],"
	" 'arguments':[{'name':'FILE','arity':{'minimum':0,'maximum':1}}]},"
	" {'name':'down','options':[{'name':'--id','required':true,'arguments':[{'name':'ID',"
	"  'metadata':[{'name':'type','value':'integer'}]}]}]}]}";

static const char *const texts[] = {" start the server on port and wait for it",
	" start server port please", " ./src/agent . json", " the server is up on port",
	" 8 8 9 9 wait on port please", " hello world"};

static const char known_words[] =
	"start the server on port and wait for it please is up in use stop with hello world say";

struct fixture {
	struct spec *spec;
	struct arena arena;
	struct tokenizer *tokenizer;
	struct lexicon *lexicon;
	struct prompter p;
	struct constraint *c[2]; /* by ground */
	int max_tokens;		 /* of an answer; 0: any number */
};

/* kind 0: answers have tokens; 1: bytes and a few merges only. */
static void fixture_open(struct fixture *f, struct spec *spec, int kind, enum spans_mode mode)
{
	static const char *const merges[] = {"[\"langgraph\",\"up\",\"--port\",\"--wait\"]",
		"\",\"--", "\",\"", "\",$", "null", "\"]"};
	struct added_token *added;
	size_t n;
	struct error err;

	memset(f, 0, sizeof *f);
	f->spec = spec;
	n = answer_tokens(f->spec, &f->arena, &added);
	if (kind == 1) { /* special tokens and $1.. only */
		size_t kept = 0;

		for (size_t i = 0; i < n; i++)
			if (added[i].special || added[i].content[0] == '$')
				added[kept++] = added[i];
		n = kept;
	}
	f->tokenizer = kind ? tokenizer_train(merges, 6, 60, added, n, &err)
			    : tokenizer_train(texts, 6, 100, added, n, &err);
	f->lexicon = lexicon_new();
	for (const char *p = known_words; *p; p += strcspn(p, " "), p += *p == ' ')
		lexicon_add(f->lexicon, p, strcspn(p, " "));
	assert_int_equal(prompter_init(&f->p, f->tokenizer, f->lexicon, mode, &err), 0);
	for (int ground = 0; ground < 2; ground++) {
		f->c[ground] = constraint_new(f->spec, &f->p, ground, &err);
		assert_non_null(f->c[ground]);
		assert_int_equal(constraint_has_tokens(f->c[ground]), kind == 0);
	}
}

static void fixture_close(struct fixture *f)
{
	constraint_free(f->c[0]);
	constraint_free(f->c[1]);
	lexicon_free(f->lexicon);
	tokenizer_free(f->tokenizer);
	arena_release(&f->arena);
}

static struct spec *small_spec(void)
{
	char *text = xstrdup(spec_text);
	struct error err;
	struct spec *spec;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	spec = spec_parse(text, strlen(text), "spec", &err);
	if (!spec)
		fail_msg("%s", err.message);
	free(text);
	return spec;
}

static struct walk *walk_for(struct fixture *f, int ground, const char *request, struct ids *prompt)
{
	struct span spans[SPANS_MAX];
	size_t n;

	prompt->len = 0;
	n = prompt_encode(&f->p, request, strlen(request), NULL, NULL, spans, prompt);
	return walk_new(
		f->c[ground], request, spans, n, constraint_limit(f->c[ground], f->max_tokens));
}

/* What may follow the tokens of `before` (texts divided by blanks), as texts. */
static void expect(struct fixture *f, const char *request, const char *before, const char *wanted)
{
	struct ids prompt = {0};
	struct walk *w = walk_for(f, 1, request, &prompt);
	struct guide *g = walk_guide(w);
	struct buf shown = {0};
	int32_t state = 0;
	const struct choices *c;
	size_t len;

	while (*before) {
		size_t n = strcspn(before, " ");
		char token[64];

		snprintf(token, sizeof token, "%.*s", (int)n, before);
		state = g->next(g, state, tokenizer_id(f->tokenizer, token));
		if (state < 0)
			fail_msg("'%s': %s is no choice", request, token);
		before += n + (before[n] == ' ');
	}
	c = g->choices(g, state);
	for (int32_t i = 0; i < c->n; i++) {
		const char *bytes = tokenizer_bytes(f->tokenizer, c->ids[i], &len);

		if (i)
			buf_addc(&shown, ' ');
		buf_add(&shown, bytes, len);
		assert_true(i == 0 || c->ids[i] > c->ids[i - 1]);
	}
	assert_string_equal(shown.data, wanted);
	buf_release(&shown);
	walk_free(w);
	ids_release(&prompt);
}

static void test_choices(void **state)
{
	struct spec *spec = small_spec();
	struct fixture f;

	(void)state;
	fixture_open(&f, spec, 0, SPANS_REPLACE);
	/* down needs a number, which the first request does not have. */
	expect(&f, "start the server", "", "null [\"srv\" [\"srv\",\"up\"");
	expect(&f, "stop 17", "", "null [\"srv\" [\"srv\",\"up\" [\"srv\",\"down\"");
	expect(&f, "stop 17", "[\"srv\",\"down\"", ",\"--id\",");
	expect(&f, "stop 17", "[\"srv\",\"down\" ,\"--id\",", "$1");
	expect(&f, "stop 17", "[\"srv\",\"down\" ,\"--id\", $1", "]");
	expect(&f, "stop 17", "[\"srv\",\"down\" ,\"--id\", $1 ]", "<|end|>");
	expect(&f, "stop it", "null", "<|end|>");
	/* No number and no language: no --port, no --lang; a word could be a tag or a file. */
	expect(&f, "start it", "[\"srv\",\"up\"", ", ] ,\"--wait\" ,\"--tag\",");
	expect(&f, "say 70000", "[\"srv\",\"up\"", ", ] ,\"--wait\" ,\"--tag\",");
	expect(&f, "say 8123 in javascript", "[\"srv\",\"up\"",
		", ] ,\"--port\", ,\"--wait\" ,\"--lang\", ,\"--tag\",");
	expect(&f, "say 8123 in javascript", "[\"srv\",\"up\" ,\"--lang\",", "\"node.js\"");
	/* Options come in order; a span is named once. */
	expect(&f, "port 8123", "[\"srv\",\"up\" ,\"--port\", $1", ", ] ,\"--wait\" ,\"--tag\",");
	expect(&f, "port 8123", "[\"srv\",\"up\" ,\"--wait\"", ", ] ,\"--tag\",");
	expect(&f, "port 81 82 82", "[\"srv\",\"up\" ,\"--port\",", "$1 $2");
	expect(&f, "port 81 82 82", "[\"srv\",\"up\" ,\"--port\", $2 ,\"--tag\",", "\" $1 $3");
	fixture_close(&f);
	spec_free(spec);
}

struct drawn {
	long samples, nulls, tokens, certain;
};

/* Draws answers uniformly from the choices; each must be right. */
static void sample(struct fixture *f, int ground, const char *request, int n, struct drawn *d)
{
	struct span spans[SPANS_MAX];
	struct ids prompt = {0}, ids = {0};
	size_t n_spans = prompt_encode(&f->p, request, strlen(request), NULL, NULL, spans, &prompt);
	int limit = constraint_limit(f->c[ground], f->max_tokens);
	struct walk *w = walk_new(f->c[ground], request, spans, n_spans, limit);
	struct guide *g = walk_guide(w);
	const int32_t quote = tokenizer_id(f->tokenizer, "\"");
	struct buf plain = {0};
	struct rng rng;

	words_plain(request, strlen(request), &plain);
	rng_init(&rng, 5, RNG_SAMPLE, (uint64_t)ground, (uint32_t)strlen(request));
	for (int i = 0; i < n; i++) {
		const struct meaning_item *item;
		struct arena arena = {0};
		struct choice_list list = {0};
		struct meaning meaning;
		struct verdict v;
		struct error err;
		const char **argv, *invented;
		int argc, state = 0;
		int32_t token;
		size_t at, mark;

		ids.len = 0;
		do {
			const struct choices *c = g->choices(g, state);

			assert_true(c->n > 0);
			token = c->ids[rng_below(&rng, (uint32_t)c->n)];
			/* A value of random bytes would hardly ever end. */
			if (!ground && choices_have(c, quote) && rng_chance(&rng, 0.2))
				token = quote;
			d->tokens++;
			d->certain += c->n == 1;
			ids_add(&ids, token);
			state = g->next(g, state, token);
			assert_true(state >= 0);
			if (ids.len > 20000) {
				struct buf text = {0};

				tokenizer_decode(f->tokenizer, ids.data, 200, 0, &text);
				fail_msg("'%s': %s... does not end", request, text.data);
			}
		} while (token != f->p.end_id);
		assert_true(limit == 0 || ids.len <= (size_t)limit);
		if (answer_decode(&f->p, ids.data, ids.len, request, spans, n_spans, &arena, &argc,
			    &argv, NULL, &err) != 0)
			fail_msg("'%s': %s", request, err.message);
		d->samples++;
		d->nulls += argc < 0;
		if (argc >= 0) {
			if (verify(f->spec, argc, argv, &arena, &meaning, &v) != VERDICT_OK)
				fail_msg("'%s': %s", request, v.message);
			if (!argv_is_canonical(f->spec, argc, argv, &arena)) {
				struct buf text = {0};

				tokenizer_decode(f->tokenizer, ids.data, ids.len, 0, &text);
				fail_msg("'%s': %s is not canonical", request, text.data);
			}
			invented = ground ? ground_check(plain.data, plain.len, &meaning, &item)
					  : NULL;
			if (invented)
				fail_msg("'%s': '%s' is not stated", request, invented);
		}
		/* What was drawn can be followed again; argv has its answer, which where
		 * answers have tokens is just what was drawn. */
		assert_int_equal(walk_follow(w, ids.data, ids.len, &list, &at), 0);
		assert_int_equal(list.len, ids.len);
		mark = ids.len;
		if (walk_answer(w, argc, argv, &ids, NULL, &err) != 0)
			fail_msg("'%s': %s", request, err.message);
		if (constraint_has_tokens(f->c[ground]) && ground)
			assert_true(ids.len == 2 * mark &&
				    !memcmp(ids.data, ids.data + mark, mark * sizeof *ids.data));
		choice_list_release(&list);
		arena_release(&arena);
	}
	walk_free(w);
	ids_release(&ids);
	ids_release(&prompt);
	buf_release(&plain);
}

static void test_samples(void **state)
{
	static const char *const requests[] = {"start the server on port 8123 please", "stop 17",
		"", " ", "start it in ./src/agent.json with tags a-b and c_d",
		"up on eight thousand, javascript", "say \"hello world\" twice", "port 8,123",
		"-5 --wait - and --",
		"\xc3\xa9t\xc3\xa9 \xe2\x80\x9cquoted \xc3\xa9t\xc3\xa9\xe2\x80\x9d 3",
		"a\tb\nc \"x\\\"y\" 'it''s' \\",
		"use snake 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18"};
	struct spec *spec = small_spec();

	(void)state;
	for (int kind = 0; kind < 2; kind++)
		for (int mode = 0; mode < 3; mode++) {
			struct fixture f;
			struct drawn d = {0};

			fixture_open(&f, spec, kind, (enum spans_mode)mode);
			for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
				for (int ground = 1; ground < 2; ground++)
					sample(&f, ground, requests[i], 300, &d);
			assert_true(d.nulls < d.samples && d.certain > 0);
			fixture_close(&f);
		}
	spec_free(spec);
}

/* However little room there is, every answer ends in it. */
static void test_limit(void **state)
{
	static const int max[] = {5, 6, 7, 8, 9, 12, 24};
	struct error err;
	struct spec *specs[] = {small_spec(), spec_load("seeds/langgraph/cli.json", &err)};

	(void)state;
	assert_non_null(specs[1]);
	for (int i = 0; i < 4; i++) {
		struct fixture f;

		fixture_open(&f, specs[i / 2], i % 2, SPANS_REPLACE);
		constraint_keep(f.c[1], 1000); /* made anew for each request */
		for (size_t k = 0; k < sizeof max / sizeof *max; k++) {
			struct drawn d = {0};

			f.max_tokens = max[k];
			sample(&f, 1, "start 17 on a-b, ./x/y.json and c_d", 300, &d);
			sample(&f, 1, "deploy with --no-cache for docker, tag v1.2", 300, &d);
			assert_true(d.nulls < d.samples);
		}
		fixture_close(&f);
	}
	spec_free(specs[0]);
	spec_free(specs[1]);
}

/* Spans are values of arguments whose type they look like, where there are such. */
static void test_types(void **state)
{
	static const char text[] = "{'opencli':'0.1','info':{'title':'srv','version':'1'},"
				   "'metadata':[{'name':'dialect','value':'click'}],'options':["
				   "{'name':'--at','arguments':[{'name':'URL','metadata':["
				   " {'name':'type','value':'url'}]}]},"
				   "{'name':'--key','arguments':[{'name':'FILE','metadata':["
				   " {'name':'type','value':'path'}]}]},"
				   "{'name':'--kinds','arguments':[{'name':'KINDS'}],"
				   " 'metadata':[{'name':'separator','value':','}]}]}";
	char *json = xstrdup(text);
	struct error err;
	struct spec *spec;
	struct fixture f;
	struct ids ids = {0};
	const char *const argv[] = {"srv", "--kinds", "alpha,beta"};
	struct walk *w;

	(void)state;
	for (char *p = json; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	spec = spec_parse(json, strlen(json), "spec", &err);
	if (!spec)
		fail_msg("%s", err.message);
	fixture_open(&f, spec, 0, SPANS_REPLACE);
	expect(&f, "start on http://a.b/ in ./c.pem with 17", "[\"srv\" ,\"--at\",", "\" $1 $2");
	expect(&f, "start on http://a.b/ in ./c.pem with 17", "[\"srv\" ,\"--key\",", "\" $1 $2");
	expect(&f, "use 17", "[\"srv\" ,\"--at\",", "\" $1");
	/* An item of a list is spelled, also where it is a span. */
	w = walk_for(&f, 1, "the kinds alpha and beta", &ids);
	ids.len = 0;
	if (walk_answer(w, 3, argv, &ids, NULL, &err) != 0)
		fail_msg("%s", err.message);
	walk_free(w);
	ids_release(&ids);
	fixture_close(&f);
	spec_free(spec);
	free(json);
}

/* A vocabulary with another token in the place of the byte 0xf1 or of 'a'. */
static struct tokenizer *without_byte(struct tokenizer *t, const char *symbol, struct error *err)
{
	char path[] = "/tmp/constraint-XXXXXX";
	int fd = mkstemp(path);
	json_t *json, *vocab, *id;
	struct tokenizer *less;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tokenizer_save(t, path, err), 0);
	json = json_load_file(path, 0, NULL);
	vocab = json_object_get(json_object_get(json, "model"), "vocab");
	id = json_object_get(vocab, symbol);
	assert_non_null(id);
	json_object_set(vocab, "zqzq", id);
	json_object_del(vocab, symbol);
	assert_int_equal(json_dump_file(json, path, 0), 0);
	less = tokenizer_load(path, err);
	unlink(path);
	json_decref(json);
	return less;
}

static void test_lacking_bytes(void **state)
{
	struct spec *spec = small_spec();
	struct drawn d = {0};
	struct error err;
	struct fixture f;
	struct tokenizer *whole, *less;
	struct ids ids = {0};
	const char *const rare[] = {"srv", "up", "\xf1\x80\x80\x80"};
	const char *const common[] = {"srv", "up", "caf\xc3\xa9"};
	const char *const request = "start \xf1\x80\x80\x80 or caf\xc3\xa9";
	struct walk *w;

	(void)state;
	fixture_open(&f, spec, 1, SPANS_NONE);
	whole = f.tokenizer;
	less = without_byte(whole, "\xc3\xb1", &err);
	if (!less)
		fail_msg("%s", err.message);
	constraint_free(f.c[0]);
	constraint_free(f.c[1]);
	assert_int_equal(prompter_init(&f.p, less, f.lexicon, SPANS_NONE, &err), 0);
	for (int ground = 0; ground < 2; ground++)
		f.c[ground] = constraint_new(spec, &f.p, ground, &err);
	assert_non_null(f.c[1]);
	f.tokenizer = less;
	sample(&f, 1, request, 300, &d);
	sample(&f, 0, request, 50, &d);
	w = walk_for(&f, 1, request, &ids);
	assert_int_equal(walk_answer(w, 3, common, &ids, NULL, &err), 0);
	assert_int_equal(walk_answer(w, 3, rare, &ids, NULL, &err), -1);
	walk_free(w);
	/* Without a letter, no answer could be relied on. */
	tokenizer_free(less);
	less = without_byte(whole, "a", &err);
	if (!less)
		fail_msg("%s", err.message);
	assert_int_equal(prompter_init(&f.p, less, f.lexicon, SPANS_NONE, &err), 0);
	assert_null(constraint_new(spec, &f.p, 1, &err));
	assert_non_null(strstr(err.message, "no token for the byte 0x61"));
	f.tokenizer = whole;
	ids_release(&ids);
	fixture_close(&f);
	tokenizer_free(less);
	spec_free(spec);
}

static void test_free_values(void **state)
{
	struct spec *spec = small_spec();

	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct fixture f;
		struct drawn d = {0};

		fixture_open(&f, spec, kind, SPANS_REPLACE);
		sample(&f, 0, "start the server on port 8123 please", 100, &d);
		sample(&f, 0, "", 100, &d);
		assert_true(d.samples == 200);
		fixture_close(&f);
	}
	spec_free(spec);
}

/* People's requests for a real CLI: each expected argv can be said, samples are right. */
static void test_langgraph(void **state)
{
	struct error err;
	struct spec *spec = spec_load("seeds/langgraph/cli.json", &err);

	(void)state;
	assert_non_null(spec);
	for (int kind = 0; kind < 2; kind++)
		for (int mode = 0; mode < 3; mode++) {
			struct jsonl_reader *in =
				jsonl_open("testdata/langgraph/people.jsonl", &err);
			struct record r = {0};
			struct fixture f;
			struct drawn d = {0};
			struct ids ids = {0};
			long said = 0;

			assert_non_null(in);
			fixture_open(&f, spec, kind, (enum spans_mode)mode);
			while (jsonl_read(in, &r, &err) > 0) {
				struct arena arena = {0};
				const char **argv, *request;
				int argc;
				struct walk *w;

				assert_int_equal(record_string(&r, "request", &request, &err), 0);
				assert_int_equal(
					record_argv(&r, "argv", &arena, &argc, &argv, &err), 0);
				w = walk_for(&f, 1, request, &ids);
				ids.len = 0;
				if (walk_answer(w, argc, argv, &ids, NULL, &err) != 0)
					fail_msg("%s: %s", request, err.message);
				said++;
				walk_free(w);
				sample(&f, 1, request, 20, &d);
				arena_release(&arena);
			}
			assert_true(said > 50);
			record_release(&r);
			jsonl_close(in);
			ids_release(&ids);
			fixture_close(&f);
		}
	spec_free(spec);
}

/* Requests that are none: a guide is there all the same. */
static void test_odd_requests(void **state)
{
	struct spec *spec = small_spec();
	char *huge = xmalloc(100001);
	struct drawn d = {0};
	struct fixture f;

	(void)state;
	for (int i = 0; i < 100000; i++)
		huge[i] = i % 7 == 6 ? ' ' : (char)('a' + i % 23);
	huge[100000] = '\0';
	fixture_open(&f, spec, 0, SPANS_NONE);
	sample(&f, 1, huge, 3, &d);
	sample(&f, 1, "\x01\x02\x1b[31m \x7f", 50, &d);
	sample(&f, 1, "\xff\xfe 17 \xc3", 50, &d);
	fixture_close(&f);
	free(huge);
	spec_free(spec);
}

static void test_unsaid(void **state)
{
	static const struct {
		const char *request;
		const char *argv[6];
		const char *why;
	} cases[] = {
		{"start it", {"srv", "up", "--port", "8123"}, "does not state '8123'"},
		{"start 1", {"srv", "up", "--prt", "1"}, "not valid"},
		{"start 1", {"srv", "up", "--wait", "--port", "1"}, "canonical"},
	};
	struct spec *spec = small_spec();
	struct ids ids = {0};
	struct fixture f;

	(void)state;
	fixture_open(&f, spec, 0, SPANS_REPLACE);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct walk *w = walk_for(&f, 1, cases[i].request, &ids);
		struct error err;
		int argc = 0;

		while (cases[i].argv[argc])
			argc++;
		assert_int_equal(walk_answer(w, argc, cases[i].argv, &ids, NULL, &err), -1);
		if (!strstr(err.message, cases[i].why))
			fail_msg("%s", err.message);
		walk_free(w);
	}
	ids_release(&ids);
	fixture_close(&f);
	spec_free(spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_lacking_bytes),
		cmocka_unit_test(test_free_values),
		cmocka_unit_test(test_langgraph),
		cmocka_unit_test(test_odd_requests),
		cmocka_unit_test(test_unsaid),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
