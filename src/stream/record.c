/* record.c - a record: its text, its values, and how changes are spliced in. */
#include "stream/parse.h"

#include <string.h>

void record_init(struct record *r)
{
	*r = (struct record){.json = json_object()};
	if (!r->json)
		die(EXIT_INTERNAL, "out of memory (a record)");
}

void record_release(struct record *r)
{
	buf_release(&r->text);
	json_decref(r->json);
	free(r->fields);
	*r = (struct record){0};
}

int record_parse(struct record *r, const char *line, size_t len, struct error *err)
{
	if (r->json)
		json_decref(r->json);
	r->json = NULL;
	r->n_fields = 0;
	r->tail = 0;
	buf_clear(&r->text);
	buf_add(&r->text, line, len);
	r->json = json_parse_object(r->text.data, r->text.len, r, err);
	return r->json ? 0 : -1;
}

/* The decoded name of field i.  Where it is spelt with escapes the object is
 * asked, which keeps its fields in the same order. */
static const char *field_name(const struct record *r, size_t index, size_t *len)
{
	const struct record_field *f = &r->fields[index];
	void *i;

	if (!f->escaped) {
		*len = f->name ? strlen(f->name) : f->key_len;
		return f->name ? f->name : r->text.data + f->key;
	}
	i = json_object_iter(r->json);
	while (index--)
		i = json_object_iter_next(r->json, i);
	*len = json_object_iter_key_len(i);
	return json_object_iter_key(i);
}

static struct record_field *find_field(const struct record *r, const char *key, size_t len)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		size_t name_len;
		const char *name = field_name(r, i, &name_len);

		if (name_len == len && memcmp(name, key, len) == 0)
			return &r->fields[i];
	}
	return NULL;
}

void record_set(struct record *r, const char *key, json_t *value)
{
	size_t len = strlen(key);
	struct record_field *f;

	if (!value)
		die(EXIT_INTERNAL, "no value for the field '%s'", key);
	if (!r->json)
		record_init(r);
	if (json_object_setn_new_nocheck(r->json, key, len, value) != 0)
		die(EXIT_INTERNAL, "out of memory (a JSON field)");
	if (!r->text.len)
		return; /* a new record is printed from its object */
	f = find_field(r, key, len);
	if (!f) {
		r->fields = array_grow(r->fields, &r->cap_fields, r->n_fields, sizeof *r->fields);
		f = &r->fields[r->n_fields++];
		*f = (struct record_field){.name = key};
	}
	f->changed = 1;
}

/* What was not in the text before is merely forgotten; else the text is made anew. */
void record_remove(struct record *r, const char *key)
{
	struct record_field *f = find_field(r, key, strlen(key));
	struct record fresh = {0};
	struct buf text = {0};
	struct error err;

	if (json_object_del(r->json, key) != 0 || !r->text.len)
		return;
	if (f && f->name) {
		size_t behind = r->n_fields - 1 - (size_t)(f - r->fields);

		memmove(f, f + 1, behind * sizeof *f);
		r->n_fields--;
		return;
	}
	json_text_print(r->json, &text);
	if (record_parse(&fresh, text.data, text.len, &err) != 0)
		die(EXIT_INTERNAL, "a printed record does not parse: %s", err.message);
	fresh.line = r->line;
	fresh.file = r->file;
	record_release(r);
	*r = fresh;
	buf_release(&text);
}

/* The text, with the new values of changed fields in the place of the old ones
 * and added fields behind the last one. */
void record_print(const struct record *r, struct buf *out)
{
	size_t done = 0;

	if (!r->text.len) {
		json_text_print(r->json, out);
		return;
	}
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct record_field *f = &r->fields[i];
		size_t from = f->name ? r->tail : f->value, len;
		const char *name;

		if (!f->changed)
			continue;
		name = field_name(r, i, &len);
		buf_add(out, r->text.data + done, from - done);
		done = from + f->value_len;
		if (f->name) {
			if (i)
				buf_addc(out, ',');
			json_text_print_string(name, len, out);
			buf_addc(out, ':');
		}
		json_text_print(json_object_getn(r->json, name, len), out);
	}
	buf_add(out, r->text.data + done, r->text.len - done);
}
