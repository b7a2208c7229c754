/*
 * 0280-grammar.c - the grammar automaton and the verifier agree on every sequence of
 * words up to a length, for small specs of every feature in every dialect.
 */
#include "tap.h"
#include "cli/grammar.h"
#include "cli/verify.h"

/* A spec with ' for ", %s for the dialect, and the words that sequences are made of. */
struct small {
	const char *name, *text;
	const char *words[20];
	int length; /* words of a sequence, the program left out */
};

#define HEAD                                                                                       \
	"{'opencli':'0.1','info':{'title':'p','version':'1'},"                                     \
	"'metadata':[{'name':'dialect','value':'%s'}"
#define META(name, value) "{'name':'" name "','value':" value "}"
#define ARG(extra) "'arguments':[{'name':'x'" extra "}]"
#define ARITY(least, most) ",'arity':{'minimum':" #least ",'maximum':" #most "}"
#define MANY(least) ",'arity':{'minimum':" #least "}"

static const struct small smalls[] =
	{
		{"attached and optional values",
			HEAD "],'options':[{'name':'--att'," ARG("") ",'metadata':[" META(
				"attached", "true") "]},{'name':'--opt'," ARG(ARITY(0,
				1)) "},{'name':'--flag'},"
				    "{'name':'--val'," ARG("") "}],"
							       "'arguments':[{'name':'file'" ARITY(
								       0, 1) "}]}",
			{"--att=v", "--att=", "--att", "--opt", "--opt=v", "--opt=-v", "--flag",
				"--flag=false", "--val", "--val=-v", "v", "-v", "-", "--", ""},
			4},
		{"short options",
			HEAD "],'options':[{'name':'-a'," ARG("") ",'metadata':[" META(
				"attached", "true") "]},{'name':'-o'," ARG(ARITY(0,
				1)) "},{'name':'-f'},"
				    "{'name':'-v'," ARG("") "}],"
							    "'arguments':[{'name':'file'" ARITY(
								    0, 1) "}]}",
			{"-a", "-ax", "-a=x", "-a=", "-a==", "-o", "-ox", "-o=x", "-o=", "-o=-",
				"-f", "-f=false", "-v", "-v-x", "-v=-x", "x", "-x", "-", "--"},
			3},
		{"lists",
			HEAD
			"],'options':[{'name':'-l','arguments':[{'name':'x','acceptedValues':['a','"
			"-b','-']"
			"}],"
			"'metadata':[" META("separator", "','") "," META("repeatable",
				"true") "]},{'name':'-m'," ARG(MANY(1)) ",'metadata':[" META("separ"
											     "ator",
				"':'") "]},{'name':'-z'," ARG(ARITY(0,
				3)) ",'metadata':[" META("separator",
				"','") "]}],"
				       "'arguments':[{'name':'file'" ARITY(0, 1) "}]}",
			{"-l", "-l-b", "-l=-b,a", "-l-,a", "a", "a,a", "-b", "-b,a", "a,-b", "-",
				"-m", "-m-b", "-m=-b:a", "a:b", "-z", "-za", "--", "a,,a"},
			3},
		{"several values of one option",
			HEAD "],'options':[{'name':'-2'," ARG(ARITY(2, 2)) ",'metadata':[" META(
				"repeatable",
				"t"
				"r"
				"u"
				"e") "]},{'name':'-m'," ARG(MANY(1)) "},{'name':'-z'," ARG(MANY(0)) "},{'name':'-r'," ARG(ARITY(1,
				2)) ",'metadata':[" META("repeatable",
				"true") "]}],"
					"'arguments':[{'name':'file'" ARITY(0, 1) "}]}",
			{"-2", "-m", "-m=-b", "-m-b", "-z", "-z=-b", "-za", "-r", "a", "-b", "-",
				"--", "-b c"},
			4},
		{"several numbers of one option",
			HEAD "],'options':[{'name':'--many','arguments':[{'name':'x'" MANY(
				1) ",'metadata':[" META("type",
				"'integer'") "]}],'metadata':[" META("repeatable",
				"true") "]},{'name':'--two','arguments':[{'name':'x'" ARITY(2,
				3) ",'metadata':[" META("type",
				"'number'") "]}]}],"
					    "'arguments':[{'name':'file'" ARITY(0, 1) "}]}",
			{"--many", "--many=-5", "--two", "-5", "7", "07", "-0.5", "-inf", "1e+20",
				"--", "-"},
			4},
		{"negations and repeats",
			HEAD "],'options':[{'name':'-p'},{'name':'-P','metadata':[" META(
				"negates", "'-p'") "]},{'name':'-Q','metadata':[" META("negates",
				"'-q'") "," META("repeatable",
				"true") "]},{'name':'-q','required':true,'metadata':[" META("repeat"
											    "able",
				"true") "]},{'name':'-N','metadata':[" META("negates",
				"'-n'") "]},{'name':'-n','metadata':[" META("repeatable",
				"true") "]},{'name':'-r'," ARG(ARITY(0,
				1)) ",'metadata':[" META("repeatable", "true") "]}]}",
			{"-p", "-P", "-q", "-Q", "-q=false", "-n", "-N", "-n=false", "-r", "a",
				"-ra", "-r=a"},
			4},
		{"rules",
			HEAD "," META("requires", "[['-a','-b'],['-e','-a','-c']]") "," META(
				"conflicts", "['-b','-c','file']") "," META("one-of",
				"['-c','-d','-e']") "," META("requires-any",
				"['-d','-a','file']") "],'options':[{'name':'-a'},{'name':'-b'},{'"
						      "name':'-"
						      "c'},{'name':'-d'},{'name':'-e'}],"
						      "'arguments':[{'name':'file'" MANY(0) "}]}",
			{"-a", "-b", "-c", "-d", "-e", "v", "-v", "--"}, 5},
		{"rules whose first member comes late",
			HEAD "," META("requires", "[['-d','-a','-b']]") "," META(
				"requires-any", "['-e','-a','-b']") "," META("requires",
				"['-c','-d']") "," META("requires-any",
				"['-b','-c','-e']") "],'options':[{'name':'-a'},{'name':'-b'},{'"
						    "name':'-c'}"
						    ",{'name':'-d'},{'name':'-e'}]}",
			{"-a", "-b", "-c", "-d", "-e"}, 5},
		{"rules about arguments",
			HEAD "," META("requires", "[['second','-a'],['-b','first']]") "," META(
				"conflicts", "['-c','second']") "," META("one-of",
				"['-c','first']") "],'options':[{'name':'-a'},{'name':'-b'},{'name'"
						  ":'-c'}],"
						  "'arguments':[{'name':'first'" ARITY(0,
							  1) "},{'name':'second'" ARITY(0, 2) "}]}",
			{"-a", "-b", "-c", "v", "-v", "--"}, 6},
		{"subcommands and options of ancestors",
			HEAD "],'options':[{'name':'-f'},{'name':'-o'," ARG(ARITY(0,
				1)) "},{'name':'-r','recursive':true},"
				    "{'name':'-h','recursive':true,'metadata':[" META("eager",
					    "true") "]}],"
						    "'commands':[{'name':'sub','options':[{'name':'"
						    "-s','"
						    "required':true},"
						    "{'name':'-e'," ARG(ARITY(
							    0, 1)) ",'metadata':[" META("eager",
							    "true") "]}],"
								    "'arguments':[{'name':'"
								    "x'" ARITY(0,
									    1) "}]},"
									       "{'name':'group','"
									       "metadata':"
									       "[" META("runnable",
										       "true") "],'"
											       "com"
											       "man"
											       "ds'"
											       ":["
											       "{'"
											       "nam"
											       "e':"
											       "'"
											       "lea"
											       "f'}"
											       "]}]"
											       "}",
			{"-f", "-o", "-o=v", "-ov", "-r", "-h", "-h=false", "sub", "group", "leaf",
				"-s", "-e", "--", "v"},
			4},
		{"options that act alone, with values",
			HEAD "],'options':[{'name':'-a'," ARG("") ",'metadata':[" META(
				"eager", "true") "," META("repeatable",
				"true") "]},{'name':'-o'," ARG(ARITY(0,
				1)) ",'metadata':[" META("eager",
				"true") "]},{'name':'-m'," ARG(MANY(1)) ",'metadata':[" META("eage"
											     "r",
				"true") "]},{'name':'-2'," ARG(ARITY(2,
				2)) ",'metadata':[" META("eager",
				"true") "]},{'name':'-f','required':true}],'arguments':[{'name':'x'"
					"}]}",
			{"-a", "-o", "-ov", "-o=v", "-m", "-m-v", "-2", "-f", "v", "-v", "-5",
				"--"},
			4},
		{"required options of ancestors",
			HEAD "," META("runnable",
				"true") "],'options':[{'name':'-q','required':true},"
					"{'name':'-n','metadata':[" META("negates",
						"'-q'") "]}],"
							"'commands':[{'name':'sub','options':[{'"
							"name':'-r',"
							"'required':true,'recursive':true},"
							"{'name':'-h','metadata':[" META("eager",
								"true") "]}],"
									"'metadata':[" META(
										"runnable",
										"true") "],'"
											"commands':"
											"[{'"
											"name':'"
											"leaf'}]},{"
											"'"
											"name':'"
											"top','"
											"commands':"
											"[{'name'"
											":'end'}]}]"
											"}",
			{"-q", "-n", "sub", "-r", "-h", "leaf", "top", "end", "--"}, 5},
		{"required options that are inherited",
			HEAD "," META("runnable",
				"true") "],'options':[{'name':'-r','recursive':true}],"
					"'commands':[{'name':'sub','options':[{'name':'-q','"
					"recursive':true,'required':true}],"
					"'metadata':[" META("runnable",
						"true") "],'commands':[{'name':'leaf'}]}]}",
			{"-r", "sub", "-q", "leaf", "--", "-r=false"}, 6},
		{"words passed through",
			HEAD "],'options':[{'name':'-f'},{'name':'-o'," ARG(
				ARITY(
					0, 1)) "}],'arguments':[{'name':'image'},{'name':'"
					       "rest'" MANY(0) ",'metadata':"
							       "[" META("pas"
									"sth"
									"rou"
									"gh",
								       "tru"
								       "e") "]}]}",
			{"-f", "-o", "-ov", "v", "-v", "--", "-", "", "--long=v"}, 5},
		{"words passed through before subcommands",
			HEAD "],'options':[{'name':'-f'},{'name':'-o'," ARG(ARITY(0,
				1)) "}],'arguments':[{'name':'rest'" MANY(0) ",'metadata':[" META("passthro"
												  "ugh",
				"'options'") "]}],'commands':[{'name':'sub'}]}",
			{"-f", "-o", "-ov", "v", "-v", "--", "-", "sub"}, 5},
		{"words passed through, or nothing",
			HEAD "," META("runnable",
				"true") "],'options':[{'name':'-f'},{'name':'-q','required':true}],"
					"'arguments':[{'name':'rest'" ARITY(
						0, 2) ",'metadata':[" META("passthrough",
						"'options'") "]}],'commands':[{'name':'sub',"
							     "'aliases':['s']}]}",
			{"-f", "-q", "v", "-v", "--", "-", "sub", "s"}, 5},
		{"an optional argument before a needed one",
			HEAD "],'arguments':[{'name':'a'" ARITY(0, 1) ",'metadata':[" META(
				"type", "'integer'") "]},{'name':'b'},{'name':'c'" ARITY(0,
				2) ",'metadata':[" META("type", "'integer'") "]}]}",
			{"1", "v", "-1", "-v", "--"}, 6},
		{"any number of arguments before others",
			HEAD "],'arguments':[{'name':'a'" MANY(1) ",'metadata':[" META("type",
				"'integer'") "]},{'name':'b'" ARITY(0, 1) "},{'name':'c'}]}",
			{"1", "v", "-1", "-v", "--"}, 6},
		{"any number of arguments, then a choice",
			HEAD "],'arguments':[{'name':'a'" MANY(
				0) "},{'name':'b','acceptedValues':['1','-1']},"
				   "{'name':'c'" ARITY(0, 1) ",'acceptedValues':['1','v']}]}",
			{"1", "v", "-1", "-v", "--"}, 6},
		{"typed values",
			HEAD "],'options':[{'name':'-i','arguments':[{'name':'x','metadata':[" META(
				"type", "'integer'") "," META("minimum", "-7") "," META("maximum",
				"12") "]}]},{'name':'-b','arguments':[{'name':'x','metadata':"
				      "[" META("type",
					      "'boolean'") "]}]},{'name':'-p','arguments':[{'name':"
							   "'x','metadata':[" META("pattern",
								   "'v+|-1'") "]}]},{'name':'-c','"
									      "arguments':[{'name':"
									      "'x','acceptedValues'"
									      ":['"
									      "v','-v'],'metadata':"
									      "[" META(
										      "ignore-case",
										      "true") "]}]}"
											      "]}",
			{"-i", "-b", "-p", "-c", "12", "13", "-7", "-8", "012", "true", "yes", "v",
				"vv", "V", "-v", "-i-7", "-i=-7", "-c-v", "-c=-v"},
			3},
		{"values that cannot be",
			HEAD "],'options':[{'name':'-i','arguments':[{'name':'x','metadata':[" META(
				"type", "'integer'") "," META("minimum", "0.2") "," META("maximum",
				"0.8") "]}]},{'name':'-d','arguments':[{'name':'x','acceptedValues'"
				       ":['-d']}"
				       "]}],"
				       "'arguments':[{'name':'a'" ARITY(0, 1) ",'metadata':[" META(
					       "type", "'integer'") "," META("maximum",
					       "-1") "]},{'name':'b'" ARITY(0,
					       1) ",'metadata':[" META("type",
					       "'integer'") "," META("minimum",
					       "0.2") "," META("maximum", "0.8") "]}]}",
			{"-i", "-d", "-d-d", "-d=-d", "1", "-1", "0", "--"}, 4},
		{"names with quotes",
			HEAD "],'options':[{'name':'-\\\\'," ARG(
				"") "},{'name':'-\\''}],"
				    "'commands':[{'name':'\\\\'},{'name':'s\\'t'}]}",
			{"-\\", "-\\v", "-\\=v", "-\"", "\\", "s\"t", "v", "-v", "--"}, 4},
};

static char *spec_text(const struct small *s, const char *dialect)
{
	const char *at = strstr(s->text, "%s");
	struct buf text = {0};

	buf_add(&text, s->text, (size_t)(at - s->text));
	buf_adds(&text, dialect);
	buf_adds(&text, at + 2);
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == '\'')
			text.data[i] = '"';
	return buf_detach(&text);
}

struct count {
	size_t sequences, canonical, wrong;
};

static void sequence_agrees(struct grammar *g, const struct small *s, struct arena *arena, int argc,
	const char **argv, struct count *count)
{
	const struct spec *spec = grammar_spec(g);
	int canonical = argv_is_canonical(spec, argc, argv, arena);

	arena_clear(arena);
	count->sequences++;
	count->canonical += (size_t)canonical;
	if (grammar_accepts(g, argc, argv) == canonical)
		return;
	if (count->wrong++ > 5)
		return;
	print_message("# %s, %s: %s:", s->name, dialect_names[spec->dialect],
		canonical ? "is canonical, but not in the language"
			  : "is in the language, but not canonical");
	for (int i = 0; i < argc; i++)
		print_message(" [%s]", argv[i]);
	print_message("\n");
}

/* All sequences that begin with argv, up to the length. */
static void sequences_agree(struct grammar *g, const struct small *s, struct arena *arena, int argc,
	const char **argv, struct count *count)
{
	argv[argc] = NULL;
	sequence_agrees(g, s, arena, argc, argv, count);
	if (argc > s->length)
		return;
	for (int i = 0; s->words[i]; i++) {
		argv[argc] = s->words[i];
		sequences_agree(g, s, arena, argc + 1, argv, count);
	}
}

static void all_sequences_agree(void **state)
{
	struct arena arena = {0};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(smalls) / sizeof(*smalls); i++) {
		struct count count = {0};

		for (int d = 0; dialect_names[d]; d++) {
			const char *argv[16] = {"p"};
			char *text = spec_text(&smalls[i], dialect_names[d]);
			struct error err;
			struct spec *spec = spec_parse(text, strlen(text), smalls[i].name, &err);
			struct grammar *g;

			if (!spec)
				print_message("# %s\n", err.message);
			assert_non_null(spec);
			g = grammar_new(spec);
			assert_true(grammar_accepts(g, -1, NULL));
			assert_false(grammar_accepts(g, 0, NULL));
			sequences_agree(g, &smalls[i], &arena, 1, argv, &count);
			assert_true(grammar_is_exact(g));
			grammar_free(g);
			spec_free(spec);
			free(text);
		}
		print_message("# %s: %zu sequences, %zu canonical\n", smalls[i].name,
			count.sequences, count.canonical);
		wrong += count.wrong;
		assert_true(count.canonical > 5);
	}
	arena_release(&arena);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_sequences_agree)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
