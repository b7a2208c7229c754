/*
 * Help as a stranger's program prints it: whatever it is, a spec that loads comes out.
 * seeds: testdata/help
 */
#include <stdlib.h>

#include "help/emit.h"
#include "help/fit.h"
#include "help/read.h"
#include "t/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct help_command *root = help_command_add(&arena, NULL, "fuzz");
	struct error err;
	struct spec *spec;
	json_t *document;
	char *text;

	help_read(root, (const char *)data, size, &arena);
	help_fit(root, help_dialect(root));
	document = help_emit(root, help_dialect(root), "");
	text = json_dumps(document, 0);
	if (!text)
		abort();
	spec = spec_parse(text, strlen(text), "fuzz", &err);
	if (!spec) {
		fprintf(stderr, "%s\n%s\n", err.message, text);
		abort();
	}
	spec_free(spec);
	free(text);
	json_decref(document);
	help_command_release(root);
	arena_release(&arena);
	return 0;
}
