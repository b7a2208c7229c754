/* pattern.c - see pattern.h. */
#include "synth/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 16,
	REPEAT_MAX = 6,
	TEXT_MAX = 200,
	STEPS_MAX = 20000 /* ((a{99}){99}){99} */
};

struct state {
	const char *at;
	struct rng *r;
	struct buf *out; /* NULL: read over, say nothing */
	int depth, steps;
};

static int draw_alternatives(struct state *s);

static void say(struct state *s, char c)
{
	if (s->out && s->out->len < TEXT_MAX)
		buf_addc(s->out, c);
}

static void say_one_of(struct state *s, const char *set)
{
	say(s, set[rng_below(s->r, (uint32_t)strlen(set))]);
}

static const char alnum[] = "abcdefghijklmnopqrstuvwxyz0123456789";
static const char digits[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdef";

/* The characters of an escape such as \d; NULL: it stands for itself. */
static const char *escape_set(char c)
{
	switch (c) {
	case 'd':
		return digits;
	case 'w':
	case 'S':
		return alnum;
	case 'h':
		return hexadecimal;
	case 's':
		return " ";
	case 'D':
		return "abcdefghijklmnopqrstuvwxyz";
	case 'W':
		return "-";
	default:
		return NULL;
	}
}

/* Reads [...] into the table of characters allowed. */
static int read_class(struct state *s, unsigned char allowed[128])
{
	int negated = *s->at == '^', first = 1;

	s->at += negated;
	memset(allowed, 0, 128);
	for (; *s->at && (*s->at != ']' || first); first = 0) {
		unsigned char from = (unsigned char)*s->at++, to;
		const char *set = NULL;

		if (from == '\\') {
			if (!*s->at)
				return -1;
			from = (unsigned char)*s->at++;
			set = escape_set((char)from);
		}
		for (; set && *set; set++)
			allowed[(unsigned char)*set] = 1;
		to = from;
		if (s->at[0] == '-' && s->at[1] && s->at[1] != ']' && !set) {
			to = (unsigned char)s->at[1];
			s->at += 2;
		}
		for (unsigned c = from; !set && c <= to && c < 128; c++)
			allowed[c] = 1;
	}
	if (*s->at != ']')
		return -1;
	s->at++;
	for (unsigned c = 0; negated && c < 128; c++)
		allowed[c] = !allowed[c] && isalnum((int)c);
	return 0;
}

static int draw_class(struct state *s)
{
	unsigned char allowed[128];
	char set[129];
	unsigned n = 0, plain = 0;

	if (read_class(s, allowed) < 0)
		return -1;
	for (unsigned c = 33; c < 127; c++) /* letters and digits first, others rarely */
		if (allowed[c] && isalnum((int)c))
			set[n++] = (char)c;
	plain = n;
	for (unsigned c = 33; c < 127; c++)
		if (allowed[c] && !isalnum((int)c))
			set[n++] = (char)c;
	if (!n)
		return -1;
	say(s, set[rng_below(s->r, plain && rng_below(s->r, 8) ? plain : n)]);
	return 0;
}

static int draw_group(struct state *s)
{
	if (s->at[0] == '?') {
		size_t flags = 1 + strspn(s->at + 1, "ismxU-");

		if (s->at[flags] == ')') { /* (?s): flags alone */
			s->at += flags + 1;
			return 0;
		}
		if (s->at[flags] != ':')
			return -1;
		s->at += flags + 1;
	}
	if (draw_alternatives(s) < 0 || *s->at != ')')
		return -1;
	s->at++;
	return 0;
}

static int draw_atom(struct state *s)
{
	char c;
	const char *set;

	if (++s->steps > STEPS_MAX)
		return -1;
	c = *s->at++;
	switch (c) {
	case '(':
		return draw_group(s);
	case '[':
		return draw_class(s);
	case '.':
		say_one_of(s, alnum);
		return 0;
	case '^':
	case '$':
		return 0;
	case '\\':
		c = *s->at++;
		if (!c || strchr("bBAzZG123456789kgpP", c))
			return c && strchr("bBAzZ", c) ? 0 : -1;
		set = escape_set(c);
		if (set)
			say_one_of(s, set);
		else
			say(s, c);
		return 0;
	default:
		say(s, c);
		return 0;
	}
}

/* Reads ?, *, +, {n}, {n,}, {n,m} behind an atom, and laziness. */
static void read_quantifier(struct state *s, unsigned *low, unsigned *high)
{
	char *end;

	*low = *high = 1;
	if (*s->at == '?' || *s->at == '*' || *s->at == '+') {
		*low = *s->at == '+';
		*high = *s->at == '?' ? 1 : REPEAT_MAX;
		s->at++;
	} else if (*s->at == '{' && isdigit((unsigned char)s->at[1])) {
		*low = *high = (unsigned)strtoul(s->at + 1, &end, 10);
		if (*end == ',') {
			*high = isdigit((unsigned char)end[1])
					? (unsigned)strtoul(end + 1, &end, 10)
					: *low + REPEAT_MAX;
			end += *end == ',';
		}
		s->at = *end == '}' ? end + 1 : end;
	} else {
		return;
	}
	if (*s->at == '?' || *s->at == '+')
		s->at++;
	if (*low > TEXT_MAX)
		*low = TEXT_MAX;
	if (*high > *low + 2 * REPEAT_MAX)
		*high = *low + 2 * REPEAT_MAX;
}

/* An atom and its quantifier: read once to find the quantifier, then drawn. */
static int draw_repeated(struct state *s)
{
	const char *atom = s->at, *after;
	struct buf *out = s->out;
	unsigned low, high, n;

	s->out = NULL;
	if (draw_atom(s) < 0)
		return -1;
	read_quantifier(s, &low, &high);
	after = s->at;
	s->out = out;
	n = low + (high > low ? rng_below(s->r, high - low + 1) : 0);
	for (unsigned i = 0; out && i < n; i++) {
		s->at = atom;
		if (draw_atom(s) < 0)
			return -1;
	}
	s->at = after;
	return 0;
}

static int draw_sequence(struct state *s)
{
	while (*s->at && *s->at != '|' && *s->at != ')')
		if (draw_repeated(s) < 0)
			return -1;
	return 0;
}

/* One of the alternatives, each as likely: the n-th replaces the choice with 1/n. */
static int draw_alternatives(struct state *s)
{
	struct buf *out = s->out;
	const char *chosen = s->at, *end;
	uint32_t n = 1;

	if (++s->depth > DEPTH_MAX)
		return -1;
	s->out = NULL;
	for (;;) {
		if (draw_sequence(s) < 0)
			return -1;
		if (*s->at != '|')
			break;
		s->at++;
		if (rng_below(s->r, ++n) == 0)
			chosen = s->at;
	}
	end = s->at;
	s->out = out;
	if (out) {
		s->at = chosen;
		if (draw_sequence(s) < 0)
			return -1;
		s->at = end;
	}
	s->depth--;
	return 0;
}

int pattern_draw(const char *pattern, struct rng *r, struct buf *out)
{
	struct state s = {pattern, r, out, 0, 0};

	return draw_alternatives(&s) < 0 || *s.at ? -1 : 0;
}
