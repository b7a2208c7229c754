/* help2spec - learn a program's grammar from its own help. */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "help/crawl.h"
#include "help/emit.h"
#include "help/fit.h"
#include "help/read.h"
#include "stream/file.h"

struct options {
	const char *from, *output, *name;
	int dialect; /* -1: the one that fits */
	long long timeout, depth, commands;
	int quiet;
};

enum {
	KEY_FROM = 256,
	KEY_DIALECT,
	KEY_TIMEOUT,
	KEY_DEPTH,
	KEY_COMMANDS,
	KEY_QUIET
};

static const struct argp_option option_table[] = {
	{"from", KEY_FROM, "DIR", 0,
		"Read saved help, NAME.txt and NAME-SUBCOMMAND.txt, and run nothing", 0},
	{"output", 'o', "FILE", 0, "Write the spec there (default: standard output)", 0},
	{"dialect", KEY_DIALECT, "NAME", 0,
		"Whose parsing rules hold (default: told by the layout)", 0},
	{"timeout", KEY_TIMEOUT, "SECONDS", 0, "Of one run (default 10)", 0},
	{"depth", KEY_DEPTH, "N", 0, "Levels of subcommands (default 4, at most 12)", 0},
	{"commands", KEY_COMMANDS, "N", 0, "Commands whose help is asked for (default 500)", 0},
	{"quiet", KEY_QUIET, NULL, 0, "Say nothing but what went wrong", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_FROM:
		o->from = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_DIALECT:
		o->dialect = option_choice(state, "--dialect", arg, dialect_names);
		return 0;
	case KEY_TIMEOUT:
		o->timeout = option_integer(state, "--timeout", arg, 1, 600);
		return 0;
	case KEY_DEPTH:
		o->depth = option_integer(state, "--depth", arg, 0, 12);
		return 0;
	case KEY_COMMANDS:
		o->commands = option_integer(state, "--commands", arg, 1, 4000);
		return 0;
	case KEY_QUIET:
		o->quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (o->name)
			argp_error(state, "one NAME only");
		o->name = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->name)
			argp_error(state, "the NAME of the program is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {option_table, parse, "NAME",
	"Learn the grammar of a program from its --help, and write it as a spec.\v"
	"Runs NAME --help and that of each subcommand in a sandbox: read-only, without "
	"network, home and input.  Nothing but help is ever run.  The spec says of each "
	"item how sure it is and which line it came from.",
	NULL, NULL, NULL};

static size_t count_options(const struct help_command *c)
{
	size_t n = c->n_options;

	for (size_t i = 0; i < c->n_children; i++)
		n += count_options(c->children[i]);
	return n;
}

static void write_spec(const struct options *o, const char *text, size_t len)
{
	struct error err;

	if (o->output) {
		if (file_publish(o->output, text, len, &err) < 0)
			die_error(&err);
	} else if (fwrite(text, 1, len, stdout) != len || fflush(stdout) != 0) {
		die(EXIT_IO, "standard output: %m");
	}
}

int main(int argc, char **argv)
{
	struct options o = {.dialect = -1, .timeout = 10, .depth = 4, .commands = 500};
	struct help_source source = {0};
	struct help_bounds bounds;
	struct help_crawl crawl;
	struct arena arena = {0};
	struct buf text = {0};
	struct error err;
	struct spec *spec;
	enum dialect dialect;
	const char *name;
	json_t *document;
	char *dump;

	options_parse(&argp, argc, argv, &o);
	note_enable(!o.quiet);
	name = strrchr(o.name, '/') ? strrchr(o.name, '/') + 1 : o.name;
	bounds = (struct help_bounds){(int)o.depth, (int)o.commands};
	source.directory = o.from;
	source.timeout = (int)o.timeout;
	if (help_source_open(&source, o.name, &arena, &err) < 0 ||
		help_crawl(&crawl, &source, name, &bounds, &err) < 0)
		die_error(&err);
	dialect = o.dialect < 0 ? help_dialect(crawl.root) : (enum dialect)o.dialect;
	help_fit(crawl.root, dialect);
	document = help_emit(crawl.root, dialect, "");
	dump = json_dumps(document, JSON_INDENT(1));
	if (!dump)
		die(EXIT_INTERNAL, "the spec cannot be written as JSON");
	buf_addf(&text, "%s\n", dump);
	spec = spec_parse(text.data, text.len, name, &err);
	if (!spec)
		die(EXIT_INTERNAL, "what was read makes no valid spec: %s", err.message);
	write_spec(&o, text.data, text.len);
	note("%s: %zu commands, %zu options, dialect %s; help asked for %zu times, %zu left out",
		name, spec->n_commands, count_options(crawl.root), dialect_names[spec->dialect],
		crawl.n_asked, crawl.n_left_out);
	spec_free(spec);
	free(dump);
	json_decref(document);
	buf_release(&text);
	help_crawl_release(&crawl);
	arena_release(&arena);
	return EXIT_OK;
}
