#include "text/gguf_vocab.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "text/sentencepiece.h"
#include "text/tokenizer_internal.h"
#include "text/utf8.h"

enum {
	TOKEN_BYTES_MAX = 4096,
	PIECE_BYTES_MAX = 512, /* of one that is merged; SentencePiece's default is 16 characters */
	MERGES_MAX = 1 << 24
};

#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define TAIL "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define LEAD "[^\\r\\n\\p{L}\\p{N}]?"
#define SLASH_TAIL "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

static const char llama3_pattern[] = CONTRACTIONS "|" LEAD "\\p{L}+|\\p{N}{1,3}" TAIL;
static const char qwen2_pattern[] = CONTRACTIONS "|" LEAD "\\p{L}+|\\p{N}" TAIL;
static const char gpt4o_pattern[] = LEAD UPPER "*" LOWER "+" CONTRACTIONS "?|" LEAD UPPER "+" LOWER
					       "*" CONTRACTIONS "?|\\p{N}{1,3}" SLASH_TAIL;
static const char tekken_pattern[] =
	LEAD UPPER "*" LOWER "+|" LEAD UPPER "+" LOWER "*|\\p{N}" SLASH_TAIL;

/* Values of tokenizer.ggml.pre: the pre-tokenizers of the models that they name. */
static const struct layout {
	const char *name;
	const char *pattern; /* NULL: GPT-2's */
	int digits;	     /* each is a word */
	int nfc;
	int ignore_merges;
} layouts[] = {
	{"gpt-2", NULL, 0, 0, 0},
	{"llama-bpe", llama3_pattern, 0, 0, 1},
	{"llama3", llama3_pattern, 0, 0, 1},
	{"llama-v3", llama3_pattern, 0, 0, 1},
	{"qwen2", qwen2_pattern, 0, 1, 0},
	{"deepseek-r1-qwen", qwen2_pattern, 0, 1, 0},
	{"stablelm2", qwen2_pattern, 0, 0, 0},
	{"smollm", NULL, 1, 0, 0},
	{"starcoder", NULL, 1, 0, 0},
	{"refact", NULL, 1, 0, 0},
	{"gpt-4o", gpt4o_pattern, 0, 0, 0},
	{"tekken", tekken_pattern, 0, 0, 1},
};

static int is(const struct gguf_text *text, const char *name)
{
	return text->data && text->len == strlen(name) && !memcmp(text->data, name, text->len);
}

static const struct layout *find_layout(const struct gguf_vocab *v, struct error *err)
{
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
		if (is(&v->pre, layouts[i].name))
			return &layouts[i];
	}
	error_set(err, EXIT_DATA,
		"key 'tokenizer.ggml.pre': '%.*s' is not supported; give the model's "
		"tokenizer.json",
		v->pre.len > 40 ? 40 : (int)v->pre.len, v->pre.data ? v->pre.data : "");
	return NULL;
}

static enum gguf_token_type token_type(const struct gguf_vocab *v, size_t i)
{
	return v->types ? (enum gguf_token_type)v->types[i] : GGUF_TOKEN_NORMAL;
}

/* model.vocab, by the tokens' texts.  NULL and a message. */
static json_t *vocab_json(const struct gguf_vocab *v, struct error *err)
{
	json_t *vocab = json_object();

	for (size_t i = 0; i < v->n_tokens; i++) {
		const struct gguf_text *t = &v->tokens[i];
		const char *fault = NULL;

		if (!t->len)
			continue;
		if (t->len > TOKEN_BYTES_MAX)
			fault = "is too long";
		else if (memchr(t->data, 0, t->len) || utf8_valid(t->data, t->len) < t->len)
			fault = "is not valid text";
		else if (json_object_getn(vocab, t->data, t->len))
			fault = "is there twice";
		if (fault) {
			error_set(err, EXIT_DATA,
				"key 'tokenizer.ggml.tokens': token %zu, '%.*s', %s", i,
				t->len > 40 ? 40 : (int)t->len, t->data, fault);
			json_decref(vocab);
			return NULL;
		}
		json_object_setn_new_nocheck(vocab, t->data, t->len, json_integer((json_int_t)i));
	}
	return vocab;
}

static json_t *added_json(const struct gguf_vocab *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->n_tokens; i++) {
		enum gguf_token_type type = token_type(v, i);
		int special = type == GGUF_TOKEN_CONTROL || type == GGUF_TOKEN_UNKNOWN;

		if (!v->tokens[i].len || (!special && type != GGUF_TOKEN_USER_DEFINED))
			continue;
		json_array_append_new(list,
			json_pack("{s:I, s:s%, s:b, s:b, s:b, s:b, s:b}", "id", (json_int_t)i,
				"content", v->tokens[i].data, v->tokens[i].len, "single_word", 0,
				"lstrip", 0, "rstrip", 0, "normalized", 0, "special", special));
	}
	return list;
}

/* The merges of a byte-level vocabulary are given. */
static json_t *given_merges(const struct gguf_vocab *v, struct error *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->n_merges; i++) {
		const struct gguf_text *m = &v->merges[i];
		const char *space = m->len > 1 ? memchr(m->data + 1, ' ', m->len - 1) : NULL;
		size_t left = space ? (size_t)(space - m->data) : 0;

		if (!space || m->len > 2 * TOKEN_BYTES_MAX || memchr(m->data, 0, m->len) ||
			utf8_valid(m->data, m->len) < m->len) {
			error_set(err, EXIT_DATA,
				"key 'tokenizer.ggml.merges': item %zu is not two tokens with a "
				"space between them",
				i);
			json_decref(list);
			return NULL;
		}
		json_array_append_new(
			list, json_pack("[s%, s%]", m->data, left, space + 1, m->len - left - 1));
	}
	return list;
}

/* A way in which a piece comes from two. */
struct merge {
	float score;		  /* of the piece */
	uint32_t left_n, right_n; /* characters */
	uint32_t whole, left, right;
};

/* SentencePiece merges to the best score first; of equals those of longer parts; then
 * in the order of ids. */
static int compare_merges(const void *a, const void *b)
{
	const struct merge *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->left_n != y->left_n)
		return x->left_n > y->left_n ? -1 : 1;
	if (x->right_n != y->right_n)
		return x->right_n > y->right_n ? -1 : 1;
	if (x->whole != y->whole)
		return x->whole < y->whole ? -1 : 1;
	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	return (x->right > y->right) - (x->right < y->right);
}

static uint32_t characters(const char *text, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

struct merges {
	struct merge *items;
	size_t n, cap;
};

/* All ways to cut token i into two that there are. */
static void cut_piece(struct merges *m, const struct gguf_vocab *v, json_t *vocab, size_t i)
{
	const struct gguf_text *t = &v->tokens[i];

	for (size_t at = 1; at < t->len && m->n < MERGES_MAX; at++) {
		json_t *left, *right;

		if (((unsigned char)t->data[at] & 0xc0) == 0x80)
			continue;
		left = json_object_getn(vocab, t->data, at);
		right = left ? json_object_getn(vocab, t->data + at, t->len - at) : NULL;
		if (!right)
			continue;
		m->items = array_grow(m->items, &m->cap, m->n, sizeof *m->items);
		m->items[m->n++] = (struct merge){v->scores[i], characters(t->data, at),
			characters(t->data + at, t->len - at), (uint32_t)i,
			(uint32_t)json_integer_value(left), (uint32_t)json_integer_value(right)};
	}
}

/* The merges that scores mean. */
static json_t *scored_merges(const struct gguf_vocab *v, json_t *vocab, struct error *err)
{
	struct merges m = {0};
	json_t *list;

	for (size_t i = 0; i < v->n_tokens; i++) {
		enum gguf_token_type type = token_type(v, i);

		if (v->scores[i] != v->scores[i]) {
			error_set(err, EXIT_DATA,
				"key 'tokenizer.ggml.scores': item %zu is not a number", i);
			free(m.items);
			return NULL;
		}
		if ((type == GGUF_TOKEN_NORMAL || type == GGUF_TOKEN_USER_DEFINED) &&
			v->tokens[i].len <= PIECE_BYTES_MAX)
			cut_piece(&m, v, vocab, i);
	}
	if (m.n)
		qsort(m.items, m.n, sizeof *m.items, compare_merges);
	list = json_array();
	for (size_t i = 0; i < m.n; i++) {
		const struct gguf_text *left = &v->tokens[m.items[i].left];
		const struct gguf_text *right = &v->tokens[m.items[i].right];

		json_array_append_new(list,
			json_pack("[s%, s%]", left->data, left->len, right->data, right->len));
	}
	free(m.items);
	return list;
}

static json_t *bytelevel_json(int use_regex)
{
	return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 0,
		"trim_offsets", 0, "use_regex", use_regex);
}

static json_t *pre_json(const struct layout *layout)
{
	if (layout->pattern)
		return json_pack("{s:s, s:[{s:s, s:{s:s}, s:s, s:b}, o]}", "type", "Sequence",
			"pretokenizers", "type", "Split", "pattern", "Regex", layout->pattern,
			"behavior", "Isolated", "invert", 0, bytelevel_json(0));
	if (layout->digits)
		return json_pack("{s:s, s:[{s:s, s:b}, o]}", "type", "Sequence", "pretokenizers",
			"type", "Digits", "individual_digits", 1, bytelevel_json(1));
	return bytelevel_json(1);
}

/* Blanks to marks, one before the text where the vocabulary was made so. */
static json_t *mark_normalizer(int prefix)
{
	json_t *replace = json_pack("{s:s, s:{s:s}, s:s}", "type", "Replace", "pattern", "String",
		" ", "content", SENTENCEPIECE_MARK);

	if (!prefix)
		return replace;
	return json_pack("{s:s, s:[{s:s, s:s}, o]}", "type", "Sequence", "normalizers", "type",
		"Prepend", "prepend", SENTENCEPIECE_MARK, replace);
}

static json_t *mark_decoder(int prefix)
{
	json_t *list = json_pack("[{s:s, s:{s:s}, s:s}, {s:s}, {s:s}]", "type", "Replace",
		"pattern", "String", SENTENCEPIECE_MARK, "content", " ", "type", "ByteFallback",
		"type", "Fuse");

	if (prefix)
		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i}", "type", "Strip",
						    "content", " ", "start", 1, "stop", 0));
	return json_pack("{s:s, s:o}", "type", "Sequence", "decoders", list);
}

/* The parts of the file that differ; all are references that root_json() takes. */
struct parts {
	json_t *vocab, *merges, *normalizer, *pre, *decoder, *unknown;
	int byte_fallback, ignore_merges;
};

static int bytelevel_parts(const struct gguf_vocab *v, struct parts *p, struct error *err)
{
	const struct layout *layout = find_layout(v, err);

	p->merges = layout ? given_merges(v, err) : NULL;
	if (!p->merges)
		return -1;
	p->normalizer = layout->nfc ? json_pack("{s:s}", "type", "NFC") : json_null();
	p->pre = pre_json(layout);
	p->decoder = bytelevel_json(1);
	p->unknown = json_null();
	p->ignore_merges = layout->ignore_merges;
	return 0;
}

static int mark_parts(const struct gguf_vocab *v, struct parts *p, struct error *err)
{
	if (!v->scores)
		return error_set(err, EXIT_DATA, "key 'tokenizer.ggml.scores' is missing");
	p->merges = scored_merges(v, p->vocab, err);
	if (!p->merges)
		return -1;
	p->normalizer = mark_normalizer(v->add_space_prefix);
	p->pre = json_null();
	p->decoder = mark_decoder(v->add_space_prefix);
	p->byte_fallback = 1;
	p->unknown = json_null();
	if (v->unknown >= 0 && (uint64_t)v->unknown < v->n_tokens && v->tokens[v->unknown].len)
		p->unknown = json_stringn(v->tokens[v->unknown].data, v->tokens[v->unknown].len);
	return 0;
}

static struct tokenizer *parse(const struct gguf_vocab *v, struct parts *p, struct error *err)
{
	json_t *root = json_pack("{s:s, s:n, s:n, s:o, s:o, s:o, s:n, s:o,"
				 " s:{s:s, s:n, s:o, s:n, s:n, s:b, s:b, s:b, s:o, s:o}}",
		"version", "1.0", "truncation", "padding", "added_tokens", added_json(v),
		"normalizer", p->normalizer, "pre_tokenizer", p->pre, "post_processor", "decoder",
		p->decoder, "model", "type", "BPE", "dropout", "unk_token", p->unknown,
		"continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 1, "byte_fallback",
		p->byte_fallback, "ignore_merges", p->ignore_merges, "vocab", p->vocab, "merges",
		p->merges);
	char *text = json_dumps(root, JSON_INDENT(1));
	struct buf file = {0};

	json_decref(root);
	buf_adds(&file, text);
	buf_addc(&file, '\n');
	free(text);
	return tokenizer_parse(&file, err);
}

struct tokenizer *gguf_vocab_tokenizer(const struct gguf_vocab *v, struct error *err)
{
	struct parts p = {.vocab = vocab_json(v, err)};
	struct tokenizer *t = NULL;
	int rc = -1;

	if (!p.vocab)
		return NULL;
	if (is(&v->model, "gpt2"))
		rc = bytelevel_parts(v, &p, err);
	else if (is(&v->model, "llama"))
		rc = mark_parts(v, &p, err);
	else
		error_set(err, EXIT_DATA,
			"key 'tokenizer.ggml.model': '%.*s' is not supported (gpt2 and llama are)",
			v->model.len > 40 ? 40 : (int)v->model.len,
			v->model.data ? v->model.data : "");
	if (rc < 0) {
		json_decref(p.vocab);
		return NULL;
	}
	t = parse(v, &p, err);
	return t;
}
