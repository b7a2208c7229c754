/* spec.c - loads an OpenCLI document from a file or from memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "cli/spec_private.h"

const char *const dialect_names[] = {"click", "argparse", "optparse", "getopt_long", "getopt",
	"cobra", "clap", "goption", "docopt", "dash", NULL};

const char *const value_type_names[] = {"string", "integer", "number", "boolean", "path", "url",
	"host", "port", "duration", "size", "image", "identifier", "other", NULL};

struct spec *spec_parse(const char *text, size_t len, const char *name, struct error *err)
{
	struct spec *spec = xcalloc(1, sizeof(*spec));
	struct spec_reader r = {.spec = spec, .file = name, .err = err};
	json_error_t fault;
	int rc = -1;

	buf_adds(&r.path, "$");
	if (len > SPEC_BYTES_MAX) {
		error_set(err, EXIT_DATA, "%s: a spec of more than %d bytes", name, SPEC_BYTES_MAX);
		goto out;
	}
	spec->document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
	if (!spec->document) {
		error_set(
			err, EXIT_DATA, "%s:%d:%d: %s", name, fault.line, fault.column, fault.text);
		goto out;
	}
	sha256_hex(text, len, spec->hash);
	rc = document_read(&r);
	if (rc == 0) {
		struct command **list =
			arena_alloc(&spec->arena, r.n_commands * sizeof(struct command *));

		memcpy(list, r.commands, r.n_commands * sizeof(struct command *));
		spec->commands = list;
		spec->n_commands = r.n_commands;
	}
out:
	buf_release(&r.path);
	if (rc < 0) {
		spec_free(spec);
		spec = NULL;
	}
	free(r.commands);
	return spec;
}

struct spec *spec_load(const char *path, struct error *err)
{
	FILE *file = fopen(path, "rb");
	struct buf text = {0};
	struct spec *spec = NULL;
	char block[65536];
	size_t n;

	if (!file) {
		error_set_errno(err, EXIT_NOINPUT, "%s", path);
		return NULL;
	}
	while ((n = fread(block, 1, sizeof(block), file)) > 0 && text.len <= SPEC_BYTES_MAX)
		buf_add(&text, block, n);
	if (ferror(file))
		error_set_errno(err, EXIT_NOINPUT, "%s", path);
	else
		spec = spec_parse(text.data ? text.data : "", text.len, path, err);
	fclose(file);
	buf_release(&text);
	return spec;
}

void spec_free(struct spec *spec)
{
	if (!spec)
		return;
	json_decref(spec->document);
	arena_release(&spec->arena);
	free(spec);
}
