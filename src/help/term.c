/* term.c - the grammar of the left column. */
#include "help/term.h"

#include <ctype.h>
#include <string.h>

#include "help/entry.h"
#include "help/infer.h"

/* Bytes of the bracket that opens at s, its end included; 0: it does not end. */
static size_t bracket_length(const char *s, size_t len)
{
	static const char opens[] = "[<{(", closes[] = "]>})";
	char stack[32];
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		const char *o = strchr(opens, s[i]), *c = strchr(closes, s[i]);

		/* A comparison, as in [x>=1], opens and closes nothing. */
		if ((s[i] == '>' || s[i] == '<') && depth > 0 && stack[depth - 1] == ']' && i > 0 &&
			(s[i + 1] == '=' || s[i + 1] == 'x' || isdigit((unsigned char)s[i + 1])))
			continue;
		if (o && s[i]) {
			if (depth == sizeof stack)
				return 0;
			stack[depth++] = closes[o - opens];
		} else if (c && s[i] && depth > 0 && stack[depth - 1] == s[i] && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

/* Bytes of one word of a metavariable: brackets hold blanks. */
static size_t word_length(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && s[i] != ' ' && s[i] != ',') {
		size_t n = strchr("[<{(", s[i]) ? bracket_length(s + i, len - i) : 0;

		if (s[i] == '|' && i + 1 < len && s[i + 1] == '-')
			break;
		i += n ? n : 1;
	}
	return i;
}

static int is_choice(const char *s, size_t len)
{
	if (len == 0 || len > 64 || s[0] == '-' || s[0] == '<')
		return 0;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] <= ' ' || strchr("[]{}<>%", s[i]))
			return 0;
	return 1;
}

/* a|b|c or a,b,c. */
static int choices_read(
	const char *s, size_t len, char separator, struct arena *arena, struct help_value *v)
{
	const char **list;
	size_t n = 1, k = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == separator;
	if (n > HELP_CHOICES_MAX)
		return 0;
	list = arena_alloc(arena, n * sizeof *list);
	while (k < n) {
		const char *end = memchr(s, separator, len);
		size_t word = end ? (size_t)(end - s) : len, next = end ? word + 1 : word;
		const char *from = s;
		int twice = 0;

		while (word > 0 && *from == ' ')
			from++, word--;
		while (word > 0 && from[word - 1] == ' ')
			word--;
		if (!is_choice(from, word))
			return 0;
		for (size_t i = 0; i < k; i++)
			twice |= strlen(list[i]) == word && !strncmp(list[i], from, word);
		if (twice)
			n--;
		else
			list[k++] = arena_strndup(arena, from, word);
		s += next;
		len -= next;
	}
	v->choices = list;
	v->n_choices = n;
	return 1;
}

/* FILE|DIR names kinds of values, not values. */
static int has_lower_or_digit(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (islower((unsigned char)s[i]) || isdigit((unsigned char)s[i]))
			return 1;
	return 0;
}

static const char *name_of(const char *s, size_t len, struct arena *arena)
{
	char *name = arena_alloc(arena, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len && n < 40; i++) {
		if (isalnum((unsigned char)s[i]) || (s[i] == '_' && n > 0))
			name[n++] = (char)tolower((unsigned char)s[i]);
		else if (n > 0 && name[n - 1] != '-')
			name[n++] = '-';
	}
	while (n > 0 && name[n - 1] == '-')
		n--;
	name[n] = '\0';
	return n ? name : "value";
}

static int ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !strncmp(s + len - n, end, n);
}

/* The inside of brackets, or a bare word. */
static void value_inside(const char *s, size_t len, struct arena *arena, struct help_value *v)
{
	if (memchr(s, '|', len) && choices_read(s, len, '|', arena, v)) {
		if (has_lower_or_digit(s, len) || len > 40)
			return;
		v->sure = 0.6;
		return;
	}
	v->name = name_of(s, len, arena);
	v->type = help_type_of(arena_strndup(arena, s, len));
}

/* "A B", "A [A ...]": how many words. */
static void words_count(const char *s, size_t len, struct help_value *v)
{
	size_t first = word_length(s, len);
	int n = 1;

	for (size_t i = first; i < len;) {
		size_t word;

		while (i < len && (s[i] == ' ' || s[i] == ','))
			i++;
		word = word_length(s + i, len - i);
		if (word == 0)
			break;
		if (s[i] == '[' || !strncmp(s + i, "...", 3)) {
			v->max = -1;
			break;
		}
		n++;
		i += word;
	}
	v->min = v->min ? n : 0;
	if (v->max != -1)
		v->max = n;
}

void help_term_value(
	const char *s, size_t len, struct arena *arena, struct help_value *v, int *repeated)
{
	size_t first, range;

	*v = (struct help_value){.name = "value", .min = 1, .max = 1, .sure = 1};
	*repeated = 0;
	while (len > 0 && s[len - 1] == ' ')
		len--;
	if (ends_with(s, len, "...")) {
		*repeated = 1;
		len -= 3;
	} else if (ends_with(s, len, "…")) {
		*repeated = 1;
		len -= 3;
	}
	while (len > 0 && s[len - 1] == ' ')
		len--;
	first = word_length(s, len);
	range = first + 1 < len && !strncmp(s + first, " RANGE", 6) ? first + 6 : 0;
	if (range) {
		char *text = arena_strndup(arena, s + range, len - range);

		value_inside(s, first, arena, v);
		help_range_read(text, v);
		return;
	}
	if (first < len) {
		value_inside(s, first, arena, v);
		words_count(s, len, v);
		if (s[0] == '[')
			v->min = 0;
		if (s[0] != '{')
			return;
		len = first;
	}
	if (len >= 2 && bracket_length(s, len) == len) {
		const char *in = s + 1;
		size_t n = len - 2;
		int again = 0;

		if (s[0] == '{') {
			struct help_value kept = *v;

			if (choices_read(in, n, memchr(in, ',', n) ? ',' : '|', arena, &kept))
				*v = kept;
			return;
		}
		if (s[0] == '<' && memchr(in, ' ', n) && *repeated) {
			words_count(in, n, v);
			*repeated = 0;
		}
		if (s[0] != '[' || (memchr(in, '|', n) && has_lower_or_digit(in, n))) {
			value_inside(in, n, arena, v);
			return;
		}
		if (*in == '=')
			in++, n--;
		help_term_value(in, n, arena, v, &again);
		if (again)
			v->max = -1;
		v->min = 0;
		return;
	}
	value_inside(s, len, arena, v);
}

/* Where the metavariable at s ends: at a comma, a bar or a slash before another
 * spelling, at text, or at the end. */
static size_t value_end(const char *s)
{
	size_t i = word_length(s, strlen(s)), first = i;
	int upper = isupper((unsigned char)s[0]) || strchr("[<{", s[0]) != NULL;

	for (;;) {
		size_t blanks = strspn(s + i, " "), next = i + blanks, word;
		const char *other = s + next + 1;

		/* USER | TOKEN: another form of the value. */
		if (blanks && s[next] == '|' && *other == ' ' &&
			!help_is_option(other + strspn(other, " "))) {
			i = next + 1 + strspn(other, " ");
			i += word_length(s + i, strlen(s + i));
			continue;
		}

		if (!blanks || !s[next] || help_is_option(s + next) || strchr("/|,(", s[next]) ||
			!strncmp(s + next, "or -", 4))
			return i;
		word = word_length(s + next, strlen(s + next));
		if (word == 0)
			return i;
		/* dir [dir ...], line line */
		if (!upper && ((s[next] == '[' && !strncmp(s + next + 1, s, first)) ||
				      (word == first && !strncmp(s + next, s, first)))) {
			i = next + word;
			continue;
		}
		if (!(upper && (strchr("[<{", s[next]) || !strncmp(s + next, "...", 3) ||
				       (isupper((unsigned char)s[next]) &&
					       !has_lower_or_digit(s + next, word)))))
			return i;
		i = next + word;
	}
}

static size_t name_length(const char *s)
{
	size_t i = 1 + (s[1] == '-');

	if (s[i] && !isalnum((unsigned char)s[i]))
		i++;
	while (s[i] && !strchr(" ,=[/|<{:()\"'", s[i]))
		i++;
	return i;
}

static void name_add(struct help_option *o, int negative, const char *name)
{
	size_t *n = negative ? &o->n_negative : &o->n_names;
	const char **list = negative ? o->negative : o->names;

	for (size_t i = 0; i < *n; i++)
		if (!strcmp(list[i], name))
			return;
	if (*n < HELP_NAMES_MAX && strlen(name) <= 100)
		list[(*n)++] = name;
}

/* --[no-]x and --(no-)x. */
static size_t two_names(const char *s, struct arena *arena, struct help_option *o)
{
	struct buf name = {0};
	size_t n;

	if (strncmp(s, "--[no-]", 7) != 0 && strncmp(s, "--(no-)", 7) != 0)
		return 0;
	for (n = 7; s[n] && !strchr(" ,=[/|<{:()", s[n]);)
		n++;
	buf_addf(&name, "--%.*s", (int)(n - 7), s + 7);
	name_add(o, 0, arena_strdup(arena, name.data));
	buf_clear(&name);
	buf_addf(&name, "--no-%.*s", (int)(n - 7), s + 7);
	name_add(o, 1, arena_strdup(arena, name.data));
	buf_release(&name);
	return n;
}

/* The metavariable at s, of n bytes; keeps what was read first. */
static void take_value(struct help_option *o, const char *s, size_t n, struct arena *arena)
{
	struct help_value value;
	const char *optional;
	int repeated;

	if (n == 0)
		return;
	/* pflag: string[="value if it is left out"]. */
	optional = memmem(s, n, "[=", 2);
	if (optional && optional > s && s[n - 1] == ']')
		n = (size_t)(optional - s);
	else
		optional = NULL;
	help_term_value(s, n, arena, &value, &repeated);
	if (optional) {
		value.min = 0;
		o->attached = 1;
	}
	if (repeated) {
		if (value.max == 1)
			value.max = -1;
		o->repeatable = 1;
	}
	if (!o->takes_value || (value.n_choices && !o->value.n_choices))
		o->value = value;
	o->takes_value = 1;
}

/* What stands right behind a name. */
static const char *value_attached(struct help_option *o, const char *s, struct arena *arena)
{
	size_t n;

	if (*s == '=' && (!s[1] || s[1] == ' ' || s[1] == ',')) {
		take_value(o, "value", 5, arena);
		return s + 1;
	}
	if (*s == '=') {
		n = value_end(s + 1);
		if (n > 0 && s[1] != '[')
			n = word_length(s + 1, strlen(s + 1));
		take_value(o, s + 1, n, arena);
		return s + 1 + n;
	}
	if (*s == '[' || *s == '<' || *s == '{') {
		n = bracket_length(s, strlen(s));
		if (n == 0)
			return s;
		while (s[n] == '.')
			n++;
		take_value(o, s, n, arena);
		if (s[0] == '[' && s[1] == '=')
			o->attached = 1;
		return s + n;
	}
	return s;
}

/* Bytes of two or three bare words, "a v", up to another spelling; 0: it is none. */
static size_t words_end(const char *s)
{
	size_t i = 0, words = 0;

	while (s[i] && s[i] != ',') {
		size_t n = word_length(s + i, strlen(s + i));

		if (n == 0 || !isalnum((unsigned char)s[i]) || ++words > 3)
			return 0;
		i += n;
		if (s[i] == ' ' && s[i + 1] != '-')
			i++;
		else
			break;
	}
	return words > 1 && (!s[i] || s[i] == ',') ? i : 0;
}

static const char *value_behind(
	struct help_option *o, const char *s, int alone, struct arena *arena, const char **rest)
{
	size_t n, after;

	if (!*s || *s == '(' || !strncmp(s, "- ", 2) || !strncmp(s, ": ", 2))
		return *s ? (*rest = s) : s;
	n = alone ? words_end(s) : 0;
	if (n > 0) {
		take_value(o, s, n, arena);
		return s + n;
	}
	n = value_end(s);
	after = n + strspn(s + n, " ");
	/* Words that are no metavariable: a description one blank behind. */
	if (islower((unsigned char)s[0]) && s[after] && !strchr(",/|-", s[after]) &&
		strncmp(s + after, "or -", 4) != 0)
		return *rest = s;
	if (isupper((unsigned char)s[0]) && has_lower_or_digit(s, n) && s[after] &&
		!strchr(",/|-", s[after]) && n > 1 && islower((unsigned char)s[1]))
		return *rest = s;
	take_value(o, s, n, arena);
	return s + n;
}

int help_term_option(
	const char *left, int alone, struct arena *arena, struct help_option *o, const char **rest)
{
	const char *s = left;
	int negative = 0;

	*rest = NULL;
	while (*s) {
		size_t n;

		s += strspn(s, " ,");
		if (!strncmp(s, "/ -", 3))
			negative = 1;
		if (*s == '/' || *s == '|') {
			s++;
			continue;
		}
		if (!strncmp(s, "or -", 4)) {
			s += 3;
			continue;
		}
		if (!help_is_option(s))
			break;
		n = two_names(s, arena, o);
		if (!n) {
			n = name_length(s);
			if (n > 4 && ends_with(s, n, "..."))
				o->repeatable = 1, n -= 3;
			name_add(o, negative, arena_strndup(arena, s, n));
			if (o->repeatable && !strncmp(s + n, "...", 3))
				n += 3;
		}
		s = value_attached(o, s + n, arena);
		if (*s == ' ' && !help_is_option(s + strspn(s, " ")) &&
			!strchr(",/|", s[strspn(s, " ")]) &&
			strncmp(s + strspn(s, " "), "or -", 4) != 0) {
			s = value_behind(o, s + strspn(s, " "), alone, arena, rest);
			if (*rest)
				break;
		}
		if (*s && !strchr(" ,/|", *s)) {
			*rest = s + strspn(s, ": ");
			break;
		}
	}
	if (*s && !*rest)
		*rest = s;
	return o->n_names ? 0 : -1;
}
