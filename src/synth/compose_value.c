/* compose_value.c - how the values of a request are put: one or several, in quotes, in
 * words, corrected.  See compose.h. */
#include "synth/compose.h"

#include <ctype.h>
#include <string.h>
#include "synth/measured.h"
#include "synth/spoken.h"
#include "text/ground.h"

/* The wrong value stands first, or the right one does. */
struct correction {
	const char *before, *between, *after;
	int right_first;
};

/* The usual ones come first: which they are, and how many, must not change. */
static const struct correction corrections[] = {{"", ", no, ", "", 0}, {"", ", no wait, ", "", 0},
	{"", ", sorry, ", "", 0}, {"", ", I mean ", "", 0}, {"", ", or rather ", "", 0},
	{"", " - no, ", "", 0}, {"", ", scratch that, ", "", 0}, {"", ", actually ", "", 0},
	{"", ", err, ", "", 0}, {"", ", no sorry, ", "", 0}, {"not ", " but ", "", 0},
	{"", ", oops, ", "", 0}, {"", " - make that ", "", 0}, {"", " (not ", ")", 1},
	{"", ", not ", "", 1}, {"", " instead of ", "", 1}, {"", "... wait, ", "", 0}};
enum {
	CORRECTIONS_USUAL = 10,
	CORRECTIONS = sizeof corrections / sizeof *corrections
};

/* 1 where it was put as an amount with its unit. */
static int add_value(struct composer *c, const struct stated *s, const char *value,
	enum behind behind, struct text *out)
{
	const struct argument *a = s->item->argument;

	buf_clear(&c->spoken);
	if (a->passthrough || value == c->hint) {
		text_value(out, value);
	} else if ((behind != BEHIND_WORDS || !isdigit((unsigned char)value[strlen(value) - 1])) &&
		   a->n_units && rng_chance(&c->extra, c->style->rate[RATE_UNITS]) &&
		   measure_speak(a, value, &c->extra, &c->spoken) &&
		   ground_value(c->spoken.data, c->spoken.len, a, value)) {
		text_value(out, c->spoken.data);
		return 1;
	} else if (rng_chance(&c->extra, c->style->rate[RATE_SPOKEN]) &&
		   value_speak(&s->item->value, value, behind == BEHIND_NOTHING, &c->extra,
			   &c->spoken)) {
		text_value(out, c->spoken.data);
	} else {
		text_value_quoted(out, value, c->r);
	}
	return 0;
}

/* Draws a value that is not the stated one; 0 where it cannot be taken for a wrong one. */
static int draw_wrong(struct composer *c, const struct stated *s)
{
	if (s->n_values != 1 || s->accepted >= 0 || s->item->argument->passthrough)
		return 0;
	buf_clear(&c->scratch);
	value_draw(&s->item->value, c->r, &c->scratch);
	/* Nothing that would be taken for what is left of a template. */
	return !strpbrk(c->scratch.data, " ,\"'`{}[]()<>%") &&
	       strcmp(c->scratch.data, s->values[0]) != 0;
}

const char *compose_wrong_value(struct composer *c, const struct stated *s)
{
	if (!draw_wrong(c, s) || strchr(s->values[0], ' '))
		return NULL;
	return arena_strdup(&c->words, c->scratch.data);
}

/* The wrong value and the right one, as a person says who notices at once. */
static void add_corrected(
	struct composer *c, const struct stated *s, const struct correction *how, struct text *out)
{
	text_add(out, how->before);
	if (how->right_first)
		add_value(c, s, s->values[0], BEHIND_WORDS, out);
	else
		text_value(out, c->scratch.data);
	text_add(out, how->between);
	if (how->right_first)
		text_value(out, c->scratch.data);
	else
		add_value(c, s, s->values[0], BEHIND_WORDS, out);
	text_add(out, how->after);
}

int compose_value(struct composer *c, const struct stated *s, int correct, enum behind behind,
	struct text *out)
{
	const char *between = s->item->argument->passthrough ? " " : " and ";
	int usual = c->style->rate[RATE_CORRECTION] < 0, with_unit = 0;

	if (correct && usual && s->n_values == 1 && s->accepted < 0) {
		buf_clear(&c->scratch);
		value_draw(&s->item->value, c->r, &c->scratch);
		if (!strchr(c->scratch.data, ' ') && strcmp(c->scratch.data, s->values[0])) {
			text_value(out, c->scratch.data);
			text_add(out, corrections[rng_below(c->r, CORRECTIONS_USUAL)].between);
		}
	} else if (correct && !usual && draw_wrong(c, s)) {
		add_corrected(c, s, &corrections[rng_below(c->r, CORRECTIONS)], out);
		return 0;
	}
	for (unsigned i = 0; i < s->n_values; i++) {
		if (i)
			text_add(out, i + 1 < s->n_values && between[1] == 'a' ? ", " : between);
		with_unit = add_value(
			c, s, s->values[i], i + 1 == s->n_values ? behind : BEHIND_WORDS, out);
	}
	return with_unit;
}
