/* Reads and writes tokenizer.json, the file of Hugging Face `tokenizers`. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "stream/file.h"
#include "text/bytelevel.h"
#include "text/tokenizer_internal.h"
#include "text/utf8.h"

enum {
	FILE_BYTES_MAX = 256 << 20,
	ADDED_MAX = 1 << 20,
	CONTENT_MAX = 4096
};

static int fault(struct error *err, const char *field, const char *what)
{
	return error_set(err, EXIT_DATA, "%s: %s", field, what);
}

/* A field that has to be absent, null, false or "". */
static int check_unused(json_t *object, const char *path, const char *field, struct error *err)
{
	json_t *value = json_object_get(object, field);
	const char *text = json_string_value(value);

	if (!value || json_is_null(value) || json_is_false(value) || (text && !*text) ||
		(json_is_number(value) && json_number_value(value) == 0))
		return 0;
	return error_set(err, EXIT_DATA, "%s%s: only null is supported", path, field);
}

static int read_flag(json_t *object, const char *field, unsigned char *flag, struct error *err)
{
	json_t *value = json_object_get(object, field);

	if (value && !json_is_boolean(value))
		return error_set(err, EXIT_DATA, "added_tokens.%s: not true or false", field);
	*flag = json_is_true(value);
	return 0;
}

/* Makes room for ids below n. */
static void tokens_reserve(struct tokenizer *t, uint32_t n)
{
	if (n <= t->n_tokens)
		return;
	t->tokens = xreallocarray(t->tokens, n, sizeof *t->tokens);
	t->names = xreallocarray(t->names, n, sizeof *t->names);
	t->chain = xreallocarray(t->chain, n, sizeof *t->chain);
	for (uint32_t i = t->n_tokens; i < n; i++) {
		t->tokens[i] = (struct token){.added = -1};
		t->names[i] = NULL;
		t->chain[i] = -1;
	}
	t->n_tokens = n;
}

/* What a token decodes to.  Like the ByteLevel decoder: a token with a character
 * outside the table stands for itself. */
static void token_set_bytes(struct tokenizer *t, int32_t id, const char *text)
{
	struct buf bytes = {0};

	if (!t->byte_level)
		piece_decode(&t->decoder, text, &bytes);
	else if (bytelevel_decode(text, strlen(text), &bytes) < 0)
		buf_adds(&bytes, text);
	free(t->tokens[id].bytes);
	t->tokens[id].len = (uint32_t)bytes.len;
	t->tokens[id].bytes = buf_detach(&bytes);
}

/* Fills in a token that is new. */
static void token_set(struct tokenizer *t, int32_t id, const char *name)
{
	token_set_bytes(t, id, name);
	tokenizer_set_name(t, id, name);
}

/* An id of the file: whole, and not far beyond the number of tokens. */
static int read_id(json_t *value, size_t n_tokens, const char *field, const char *name, int32_t *id,
	struct error *err)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || (uint64_t)n > 2 * (uint64_t)n_tokens + 65536)
		return error_set(err, EXIT_DATA, "%s: id of '%.40s' is not a number from 0 to %zu",
			field, name, 2 * n_tokens + 65536);
	*id = (int32_t)n;
	return 0;
}

/* The tokens of single bytes, and of single characters. */
static void symbols_find(struct tokenizer *t)
{
	for (int byte = 0; byte < 256; byte++) {
		char text[8];
		size_t len = utf8_encode(bytelevel_char((unsigned char)byte), text);

		if (!t->byte_level)
			len = (size_t)snprintf(text, sizeof text, "<0x%02X>", (unsigned)byte);
		t->byte_ids[byte] = tokenizer_find_name(t, text, len);
	}
	for (uint32_t id = 0; !t->byte_level && id < t->n_tokens; id++) {
		const char *name = t->names[id];
		size_t size, len = name ? strlen(name) : 0;
		int32_t code = len && len <= 4 ? utf8_decode(name, len, &size) : -1;

		if (code >= 0 && size == len)
			*map64_put(&t->chars, (uint64_t)code) = id;
	}
}

static int read_vocab(struct tokenizer *t, json_t *vocab, struct error *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(vocab) || !json_object_size(vocab))
		return fault(err, "model.vocab", "not an object with tokens");
	json_object_foreach(vocab, name, value)
	{
		int32_t id = -1;

		if (read_id(value, json_object_size(vocab), "model.vocab", name, &id, err) < 0)
			return -1;
		tokens_reserve(t, (uint32_t)id + 1);
		if (t->names[id])
			return error_set(err, EXIT_DATA,
				"model.vocab: id %d belongs to both '%.40s' and '%.40s'", id,
				t->names[id], name);
		token_set(t, id, name);
		t->tokens[id].in_model = 1;
	}
	symbols_find(t);
	return 0;
}

/* The two halves of a merge: "a b", or ["a", "b"]. */
static int merge_halves(json_t *item, const char **left, size_t *left_len, const char **right)
{
	const char *text = json_string_value(item);

	if (text) {
		const char *space = strchr(text, ' ');

		if (!space || space == text || !space[1] || strchr(space + 1, ' '))
			return -1;
		*left = text;
		*left_len = (size_t)(space - text);
		*right = space + 1;
		return 0;
	}
	*left = json_string_value(json_array_get(item, 0));
	*right = json_string_value(json_array_get(item, 1));
	if (!*left || !*right || json_array_size(item) != 2)
		return -1;
	*left_len = strlen(*left);
	return 0;
}

/* Whether a merge joins something else with a blank's mark behind it. */
static int crosses_border(const char *left, size_t len, const char *right)
{
	return !strncmp(right, SENTENCEPIECE_MARK, 3) &&
	       (len < 3 || memcmp(left + len - 3, SENTENCEPIECE_MARK, 3) != 0);
}

static int read_merges(struct tokenizer *t, json_t *merges, struct error *err)
{
	struct buf whole = {0};
	size_t rank;
	json_t *item;
	int rc = 0;

	t->mark_splits = !t->byte_level && !t->ignore_merges &&
			 map64_get(&t->chars, 0x2581) != NULL; /* SENTENCEPIECE_MARK */
	if (!json_is_array(merges))
		return fault(err, "model.merges", "not an array");
	t->rules = xcalloc(json_array_size(merges) + 1, sizeof *t->rules);
	json_array_foreach(merges, rank, item)
	{
		const char *left, *right;
		size_t left_len;
		int32_t a, b, ab;

		if (merge_halves(item, &left, &left_len, &right) < 0) {
			rc = error_set(err, EXIT_DATA,
				"model.merges[%zu]: neither \"a b\" nor [\"a\", \"b\"]", rank);
			break;
		}
		buf_clear(&whole);
		buf_add(&whole, left, left_len);
		buf_adds(&whole, right);
		a = tokenizer_find_name(t, left, left_len);
		b = tokenizer_find_name(t, right, strlen(right));
		ab = tokenizer_find_name(t, whole.data, whole.len);
		if (a < 0 || b < 0 || ab < 0) {
			rc = error_set(err, EXIT_DATA,
				"model.merges[%zu]: '%.40s' is not in model.vocab", rank,
				a < 0	? whole.data
				: b < 0 ? right
					: whole.data);
			break;
		}
		*map64_put(&t->merges, (uint64_t)a << 32 | (uint32_t)b) =
			(uint64_t)rank << 32 | (uint32_t)ab;
		t->rules[rank] = (struct merge_rule){a, b, ab};
		if (crosses_border(left, left_len, right))
			t->mark_splits = 0;
	}
	buf_release(&whole);
	return rc;
}

static int read_unknown(struct tokenizer *t, json_t *value, struct error *err)
{
	const char *name = json_string_value(value);

	t->unknown = -1;
	if (!value || json_is_null(value) || (name && !*name))
		return 0;
	if (!name)
		return fault(err, "model.unk_token", "not a string");
	t->unknown = tokenizer_find_name(t, name, strlen(name));
	/* A token of the model that is not there is asked for only by a text that lacks one. */
	for (int byte = 0; t->byte_level && t->unknown < 0 && byte < 256; byte++) {
		if (t->byte_ids[byte] < 0)
			return fault(err, "model.unk_token", "not in model.vocab");
	}
	return t->byte_level || t->unknown >= 0
		       ? 0
		       : fault(err, "model.unk_token", "not in model.vocab");
}

static int read_model(struct tokenizer *t, json_t *model, struct error *err)
{
	static const char *const unused[] = {
		"dropout", "continuing_subword_prefix", "end_of_word_suffix", NULL};
	json_t *type = json_object_get(model, "type");

	if (!json_is_object(model))
		return fault(err, "model", "not an object");
	if (type && (!json_is_string(type) || strcmp(json_string_value(type), "BPE") != 0))
		return error_set(err, EXIT_DATA, "model.type: '%.40s' is not supported (BPE is)",
			json_is_string(type) ? json_string_value(type) : "?");
	for (size_t i = 0; unused[i]; i++) {
		if (check_unused(model, "model.", unused[i], err) < 0)
			return -1;
	}
	t->ignore_merges = json_is_true(json_object_get(model, "ignore_merges"));
	t->fuse_unknown = json_is_true(json_object_get(model, "fuse_unk"));
	t->byte_fallback = json_is_true(json_object_get(model, "byte_fallback"));
	if (t->byte_level && t->byte_fallback)
		return fault(err, "model.byte_fallback", "not supported with ByteLevel");
	if (read_vocab(t, json_object_get(model, "vocab"), err) < 0 ||
		read_merges(t, json_object_get(model, "merges"), err) < 0)
		return -1;
	return read_unknown(t, json_object_get(model, "unk_token"), err);
}

static int read_added_token(
	struct tokenizer *t, json_t *item, size_t n, size_t i, struct error *err)
{
	const char *content = json_string_value(json_object_get(item, "content"));
	struct added_entry *e = &t->added[i];
	int32_t known;

	if (!content || !*content || strlen(content) > CONTENT_MAX)
		return error_set(err, EXIT_DATA, "added_tokens[%zu].content: not 1 to %d bytes", i,
			CONTENT_MAX);
	if (read_id(json_object_get(item, "id"), t->n_tokens + n, "added_tokens", content, &e->id,
		    err) < 0 ||
		read_flag(item, "special", &e->special, err) < 0 ||
		read_flag(item, "single_word", &e->single_word, err) < 0 ||
		read_flag(item, "lstrip", &e->lstrip, err) < 0 ||
		read_flag(item, "rstrip", &e->rstrip, err) < 0 ||
		read_flag(item, "normalized", &e->normalized, err) < 0)
		return -1;
	tokens_reserve(t, (uint32_t)e->id + 1);
	known = tokenizer_find_name(t, content, strlen(content));
	if (known >= 0 && (known != e->id || t->tokens[known].added >= 0))
		return error_set(err, EXIT_DATA,
			"added_tokens[%zu]: '%.40s' is there already, as %d", i, content, known);
	if (known < 0 && t->names[e->id])
		return error_set(err, EXIT_DATA,
			"added_tokens[%zu].id: %d belongs to '%.40s' already", i, e->id,
			t->names[e->id]);
	if (known < 0)
		token_set(t, e->id, content);
	t->tokens[e->id].added = (int32_t)i;
	e->content = t->names[e->id];
	if (e->normalized && t->normalizer) { /* looked for, and decoded, in this form */
		e->content = arena_strdup(
			&t->arena, normalizer_run(t->normalizer, content, strlen(content))->data);
		token_set_bytes(t, e->id, e->content);
	}
	e->len = strlen(e->content);
	added_trie_add(e->normalized ? &t->normalized : &t->raw, t->added, i);
	return 0;
}

static int read_added(struct tokenizer *t, json_t *list, struct error *err)
{
	size_t i, n = json_array_size(list);
	json_t *item;

	if (list && !json_is_null(list) && !json_is_array(list))
		return fault(err, "added_tokens", "not an array");
	if (n > ADDED_MAX)
		return fault(err, "added_tokens", "more than 1048576");
	t->added = xcalloc(n, sizeof *t->added);
	t->n_added = n;
	json_array_foreach(list, i, item)
	{
		if (read_added_token(t, item, n, i, err) < 0)
			return -1;
	}
	return 0;
}

static int read_decoder(struct tokenizer *t, json_t *decoder, struct error *err)
{
	const char *type = json_string_value(json_object_get(decoder, "type"));

	t->byte_level = splitter_has_bytelevel(t->splitter);
	if (!t->byte_level)
		return piece_decoder_read(&t->decoder, decoder, err);
	if (!type || strcmp(type, "ByteLevel") != 0)
		return error_set(err, EXIT_DATA,
			"decoder.type: '%.40s' is not supported (ByteLevel is)",
			type ? type : "null");
	return 0;
}

static int read_root(struct tokenizer *t, json_t *root, struct error *err)
{
	json_t *normalizer = json_object_get(root, "normalizer");

	/* Truncation, padding and the post-processor are about whole inputs, which
	 * are the caller's business, not about text. */
	if (normalizer && !json_is_null(normalizer)) {
		t->normalizer = normalizer_new(normalizer, err);
		if (!t->normalizer)
			return -1;
	}
	t->splitter = splitter_new(json_object_get(root, "pre_tokenizer"), err);
	if (!t->splitter || read_decoder(t, json_object_get(root, "decoder"), err) < 0)
		return -1;
	if (read_model(t, json_object_get(root, "model"), err) < 0)
		return -1;
	return read_added(t, json_object_get(root, "added_tokens"), err);
}

struct tokenizer *tokenizer_parse(struct buf *text, struct error *err)
{
	struct tokenizer *t = xcalloc(1, sizeof *t);
	json_error_t where;
	json_t *root;
	int rc;

	t->file = *text;
	*text = (struct buf){0};
	root = json_loadb(
		t->file.data ? t->file.data : "", t->file.len, JSON_REJECT_DUPLICATES, &where);
	if (!root)
		rc = error_set(err, EXIT_DATA, "line %d: %s", where.line, where.text);
	else
		rc = read_root(t, root, err);
	json_decref(root);
	if (rc < 0) {
		tokenizer_free(t);
		return NULL;
	}
	sha256_hex(t->file.data, t->file.len, t->hash);
	return t;
}

struct tokenizer *tokenizer_load(const char *path, struct error *err)
{
	struct buf text = {0};
	struct tokenizer *t;

	if (file_read(path, FILE_BYTES_MAX, &text, err) < 0) {
		buf_release(&text);
		return NULL;
	}
	t = tokenizer_parse(&text, err);
	if (!t)
		error_prefix(err, "%s", path);
	return t;
}

int tokenizer_save(const struct tokenizer *t, const char *path, struct error *err)
{
	return file_publish(path, t->file.data, t->file.len, err);
}
