#include "propose/show.h"

#include <math.h>
#include <string.h>

#include "cli/explain.h"
#include "exec/visible.h"

enum {
	WORD_WIDTH = 24
};

/* 0.9996 is not certainty, 0.0004 not impossible. */
static void add_percent(struct buf *out, double p)
{
	if (p > 0.995)
		buf_adds(out, "over 99 %");
	else if (p < 0.01)
		buf_adds(out, "under 1 %");
	else
		buf_addf(out, "%.0f %%", 100 * p);
}

static void add_words(
	const struct spec *spec, const struct candidate *c, struct arena *arena, struct buf *out)
{
	const char *const *lines;
	struct buf word = {0};

	if (explain_words(spec, c->argc, c->argv, arena, &lines, NULL) != 0)
		return;
	for (int i = 0; i < c->argc; i++) {
		buf_clear(&word);
		visible_plain(&word, c->argv[i], strlen(c->argv[i]));
		buf_addf(out, "    %-*s ", WORD_WIDTH, word.data ? word.data : "");
		visible_plain(out, lines[i], strlen(lines[i]));
		buf_addc(out, '\n');
	}
	buf_release(&word);
}

static void add_command(
	const struct spec *spec, const struct candidate *c, struct arena *arena, struct buf *out)
{
	for (int i = 0; i < c->argc; i++) {
		buf_adds(out, i ? " " : "  ");
		visible_shell(out, c->argv[i]);
	}
	buf_adds(out, "\n  confidence ");
	add_percent(out, c->confidence);
	buf_addc(out, '\n');
	add_words(spec, c, arena, out);
}

void answer_show(const struct spec *spec, const struct answer *a, struct buf *out)
{
	struct arena arena = {0};

	for (size_t i = 0; i < a->n; i++)
		add_command(spec, &a->candidates[i], &arena, out);
	if (a->n == 0) {
		buf_addf(out, "  no command: %s", a->reason);
		if (!isnan(a->confidence)) {
			buf_adds(out, " (");
			add_percent(out, a->confidence);
			buf_addc(out, ')');
		}
		buf_addc(out, '\n');
	}
	if (a->refusal == REFUSAL_NOTHING_VERIFIED) {
		buf_adds(out, "    the last one: ");
		visible_plain(out, a->message, strlen(a->message));
		buf_addc(out, '\n');
	}
	arena_release(&arena);
}
