#include "text/splitter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include "text/split_class.h"

enum {
	STAGES_MAX = 8,
	PATTERN_MAX = 65536,
	STEPS_MAX = 1000000
};

/* GPT-2's words: openai/gpt-2, encoder.py. */
static const char gpt2_pattern[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+"
				   "| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/* What becomes of a match and of the text between matches. */
enum behavior {
	ISOLATED,
	REMOVED,
	WITH_PREVIOUS,
	WITH_NEXT,
	CONTIGUOUS
};

static const char *const behaviors[] = {
	"Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"};

/* When a piece that does not begin with the prefix gets it. */
enum prefixing {
	NEVER,
	FIRST, /* at the start of an input */
	ALWAYS
};

struct stage {
	pcre2_code *code; /* NULL: the piece stays whole */
	pcre2_match_data *match;
	enum behavior behavior;
	int invert; /* what does not match is the match */
	enum prefixing prefixing;
	char *prefix;	/* what a blank becomes, too */
	struct buf own; /* the piece with its prefix */
};

struct splitter {
	struct stage stages[STAGES_MAX];
	size_t n_stages;
	int has_bytelevel;
	pcre2_match_context *context;
	const char *start; /* of the input; NULL: the text is from its middle */
};

void *splitter_pattern(const char *pattern, int literal, const char *what, struct error *err)
{
	uint32_t options = PCRE2_UTF | PCRE2_NO_UTF_CHECK;
	struct buf text = {0};
	pcre2_code *code;
	PCRE2_SIZE at;
	int fault;

	if (strlen(pattern) > PATTERN_MAX) {
		error_set(err, EXIT_DATA, "%s: pattern is longer than %d bytes", what, PATTERN_MAX);
		return NULL;
	}
	if (literal)
		options |= PCRE2_LITERAL;
	else
		options |= PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
	if (literal)
		buf_adds(&text, pattern);
	else
		split_class_pattern(pattern, &text);
	code = pcre2_compile((PCRE2_SPTR)(text.data ? text.data : ""), PCRE2_ZERO_TERMINATED,
		options, &fault, &at, NULL);
	buf_release(&text);
	if (!code) {
		PCRE2_UCHAR message[256];

		pcre2_get_error_message(fault, message, sizeof message);
		error_set(err, EXIT_DATA, "%s: bad pattern '%.200s': %s", what, pattern,
			(char *)message);
		return NULL;
	}
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it matching is slower only */
	return code;
}

static int add_stage(struct splitter *s, const char *pattern, int literal, enum behavior behavior,
	int invert, struct error *err)
{
	struct stage *stage = &s->stages[s->n_stages];

	stage->behavior = behavior;
	stage->invert = invert;
	stage->code = splitter_pattern(pattern, literal, "pre_tokenizer.pattern", err);
	if (!stage->code)
		return -1;
	stage->match = pcre2_match_data_create_from_pattern(stage->code, NULL);
	s->n_stages++;
	return 0;
}

static int add_bytelevel(struct splitter *s, json_t *d, struct error *err)
{
	json_t *regex = json_object_get(d, "use_regex"); /* true where it is not given */

	s->has_bytelevel = 1;
	if (json_is_true(json_object_get(d, "add_prefix_space"))) {
		s->stages[s->n_stages].prefixing = ALWAYS;
		s->stages[s->n_stages].prefix = xstrdup(" ");
		if (json_is_false(regex)) {
			s->n_stages++;
			return 0;
		}
	}
	return json_is_false(regex) ? 0 : add_stage(s, gpt2_pattern, 0, ISOLATED, 0, err);
}

static int add_split(struct splitter *s, json_t *d, struct error *err)
{
	const char *behavior = json_string_value(json_object_get(d, "behavior"));
	json_t *pattern = json_object_get(d, "pattern");
	const char *regex = json_string_value(json_object_get(pattern, "Regex"));
	const char *string = json_string_value(json_object_get(pattern, "String"));
	int known = 0;

	while (known <= CONTIGUOUS && behavior && strcmp(behavior, behaviors[known]) != 0)
		known++;
	if (!behavior || known > CONTIGUOUS)
		return error_set(err, EXIT_DATA,
			"pre_tokenizer.behavior: '%.40s' is not supported (Isolated, Removed, "
			"MergedWithPrevious, MergedWithNext and Contiguous are)",
			behavior ? behavior : "");
	if (!regex && !string)
		return error_set(
			err, EXIT_DATA, "pre_tokenizer.pattern: neither Regex nor String is given");
	return add_stage(s, regex ? regex : string, !regex, (enum behavior)known,
		json_is_true(json_object_get(d, "invert")), err);
}

/* SentencePiece's words: blanks become a mark, and words begin with it. */
static int add_metaspace(struct splitter *s, json_t *d, struct error *err)
{
	const char *mark = json_string_value(json_object_get(d, "replacement"));
	const char *scheme = json_string_value(json_object_get(d, "prepend_scheme"));
	json_t *old = json_object_get(d, "add_prefix_space"); /* before there were schemes */
	struct stage *stage = &s->stages[s->n_stages];

	if (!mark || !*mark || strlen(mark) > 4)
		return error_set(
			err, EXIT_DATA, "pre_tokenizer.replacement: not a single character");
	if (!scheme)
		scheme = json_is_false(old) ? "never" : "always";
	if (strcmp(scheme, "always") != 0 && strcmp(scheme, "first") != 0 &&
		strcmp(scheme, "never") != 0)
		return error_set(err, EXIT_DATA,
			"pre_tokenizer.prepend_scheme: '%.40s' is not supported (always, first and "
			"never are)",
			scheme);
	stage->prefix = xstrdup(mark);
	stage->prefixing = *scheme == 'a' ? ALWAYS : *scheme == 'f' ? FIRST : NEVER;
	if (!json_is_false(json_object_get(d, "split")))
		return add_stage(s, mark, 1, WITH_NEXT, 0, err);
	s->n_stages++;
	return 0;
}

static int add(struct splitter *s, json_t *d, int depth, struct error *err)
{
	const char *type = json_string_value(json_object_get(d, "type"));

	if (!type)
		return error_set(err, EXIT_DATA, "pre_tokenizer.type: missing");
	if (s->has_bytelevel)
		return error_set(err, EXIT_DATA,
			"pre_tokenizer: '%.40s' after ByteLevel is not supported", type);
	if (s->n_stages == STAGES_MAX || depth > STAGES_MAX)
		return error_set(err, EXIT_DATA, "pre_tokenizer: more than %d stages", STAGES_MAX);
	if (!strcmp(type, "ByteLevel"))
		return add_bytelevel(s, d, err);
	if (!strcmp(type, "Digits"))
		return add_stage(s, split_class_numeric, 0,
			json_is_true(json_object_get(d, "individual_digits")) ? ISOLATED
									      : CONTIGUOUS,
			0, err);
	if (!strcmp(type, "Split"))
		return add_split(s, d, err);
	if (!strcmp(type, "Metaspace"))
		return add_metaspace(s, d, err);
	if (!strcmp(type, "Sequence")) {
		json_t *list = json_object_get(d, "pretokenizers"), *item;
		size_t i;

		if (!json_is_array(list))
			return error_set(
				err, EXIT_DATA, "pre_tokenizer.pretokenizers: not an array");
		json_array_foreach(list, i, item)
		{
			if (add(s, item, depth + 1, err) < 0)
				return -1;
		}
		return 0;
	}
	return error_set(err, EXIT_DATA,
		"pre_tokenizer.type: '%.40s' is not supported "
		"(ByteLevel, Digits, Metaspace, Split and Sequence are)",
		type);
}

struct splitter *splitter_new(json_t *description, struct error *err)
{
	struct splitter *s = xcalloc(1, sizeof *s);

	if (description && !json_is_null(description) && add(s, description, 0, err) < 0) {
		splitter_free(s);
		return NULL;
	}
	s->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(s->context, STEPS_MAX); /* a stranger's pattern may explode */
	return s;
}

void splitter_free(struct splitter *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < STAGES_MAX; i++) {
		pcre2_match_data_free(s->stages[i].match);
		pcre2_code_free(s->stages[i].code);
		free(s->stages[i].prefix);
		buf_release(&s->stages[i].own);
	}
	pcre2_match_context_free(s->context);
	free(s);
}

int splitter_has_bytelevel(const struct splitter *s)
{
	return s->has_bytelevel;
}

/* A stage at work on a text: the piece that may yet be joined to the next one. */
struct cut {
	struct splitter *s;
	size_t stage;
	const char *text;
	size_t from, to;
	int matched; /* the piece is a match */
	splitter_word *word;
	void *arg;
};

static void run_stage(struct splitter *s, size_t at, const char *text, size_t len,
	splitter_word *word, void *arg);

/* Sends the piece that is held to the next stage, or drops it. */
static void release(struct cut *c)
{
	if (c->to > c->from && !(c->matched && c->s->stages[c->stage].behavior == REMOVED))
		run_stage(c->s, c->stage + 1, c->text + c->from, c->to - c->from, c->word, c->arg);
	c->from = c->to;
}

/* Takes the next piece, up to `to`. */
static void piece(struct cut *c, size_t to, int is_match)
{
	const struct stage *stage = &c->s->stages[c->stage];
	int held = c->to > c->from, joined = 0;

	if (to == c->to)
		return;
	is_match ^= stage->invert;
	if (held && stage->behavior == WITH_PREVIOUS)
		joined = is_match && !c->matched;
	else if (held && stage->behavior == WITH_NEXT)
		joined = !is_match && c->matched;
	else if (held && stage->behavior == CONTIGUOUS)
		joined = is_match == c->matched;
	if (!joined)
		release(c);
	c->to = to;
	c->matched = is_match;
}

static void run_pattern(
	struct splitter *s, size_t at, const char *text, size_t len, splitter_word *word, void *arg)
{
	struct stage *stage = &s->stages[at];
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(stage->match);
	struct cut cut = {s, at, text, 0, 0, 0, word, arg};
	size_t from = 0;

	while (from < len) {
		size_t match_from, match_to;

		if (pcre2_match(stage->code, (PCRE2_SPTR)text, len, from, PCRE2_NO_UTF_CHECK,
			    stage->match, s->context) < 0)
			break; /* no more; past the step limit the rest is one piece */
		match_from = found[0];
		match_to = found[1];
		if (match_to <= match_from) { /* empty: look again one character on */
			from = match_from + 1;
			while (from < len && ((unsigned char)text[from] & 0xc0) == 0x80)
				from++;
			continue;
		}
		piece(&cut, match_from, 0);
		piece(&cut, match_to, 1);
		from = match_to;
	}
	piece(&cut, len, 0);
	release(&cut);
}

/* The piece with its blanks replaced, and the prefix before it where it is due. */
static void own_text(struct splitter *s, struct stage *stage, const char *text, size_t len)
{
	size_t size = strlen(stage->prefix);
	int there = (len >= size && !memcmp(text, stage->prefix, size)) || text[0] == ' ';

	buf_clear(&stage->own);
	if (!there &&
		(stage->prefixing == ALWAYS || (stage->prefixing == FIRST && text == s->start)))
		buf_add(&stage->own, stage->prefix, size);
	while (len) {
		const char *blank = memchr(text, ' ', len);
		size_t part = blank ? (size_t)(blank - text) : len;

		buf_add(&stage->own, text, part);
		if (blank)
			buf_add(&stage->own, stage->prefix, size);
		text += part + !!blank;
		len -= part + !!blank;
	}
}

static void run_stage(
	struct splitter *s, size_t at, const char *text, size_t len, splitter_word *word, void *arg)
{
	struct stage *stage;

	if (at == s->n_stages) {
		word(arg, text, len);
		return;
	}
	stage = &s->stages[at];
	if (stage->prefix) {
		own_text(s, stage, text, len);
		text = stage->own.data;
		len = stage->own.len;
	}
	if (stage->code)
		run_pattern(s, at, text, len, word, arg);
	else
		run_stage(s, at + 1, text, len, word, arg);
}

void splitter_run(struct splitter *s, const char *text, size_t len, int at_start,
	splitter_word *word, void *arg)
{
	s->start = at_start ? text : NULL;
	if (len)
		run_stage(s, 0, text, len, word, arg);
}
