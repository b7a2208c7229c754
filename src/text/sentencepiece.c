#include "text/sentencepiece.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 8
};

int piece_byte(const char *name)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *high, *low;

	if (strncmp(name, "<0x", 3) != 0 || strlen(name) != 6 || name[5] != '>')
		return -1;
	high = strchr(digits, name[3]);
	low = strchr(digits, name[4]);
	return high && low ? (int)(high - digits) * 16 + (int)(low - digits) : -1;
}

static int add_rule(struct piece_decoder *d, const char *from, const char *to, struct error *err)
{
	if (!from || !*from || !to)
		return error_set(
			err, EXIT_DATA, "decoder: Replace needs pattern.String and content");
	if (d->n_rules == sizeof d->rules / sizeof d->rules[0])
		return error_set(err, EXIT_DATA, "decoder: more than %zu replacements",
			sizeof d->rules / sizeof d->rules[0]);
	d->rules[d->n_rules++] = (struct piece_rule){xstrdup(from), xstrdup(to)};
	return 0;
}

static int add_strip(struct piece_decoder *d, json_t *description, int fused, struct error *err)
{
	const char *content = json_string_value(json_object_get(description, "content"));
	json_int_t start = json_integer_value(json_object_get(description, "start"));

	if (!fused || json_integer_value(json_object_get(description, "stop")) != 0 || !content ||
		strlen(content) != 1 || start < 0 || start > 100)
		return error_set(err, EXIT_DATA,
			"decoder: Strip is only supported behind Fuse, of one ASCII character, "
			"at the start");
	d->strip = (int)start;
	d->strip_byte = *content;
	return 0;
}

static int add_metaspace(struct piece_decoder *d, json_t *description, struct error *err)
{
	const char *scheme = json_string_value(json_object_get(description, "prepend_scheme"));
	json_t *old = json_object_get(description, "add_prefix_space");

	d->strip_first = scheme ? strcmp(scheme, "never") != 0 : !json_is_false(old);
	return add_rule(
		d, json_string_value(json_object_get(description, "replacement")), " ", err);
}

static int add(
	struct piece_decoder *d, json_t *description, int depth, int *fused, struct error *err)
{
	const char *type = json_string_value(json_object_get(description, "type"));
	json_t *list = json_object_get(description, "decoders"), *item;
	size_t i;

	if (type && !strcmp(type, "Sequence") && json_is_array(list) && depth < DEPTH_MAX) {
		json_array_foreach(list, i, item)
		{
			if (add(d, item, depth + 1, fused, err) < 0)
				return -1;
		}
		return 0;
	}
	if (type && !strcmp(type, "Replace") && !*fused)
		return add_rule(d,
			json_string_value(
				json_object_get(json_object_get(description, "pattern"), "String")),
			json_string_value(json_object_get(description, "content")), err);
	if (type && !strcmp(type, "Metaspace") && !*fused)
		return add_metaspace(d, description, err);
	if (type && !strcmp(type, "ByteFallback") && !*fused)
		return d->bytes = 1, 0;
	if (type && !strcmp(type, "Fuse"))
		return *fused = 1, 0;
	if (type && !strcmp(type, "Strip"))
		return add_strip(d, description, *fused, err);
	return error_set(err, EXIT_DATA,
		"decoder.type: '%.40s' is not supported here (ByteLevel is behind a ByteLevel "
		"pre_tokenizer; otherwise Replace, ByteFallback, Metaspace, Fuse, Strip and "
		"Sequence are)",
		type ? type : "null");
}

int piece_decoder_read(struct piece_decoder *d, json_t *description, struct error *err)
{
	int fused = 0;

	return add(d, description, 0, &fused, err);
}

void piece_decoder_release(struct piece_decoder *d)
{
	for (size_t i = 0; i < d->n_rules; i++) {
		free(d->rules[i].from);
		free(d->rules[i].to);
	}
	*d = (struct piece_decoder){0};
}

/* Replaces from by to in all of text, which it may do in place of it. */
static void replace(struct buf *text, const char *from, const char *to)
{
	struct buf out = {0};
	const char *at = text->data, *found;

	if (!strstr(at, from))
		return;
	for (; (found = strstr(at, from)); at = found + strlen(from)) {
		buf_add(&out, at, (size_t)(found - at));
		buf_adds(&out, to);
	}
	buf_adds(&out, at);
	buf_release(text);
	*text = out;
}

void piece_decode(const struct piece_decoder *d, const char *name, struct buf *out)
{
	int byte = d->bytes ? piece_byte(name) : -1;
	struct buf text = {0};

	if (byte >= 0) {
		buf_addc(out, (char)byte);
		return;
	}
	buf_adds(&text, name);
	for (size_t i = 0; i < d->n_rules; i++)
		replace(&text, d->rules[i].from, d->rules[i].to);
	buf_add(out, text.data, text.len);
	buf_release(&text);
}

void piece_encode(const struct piece_decoder *d, const char *bytes, struct buf *out)
{
	struct buf text = {0};

	buf_adds(&text, bytes);
	for (size_t i = d->n_rules; i-- > 0;) {
		if (*d->rules[i].to)
			replace(&text, d->rules[i].to, d->rules[i].from);
	}
	buf_add(out, text.data, text.len);
	buf_release(&text);
}
