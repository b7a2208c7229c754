#include "text/splitter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum {
	STAGES_MAX = 8,
	PATTERN_MAX = 65536,
	STEPS_MAX = 1000000
};

/* GPT-2's words: openai/gpt-2, encoder.py. */
static const char gpt2_pattern[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+"
				   "| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

struct stage {
	pcre2_code *code;
	pcre2_match_data *match;
	int removed;	  /* matches are dropped, not kept as pieces */
	int invert;	  /* what does not match is the match */
	int prefix_space; /* a piece that begins with no blank gets one */
};

struct splitter {
	struct stage stages[STAGES_MAX];
	size_t n_stages;
	int has_bytelevel;
	pcre2_match_context *context;
	struct buf scratch;
};

/* White space is the same everywhere but for U+180E, which PCRE2 has in \s and
 * Oniguruma has not: spell the class out. */
static char *portable_pattern(const char *pattern)
{
	static const char space[] = "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}"
				    "\\x{2029}\\x{202f}\\x{205f}\\x{3000}";
	struct buf out = {0};
	int in_class = 0;

	for (const char *p = pattern; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			if (*p == 's')
				buf_addf(&out, in_class ? "%s" : "[%s]", space);
			else if (*p == 'S' && !in_class)
				buf_addf(&out, "[^%s]", space);
			else
				buf_addf(&out, "\\%c", *p);
			continue;
		}
		if (*p == '[')
			in_class++;
		else if (*p == ']' && in_class)
			in_class--;
		buf_addc(&out, *p);
	}
	return buf_detach(&out);
}

void *splitter_pattern(const char *pattern, int literal, const char *what, struct error *err)
{
	uint32_t options = PCRE2_UTF | PCRE2_NO_UTF_CHECK;
	char *text = NULL;
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
	text = literal ? xstrdup(pattern) : portable_pattern(pattern);
	code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &fault, &at, NULL);
	free(text);
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

static int add_stage(struct splitter *s, const char *pattern, int literal, int removed, int invert,
	struct error *err)
{
	struct stage *stage = &s->stages[s->n_stages];

	stage->removed = removed;
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
		s->stages[s->n_stages].prefix_space = 1;
		if (json_is_false(regex)) {
			s->n_stages++;
			return 0;
		}
	}
	return json_is_false(regex) ? 0 : add_stage(s, gpt2_pattern, 0, 0, 0, err);
}

static int add_split(struct splitter *s, json_t *d, struct error *err)
{
	const char *behavior = json_string_value(json_object_get(d, "behavior"));
	json_t *pattern = json_object_get(d, "pattern");
	const char *regex = json_string_value(json_object_get(pattern, "Regex"));
	const char *string = json_string_value(json_object_get(pattern, "String"));
	int removed = behavior && !strcmp(behavior, "Removed");

	if (!behavior || (!removed && strcmp(behavior, "Isolated") != 0))
		return error_set(err, EXIT_DATA,
			"pre_tokenizer.behavior: '%.40s' is not supported (only Isolated and "
			"Removed are)",
			behavior ? behavior : "");
	if (!regex && !string)
		return error_set(
			err, EXIT_DATA, "pre_tokenizer.pattern: neither Regex nor String is given");
	return add_stage(s, regex ? regex : string, !regex, removed,
		json_is_true(json_object_get(d, "invert")), err);
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
		return add_stage(s,
			json_is_true(json_object_get(d, "individual_digits")) ? "\\p{N}"
									      : "\\p{N}+",
			0, 0, 0, err);
	if (!strcmp(type, "Split"))
		return add_split(s, d, err);
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
		"(ByteLevel, Digits, Split and Sequence are)",
		type);
}

struct splitter *splitter_new(json_t *description, struct error *err)
{
	struct splitter *s = xcalloc(1, sizeof *s);

	if (add(s, description, 0, err) < 0) {
		splitter_free(s);
		return NULL;
	}
	if (!s->has_bytelevel) {
		splitter_free(s);
		error_set(err, EXIT_DATA,
			"pre_tokenizer: no ByteLevel in it (only byte-level BPE is supported)");
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
	}
	pcre2_match_context_free(s->context);
	buf_release(&s->scratch);
	free(s);
}

static void run_stage(struct splitter *s, size_t at, const char *text, size_t len,
	splitter_word *word, void *arg);

/* A piece that is a match of stage `at` (or not) goes on to the next, or is dropped. */
static void pass_on(struct splitter *s, size_t at, int matched, const char *text, size_t len,
	splitter_word *word, void *arg)
{
	const struct stage *stage = &s->stages[at];

	if (len && !(stage->removed && matched != stage->invert))
		run_stage(s, at + 1, text, len, word, arg);
}

static void run_pattern(
	struct splitter *s, size_t at, const char *text, size_t len, splitter_word *word, void *arg)
{
	struct stage *stage = &s->stages[at];
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(stage->match);
	size_t done = 0, from = 0;

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
		pass_on(s, at, 0, text + done, match_from - done, word, arg);
		pass_on(s, at, 1, text + match_from, match_to - match_from, word, arg);
		done = from = match_to;
	}
	pass_on(s, at, 0, text + done, len - done, word, arg);
}

static void run_stage(
	struct splitter *s, size_t at, const char *text, size_t len, splitter_word *word, void *arg)
{
	struct stage *stage = &s->stages[at];

	if (at == s->n_stages) {
		word(arg, text, len);
		return;
	}
	if (stage->prefix_space && text[0] != ' ') {
		/* Only the last stage adds spaces, so scratch is not in use. */
		buf_clear(&s->scratch);
		buf_addc(&s->scratch, ' ');
		buf_add(&s->scratch, text, len);
		text = s->scratch.data;
		len++;
	}
	if (stage->code)
		run_pattern(s, at, text, len, word, arg);
	else
		run_stage(s, at + 1, text, len, word, arg);
}

void splitter_run(struct splitter *s, const char *text, size_t len, splitter_word *word, void *arg)
{
	if (len)
		run_stage(s, 0, text, len, word, arg);
}
