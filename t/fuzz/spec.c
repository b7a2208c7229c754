/*
 * The grammar of a tool: what loads can be used by the verifier and explains itself.
 * seeds: seeds/langgraph/cli.json testdata/cli testdata/exec/probe.json testdata/synth
 */
#include "t/fuzz/argv.h"

/* The bare command, its first option, and a word that it may not know. */
static void use(const struct spec *spec, const struct command *c)
{
	const char *argv[16], *path[8];
	const struct command *up = c;
	struct arena arena = {0};
	int n = 0, depth = 0;

	for (; up && depth < 8; up = up->parent)
		path[depth++] = up->name;
	while (depth > 0)
		argv[n++] = path[--depth];
	if (c->n_options)
		argv[n++] = c->options[0]->name;
	argv[n++] = "1";
	argv[n] = NULL;
	for (int argc = 0; argc <= n; argc++)
		fuzz_argv(spec, argc, argv, &arena);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct spec *spec = spec_parse((const char *)data, size, "fuzz", &err);

	if (!spec)
		return 0;
	for (size_t i = 0; i < spec->n_commands && i < 32; i++)
		use(spec, spec->commands[i]);
	spec_free(spec);
	return 0;
}
