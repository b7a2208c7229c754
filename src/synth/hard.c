/* hard.c - see hard.h. */
#include "synth/hard.h"

#include <string.h>
#include "synth/english.h"

enum kind {
	HARD_VERB,  /* "paint the server on port 8080" */
	HARD_VALUE, /* "start the server on port 99999", "... with log level walnut" */
	HARD_HINT,  /* "start the server on port whatever" */
	HARD_KINDS
};
static const char *const kind_ids[HARD_KINDS] = {"oos.hard/0", "oos.hard/1", "oos.hard/2"};

enum {
	TRIES = 48
};

/* A value that the argument does not take, though it looks like one. */
static int wrong_value(const struct stated *s, struct rng *r, struct buf *out)
{
	const struct argument *a = s->item->argument;

	buf_clear(out);
	if (s->accepted >= 0) {
		buf_adds(out, words_stem.at[rng_below(r, words_stem.n)]);
		return 1;
	}
	switch (s->item->value.kind) {
	case KIND_PORT:
		buf_addf(out, "%u", 65536 + rng_below(r, 34464));
		return 1;
	case KIND_INTEGER:
	case KIND_COUNT:
		if (a->has_maximum && a->maximum < 1e9 && rng_below(r, 2))
			buf_addf(out, "%.0f", a->maximum + 1 + rng_below(r, 100));
		else if (a->has_minimum && a->minimum >= 1 && a->minimum < 1e9)
			buf_addf(out, "%.0f", a->minimum - 1);
		else
			buf_addf(out, "%u.5", 1 + rng_below(r, 20));
		return 1;
	case KIND_NUMBER:
	case KIND_BOOLEAN:
	case KIND_TIME:
		buf_adds(out, words_stem.at[rng_below(r, words_stem.n)]);
		return 1;
	default:
		return 0;
	}
}

/* What people write who leave the value to somebody who must ask. */
static int hint(const struct stated *s, struct rng *r, struct buf *out)
{
	static const char *const hints[] = {"something else", "another one", "a different one",
		"you know which", "the usual one"};

	buf_clear(out);
	switch (s->item->value.kind) {
	case KIND_PORT:
	case KIND_FILE:
	case KIND_DIRECTORY:
	case KIND_URL:
	case KIND_HOST:
	case KIND_IMAGE:
	case KIND_VERSION:
	case KIND_TAG:
		buf_adds(out, hints[rng_below(r, sizeof hints / sizeof *hints)]);
		return 1;
	default:
		return 0;
	}
}

/* Puts another value in the place of one, and returns it; NULL where none of the label's
 * can be replaced. */
static const char *replace_value(enum kind kind, struct rng *r, struct arena *arena,
	struct buf *scratch, struct label *label)
{
	unsigned start = label->n ? rng_below(r, label->n) : 0;

	for (unsigned i = 0; i < label->n; i++) {
		struct stated *s = &label->at[(start + i) % label->n];

		if (s->n_values != 1 || s->item->argument->passthrough || s->item->option == NULL ||
			s->item->option->optional_value ||
			!(kind == HARD_VALUE ? wrong_value(s, r, scratch) : hint(s, r, scratch)))
			continue;
		s->values[0] = arena_strndup(arena, scratch->data, scratch->len);
		s->accepted = -1;
		return s->values[0];
	}
	return NULL;
}

static int is_accepted(const struct plan *plan, struct label *label, struct arena *arena)
{
	struct meaning meaning;
	struct verdict verdict;

	label_spell(plan, arena, label);
	return label->argc < 0 || verify(plan->spec, label->argc, label->argv, arena, &meaning,
					  &verdict) == VERDICT_OK;
}

/* A request of a command that runs, changed as the kind says. */
static int draw(const struct oos *oos, enum kind kind, struct composer *composer, struct rng *r,
	struct arena *arena, struct buf *scratch, struct text *out)
{
	const struct synth_command *c = command_draw(oos->plan, r);
	const char *value = NULL;
	struct label label;
	struct item_set set;

	if (!c->command->runnable || !c->command->parent)
		return 0;
	set_draw_sized(c, rng_below(r, 3), r, &set);
	label_draw(oos->plan, c, &set, r, arena, scratch, &label);
	for (unsigned i = 0; i < label.n; i++)
		if (label.at[i].item->informational ||
			(label.at[i].item->option && label.at[i].item->option->action))
			return 0;
	if (kind != HARD_VERB)
		value = replace_value(kind, r, arena, scratch, &label);
	if (kind == HARD_VERB ? !oos->n_verbs : !value)
		return 0;
	if (kind == HARD_VALUE && is_accepted(oos->plan, &label, arena))
		return 0;
	composer->verb = kind == HARD_VERB ? oos->verbs[rng_below(r, oos->n_verbs)] : NULL;
	composer->hint = kind == HARD_HINT ? value : NULL;
	compose(composer, &label, r, out);
	if (composer->verb && !strstr(out->buf.data, composer->verb))
		return 0; /* it is only ever asked for without a verb */
	text_id(out, kind_ids[kind]);
	return 1;
}

int hard_draw(const struct oos *oos, struct composer *composer, struct rng *r, struct arena *arena,
	struct buf *scratch, struct text *out)
{
	enum kind kind = (enum kind)rng_below(r, HARD_KINDS);

	for (unsigned tries = 0; tries < TRIES; tries++) {
		int drawn = draw(oos, kind, composer, r, arena, scratch, out);

		composer->verb = composer->hint = NULL;
		if (drawn)
			return 1;
		if (tries % 16 == 15) /* this spec may have none of the kind */
			kind = (enum kind)((kind + 1) % HARD_KINDS);
	}
	return 0;
}
