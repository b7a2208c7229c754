/* 0201-spec.c - good, faulty and hostile specs. */
#include "tap.h"
#include "base/rng.h"
#include "cli/verify.h"

static struct error err;

static struct spec *parse(const char *text)
{
	memset(&err, 0, sizeof(err));
	return spec_parse(text, strlen(text), "test.json", &err);
}

#define HEAD "{\"opencli\":\"0.1\",\"info\":{\"title\":\"t\",\"version\":\"1\"},"
#define CLICK "\"metadata\":[{\"name\":\"dialect\",\"value\":\"click\"}]"
#define WITH(body) HEAD body "," CLICK "}"
#define OPTION(rest) "\"options\":[{\"name\":\"--a\"" rest "}]"
#define VALUE(meta) OPTION(",\"arguments\":[{\"name\":\"v\",\"metadata\":[" meta "]}]")
#define META(name, value) "{\"name\":\"" name "\",\"value\":" value "}"

static const struct {
	const char *text, *path, *what;
} faults[] = {
	{"", "test.json:", "'[' or '{'"},
	{"[]", "$:", "must be an object"},
	{"{", "test.json:1", "expected"},
	{"{\"a\":1,\"a\":2}", "test.json:1", "duplicate"},
	{"{}", "$:", "OpenCLI 0.1"},
	{"{\"opencli\":\"0.10\"}", "$:", "OpenCLI 0.1"},
	{"{\"opencli\":0.1}", "$.opencli:", "must be a string, not a number"},
	{"{\"opencli\":\"0.1\"}", "$:", "'dialect' is missing"},
	{"{\"opencli\":\"0.1\",\"metadata\":{}}", "$.metadata:", "must be an array"},
	{"{\"opencli\":\"0.1\",\"metadata\":[1]}", "$.metadata[0]:", "must be an object"},
	{"{\"opencli\":\"0.1\",\"metadata\":[{}]}", "$.metadata[0]:", "has no name"},
	{"{\"opencli\":\"0.1\",\"metadata\":[" META("dialect", "\"x\"") "]}",
		"$.metadata[0].value:", "unknown dialect 'x'"},
	{"{\"opencli\":\"0.1\",\"metadata\":[" META("dialect", "1") "]}",
		"$.metadata[0].value:", "must be a string"},
	{"{\"opencli\":\"0.1\",\"metadata\":[" META("dialect", "\"click\"") "," META(
		 "dialect", "\"click\"") "]}",
		"$.metadata[1]:", "stated twice"},
	{"{\"opencli\":\"0.1\"," CLICK "}", "$.info:", "must be an object"},
	{"{\"opencli\":\"0.1\",\"info\":{}," CLICK "}", "$.info.title:", "has no name"},
	{"{\"opencli\":\"0.1\",\"info\":{\"title\":\"a b\"}," CLICK "}", "$.info.title:", "blank"},
	{WITH("\"options\":{}"), "$.options:", "must be an array, not an object"},
	{WITH("\"options\":[1]"), "$.options[0]:", "must be an object"},
	{WITH("\"options\":[{}]"), "$.options[0].name:", "has no name"},
	{WITH("\"options\":[{\"name\":\"a\"}]"), "$.options[0].name:", "is no option"},
	{WITH("\"options\":[{\"name\":\"-\"}]"), "$.options[0].name:", "is no option"},
	{WITH("\"options\":[{\"name\":\"--\"}]"), "$.options[0].name:", "is no option"},
	{WITH("\"options\":[{\"name\":\"--a=\"}]"), "$.options[0].name:", "holds a '='"},
	{WITH("\"options\":[{\"name\":\"--a b\"}]"), "$.options[0].name:", "blank"},
	{WITH("\"options\":[{\"name\":\"--a\\u0007\"}]"), "$.options[0].name:", "control"},
	{WITH(OPTION(",\"aliases\":[\"--a\"]")), "$:", "'--a' is there twice"},
	{WITH(OPTION(",\"aliases\":[2]")), "$.options[0].aliases[0]:", "must be a string"},
	{WITH("\"options\":[{\"name\":\"--a\"},{\"name\":\"--a\"}]"), "$:", "there twice"},
	{WITH(OPTION(",\"hidden\":1")), "$.options[0].hidden:", "must be true or false"},
	{WITH(OPTION(",\"arguments\":[{}]")), "$.options[0].arguments[0]:", "needs a name"},
	{WITH(OPTION(",\"arguments\":[{\"name\":\"a\"},{\"name\":\"b\"}]")),
		"$.options[0]:", "several differently described values"},
	{WITH(OPTION(",\"arguments\":[{\"name\":\"a\",\"arity\":{\"minimum\":2,\"maximum\":1}}]")),
		"$.options[0].arguments[0].arity:", "the maximum"},
	{WITH(OPTION(",\"arguments\":[{\"name\":\"a\",\"arity\":{\"minimum\":-1}}]")),
		"$.options[0].arguments[0].arity.minimum:", "between 0"},
	{WITH(OPTION(",\"arguments\":[{\"name\":\"a\",\"arity\":{\"minimum\":1e9}}]")),
		"$.options[0].arguments[0].arity.minimum:", "whole number"},
	{WITH(OPTION(",\"arguments\":[{\"name\":\"a\",\"acceptedValues\":[]}]")),
		"$.options[0].arguments[0].acceptedValues:", "must hold 1"},
	{WITH(OPTION(",\"arguments\":[{\"name\":\"a\",\"acceptedValues\":[\"x\",\"x\"]}]")),
		"$.options[0].arguments[0].acceptedValues[1]:", "there twice"},
	{WITH(OPTION(
		 ",\"arguments\":[{\"name\":\"a\",\"acceptedValues\":[\"x\"],\"metadata\":[" META(
			 "type", "\"integer\"") "]}]")),
		"acceptedValues[0]:", "would refuse 'x'"},
	{WITH(OPTION(
		 ",\"arguments\":[{\"name\":\"a\",\"acceptedValues\":[\"x\"],\"metadata\":[" META(
			 "says", "{\"y\":[\"z\"]}") "]}]")),
		"$.options[0].arguments[0].metadata[0].value['y']:", "not one of the accepted"},
	{WITH(VALUE(META("type", "1"))), "arguments[0].metadata[0].value:", "must be a string"},
	{WITH(VALUE(META("pattern", "\"(\""))),
		"arguments[0].metadata[0].value:", "not a regular expression"},
	{WITH(VALUE(META("pattern", "\"[a\""))), "arguments[0].metadata[0].value:", "offset"},
	{WITH(VALUE(META("pattern", "\"a+\"") "," META("values", "[\"aa\",\"b\"]"))),
		"arguments[0].metadata[1].value[1]:", "would refuse 'b'"},
	{WITH(VALUE(META("pattern", "\"(a+)+b\"") "," META(
		 "default", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""))),
		"arguments[0].metadata[1].value:", "would refuse"},
	{WITH(VALUE(META("type", "\"integer\"") "," META("maximum", "5") "," META("default", "9"))),
		"arguments[0].metadata[2].value:", "more than the greatest value, 5"},
	{WITH(VALUE(META("type", "\"integer\"") "," META("minimum", "5") "," META(
		 "default", "\"x\""))),
		"arguments[0].metadata[2].value:", "not a valid integer"},
	{WITH(VALUE(META("unit", "\"fortnights\""))),
		"arguments[0].metadata[0].value:", "a unit as"},
	{WITH(VALUE(META("unit", "7"))), "arguments[0].metadata[0].value:", "a unit as"},
	{WITH(VALUE(META("unit", "{}"))), "arguments[0].metadata[0].value:", "1 to 16 units"},
	{WITH(VALUE(META("unit", "{\"s\":\"seconds\",\"k\":\"bytes\"}"))),
		"arguments[0].metadata[0].value:", "mixes time and size"},
	{WITH(VALUE(META("unit", "{\"1s\":\"seconds\"}"))),
		"arguments[0].metadata[0].value:", "cannot be a suffix"},
	{WITH(VALUE(META("minimum", "5") "," META("maximum", "4"))),
		"arguments[0]:", "minimum is above"},
	{WITH(VALUE(META("default", "[]"))), "arguments[0].metadata[0].value:", "a default must"},
	{WITH(VALUE(META("exists", "\"maybe\""))), "arguments[0]:", "'file', 'dir' or 'any'"},
	{WITH(VALUE(META("passthrough", "true"))), "arguments[0]:", "only a positional"},
	{WITH(VALUE(META("passthrough", "\"some\""))),
		"arguments[0].metadata[0].value:", "'options'"},
	{WITH(VALUE(META("values", "[\"a\\nb\"]"))),
		"arguments[0].metadata[0].value[0]:", "control character"},
	{WITH(OPTION(",\"metadata\":[" META("negates", "\"--b\"") "]")),
		"$.options[0]:", "negates '--b', which is not an option"},
	{WITH(OPTION(",\"metadata\":[" META("negates", "\"--a\"") "]")), "$.options[0]:", "itself"},
	{WITH("\"options\":[{\"name\":\"--a\",\"metadata\":[" META("negates",
		 "\"--b\"") "]},{\"name\":\"--b\",\"metadata\":[" META("negates", "\"--a\"") "]}]"),
		"$.options[1]:", "negates another or is negated"},
	{WITH(OPTION(",\"metadata\":[" META("separator", "\",,\"") "]")),
		"$.options[0]:", "separator"},
	{WITH(OPTION(",\"metadata\":[" META("attached", "true") "]")), "$.options[0]:", "a flag"},
	{WITH("\"commands\":[1]"), "$.commands[0]:", "must be an object"},
	{WITH("\"commands\":[{\"name\":\"-x\"}]"), "$.commands[0].name:", "cannot be reached"},
	{WITH("\"commands\":[{\"name\":\"x\"},{\"name\":\"y\",\"aliases\":[\"x\"]}]"),
		"$:", "'x' is there twice"},
	{WITH("\"arguments\":[{\"name\":\"f\"}],\"commands\":[{\"name\":\"x\"}]"),
		"$:", "cannot be reached: the argument 'f'"},
	{WITH("\"commands\":[{\"name\":\"x\",\"metadata\":[" META("runnable", "false") "]}]"),
		"$.commands[0]:", "neither runs"},
	{WITH("\"commands\":[{\"name\":\"x\",\"metadata\":[" META(
		 "requires", "[\"--p\",\"--q\"]") "]}]"),
		"$.commands[0].metadata[0].value[0]:", "names '--p', which is neither"},
	{WITH("\"commands\":[{\"name\":\"x\"," OPTION("") ",\"metadata\":[" META(
		 "conflicts", "[[\"--a\",\"--a\"]]") "]}]"),
		"$.commands[0].metadata[0].value[0][1]:", "there twice"},
	{WITH("\"commands\":[{\"name\":\"x\"," OPTION("") ",\"metadata\":[" META(
		 "conflicts", "[\"--a\"]") "]}]"),
		"$.commands[0].metadata[0].value:", "at least 2"},
	{WITH("\"commands\":[{\"name\":\"x\",\"metadata\":[" META("one-of", "{}") "]}]"),
		"$.commands[0].metadata[0].value:", "must be an array"},
	{WITH("\"commands\":[{\"name\":\"x\",\"metadata\":[" META("one-of", "[[1]]") "]}]"),
		"$.commands[0].metadata[0].value[0][0]:", "must be a string"},
	{WITH("\"examples\":[1]"), "$.examples[0]:", "must be a string"},
};

static void faulty(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		struct spec *spec = parse(faults[i].text);

		if (spec || !strstr(err.message, faults[i].path) ||
			!strstr(err.message, faults[i].what))
			print_message("# %s\n# %s\n", faults[i].text, err.message);
		assert_null(spec);
		assert_int_equal(err.code, EXIT_DATA);
		assert_non_null(strstr(err.message, faults[i].path));
		assert_non_null(strstr(err.message, faults[i].what));
		assert_memory_equal(err.message, "test.json:", 10);
	}
}

static void unknown_metadata(void **state)
{
	struct spec *spec = parse(WITH(OPTION(
		",\"metadata\":[" META("colour", "{\"a\":[1]}") "," META("colour", "2") "]")));
	json_t *option;

	(void)state;
	assert_non_null(spec);
	option = json_array_get(json_object_get(spec->document, "options"), 0);
	assert_int_equal(json_array_size(json_object_get(option, "metadata")), 2);
	spec_free(spec);
}

/* Rules may name positionals; defaults may be numbers; inherited options are seen. */
static void resolved(void **state)
{
	struct spec *spec = parse(WITH(
		"\"options\":[{\"name\":\"--g\",\"aliases\":[\"-g\"],\"recursive\":true}],"
		"\"commands\":[{\"name\":\"x\",\"aliases\":[\"ex\"]," VALUE(META(
			"type", "\"integer\"") "," META("default",
			"07")) ","
			       "\"arguments\":[{\"name\":\"file\",\"required\":false}],"
			       "\"metadata\":[" META("conflicts", "[\"--a\",\"file\"]") "]}]"));
	const struct command *x;

	(void)state;
	assert_null(spec); /* 07 is no JSON */
	spec = parse(WITH(
		"\"options\":[{\"name\":\"--g\",\"aliases\":[\"-g\"],\"recursive\":true}],"
		"\"commands\":[{\"name\":\"x\",\"aliases\":[\"ex\"]," VALUE(META(
			"type", "\"integer\"") "," META("default",
			"\"07\"")) ","
				   "\"arguments\":[{\"name\":\"file\",\"required\":false}],"
				   "\"metadata\":[" META("conflicts", "[\"--a\",\"file\"]") "]}]"));
	assert_non_null(spec);
	x = command_find(spec->root, "ex");
	assert_non_null(x);
	assert_ptr_equal(x, command_find(spec->root, "x"));
	assert_null(command_find(spec->root, "-g"));
	assert_null(command_find(x, "x"));
	assert_int_equal(x->n_options, 2);
	assert_int_equal(x->n_own, 1);
	assert_ptr_equal(option_find(x, "-g"), option_find(spec->root, "--g"));
	assert_null(option_find(x, "x"));
	assert_string_equal(option_find(x, "--a")->argument->default_value, "7");
	assert_int_equal(x->n_rules, 1);
	assert_ptr_equal(x->rules[0].options[0], option_find(x, "--a"));
	assert_ptr_equal(x->rules[0].arguments[1], x->arguments[0]);
	assert_int_equal(x->arguments[0]->min_count, 0);
	assert_int_equal(x->depth, 1);
	assert_ptr_equal(spec->commands[1], x);
	spec_free(spec);
}

static struct spec *nested(size_t depth)
{
	struct buf b = {0};
	struct spec *spec;

	buf_adds(&b, HEAD CLICK);
	for (size_t i = 0; i < depth; i++)
		buf_adds(&b, ",\"commands\":[{\"name\":\"x\"");
	for (size_t i = 0; i < depth; i++)
		buf_adds(&b, "}]");
	buf_adds(&b, "}");
	spec = parse(b.data);
	buf_release(&b);
	return spec;
}

static void deep(void **state)
{
	struct spec *spec = nested(16);

	(void)state;
	assert_non_null(spec);
	spec_free(spec);
	assert_null(nested(17));
	assert_non_null(strstr(err.message, "nested more than 16 deep"));
	assert_null(nested(100000));
}

static struct spec *many(const char *before, const char *item, size_t n, const char *after)
{
	struct buf b = {0};
	struct spec *spec;

	buf_adds(&b, HEAD CLICK);
	buf_adds(&b, before);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i ? "," : "");
		buf_addf(&b, item, i);
	}
	buf_adds(&b, after);
	spec = parse(b.data);
	buf_release(&b);
	return spec;
}

static void large(void **state)
{
	struct spec *spec;

	(void)state;
	spec = many(",\"commands\":[", "{\"name\":\"c%zu\"}", 4095, "]}");
	assert_non_null(spec);
	assert_int_equal(spec->n_commands, 4096);
	spec_free(spec);
	assert_null(many(",\"commands\":[", "{\"name\":\"c%zu\"}", 4097, "]}"));
	assert_null(many(",\"options\":[", "{\"name\":\"--c%zu\"}", 2049, "]}"));
	assert_non_null(strstr(err.message, "more than 2048 options"));
	assert_null(many(",\"arguments\":[", "{\"name\":\"c%zu\"}", 65, "]}"));
	/* Inherited by every command: the product is bounded, not only the factors. */
	spec = many(",\"options\":[{\"name\":\"--a\",\"recursive\":true,\"aliases\":[",
		"\"--a%zu\"", 2000, "]}],\"commands\":[{\"name\":\"x\"}]}");
	assert_non_null(spec);
	spec_free(spec);
	assert_null(spec_parse("x", (16 << 20) + 1, "big", &err));
}

static void files(void **state)
{
	struct spec *spec;

	(void)state;
	assert_null(spec_load("/does/not/exist.json", &err));
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_null(spec_load("/", &err));
	spec = spec_load("seeds/langgraph/cli.json", &err);
	assert_non_null(spec);
	assert_int_equal(strlen(spec->hash), 64);
	assert_string_equal(spec->name, "langgraph");
	spec_free(spec);
}

/* Every example and every example value of the seed spec is one that it accepts. */
static void seed_examples(void **state)
{
	struct spec *spec = spec_load("seeds/langgraph/cli.json", &err);
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < spec->n_commands; i++) {
		const struct command *c = spec->commands[i];

		for (size_t k = 0; c->examples[k]; k++) {
			char *save = NULL, *text = arena_strdup(&arena, c->examples[k]);
			const char *argv[32];
			struct verdict v;
			int argc = 0;

			for (char *w = strtok_r(text, " ", &save); w;
				w = strtok_r(NULL, " ", &save))
				argv[argc++] = w;
			if (verify(spec, argc, argv, &arena, NULL, &v) != VERDICT_OK)
				print_message("# %s: %s\n", c->examples[k], v.message);
			assert_int_equal(v.code, VERDICT_OK);
		}
		if (c->runnable && !c->hidden)
			assert_true(c->says[0] && c->says[4]);
		for (size_t k = 0; k < c->n_own; k++)
			assert_true(c->options[k]->says[0] && c->options[k]->says[4]);
	}
	arena_release(&arena);
	spec_free(spec);
}

/* Random damage to a real spec: a fault or a spec, never a crash. */
static void damaged(void **state)
{
	struct rng rng;
	struct buf text = {0};
	char block[4096];
	FILE *file = fopen("seeds/langgraph/cli.json", "rb");
	size_t n, good = 0;

	(void)state;
	assert_non_null(file);
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		buf_add(&text, block, n);
	fclose(file);
	for (uint64_t round = 0; round < 300; round++) {
		char *copy = xstrndup(text.data, text.len);
		struct spec *spec;

		rng_init(&rng, 5, RNG_TEST, round, 0);
		for (uint32_t k = 0; k < 1 + round % 3; k++) {
			size_t at = rng_below(&rng, (uint32_t)text.len);

			copy[at] = "\"{}[]:,0a-\\\n1 "[rng_below(&rng, 14)];
		}
		spec = spec_parse(copy, text.len, "damaged", &err);
		good += spec != NULL;
		spec_free(spec);
		free(copy);
	}
	assert_true(good > 10 && good < 290);
	buf_release(&text);
}

/* The type of every node of a small spec is changed once: always a clean answer. */
static void retyped(void **state)
{
	static const char *const others[] = {
		"null", "1", "\"x\"", "[]", "{}", "true", "[[]]", "[{}]", "-1", "\"\""};
	const char *text = WITH(
		"\"options\":[{\"name\":\"--a\",\"aliases\":[\"-a\"],\"hidden\":true,"
		"\"arguments\":[{\"name\":\"v\",\"arity\":{\"minimum\":1,\"maximum\":1},"
		"\"metadata\":[{\"name\":\"type\",\"value\":\"port\"}]}],"
		"\"metadata\":[{\"name\":\"says\",\"value\":[\"a {}\"]}]}],"
		"\"commands\":[{\"name\":\"c\",\"examples\":[\"t c\"],\"metadata\":["
		"{\"name\":\"one-of\",\"value\":[[\"f\"]]}],\"arguments\":[{\"name\":\"f\"}]}]");
	size_t n = strlen(text);

	(void)state;
	for (size_t at = 0; at < n; at++) {
		size_t end = at + 1;

		if (!strchr("\"[{1t", text[at]) || (at && text[at - 1] != ':'))
			continue;
		if (text[at] == '"')
			end = (size_t)(strchr(text + at + 1, '"') - text) + 1;
		else if (text[at] == '[' || text[at] == '{')
			for (int depth = 1; depth; end++)
				depth += text[end] == '[' || text[end] == '{'	? 1
					 : text[end] == ']' || text[end] == '}' ? -1
										: 0;
		else
			end = at + strcspn(text + at, ",}");
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
			struct buf b = {0};

			buf_add(&b, text, at);
			buf_adds(&b, others[k]);
			buf_adds(&b, text + end);
			spec_free(parse(b.data));
			buf_release(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faulty),
		cmocka_unit_test(unknown_metadata),
		cmocka_unit_test(resolved),
		cmocka_unit_test(deep),
		cmocka_unit_test(large),
		cmocka_unit_test(files),
		cmocka_unit_test(seed_examples),
		cmocka_unit_test(damaged),
		cmocka_unit_test(retyped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
