/*
 * helper-tokenize - for tests: reads JSON strings, one a line, and prints for each the
 * ids and the decoded text as a JSON array [[ids], "text"].
 *   helper-tokenize TOKENIZER.JSON [plain|ordinary]          < strings > results
 *   helper-tokenize --time TOKENIZER.JSON                    < strings > seconds
 *   helper-tokenize --train MERGES TOKENIZER.JSON [ADDED...] < strings
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "text/tokenizer.h"
#include "text/utf8.h"

static json_t *next_string(char **line, size_t *cap)
{
	json_t *value;

	if (getline(line, cap, stdin) < 0)
		return NULL;
	value = json_loads(*line, JSON_DECODE_ANY, NULL);
	if (!json_is_string(value))
		die(EXIT_DATA, "standard input: a line is no JSON string");
	return value;
}

static int train(int argc, char **argv)
{
	struct added_token *added = xcalloc((size_t)argc, sizeof *added);
	char *line = NULL, **texts = NULL;
	size_t cap = 0, n = 0, texts_cap = 0, n_added = 0;
	struct error err;
	struct tokenizer *t;
	json_t *text;

	for (; (text = next_string(&line, &cap)); json_decref(text)) {
		texts = array_grow(texts, &texts_cap, n, sizeof *texts);
		texts[n++] = xstrdup(json_string_value(text));
	}
	for (int i = 4; i < argc; i++)
		added[n_added++] = (struct added_token){argv[i], argv[i][0] == '<'};
	t = tokenizer_train(
		(const char *const *)texts, n, (size_t)atol(argv[2]), added, n_added, &err);
	if (!t || tokenizer_save(t, argv[3], &err) < 0)
		die_error(&err);
	tokenizer_free(t);
	while (n)
		free(texts[--n]);
	free(texts);
	free(added);
	free(line);
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The best time of three for encoding all strings. */
static int measure(const char *path)
{
	char *line = NULL, **texts = NULL;
	size_t cap = 0, n = 0, texts_cap = 0;
	double best = 1e9;
	struct ids ids = {0};
	struct error err;
	struct tokenizer *t = tokenizer_load(path, &err);
	json_t *text;

	if (!t)
		die_error(&err);
	for (; (text = next_string(&line, &cap)); json_decref(text)) {
		texts = array_grow(texts, &texts_cap, n, sizeof *texts);
		texts[n++] = xstrdup(json_string_value(text));
	}
	for (int round = 0; round < 3; round++) {
		double start = now(), time;

		ids.len = 0;
		for (size_t i = 0; i < n; i++)
			tokenizer_encode(t, texts[i], strlen(texts[i]), &ids);
		time = now() - start;
		best = time < best ? time : best;
	}
	printf("%.6f\n", best);
	while (n)
		free(texts[--n]);
	free(texts);
	free(line);
	ids_release(&ids);
	tokenizer_free(t);
	return 0;
}

static void print_result(struct tokenizer *t, const struct ids *ids)
{
	struct buf bytes = {0}, text = {0};
	json_t *list = json_array(), *result;

	for (size_t i = 0; i < ids->len; i++)
		json_array_append_new(list, json_integer(ids->data[i]));
	tokenizer_decode(t, ids->data, ids->len, 0, &bytes);
	utf8_repair(bytes.data ? bytes.data : "", bytes.len, &text);
	result = json_pack("[o, s]", list, text.data ? text.data : "");
	json_dumpf(result, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(result);
	buf_release(&bytes);
	buf_release(&text);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	struct ids ids = {0};
	struct error err;
	struct tokenizer *t;
	char *line = NULL;
	size_t cap = 0;
	json_t *text;

	program_name_set(argv[0]);
	if (argc > 3 && !strcmp(argv[1], "--train"))
		return train(argc, argv);
	if (argc > 2 && !strcmp(argv[1], "--time"))
		return measure(argv[2]);
	if (argc < 2)
		die(EXIT_USAGE, "usage: tokenize TOKENIZER.JSON [plain|ordinary]");
	t = tokenizer_load(argv[1], &err);
	if (!t)
		die_error(&err);
	for (; (text = next_string(&line, &cap)); json_decref(text)) {
		const char *s = json_string_value(text);

		ids.len = 0;
		if (!strcmp(how, "plain"))
			tokenizer_encode_plain(t, s, strlen(s), 0, NULL, &ids);
		else if (!strcmp(how, "ordinary"))
			tokenizer_encode_ordinary(t, s, strlen(s), &ids);
		else
			tokenizer_encode(t, s, strlen(s), &ids);
		print_result(t, &ids);
	}
	ids_release(&ids);
	free(line);
	tokenizer_free(t);
	return 0;
}
