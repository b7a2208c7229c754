/* compose_chatter.c - frames, greetings, stories, thanks: what people write around a
 * request.  See compose.h. */
#include <string.h>
#include "synth/compose_internal.h"
#include "synth/slots.h"

static const char *pick(struct rng *r, const struct words *w)
{
	return w->at[rng_below(r, w->n)];
}

void say_joint(struct said *s, const char *joint, const char *text)
{
	if (!strcmp(joint, " ") && text_would_repeat(s->out, text))
		joint = ", ";
	text_add(s->out, joint);
}

void say_chatter_before(struct said *s)
{
	uint32_t dice = rng_below(s->r, 1000);
	double rate = s->c->style->rate[RATE_CHATTER];

	if (rate >= 0)
		dice = rng_chance(&s->c->extra, rate / 2) ? rng_below(&s->c->extra, 165) : 999;
	if (dice < 70) {
		const char *greeting = pick(s->r, &words_greeting);
		int comma = strchr(greeting, ' ') || rng_below(s->r, 6);

		text_add(s->out, greeting);
		text_add(s->out, comma ? ", " : " ");
	} else if (dice < 110) {
		text_add(s->out, pick(s->r, &words_prefix));
		text_add(s->out, ", ");
	} else if (dice < 165) {
		slots_fill(pick(s->r, &words_story), s->r, s->scratch, s->out);
		text_add(s->out, rng_below(s->r, 2) ? ". " : rng_below(s->r, 2) ? ", so " : " - ");
	}
}

/* "no tunnel needed": names a flag in order not to have it. */
void say_unwanted(struct said *s, const struct label *label)
{
	static const char *const patterns[][2] = {{", no ", " needed"}, {", no need for ", ""},
		{", I don't need ", ""}, {" (no ", ")"}, {", forget about ", ""}};
	const struct synth_command *c = label->command;
	const struct synth_item *item;
	unsigned pattern = rng_below(s->r, 5);

	if (!c->n_items || s->in_question)
		return;
	item = &c->items[rng_below(s->r, c->n_items)];
	if (!item->option || item->argument || item->informational || item->option->negates ||
		item->option->negated_by || !strncmp(item->noun, "no ", 3) ||
		phrase_verb(item->noun) || !phrase_noun_reads(item->noun))
		return;
	for (unsigned i = 0; i < label->n; i++)
		if (label->at[i].item == item)
			return;
	text_add(s->out, patterns[pattern][0]);
	text_add(s->out, item->noun);
	text_add(s->out, patterns[pattern][1]);
}

void say_chatter_after(struct said *s)
{
	static const char *const ends[] = {".", ".", ".", "!", ""};
	uint32_t dice = rng_below(s->r, 1000);
	double rate = s->c->style->rate[RATE_CHATTER];
	int thanks = 0;

	if (rate >= 0)
		dice = rng_chance(&s->c->extra, rate / 2)
			       ? (900 + rng_below(&s->c->extra, 120)) % 1000
			       : 500;
	if (dice < 60 && s->last != PHRASE_SENTENCE) {
		const char *suffix = pick(s->r, &words_suffix);

		say_joint(s, rng_below(s->r, 4) ? " " : ", ", suffix);
		text_add(s->out, suffix);
	} else if (dice >= 950) {
		thanks = 1;
	}
	if (s->in_question)
		text_add(s->out, rng_below(s->r, 8) ? "?" : "");
	else if (rng_below(s->r, 2) && !thanks)
		text_add(s->out, ends[rng_below(s->r, 5)]);
	if (thanks) {
		text_add(s->out, s->in_question ? " " : rng_below(s->r, 2) ? ", " : ". ");
		text_add(s->out, pick(s->r, &words_thanks));
	}
}

/* "show me the logs" is said to somebody: not "I want to show me the logs". */
static int frame_speaks_to_you(const struct frame *f)
{
	static const char *const first[] = {"please ", "pls", "plz", "can you ", "could you ",
		"would you ", "will you ", "kindly", "just ", "simply", "quickly", "now ", "next, ",
		"first, ", "go ahead", "be so kind", "I'd be grateful", "it would be great",
		"it'd be nice", "I would appreciate", "if ", "when ", "any chance", "may I ask you",
		"might you", "I need you", "I want you", "I'd like you", "i want that you",
		"you can "};

	if (!f->before[0])
		return 1;
	if (strstr(f->before, "how to"))
		return 0;
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (!strncmp(f->before, first[i], strlen(first[i])))
			return 1;
	return 0;
}

const struct frame *compose_draw_frame(
	struct composer *c, const struct piece *command, struct rng *r, unsigned *index)
{
	int to_you = command && (strstr(command->text, " me ") != NULL);

	for (unsigned attempt = 0; attempt < 12; attempt++) {
		*index = c->frame_draw[rng_below(r, c->n_frame_draw)];
		if (!to_you || frame_speaks_to_you(&frames[*index]))
			return &frames[*index];
	}
	*index = 0;
	return &frames[0];
}

void compose_frame(
	struct composer *c, const struct text *body, int framed, struct rng *r, struct text *out)
{
	struct said s = {.out = out,
		.r = r,
		.scratch = &c->scratch,
		.started = 1,
		.last = PHRASE_VERB,
		.c = c};
	struct piece body_piece = {0};
	unsigned index = 0;
	size_t shift;

	text_clear(out);
	body_piece.text = body->buf.data;
	do
		s.frame = framed ? compose_draw_frame(c, &body_piece, r, &index) : &frames[0];
	while (s.frame->form == FORM_GERUND);
	say_chatter_before(&s);
	text_add(out, s.frame->before);
	shift = out->buf.len;
	text_add_len(out, body->buf.data, body->buf.len);
	for (unsigned i = 0; i < body->n_values; i++) {
		out->values[out->n_values].from = body->values[i].from + shift;
		out->values[out->n_values++].to = body->values[i].to + shift;
	}
	text_add(out, s.frame->after);
	text_id(out, c->frame_ids[index]);
	for (unsigned i = 0; i < body->n_ids; i++)
		text_id(out, body->ids[i]);
	s.in_question = s.frame->question;
	if (out->buf.len && !strchr(".?!", out->buf.data[out->buf.len - 1]))
		say_chatter_after(&s);
}
