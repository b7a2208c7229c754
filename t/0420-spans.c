/* Value spans: a table of requests, properties over random text, the lexicon. */
#include "tap.h"

#include "base/rng.h"
#include "text/lexicon.h"
#include "text/spans.h"
#include "text/utf8.h"

static const char known[] =
	"start the server on port up with a an of for in to and or run build image tag please "
	"don't "
	"wait it app watch new project named from template my is file use host timeout seconds at "
	"bind address set call push pull then version stop not can you i want what how reload "
	"--port -p hot hand name but path memory limit by be latest number this that stop's done "
	"hot-reload github";

static struct lexicon *lexicon(void)
{
	struct lexicon *lex = lexicon_new();

	for (const char *p = known; *p; p += *p == ' ') {
		size_t n = strcspn(p, " ");

		lexicon_add(lex, p, n);
		p += n;
	}
	return lex;
}

/* Spans as "type text|type text". */
static void print_spans(const char *request, const struct lexicon *lex, struct buf *out)
{
	struct span spans[SPANS_MAX];
	size_t n = spans_find(request, strlen(request), lex, spans);

	buf_clear(out);
	buf_adds(out, "");
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s %.*s", i ? "|" : "", span_type_names[spans[i].type],
			(int)(spans[i].to - spans[i].from), request + spans[i].from);
}

static const struct {
	const char *request, *spans;
} table[] = {
	{"", ""},
	{"Start the server on PORT 8123.", "number 8123"},
	{"start on port:8123, host=0.0.0.0 (up)", "number 8123|host 0.0.0.0"},
	{"limit 2.5, -3, +4, .5, 0x1F, 1e-4 and 8,123,456!", "number 2.5|number -3|number +4|"
							     "number .5|number 0x1F|number 1e-4|"
							     "number 8,123,456"},
	{"set #123, $5, ~10, >=3 and 50%", "number 123|number 5|number 10|number 3|number 50"},
	{"timeout 30s, 1h30m, memory 512m or 1.5GB", "size 30s|size 1h30m|size 512m|size 1.5GB"},
	{"use http://localhost:8123/a(b)?c=d, or postgres://u:p@db:5432/x.",
		"url http://localhost:8123/a(b)?c=d|url postgres://u:p@db:5432/x"},
	{"push to git@github.com:me/x.git (https://x.io).", "url git@github.com:me/x.git|"
							    "url https://x.io"},
	{"use ./src/agent.py:graph, ../x, ~/z, C:\\me\\x, .env, foo.json and /etc/x;",
		"path ./src/agent.py:graph|path ../x|path ~/z|path C:\\me\\x|path .env|"
		"path foo.json|path /etc/x"},
	{"build in . or ..", "path .|path .."},
	{"wait... what? e.g. this, i.e. that", ""},
	{"image redis:7 or registry.example.com/team/app:1.2.3-rc1",
		"image redis:7|image registry.example.com/team/app:1.2.3-rc1"},
	{"version 3.11 or 3.12.1, v0.2 and 1.0.0-rc1", "number 3.11|version 3.12.1|version v0.2|"
						       "version 1.0.0-rc1"},
	{"bind to 0.0.0.0:80, [::1]:80, ::1, db.internal or localhost:8123",
		"host 0.0.0.0:80|host [::1]:80|host ::1|host db.internal|host localhost:8123"},
	{"call me@example.com or x@1.2.3", "host me@example.com|name x@1.2.3"},
	{"named my-app, my_app, myApp, app2 or GitHub",
		"name my-app|name my_app|name myApp|name app2"},
	{"hot-reload please", ""},
	{"set PORT=8123 or port=8123", "name PORT=8123|number 8123"},
	{"set FOO=bar, --port=9000 -p 80 and x==1.2", "name FOO=bar|number 9000|number 80|"
						      "name x==1.2"},
	{"named \"my thing\", 'it's new', `x y`, “a b”, „c d“ and «e f»",
		"quoted my thing|quoted it's new|quoted x y|quoted a b|quoted c d|quoted e f"},
	{"use '8123', \"./x\" or \"up\"", "number 8123|path ./x|quoted up"},
	{"set --name=\"my thing\" or host='a b'", "quoted my thing|quoted a b"},
	{"\"start the server\"", ""},
	{"start 'the server", ""},
	{"don't wait, the app's path isn't what you'd call new", ""},
	{"don’t wait for redis’s app or redis's", "word redis|word redis"},
	{"sttart teh server", "word sttart|word teh"},
	{"up/down and/or start/stop", ""},
	{"use src/app, app/new or app/.", "path src/app|path app/new|path app/"},
	{"the name is 'my x'. use ./x/. or x/..", "quoted my x|path ./x/|path x/.."},
	{"hand --no-cache, -q and --x=y on, with --port 80",
		"name --no-cache|name -q|name --x=y|number 80"},
	{"use ~=0.11.0.dev5 or >=3.11 of >=3", "version ~=0.11.0.dev5|version >=3.11|number 3"},
	{"set ID=x-1, URL=http://x.io, limit=8 and FOO=b", "name x-1|url http://x.io|number 8|"
							   "name FOO=b"},
	{"done.then start,stop or Image.build", "name Image.build"},
	{"a,b,c or 8123,8124x", "name a,b,c|name 8123,8124x"},
	{"set {\"a\": [1, \"b c\"]} please", "quoted {\"a\": [1, \"b c\"]}"},
	{"8123端口启动服务 at 2024-01-15T10:00", "number 8123|name 2024-01-15T10:00"},
	{"número — “hola” → redis 👍🏽", "word número|quoted hola|word redis"},
	{"the 1st, 3rd (not) <that> **stop** [up]", ""},
	{"- -- --port -p = : / , ' \" ( ) [ {", "path /"},
	{"use *.py", "path *.py"},
};

static void values_are_found(void **state)
{
	struct lexicon *lex = lexicon();
	struct buf out = {0};
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		print_spans(table[i].request, lex, &out);
		if (strcmp(out.data, table[i].spans) != 0) {
			print_message("# %s\n#   expected %s\n#   got      %s\n", table[i].request,
				table[i].spans, out.data);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
	buf_release(&out);
	lexicon_free(lex);
}

static void every_word_is_known_without_a_lexicon(void **state)
{
	struct buf out = {0};

	(void)state;
	print_spans("sttart teh Server's my-app on 8123", NULL, &out);
	assert_string_equal(out.data, "name my-app|number 8123");
	buf_release(&out);
}

static void unknown_words_give_way(void **state)
{
	struct lexicon *lex = lexicon();
	struct buf request = {0};
	struct span spans[SPANS_MAX];

	(void)state;
	for (int i = 0; i < 20; i++)
		buf_adds(&request, "zzz ");
	for (int i = 0; i < 10; i++)
		buf_addf(&request, "%d ", i);
	assert_int_equal(spans_find(request.data, request.len, lex, spans), 16);
	for (int i = 0; i < 16; i++)
		assert_int_equal(spans[i].type, i < 6 ? SPAN_WORD : SPAN_NUMBER);
	for (int i = 10; i < 20; i++)
		buf_addf(&request, "%d ", i);
	assert_int_equal(spans_find(request.data, request.len, lex, spans), 16);
	assert_int_equal(spans[0].type, SPAN_NUMBER);
	assert_memory_equal(request.data + spans[0].from, "0", 1);
	buf_release(&request);
	lexicon_free(lex);
}

/* Whatever is said: in order, apart, not empty, whole characters, no blank or
 * quotation mark at an end of an unquoted one. */
static void properties(void **state)
{
	static const char *const parts[] = {" ", " ", "  ", "'", "\"", "`", "“", "”", "’", "’s",
		".", ",", "=", ":", "/", "\\", "-", "--", "$", "~", "@", "(", ")", "[", "]", "{",
		"}", "*", "8123", "v1", "3.11", "start", "redis", "Foo", "é", "端口", "👍🏽",
		"http://", "x", "\t", "\n", "...", "::", "s", "'s", "30s", ".py", "\xc2\xa0", "—",
		"%", "!", "?"};
	struct lexicon *lex = lexicon();
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, RNG_TEST, 420, 0);
	for (int round = 0; round < 60000; round++) {
		struct buf text = {0};
		struct span spans[SPANS_MAX];
		size_t n, end = 0;

		for (uint32_t i = rng_below(&rng, 30); i; i--)
			buf_adds(&text, parts[rng_below(&rng, sizeof parts / sizeof *parts)]);
		buf_adds(&text, "");
		n = spans_find(text.data, text.len, round % 5 ? lex : NULL, spans);
		assert_true(n <= SPANS_MAX);
		for (size_t i = 0; i < n; i++) {
			assert_true(spans[i].from >= end && spans[i].to > spans[i].from);
			end = spans[i].to;
			assert_true(end <= text.len);
			assert_true(spans[i].type < SPAN_TYPE_COUNT);
			assert_int_equal(utf8_valid(text.data + spans[i].from, end - spans[i].from),
				end - spans[i].from);
			assert_true(text.data[spans[i].from] != ' ');
			assert_true(text.data[end - 1] != ' ');
			assert_true(((unsigned char)text.data[spans[i].from] & 0xc0) != 0x80);
		}
		buf_release(&text);
	}
	lexicon_free(lex);
}

static void long_requests_end(void **state)
{
	static const char *const units[] = {"(", ")", "' ", "[ ", "{", "a,", "x=", "\"a", "a.", "-",
		"<", "a b ", "8123 ", "''", "=\"", "$", "\xe2\x80\x99"};
	struct lexicon *lex = lexicon();

	(void)state;
	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		struct buf text = {0};
		struct span spans[SPANS_MAX];

		while (text.len < 100000)
			buf_adds(&text, units[u]);
		assert_true(spans_find(text.data, text.len, lex, spans) <= SPANS_MAX);
		buf_release(&text);
	}
	lexicon_free(lex);
}

static void lexicon_is_saved_sorted(void **state)
{
	const char *path = scratch_path("lexicon.txt");
	struct lexicon *lex = lexicon_new(), *again = lexicon_new();
	struct buf text = {0};
	struct error err;

	(void)state;
	lexicon_add(lex, "port", 4);
	lexicon_add(lex, "bind", 4);
	lexicon_add(lex, "port", 4);
	lexicon_add(lex, "é", 2);
	assert_int_equal(lexicon_count(lex), 3);
	assert_int_equal(lexicon_save(lex, path, &err), 0);
	assert_int_equal(file_read(path, 1000, &text, &err), 0);
	assert_string_equal(text.data, "bind\nport\né\n");
	assert_int_equal(lexicon_load(again, path, &err), 0);
	assert_int_equal(lexicon_count(again), 3);
	assert_true(lexicon_has(again, "bind", 4));
	assert_false(lexicon_has(again, "bin", 3));
	assert_int_equal(file_publish(path, "a\n\nb\n", 5, &err), 0);
	assert_int_equal(lexicon_load(again, path, &err), -1);
	assert_non_null(strstr(err.message, "lexicon.txt:2"));
	assert_int_equal(file_publish(path, "two words\n", 10, &err), 0);
	assert_int_equal(lexicon_load(again, path, &err), -1);
	assert_int_equal(file_publish(path, "\xff\n", 2, &err), 0);
	assert_int_equal(lexicon_load(again, path, &err), -1);
	assert_int_equal(lexicon_load(again, scratch_path("none"), &err), -1);
	assert_int_equal(err.code, EXIT_NOINPUT);
	buf_release(&text);
	lexicon_free(lex);
	lexicon_free(again);
}

static void learn(
	struct lexicon_counts *c, const char *request, size_t n, const char *const *values)
{
	lexicon_learn(c, request, strlen(request), n, values);
}

static void values_are_not_learnt(void **state)
{
	static const char *const redis[] = {"redis:7", "My Thing"};
	struct lexicon_counts *c = lexicon_counts_new();
	struct lexicon *lex = lexicon_new();

	(void)state;
	learn(c, "Start redis with my thing, start Port port 8123 hot-reload's", 2, redis);
	learn(c, "start the port with care", 0, NULL);
	lexicon_counts_keep(c, 2, lex);
	assert_int_equal(lexicon_count(lex), 3);
	assert_true(lexicon_has(lex, "start", 5));
	assert_true(lexicon_has(lex, "port", 4));
	assert_true(lexicon_has(lex, "with", 4));
	learn(c, "redis is a word here", 0, NULL); /* once each way: rather a value */
	lexicon_counts_keep(c, 1, lex);
	assert_true(lexicon_has(lex, "hot-reload", 10));
	assert_true(lexicon_has(lex, "care", 4));
	assert_false(lexicon_has(lex, "redis", 5));
	assert_false(lexicon_has(lex, "my", 2));
	assert_false(lexicon_has(lex, "8123", 4));
	lexicon_counts_free(c);
	lexicon_free(lex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found),
		cmocka_unit_test(every_word_is_known_without_a_lexicon),
		cmocka_unit_test(unknown_words_give_way),
		cmocka_unit_test(properties),
		cmocka_unit_test(long_requests_end),
		cmocka_unit_test(lexicon_is_saved_sorted),
		cmocka_unit_test(values_are_not_learnt),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
