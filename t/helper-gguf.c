/*
 * helper-gguf - for tests:
 *   helper-gguf check FILE           each tensor NAME that has a NAME.expected equals it,
 *                                    bit for bit; prints how many numbers were compared
 *   helper-gguf list FILE            keys, and tensors with type, shape and the hash of
 *                                    their bytes
 *   helper-gguf params FILE          names of parameters on standard input; the hash of the
 *                                    fp32 numbers of each
 *   helper-gguf tokenizer FILE OUT   saves the tokenizer that it carries
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/mem.h"
#include "model/gguf.h"
#include "model/gguf_params.h"
#include "model/gguf_tokenizer.h"

static int check(const struct gguf *f)
{
	long long compared = 0;

	for (int i = 0; i < gguf_count(f); i++) {
		const struct gguf_tensor *t = gguf_tensor(f, i), *want;
		struct buf name = {0};
		float *got;

		buf_addf(&name, "%s.expected", t->name);
		want = gguf_find(f, name.data);
		buf_release(&name);
		if (!want)
			continue;
		if (want->n_elements != t->n_elements)
			die(EXIT_DATA, "%s: another shape", t->name);
		got = xcalloc((size_t)t->n_elements + 1, sizeof *got);
		gguf_floats(t, 0, t->n_elements, got);
		if (memcmp(got, want->data, (size_t)t->n_elements * sizeof *got) != 0)
			die(EXIT_DATA, "%s: other numbers", t->name);
		compared += t->n_elements;
		free(got);
	}
	printf("%lld\n", compared);
	return compared ? 0 : 1;
}

static int list(const struct gguf *f)
{
	for (int i = 0; i < gguf_n_keys(f); i++) {
		enum gguf_type type;
		const char *key = gguf_key(f, i, &type);

		printf("%s %d\n", key, (int)type);
	}
	for (int i = 0; i < gguf_count(f); i++) {
		const struct gguf_tensor *t = gguf_tensor(f, i);
		char hash[65];

		sha256_hex(t->data, t->bytes, hash);
		printf("%s %s", t->name, t->format->name);
		for (int d = 0; d < t->n_dims; d++)
			printf(" %lld", (long long)t->dims[d]);
		printf(" %s\n", hash);
	}
	return 0;
}

static int params(const struct gguf *f)
{
	char *line = NULL, hash[65];
	size_t cap = 0;
	struct error err;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		struct gguf_param p;
		float *numbers;
		int found;

		line[strcspn(line, "\n")] = '\0';
		found = gguf_param_find(f, line, &p, &err);
		if (found < 0)
			die_error(&err);
		if (!found) {
			printf("%s none\n", line);
			continue;
		}
		numbers = xcalloc((size_t)(p.rows * p.columns) + 1, sizeof *numbers);
		gguf_param_rows(&p, 0, p.rows, numbers);
		sha256_hex(numbers, (size_t)(p.rows * p.columns) * sizeof *numbers, hash);
		printf("%s %s\n", line, hash);
		free(numbers);
	}
	free(line);
	return 0;
}

int main(int argc, char **argv)
{
	struct error err;
	struct tokenizer *t;
	struct gguf *f;
	int rc = 0;

	program_name_set(argv[0]);
	if (argc < 3)
		die(EXIT_USAGE, "usage: helper-gguf check|list|params|tokenizer FILE [OUT]");
	f = gguf_open(argv[2], &err);
	if (!f)
		die_error(&err);
	if (!strcmp(argv[1], "check")) {
		rc = check(f);
	} else if (!strcmp(argv[1], "list")) {
		rc = list(f);
	} else if (!strcmp(argv[1], "params")) {
		rc = params(f);
	} else {
		t = gguf_tokenizer(f, &err);
		if (!t || argc < 4 || tokenizer_save(t, argv[3], &err) < 0)
			die_error(&err);
		tokenizer_free(t);
	}
	gguf_close(f);
	return rc;
}
