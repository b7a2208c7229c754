/* specs.h - the grammar that an input begins with: one of ours, or one of its own. */
#ifndef T_FUZZ_SPECS_H
#define T_FUZZ_SPECS_H

#include "t/fuzz/fuzz.h"

#include "cli/verify.h"
#include "text/utf8.h"

static const char *const fuzz_specs[] = {"seeds/langgraph/cli.json", "testdata/cli/argparse.json",
	"testdata/cli/getopt.json", "testdata/cli/getopt_long.json", "testdata/cli/optparse.json",
	"testdata/exec/probe.json", "testdata/synth/plain.json", "testdata/synth/rules.json",
	"testdata/exec/mark.json", "seeds/git/cli.json", "seeds/tar/cli.json"};

enum {
	FUZZ_SPECS = sizeof fuzz_specs / sizeof *fuzz_specs
};

/* Number `which` of the list above; read once, and kept. */
static inline struct spec *fuzz_spec_known(unsigned which)
{
	static struct spec *specs[FUZZ_SPECS];
	struct spec **spec = &specs[which % FUZZ_SPECS];
	struct error err;

	if (!*spec)
		*spec = spec_load(fuzz_specs[which % FUZZ_SPECS], &err);
	if (!*spec)
		die_error(&err);
	return *spec;
}

/* Takes the first part of the input: one byte is the number of a grammar of ours, all
 * else JSON of one, which is then *own as well, for the caller to free.  NULL where it
 * is none. */
static inline const struct spec *fuzz_spec(struct fuzz_input *in, struct spec **own)
{
	struct error err;
	size_t len;
	char *part = fuzz_part(in, &len);
	const unsigned char first = (unsigned char)part[0];
	const struct spec *spec;

	*own = NULL;
	if (len == 1)
		spec = fuzz_spec_known(first - (first >= 'a' ? 'a' - 10U : '0'));
	else
		spec = *own = spec_parse(part, len, "fuzz", &err);
	free(part);
	return spec;
}

#endif
