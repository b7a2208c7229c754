#include "text/normalize.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include "text/nfc.h"
#include "text/splitter.h"
#include "text/utf8.h"

enum {
	STAGES_MAX = 16,
	STEPS_MAX = 1000000
};

enum kind {
	NFC,
	NFD,
	PREPEND,
	REPLACE,
	STRIP
};

struct stage {
	enum kind kind;
	char *from, *to;  /* Prepend: to */
	pcre2_code *code; /* Replace by a pattern; NULL: from is the text itself */
	pcre2_match_data *match;
	int left, right; /* sides to strip */
};

struct normalizer {
	struct stage stages[STAGES_MAX];
	size_t n_stages;
	struct nfc *nfc;
	pcre2_match_context *context;
	struct buf texts[2];
};

static int add_replace(struct stage *stage, json_t *d, struct error *err)
{
	json_t *pattern = json_object_get(d, "pattern");
	const char *regex = json_string_value(json_object_get(pattern, "Regex"));
	const char *string = json_string_value(json_object_get(pattern, "String"));
	const char *content = json_string_value(json_object_get(d, "content"));

	if ((!regex && !(string && *string)) || !content)
		return error_set(err, EXIT_DATA,
			"normalizer: Replace needs pattern.Regex or pattern.String, and content");
	stage->to = xstrdup(content);
	if (!regex) {
		stage->from = xstrdup(string);
		return 0;
	}
	stage->code = splitter_pattern(regex, 0, "normalizer.pattern", err);
	if (!stage->code)
		return -1;
	stage->match = pcre2_match_data_create_from_pattern(stage->code, NULL);
	return 0;
}

static int add_sequence(struct normalizer *n, json_t *d, int depth, struct error *err);

static int add(struct normalizer *n, json_t *d, int depth, struct error *err)
{
	const char *type = json_string_value(json_object_get(d, "type"));
	struct stage *stage = &n->stages[n->n_stages];
	const char *text;

	if (!type)
		return error_set(err, EXIT_DATA, "normalizer.type: missing");
	if (n->n_stages == STAGES_MAX || depth > STAGES_MAX)
		return error_set(err, EXIT_DATA, "normalizer: more than %d stages", STAGES_MAX);
	if (!strcmp(type, "Sequence"))
		return add_sequence(n, d, depth, err);
	n->n_stages++;
	if (!strcmp(type, "NFC") || !strcmp(type, "NFD")) {
		stage->kind = type[2] == 'C' ? NFC : NFD;
		if (!n->nfc)
			n->nfc = nfc_new();
		return 0;
	}
	if (!strcmp(type, "Prepend")) {
		text = json_string_value(json_object_get(d, "prepend"));
		if (!text)
			return error_set(err, EXIT_DATA, "normalizer.prepend: missing");
		stage->kind = PREPEND;
		stage->to = xstrdup(text);
		return 0;
	}
	if (!strcmp(type, "Replace")) {
		stage->kind = REPLACE;
		return add_replace(stage, d, err);
	}
	if (!strcmp(type, "Strip")) {
		stage->kind = STRIP;
		stage->left = json_is_true(json_object_get(d, "strip_left"));
		stage->right = json_is_true(json_object_get(d, "strip_right"));
		return 0;
	}
	return error_set(err, EXIT_DATA,
		"normalizer.type: '%.40s' is not supported (NFC, NFD, Prepend, Replace, Strip and "
		"Sequence are)",
		type);
}

static int add_sequence(struct normalizer *n, json_t *d, int depth, struct error *err)
{
	json_t *list = json_object_get(d, "normalizers"), *item;
	size_t i;

	if (!json_is_array(list))
		return error_set(err, EXIT_DATA, "normalizer.normalizers: not an array");
	json_array_foreach(list, i, item)
	{
		if (add(n, item, depth + 1, err) < 0)
			return -1;
	}
	return 0;
}

struct normalizer *normalizer_new(json_t *description, struct error *err)
{
	struct normalizer *n = xcalloc(1, sizeof *n);

	n->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(n->context, STEPS_MAX);
	if (add(n, description, 0, err) < 0) {
		normalizer_free(n);
		return NULL;
	}
	return n;
}

void normalizer_free(struct normalizer *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n_stages; i++) {
		free(n->stages[i].from);
		free(n->stages[i].to);
		pcre2_code_free(n->stages[i].code);
		pcre2_match_data_free(n->stages[i].match);
	}
	nfc_free(n->nfc);
	pcre2_match_context_free(n->context);
	buf_release(&n->texts[0]);
	buf_release(&n->texts[1]);
	free(n);
}

static void replace_text(const struct stage *stage, const char *text, size_t len, struct buf *out)
{
	size_t size = strlen(stage->from), to = strlen(stage->to);

	while (len) {
		const char *found = memmem(text, len, stage->from, size);
		size_t part = found ? (size_t)(found - text) : len;

		buf_add(out, text, part);
		text += part;
		len -= part;
		if (found) {
			buf_add(out, stage->to, to);
			text += size;
			len -= size;
		}
	}
}

static void replace_pattern(struct normalizer *n, const struct stage *stage, const char *text,
	size_t len, struct buf *out)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(stage->match);
	size_t done = 0, from = 0;

	while (from < len && pcre2_match(stage->code, (PCRE2_SPTR)text, len, from,
				     PCRE2_NO_UTF_CHECK, stage->match, n->context) >= 0) {
		if (found[1] <= found[0]) { /* empty: look again one character on */
			from = found[0] + 1;
			while (from < len && ((unsigned char)text[from] & 0xc0) == 0x80)
				from++;
			continue;
		}
		buf_add(out, text + done, found[0] - done);
		buf_adds(out, stage->to);
		done = from = found[1];
	}
	buf_add(out, text + done, len - done);
}

static void strip(const struct stage *stage, const char *text, size_t len, struct buf *out)
{
	size_t size, from = 0, to = len, behind = 0;

	for (size_t at = 0; at < len; at += size) {
		if (!utf8_is_space(utf8_decode(text + at, len - at, &size)))
			behind = at + size;
		else if (from == at)
			from = at + size;
	}
	if (!stage->left)
		from = 0;
	if (stage->right)
		to = behind;
	if (to > from)
		buf_add(out, text + from, to - from);
}

static void run_stage(struct normalizer *n, const struct stage *stage, const char *text, size_t len,
	struct buf *out)
{
	switch (stage->kind) {
	case NFC:
	case NFD:
		nfc_run(n->nfc, text, len, stage->kind == NFC, out);
		break;
	case PREPEND: /* to the whole, not to a part */
		break;
	case REPLACE:
		if (stage->code)
			replace_pattern(n, stage, text, len, out);
		else
			replace_text(stage, text, len, out);
		break;
	case STRIP:
		strip(stage, text, len, out);
		break;
	}
}

const struct buf *normalizer_run(struct normalizer *n, const char *text, size_t len)
{
	struct buf *in = &n->texts[0], *out = &n->texts[1];

	buf_clear(in);
	buf_add(in, text, len);
	for (size_t i = 0; i < n->n_stages; i++) {
		struct buf *other = in;
		size_t at = 0;

		buf_clear(out);
		if (n->stages[i].kind == PREPEND) {
			if (in->len)
				buf_adds(out, n->stages[i].to);
			buf_add(out, in->data, in->len);
			at = in->len;
		}
		while (at < in->len) { /* bytes that are not UTF-8 go through */
			size_t good = utf8_valid(in->data + at, in->len - at);

			run_stage(n, &n->stages[i], in->data + at, good, out);
			at += good;
			if (at < in->len)
				buf_addc(out, in->data[at++]);
		}
		in = out;
		out = other;
	}
	return in;
}
