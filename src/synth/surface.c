/* surface.c - how a request is written down: capitals, articles, contractions and
 * typing errors.  Values are copied untouched.  See text.h. */
#include <ctype.h>
#include <string.h>
#include "synth/english.h"
#include "synth/text.h"

enum {
	WORDS_MAX = 64
};

void surface_draw(struct surface *s, struct rng *r)
{
	uint32_t dice = rng_below(r, 1000);
	uint32_t case_dice = rng_below(r, 100);

	memset(s, 0, sizeof *s);
	s->sentence_case = case_dice < 45;
	s->lower = case_dice >= 85;
	s->typos = dice < 45 ? 1 : dice < 55 ? 2 : 0;
	s->telegraphic = rng_below(r, 100) < 4;
	s->hurried = rng_below(r, 100) < 5;
	dice = rng_below(r, 100);
	s->contractions = dice < 15 ? -1 : dice < 22 ? 1 : 0;
}

/* The keys around a letter. */
static char neighbour(char c, struct rng *r)
{
	static const char *const rows[] = {"qwertyuiop", "asdfghjkl", "zxcvbnm"};

	for (size_t i = 0; i < 3; i++) {
		const char *at = strchr(rows[i], c);

		if (at && at > rows[i] && (!at[1] || rng_below(r, 2)))
			return at[-1];
		if (at && at[1])
			return at[1];
	}
	return c;
}

/* A word with one slip. */
static void add_slip(const char *word, size_t len, struct rng *r, struct buf *out)
{
	size_t at = 1 + rng_below(r, (uint32_t)len - 2);

	buf_add(out, word, at);
	switch (rng_below(r, 4)) {
	case 0: /* two letters swapped */
		buf_addc(out, word[at + 1]);
		buf_addc(out, word[at]);
		buf_add(out, word + at + 2, len - at - 2);
		return;
	case 1: /* a letter left out */
		break;
	case 2: /* doubled */
		buf_addc(out, word[at]);
		buf_addc(out, word[at]);
		break;
	default:
		buf_addc(out, neighbour(word[at], r));
	}
	buf_add(out, word + at + 1, len - at - 1);
}

static int word_is_one(const char *word, size_t len, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == len && !memcmp(*list, word, len))
			return 1;
	return 0;
}

static const char *spelled_out(const char *word, size_t len)
{
	static const char *const pairs[][2] = {{"don't", "do not"}, {"I'd", "I would"},
		{"I'm", "I am"}, {"it's", "it is"}, {"let's", "let us"}, {"what's", "what is"},
		{"we're", "we are"}, {"I've", "I have"}, {"can't", "cannot"}, {"isn't", "is not"},
		{"I'll", "I will"}, {"it'd", "it would"}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (strlen(pairs[i][0]) == len && !memcmp(word, pairs[i][0], len))
			return pairs[i][1];
	return NULL;
}

static const char *shortened(const char *word, size_t len)
{
	for (unsigned i = 0; i < n_short_forms; i++)
		if (strlen(short_forms[i].word) == len &&
			!strncasecmp(word, short_forms[i].word, len))
			return short_forms[i].shorter;
	return NULL;
}

static void add_word(const struct surface *s, const char *word, size_t len, int capital, int slip,
	struct rng *r, struct text *out)
{
	size_t from = out->buf.len;
	const char *full = s->contractions < 0 ? spelled_out(word, len) : NULL;

	if (!full && s->hurried)
		full = shortened(word, len);

	if (full) {
		buf_adds(&out->buf, full);
	} else if (s->contractions > 0 && spelled_out(word, len)) {
		for (size_t i = 0; i < len; i++)
			if (word[i] != '\'')
				buf_addc(&out->buf, word[i]);
	} else if (slip) {
		add_slip(word, len, r, &out->buf);
	} else {
		buf_add(&out->buf, word, len);
	}
	if (s->lower)
		for (size_t i = from; i < out->buf.len; i++)
			out->buf.data[i] = (char)tolower((unsigned char)out->buf.data[i]);
	else if (capital)
		out->buf.data[from] = (char)toupper((unsigned char)out->buf.data[from]);
}

struct token {
	size_t from, to;
	unsigned char is_word, may_slip;
};

static int word_char(char c)
{
	return isalpha((unsigned char)c) || c == '\'';
}

/* Cuts the text into words and what stands between them and in values. */
static unsigned tokens_of(const struct text *in, struct token *tokens, unsigned max)
{
	unsigned n = 0, value = 0;
	const char *s = in->buf.data;
	size_t at = 0;

	while (at < in->buf.len && n < max) {
		struct token *t = &tokens[n++];

		t->from = at;
		t->is_word = t->may_slip = 0;
		while (value < in->n_values && in->values[value].to <= at)
			value++;
		if (value < in->n_values && in->values[value].from <= at) {
			at = in->values[value].to;
		} else if (isalpha((unsigned char)s[at])) {
			size_t end = value < in->n_values ? in->values[value].from : in->buf.len;
			int bounded = at == 0 || strchr(" (\"-", s[at - 1]) != NULL;

			while (at < end && word_char(s[at]))
				at++;
			t->is_word = 1;
			t->may_slip = bounded && at - t->from >= 4 &&
				      (at == in->buf.len || strchr(" .,?!;:)", s[at]));
			for (size_t i = t->from; i < at; i++)
				t->may_slip &= islower((unsigned char)s[i]) != 0;
		} else {
			at++;
		}
		t->to = at;
	}
	if (n == max) /* far longer than any request that we make: the rest as it is */
		tokens[n - 1].to = in->buf.len;
	return n;
}

static int drops_article(const struct text *in, const struct token *t)
{
	static const char *const articles[] = {"the", "a", "an", "The", "A", "my", NULL};
	const char *s = in->buf.data;

	return t->is_word && word_is_one(s + t->from, t->to - t->from, articles) &&
	       t->to < in->buf.len && s[t->to] == ' ' && (t->from == 0 || s[t->from - 1] == ' ');
}

static unsigned pick_slips(const struct surface *s, const struct token *tokens, unsigned n,
	struct rng *r, unsigned slips[2])
{
	unsigned candidates = 0, chosen = 0;

	for (unsigned i = 0; i < n; i++)
		candidates += tokens[i].may_slip;
	for (int k = 0; k < s->typos && candidates; k++) {
		uint32_t wanted = rng_below(r, candidates);

		for (unsigned i = 0; i < n; i++)
			if (tokens[i].may_slip && wanted-- == 0)
				slips[chosen++] = i;
	}
	return chosen;
}

void surface_apply(
	const struct surface *surface, const struct text *in, struct rng *r, struct text *out)
{
	struct surface own = *surface;
	const struct surface *s = &own;
	struct token tokens[256];
	unsigned n = tokens_of(in, tokens, 256), slips[2] = {0}, value = 0;
	unsigned n_slips = in->verbatim ? 0 : pick_slips(s, tokens, n, r, slips);
	int start = 1;

	if (in->verbatim)
		own.telegraphic = own.hurried = own.typos = 0;
	text_clear(out);
	memcpy(out->ids, in->ids, in->n_ids * sizeof *in->ids);
	out->n_ids = in->n_ids;
	for (unsigned i = 0; i < n; i++) {
		const struct token *t = &tokens[i];
		const char *word = in->buf.data + t->from;
		size_t len = t->to - t->from;

		if (value < in->n_values && in->values[value].from == t->from) {
			out->values[value].from = out->buf.len;
			buf_add(&out->buf, word, len);
			out->values[value++].to = out->buf.len;
			out->n_values = value;
			start = 0;
		} else if (s->telegraphic && drops_article(in, t)) {
			i++; /* and the blank behind it */
		} else if (t->is_word) {
			int slip = (n_slips > 0 && slips[0] == i) || (n_slips > 1 && slips[1] == i);

			add_word(s, word, len, start && s->sentence_case, slip, r, out);
			start = 0;
		} else {
			buf_add(&out->buf, word, len);
			if (strchr(".?!", *word) && word[1] == ' ')
				start = 1;
			else if (*word != ' ')
				start = start && strchr("\"'(", *word) != NULL;
		}
	}
}
