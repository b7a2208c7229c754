/* The added tokens of a CLI's answers. */
#include <string.h>
#include "base/hash.h"
#include "text/answer.h"
#include "text/map64.h"
#include "text/prompt.h"

enum {
	VALUES_MAX = 256 /* a longer list of accepted values is spelled */
};

struct token_list {
	struct arena *arena;
	struct added_token *tokens;
	size_t n, cap;
	struct map64 seen; /* hash -> 1 */
	struct buf text;
};

/* Adds what is in list->text, once, and empties it. */
static void add_text(struct token_list *list, int special)
{
	struct added_token *bigger;
	uint64_t *seen;

	for (size_t i = 0; i < list->text.len; i++) {
		if (list->text.data[i] < 0x20 || list->text.data[i] > 0x7e) {
			buf_clear(&list->text);
			return;
		}
	}
	seen = map64_put(&list->seen, fnv64(FNV64_INIT, list->text.data, list->text.len) >> 1);
	if (!*seen) {
		if (list->n == list->cap) {
			list->cap = list->cap ? list->cap * 2 : 256;
			bigger = arena_alloc(list->arena, list->cap * sizeof *bigger);
			if (list->n)
				memcpy(bigger, list->tokens, list->n * sizeof *bigger);
			list->tokens = bigger;
		}
		list->tokens[list->n++] = (struct added_token){
			arena_strndup(list->arena, list->text.data, list->text.len), special};
		*seen = 1;
	}
	buf_clear(&list->text);
}

static void add_quoted(struct token_list *list, const char *before, const char *word,
	const char *inside, const char *behind)
{
	struct buf whole = {0};

	buf_adds(&whole, word);
	buf_adds(&whole, inside);
	buf_adds(&list->text, before);
	json_word(whole.data, whole.len, &list->text);
	buf_adds(&list->text, behind);
	buf_release(&whole);
	add_text(list, 0);
}

static void add_specials(struct token_list *list)
{
	static const char *const names[] = {"request", "answer", "end", NULL};

	for (size_t i = 0; names[i]; i++) {
		buf_addf(&list->text, "<|%s|>", names[i]);
		add_text(list, 1);
	}
	for (size_t i = 0; span_type_names[i]; i++) {
		buf_addf(&list->text, "<|%s|>", span_type_names[i]);
		add_text(list, 1);
	}
	for (int k = 1; k <= SPANS_MAX; k++) {
		buf_addf(&list->text, "$%d", k);
		add_text(list, 0);
	}
	buf_adds(&list->text, "null");
	add_text(list, 0);
}

static void print_opening(const struct command *c, struct buf *out)
{
	if (c->parent) {
		print_opening(c->parent, out);
		buf_addc(out, ',');
	} else {
		buf_addc(out, '[');
	}
	json_word(c->name, strlen(c->name), out);
}

static void add_values(struct token_list *list, const struct argument *a, const char *before)
{
	for (size_t i = 0; a->n_accepted <= VALUES_MAX && i < a->n_accepted; i++)
		add_quoted(list, before, a->accepted[i].value, "", "");
}

static void add_option(struct token_list *list, const struct option *o)
{
	const struct argument *a = o->argument;

	if (!a || o->optional_value)
		add_quoted(list, ",", o->name, "", "");
	if (!a)
		return;
	if (!o->attached && !o->optional_value) {
		add_quoted(list, ",", o->name, "", ",");
		add_values(list, a, "");
		return;
	}
	add_quoted(list, ",", o->name, "=", "");
	for (size_t i = 0; a->n_accepted <= VALUES_MAX && i < a->n_accepted; i++) {
		struct buf value = {0};

		buf_addf(&value, "=%s", a->accepted[i].value);
		add_quoted(list, ",", o->name, value.data, "");
		buf_release(&value);
	}
}

/* 1 where options of an ancestor may stand before the command's name. */
static int may_be_apart(const struct command *c)
{
	for (c = c->parent; c; c = c->parent) {
		if (c->n_own)
			return 1;
	}
	return 0;
}

size_t answer_tokens(const struct spec *spec, struct arena *arena, struct added_token **added)
{
	struct token_list list = {.arena = arena};
	int operands = 0;

	add_specials(&list);
	for (size_t i = 0; i < spec->n_commands; i++) {
		const struct command *c = spec->commands[i];

		print_opening(c, &list.text);
		add_text(&list, 0);
		if (may_be_apart(c))
			add_quoted(&list, ",", c->name, "", "");
		for (size_t k = 0; k < c->n_own; k++)
			add_option(&list, c->options[k]);
		for (size_t k = 0; k < c->n_arguments; k++)
			add_values(&list, c->arguments[k], ",");
		operands |= c->n_arguments > 0;
	}
	if (operands)
		add_quoted(&list, ",", "--", "", "");
	map64_release(&list.seen);
	buf_release(&list.text);
	*added = list.tokens;
	return list.n;
}
