#include "text/answer.h"

#include <jansson.h>
#include <string.h>

void json_word(const char *word, size_t len, struct buf *out)
{
	buf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)word[i];
		const char *at = c ? strchr("\"\"\\\\\bb\ff\nn\rr\tt", c) : NULL;

		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (at && c < 0x20)
			buf_addf(out, "\\%c", at[1]);
		else if (c < 0x20)
			buf_addf(out, "\\u%04X", c);
		else
			buf_addc(out, (char)c);
	}
	buf_addc(out, '"');
}

static size_t span_for(const char *value, size_t len, const char *request, const struct span *spans,
	size_t n_spans, const unsigned char *used)
{
	for (size_t k = 0; len && k < n_spans; k++) {
		if (!used[k] && spans[k].to - spans[k].from == len &&
			!memcmp(request + spans[k].from, value, len))
			return k + 1;
	}
	return 0;
}

static int is_option(const char *word)
{
	return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]);
}

void answer_print_fixed(int argc, const char *const *argv, int fixed, const char *request,
	const struct span *spans, size_t n_spans, struct buf *out)
{
	unsigned char used[SPANS_MAX] = {0};

	if (argc < 0) {
		buf_adds(out, "null");
		return;
	}
	if (n_spans > SPANS_MAX)
		n_spans = SPANS_MAX;
	buf_addc(out, '[');
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i], *equals = is_option(word) ? strchr(word, '=') : NULL;
		size_t len = strlen(word), k = 0;

		if (i)
			buf_addc(out, ',');
		if (i >= fixed && i > 0)
			k = span_for(word, len, request, spans, n_spans, used);
		if (!k && equals && i >= fixed && i > 0) {
			len = (size_t)(equals + 1 - word);
			k = span_for(equals + 1, strlen(equals + 1), request, spans, n_spans, used);
			json_word(word, k ? len : strlen(word), out);
		} else if (!k) {
			json_word(word, len, out);
		}
		if (k) {
			buf_addf(out, "$%zu", k);
			used[k - 1] = 1;
		}
	}
	buf_addc(out, ']');
}

void answer_print(int argc, const char *const *argv, const char *request, const struct span *spans,
	size_t n_spans, struct buf *out)
{
	answer_print_fixed(argc, argv, 1, request, spans, n_spans, out);
}

struct reader {
	const char *text, *end, *at;
	const char *request;
	const struct span *spans;
	size_t n_spans;
	struct arena *arena;
	struct error *err;
};

static int unreadable(const struct reader *r, const char *what)
{
	return error_set(
		r->err, EXIT_DATA, "answer, byte %zu: %s", (size_t)(r->at - r->text), what);
}

static int next_is(const struct reader *r, char c)
{
	return r->at < r->end && *r->at == c;
}

/* $K: its span's text behind prefix; NULL where there is no such span. */
static const char *read_span(struct reader *r, const char *prefix)
{
	const char *start = ++r->at;
	const struct span *span;
	size_t k = 0, before = strlen(prefix), len;
	char *word;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && r->at - start < 3)
		k = k * 10 + (size_t)(*r->at++ - '0');
	if (r->at == start || *start == '0' || k > r->n_spans) {
		unreadable(r, "no span has this number");
		return NULL;
	}
	span = &r->spans[k - 1];
	len = span->to - span->from;
	word = arena_alloc(r->arena, before + len + 1);
	memcpy(word, prefix, before);
	memcpy(word + before, r->request + span->from, len);
	word[before + len] = '\0';
	return word;
}

static const char *read_string(struct reader *r)
{
	const char *start = r->at++, *word = NULL;
	json_t *value;

	while (r->at < r->end && *r->at != '"')
		r->at += *r->at == '\\' ? 2 : 1;
	if (r->at >= r->end) {
		r->at = r->end;
		unreadable(r, "a string does not end");
		return NULL;
	}
	r->at++;
	value = json_loadb(start, (size_t)(r->at - start), JSON_DECODE_ANY, NULL);
	if (value)
		word = arena_strdup(r->arena, json_string_value(value));
	else
		unreadable(r, "not a JSON string");
	json_decref(value);
	return word;
}

static const char *read_word(struct reader *r)
{
	const char *word;

	if (next_is(r, '$'))
		return read_span(r, "");
	if (!next_is(r, '"')) {
		unreadable(r, "neither a string nor $K");
		return NULL;
	}
	word = read_string(r);
	if (word && next_is(r, '$')) {
		/* --name="$K, or -n"$K */
		if (!is_option(word) || (word[1] == '-' && word[strlen(word) - 1] != '=')) {
			unreadable(r, "$K behind what is not an option with =");
			return NULL;
		}
		return read_span(r, word);
	}
	return word;
}

int answer_parse(const char *text, size_t len, const char *request, const struct span *spans,
	size_t n_spans, struct arena *arena, int *argc, const char ***argv, struct error *err)
{
	struct reader r = {text, text + len, text, request, spans, n_spans, arena, err};
	size_t n = 0, commas = 0;

	*argv = NULL;
	*argc = -1;
	if (len == 4 && !memcmp(text, "null", 4))
		return 0;
	if (!next_is(&r, '['))
		return unreadable(&r, "neither an array nor null");
	if (len > 1 && text[1] != '"')
		return unreadable(&r, "the first word is not a string");
	for (size_t i = 0; i < len; i++)
		commas += text[i] == ',';
	*argv = arena_alloc(arena, (commas + 2) * sizeof **argv);
	do {
		r.at++;
		(*argv)[n] = read_word(&r);
		if (!(*argv)[n++])
			return -1;
	} while (next_is(&r, ','));
	(*argv)[n] = NULL;
	if (!next_is(&r, ']'))
		return unreadable(&r, "neither , nor ] behind a word");
	r.at++;
	if (r.at != r.end)
		return unreadable(&r, "text behind the array");
	*argc = (int)n;
	return 0;
}
