/* text.c - see text.h. */
#include "synth/text.h"

#include <ctype.h>
#include <string.h>

void text_clear(struct text *t)
{
	buf_clear(&t->buf);
	t->n_values = 0;
	t->n_ids = 0;
	t->verbatim = 0;
}

void text_release(struct text *t)
{
	buf_release(&t->buf);
}

void text_id(struct text *t, const char *id)
{
	if (t->n_ids < TEXT_IDS_MAX)
		t->ids[t->n_ids++] = id;
}

void text_add(struct text *t, const char *words)
{
	buf_add(&t->buf, words, strlen(words));
}

void text_add_len(struct text *t, const char *words, size_t len)
{
	buf_add(&t->buf, words, len);
}

void text_add_fixed(struct text *t, const char *words)
{
	text_value(t, words);
}

void text_value(struct text *t, const char *value)
{
	size_t len = strlen(value);

	if (t->n_values < TEXT_VALUES_MAX) {
		t->values[t->n_values].from = t->buf.len;
		t->values[t->n_values].to = t->buf.len + len;
		t->n_values++;
	}
	buf_add(&t->buf, value, len);
}

void text_value_quoted(struct text *t, const char *value, struct rng *r)
{
	static const char quotes[] = {'"', '"', '\'', '`'};
	char quote = quotes[rng_below(r, 4)];
	int wanted = strchr(value, ' ') ? 1 : rng_below(r, 20) == 0;

	if (strchr(value, quote))
		quote = strchr(value, '"') ? '\'' : '"';
	if (!wanted || strchr(value, quote)) {
		text_value(t, value);
		return;
	}
	buf_addc(&t->buf, quote);
	text_value(t, value);
	buf_addc(&t->buf, quote);
}

int text_in_value(const struct text *t, size_t at)
{
	for (unsigned i = 0; i < t->n_values; i++)
		if (at >= t->values[i].from && at < t->values[i].to)
			return 1;
	return 0;
}

static int letter(char c)
{
	return isalnum((unsigned char)c) != 0;
}

int text_would_repeat(const struct text *t, const char *words)
{
	size_t len = 0, end = t->buf.len;

	while (letter(words[len]))
		len++;
	return len && end >= len && !strncasecmp(t->buf.data + end - len, words, len) &&
	       (end == len || !letter(t->buf.data[end - len - 1]));
}
