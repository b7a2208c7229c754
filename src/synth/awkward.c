/* awkward.c - see awkward.h. */
#include "synth/awkward.h"

#include <string.h>
#include "synth/english.h"

static const char *pick(struct rng *r, const struct words *w)
{
	return w->at[rng_below(r, w->n)];
}

/* "conf/red-billing_v2.json" as "conf/red billing v2.json". */
static int spaced_name(const char *value, struct buf *out)
{
	size_t len = strlen(value), at = len;
	int changed = 0;

	while (at > 0 && value[at - 1] == '/') /* a slash at the end belongs to the name */
		at--;
	while (at > 0 && value[at - 1] != '/')
		at--;
	buf_add(out, value, at);
	for (; at < len; at++) {
		int joins = (value[at] == '-' || value[at] == '_') && at + 1 < len && out->len &&
			    out->data[out->len - 1] != '/' && value[at + 1] != '.';

		buf_addc(out, joins ? ' ' : value[at]);
		changed |= joins;
	}
	return changed;
}

static void quoted_text(struct rng *r, struct buf *out)
{
	static const char *const patterns[][2] = {{"can't open ", ""}, {"the \"", "\" case"},
		{"what's new in ", ""}, {"", " isn't there"}, {"say \"", "\" twice"},
		{"don't touch ", " yet"}, {"it's about ", " & more"}, {"", ": won't start"}};
	unsigned i = rng_below(r, sizeof patterns / sizeof *patterns);

	buf_adds(out, patterns[i][0]);
	buf_adds(out, pick(r, rng_below(r, 2) ? &words_topic : &words_stem));
	buf_adds(out, patterns[i][1]);
}

static int awkward(const struct value_plan *p, const char *value, struct rng *r, struct buf *out)
{
	buf_clear(out);
	switch (p->kind) {
	case KIND_FILE:
	case KIND_DIRECTORY:
		return spaced_name(value, out);
	case KIND_WORDS:
		quoted_text(r, out);
		return 1;
	default:
		return 0;
	}
}

static int is_accepted(const struct plan *plan, const struct label *label, struct arena *arena)
{
	struct meaning meaning;
	struct verdict verdict;

	return verify(plan->spec, label->argc, label->argv, arena, &meaning, &verdict) ==
	       VERDICT_OK;
}

void label_awkward(const struct plan *plan, double chance, struct rng *r, struct arena *arena,
	struct buf *scratch, struct label *label)
{
	for (unsigned i = 0; i < label->n; i++) {
		struct stated *s = &label->at[i];

		for (unsigned v = 0; v < s->n_values; v++) {
			const char *plain = s->values[v];

			if (!s->item->argument || s->item->argument->passthrough ||
				!rng_chance(r, chance) ||
				!awkward(&s->item->value, plain, r, scratch))
				continue;
			s->values[v] = arena_strndup(arena, scratch->data, scratch->len);
			label_spell(plan, arena, label);
			if (is_accepted(plan, label, arena))
				continue;
			s->values[v] = plain;
			label_spell(plan, arena, label);
		}
	}
}
