/*
 * parse.c - strict JSON to jansson values, and where each top-level field stands.
 *
 * jansson's own reader takes every byte through two function calls and knows no
 * offsets; it would cost more than all our filters together.  This one makes the
 * same values (t/0110-json.c compares the two) and accepts what RFC 8259 accepts,
 * less duplicate names, lone surrogates and nesting beyond DEPTH_MAX.
 */
#include "stream/parse.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 200
};

struct parser {
	const char *start, *p, *end;
	int depth;
	struct record *record; /* gets the fields of the outermost object, or NULL */
	struct buf scratch;    /* a string whose escapes were resolved, a long number */
	struct error *err;
};

struct slice {
	const char *data;
	size_t len;
	int escaped;
};

static json_t *parse_value(struct parser *p);

static int fail_at(struct parser *p, const char *at, const char *what)
{
	return error_set(p->err, EXIT_DATA, "byte %zu: %s", (size_t)(at - p->start) + 1, what);
}

static int fail(struct parser *p, const char *what)
{
	if (p->p >= p->end)
		return error_set(p->err, EXIT_DATA, "the line ends too early: %s", what);
	return fail_at(p, p->p, what);
}

static inline void skip_blanks(struct parser *p)
{
	while (p->p < p->end && (*p->p == ' ' || *p->p == '\t' || *p->p == '\r' || *p->p == '\n'))
		p->p++;
}

/* The length of the well-formed UTF-8 sequence at s (Unicode, table 3-7), or 0. */
static int utf8_sequence(const char *text, const char *end)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	int len;

	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (end - text < len)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (int i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* Whether one of the eight bytes ends a run of plain ASCII: the quote, the
 * backslash, a control character, or one with its high bit set. */
static inline uint64_t not_plain(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	uint64_t quote = w ^ ones * '"', slash = w ^ ones * '\\';

	return ((quote - ones) | (slash - ones) | (w - ones * 0x20) | w) & high;
}

/* Moves to the end of the plain text in a string: to its quote, an escape, or the
 * end of the input.  Checks the encoding on the way. */
static int skip_plain(struct parser *p)
{
	for (;;) {
		uint64_t w;
		unsigned char c;

		while (p->end - p->p >= 8) {
			memcpy(&w, p->p, 8);
			if (not_plain(w))
				break;
			p->p += 8;
		}
		if (p->p >= p->end)
			return fail(p, "a string has no closing quote");
		c = (unsigned char)*p->p;
		if (c == '"' || c == '\\')
			return 0;
		if (c < 0x20)
			return fail(p, "a control character in a string; write it as \\u00XX");
		if (c < 0x80) {
			p->p++;
		} else {
			int len = utf8_sequence(p->p, p->end);

			if (!len)
				return fail_at(p, p->p, "not valid UTF-8");
			p->p += len;
		}
	}
}

/* The four hexadecimal digits of \uXXXX, or -1. */
static int parse_hex4(struct parser *p)
{
	int value = 0;

	if (p->end - p->p < 4) {
		p->p = p->end;
		return fail(p, "\\u needs four hexadecimal digits");
	}
	for (int i = 0; i < 4; i++) {
		char c = p->p[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return fail(p, "\\u needs four hexadecimal digits");
		value = value * 16 + digit;
	}
	p->p += 4;
	return value;
}

static void add_utf8(struct buf *out, unsigned c)
{
	char s[4];
	size_t n = 0;

	if (c < 0x80) {
		s[n++] = (char)c;
	} else if (c < 0x800) {
		s[n++] = (char)(0xc0 | c >> 6);
		s[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		s[n++] = (char)(0xe0 | c >> 12);
		s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		s[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		s[n++] = (char)(0xf0 | c >> 18);
		s[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		s[n++] = (char)(0x80 | (c & 0x3f));
	}
	buf_add(out, s, n);
}

/* \uXXXX, and its second half where the first is a high surrogate. */
static int parse_unicode_escape(struct parser *p)
{
	int high = parse_hex4(p), low;

	if (high < 0)
		return -1;
	if (high < 0xd800 || high > 0xdfff) {
		add_utf8(&p->scratch, (unsigned)high);
		return 0;
	}
	if (high > 0xdbff || p->end - p->p < 2 || p->p[0] != '\\' || p->p[1] != 'u')
		return fail_at(p, p->p - 6, "half of a surrogate pair");
	p->p += 2;
	low = parse_hex4(p);
	if (low < 0)
		return -1;
	if (low < 0xdc00 || low > 0xdfff)
		return fail_at(p, p->p - 12, "half of a surrogate pair");
	add_utf8(&p->scratch,
		0x10000 + (((unsigned)high - 0xd800) << 10) + ((unsigned)low - 0xdc00));
	return 0;
}

/* One escape; p is behind its backslash. */
static int parse_escape(struct parser *p)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char c;

	if (p->p >= p->end)
		return fail(p, "a string has no closing quote");
	c = *p->p;
	if (c == 'u') {
		p->p++;
		return parse_unicode_escape(p);
	}
	found = c ? strchr(letters, c) : NULL;
	if (!found)
		return fail_at(p, p->p - 1, "an escape that JSON does not have");
	buf_addc(&p->scratch, meanings[found - letters]);
	p->p++;
	return 0;
}

/* A string; p is at its opening quote.  The slice lives until the next string. */
static int parse_string(struct parser *p, struct slice *out)
{
	const char *run = ++p->p;

	if (skip_plain(p) != 0)
		return -1;
	out->escaped = *p->p == '\\';
	if (!out->escaped) {
		out->data = run;
		out->len = (size_t)(p->p++ - run);
		return 0;
	}
	buf_clear(&p->scratch);
	for (;;) {
		buf_add(&p->scratch, run, (size_t)(p->p - run));
		if (*p->p++ == '"')
			break;
		if (parse_escape(p) != 0)
			return -1;
		run = p->p;
		if (skip_plain(p) != 0)
			return -1;
	}
	out->data = p->scratch.data;
	out->len = p->scratch.len;
	return 0;
}

static int digits(struct parser *p)
{
	const char *from = p->p;

	while (p->p < p->end && *p->p >= '0' && *p->p <= '9')
		p->p++;
	return p->p > from ? 0 : fail(p, "a digit is missing in a number");
}

/* A number that does not fit 64 bits or has a fraction or exponent.  strtod()
 * wants a terminator that the line may lack, hence the copy. */
static json_t *make_real(struct parser *p, const char *from)
{
	char small[64], *copy = small;
	size_t len = (size_t)(p->p - from);
	double x;

	if (len < sizeof small) {
		memcpy(small, from, len);
		small[len] = '\0';
	} else {
		buf_clear(&p->scratch);
		buf_add(&p->scratch, from, len);
		copy = p->scratch.data;
	}
	x = strtod(copy, NULL);
	if (isinf(x))
		x = x > 0 ? DBL_MAX : -DBL_MAX;
	return json_real(x);
}

static json_t *parse_number(struct parser *p)
{
	const char *from = p->p, *first;
	int negative = *p->p == '-', real = 0;
	unsigned long long n = 0;

	p->p += negative;
	first = p->p;
	if (digits(p) != 0)
		return NULL;
	if (*first == '0' && p->p - first > 1) {
		fail_at(p, first, "a number with a leading zero");
		return NULL;
	}
	for (const char *s = first; s < p->p && s - first < 19; s++)
		n = n * 10 + (unsigned)(*s - '0');
	if (p->p - first > 19 || n > (unsigned long long)INT64_MAX + (unsigned)negative)
		real = 1;
	if (p->p < p->end && *p->p == '.') {
		real = 1;
		p->p++;
		if (digits(p) != 0)
			return NULL;
	}
	if (p->p < p->end && (*p->p == 'e' || *p->p == 'E')) {
		real = 1;
		p->p++;
		if (p->p < p->end && (*p->p == '+' || *p->p == '-'))
			p->p++;
		if (digits(p) != 0)
			return NULL;
	}
	if (real)
		return make_real(p, from);
	return json_integer((json_int_t)(negative ? 0 - n : n));
}

static json_t *parse_word(struct parser *p)
{
	static const char *const words[] = {"null", "true", "false"};

	for (int i = 0; i < 3; i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(p->end - p->p) >= len && memcmp(p->p, words[i], len) == 0) {
			p->p += len;
			return i == 0 ? json_null() : json_boolean(i == 1);
		}
	}
	fail(p, "a value is missing, or is none that JSON has");
	return NULL;
}

static json_t *parse_array(struct parser *p)
{
	json_t *array = json_array();

	p->p++;
	skip_blanks(p);
	if (p->p < p->end && *p->p == ']') {
		p->p++;
		return array;
	}
	for (;;) {
		json_t *value = parse_value(p);

		if (!value || json_array_append_new(array, value) != 0)
			break;
		skip_blanks(p);
		if (p->p < p->end && *p->p == ',') {
			p->p++;
			skip_blanks(p);
			continue;
		}
		if (p->p < p->end && *p->p == ']') {
			p->p++;
			return array;
		}
		fail(p, "expected ',' or ']' in an array");
		break;
	}
	json_decref(array);
	return NULL;
}

/* Notes where the name of a field of the outermost object stands; its index. */
static size_t note_field(struct parser *p, const char *key, int escaped)
{
	struct record *r = p->record;
	struct record_field *field;

	r->fields = array_grow(r->fields, &r->cap_fields, r->n_fields, sizeof *r->fields);
	field = &r->fields[r->n_fields++];
	*field = (struct record_field){
		.key = (unsigned)(key - p->start),
		.key_len = (unsigned)(p->p - 1 - key),
		.escaped = (char)escaped,
	};
	return r->n_fields - 1;
}

static int fail_duplicate(struct parser *p, const char *key)
{
	size_t len = 0;

	while (len < 80 && key[len] != '"')
		len += key[len] == '\\' ? 2 : 1;
	return error_set(p->err, EXIT_DATA, "byte %zu: field '%.*s' occurs twice",
		(size_t)(key - p->start), (int)len, key);
}

/* "name": value.  A name with escapes is copied: the value reuses the scratch
 * buffer that holds its decoded form. */
static int parse_member(struct parser *p, json_t *object)
{
	const char *key = p->p + 1, *from;
	struct record_field *field;
	struct buf kept = {0};
	struct slice name;
	size_t index = 0;
	json_t *value = NULL;
	int rc;

	if (p->p >= p->end || *p->p != '"')
		return fail(p, "expected a field's name in quotes");
	if (parse_string(p, &name) != 0)
		return -1;
	if (p->record && p->depth == 1)
		index = note_field(p, key, name.escaped);
	if (name.escaped) {
		buf_add(&kept, name.data, name.len);
		name.data = kept.data;
	}
	skip_blanks(p);
	if (p->p >= p->end || *p->p != ':') {
		buf_release(&kept);
		return fail(p, "expected ':' after a field's name");
	}
	p->p++;
	skip_blanks(p);
	from = p->p;
	value = parse_value(p);
	if (value && p->record && p->depth == 1) {
		field = &p->record->fields[index];
		field->value = (unsigned)(from - p->start);
		field->value_len = (unsigned)(p->p - from);
	}
	rc = value ? json_object_setn_new_nocheck(object, name.data, name.len, value) : -1;
	buf_release(&kept);
	if (value && rc != 0)
		die(EXIT_INTERNAL, "out of memory (a JSON field)");
	return rc;
}

static json_t *parse_object(struct parser *p)
{
	json_t *object = json_object();
	size_t count = 0;

	p->p++;
	if (p->record && p->depth == 1)
		p->record->tail = (size_t)(p->p - p->start);
	skip_blanks(p);
	if (p->p < p->end && *p->p == '}') {
		p->p++;
		return object;
	}
	for (;;) {
		const char *key = p->p + 1;

		if (parse_member(p, object) != 0)
			break;
		if (json_object_size(object) != ++count) {
			fail_duplicate(p, key);
			break;
		}
		if (p->record && p->depth == 1)
			p->record->tail = (size_t)(p->p - p->start);
		skip_blanks(p);
		if (p->p < p->end && *p->p == ',') {
			p->p++;
			skip_blanks(p);
			continue;
		}
		if (p->p < p->end && *p->p == '}') {
			p->p++;
			return object;
		}
		fail(p, "expected ',' or '}' in an object");
		break;
	}
	json_decref(object);
	return NULL;
}

static json_t *parse_value(struct parser *p)
{
	struct slice s;
	json_t *value;

	if (p->p >= p->end) {
		fail(p, "a value is missing");
		return NULL;
	}
	switch (*p->p) {
	case '"':
		return parse_string(p, &s) == 0 ? json_stringn_nocheck(s.data, s.len) : NULL;
	case '{':
	case '[':
		if (p->depth == DEPTH_MAX) {
			fail(p, "nested deeper than 200");
			return NULL;
		}
		p->depth++;
		value = *p->p == '{' ? parse_object(p) : parse_array(p);
		p->depth--;
		return value;
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return parse_number(p);
	default:
		return parse_word(p);
	}
}

json_t *json_parse_object(const char *text, size_t len, struct record *r, struct error *err)
{
	struct parser p = {.start = text, .p = text, .end = text + len, .record = r, .err = err};
	json_t *json = NULL;

	skip_blanks(&p);
	if (len > JSONL_LINE_MAX)
		error_set(err, EXIT_DATA, "longer than %d bytes", JSONL_LINE_MAX);
	else if (p.p == p.end)
		error_set(err, EXIT_DATA, "nothing there; expected a JSON object");
	else if (*p.p != '{')
		fail(&p, "not a JSON object");
	else
		json = parse_value(&p);
	skip_blanks(&p);
	if (json && p.p < p.end) {
		fail(&p, "more text after the object");
		json_decref(json);
		json = NULL;
	}
	buf_release(&p.scratch);
	return json;
}

json_t *json_text_parse(const char *text, size_t len, struct error *err)
{
	return json_parse_object(text, len, NULL, err);
}
