/* compose.c - see compose.h. */
#include "synth/compose_internal.h"

#include <ctype.h>
#include <string.h>
#include "synth/english.h"
#include "synth/measured.h"
#include "synth/reword.h"

/* In which order things are said. */
enum order {
	ORDER_PLAIN,	    /* command, then what attaches to it, then the rest */
	ORDER_MIXED,	    /* command, then everything in any order */
	ORDER_CLAUSE_FIRST, /* "on port 80, start the server without logs" */
	ORDER_FACTS_FIRST,  /* "the port is 80. start the server" */
	ORDER_SENTENCES,    /* command. Each of the rest a sentence of its own. */
	ORDER_LIST,	    /* "start the server: port 80, no logs" */
	ORDER_ATTACHED,	    /* as plain, joined by blanks only */
	ORDER_COUNT
};
static const char *const order_ids[ORDER_COUNT] = {
	"order/0", "order/1", "order/2", "order/3", "order/4", "order/5", "order/6"};
static const unsigned char order_weights[ORDER_COUNT] = {38, 16, 13, 7, 9, 8, 9};

void composer_init(struct composer *c, struct arena *arena)
{
	struct buf id = {0};
	unsigned total = 0;

	memset(c, 0, sizeof *c);
	c->style = &style_usual;
	c->frame_ids = arena_alloc(arena, n_frames * sizeof *c->frame_ids);
	for (unsigned i = 0; i < n_frames; i++)
		total += (unsigned)frames[i].weight;
	c->frame_draw = arena_alloc(arena, total * sizeof *c->frame_draw);
	for (unsigned i = 0; i < n_frames; i++) {
		buf_clear(&id);
		buf_addf(&id, "frame/%u", i);
		c->frame_ids[i] = arena_strdup(arena, id.data);
		for (int w = 0; w < frames[i].weight; w++)
			c->frame_draw[c->n_frame_draw++] = (unsigned short)i;
	}
	buf_release(&id);
}

void composer_release(struct composer *c)
{
	buf_release(&c->scratch);
	buf_release(&c->spoken);
	arena_release(&c->words);
}

void compose_begin(struct composer *c, struct rng *r, const struct rng *extra)
{
	c->r = r;
	c->extra = *extra;
	c->verb = c->hint = NULL;
	arena_clear(&c->words);
}

static int begins(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncasecmp(text, word, len) && (text[len] == ' ' || text[len] == '\0');
}

static int say_value(struct said *s, const struct piece *p, int correct, enum behind behind)
{
	if (s->late != p->stated)
		return compose_value(s->c, p->stated, correct, behind, s->out);
	text_value(s->out, s->wrong);
	return 0;
}

/* The text of a piece, its slot filled. */
static void say_text(struct said *s, const struct piece *p, int gerund)
{
	const char *text = p->text, *slot;
	enum behind behind = BEHIND_WORDS;
	size_t unit;
	int correct;

	if (gerund && p->form == PHRASE_VERB) {
		buf_clear(s->scratch);
		phrase_gerund(text, s->scratch);
		text = s->scratch->data;
	}
	slot = p->stated && p->stated->n_values ? strstr(text, "{}") : NULL;
	if (!slot) {
		if (p->fixed)
			text_add_fixed(s->out, text);
		else
			text_add(s->out, text);
		return;
	}
	unit = measure_tail(p->stated->item->argument, slot + 2);
	text_add_len(s->out, text, (size_t)(slot - text));
	if (gerund) { /* the scratch is needed for the value */
		struct buf rest = {0};

		buf_adds(&rest, slot + 2);
		say_value(s, p, 0, BEHIND_WORDS);
		text_add(s->out, rest.data);
		buf_release(&rest);
		return;
	}
	correct = s->correct && p->phrase && rng_below(s->r, 2);
	if (slot[2] == '\0')
		behind = slot > text && slot[-1] == '=' ? BEHIND_WORDS : BEHIND_NOTHING;
	else if (unit)
		behind = BEHIND_UNIT;
	text_add(s->out, slot + 2 + (say_value(s, p, correct, behind) ? unit : 0));
}

static void end_sentence(struct said *s)
{
	text_add(s->out, s->in_question ? "? " : ". ");
	s->in_question = 0;
}

static const char *join_adverb(struct said *s, const struct piece *p)
{
	uint32_t dice = rng_below(s->r, 100);

	if (s->last == PHRASE_QUESTION)
		return " ";
	if (begins(p->text, "so") || begins(p->text, "but") || begins(p->text, "plus") ||
		begins(p->text, "whose") || begins(p->text, "that") || begins(p->text, "where"))
		return dice < 60 ? " " : ", ";
	if (s->last == PHRASE_ADVERB)
		return dice < 40 ? " " : dice < 70 ? " and " : ", ";
	if (s->last == PHRASE_SENTENCE)
		return ", ";
	return dice < 85 ? " " : ", ";
}

static const char *join_noun(struct said *s, const struct piece *p, int after_command)
{
	uint32_t dice = rng_below(s->r, 100);
	int bare = begins(p->text, "no") || begins(p->text, "the") || begins(p->text, "just") ||
		   begins(p->text, "only") || strstr(p->text, "please") || strchr(p->text, '=') ||
		   strchr(p->text, ':') || strchr(p->text, ',');

	if (!strcmp(p->text, "{}"))
		return " ";
	if (p->text[0] == '-' && p->text[1] == '-')
		return dice < 60 ? " " : " with ";
	if (s->last == PHRASE_QUESTION || s->last == PHRASE_SENTENCE || bare)
		return ", ";
	if (!p->stated || !p->stated->n_values)
		return dice < 80 ? ", " : " - "; /* "with machine readable" is no English */
	if (after_command)
		return dice < 55 ? " with " : ", ";
	return dice < 40 ? " and " : ", ";
}

/* What stands between the last piece and this one. */
static void join(struct said *s, const struct piece *p, int after_command, enum order order)
{
	uint32_t dice = rng_below(s->r, 100);

	if (!s->started)
		return;
	if (begins(p->text, "and") || begins(p->text, "also")) {
		say_joint(s, s->last == PHRASE_SENTENCE ? ", " : " ", p->text);
		return;
	}
	if (order == ORDER_SENTENCES && (p->form == PHRASE_VERB || p->form == PHRASE_SENTENCE)) {
		end_sentence(s);
		if (p->form == PHRASE_VERB && dice < 25 && !begins(p->text, "please"))
			text_add(s->out, dice < 12 ? "also " : dice < 18 ? "please " : "and ");
		return;
	}
	switch (p->form) {
	case PHRASE_ADVERB:
		say_joint(s, join_adverb(s, p), p->text);
		break;
	case PHRASE_NOUN:
		say_joint(s, join_noun(s, p, after_command), p->text);
		break;
	case PHRASE_VERB:
		if (dice < 45 && s->last != PHRASE_SENTENCE && s->last != PHRASE_QUESTION)
			text_add(s->out, dice < 38 ? " and " : ", and ");
		else if (dice < 75 && s->last != PHRASE_QUESTION)
			text_add(s->out, dice < 68 ? ", " : "; ");
		else
			end_sentence(s);
		break;
	default:
		if (dice < 55 || s->last == PHRASE_QUESTION)
			end_sentence(s);
		else
			text_add(s->out, dice < 80 ? ", " : dice < 92 ? "; " : " - ");
	}
}

static void say(struct said *s, const struct piece *p, int after_command, enum order order)
{
	int gerund;
	size_t before = s->out->buf.len;

	join(s, p, after_command, order);
	gerund = s->frame->form == FORM_GERUND && p->form == PHRASE_VERB &&
		 s->out->buf.len > before + 4 &&
		 !memcmp(s->out->buf.data + s->out->buf.len - 5, " and ", 5) && p->stated &&
		 !p->fixed;
	say_text(s, p, gerund);
	s->started = 1;
	s->last = p->form;
	if (p->phrase)
		text_id(s->out, p->phrase->id);
}

static void say_command(struct said *s, const struct piece *command, const char *frame_id)
{
	const struct frame *f = s->frame;
	int framed = command->form == PHRASE_VERB;

	if (framed) {
		text_add(s->out, f->before);
		if (command->stated) {
			say_text(s, command, f->form == FORM_GERUND);
		} else if (f->form == FORM_GERUND) {
			buf_clear(s->scratch);
			phrase_gerund(command->text, s->scratch);
			text_add(s->out, s->scratch->data);
		} else {
			text_add(s->out, command->text);
		}
		s->in_question = f->question;
	} else {
		if (command->stated)
			say_text(s, command, 0);
		else
			text_add(s->out, command->text);
		s->in_question = command->form == PHRASE_QUESTION;
	}
	text_id(s->out, framed ? frame_id : "frame/0");
	text_id(s->out, command->phrase->id);
	s->started = 1;
	s->last = command->form == PHRASE_QUESTION ? PHRASE_ADVERB : PHRASE_VERB;
}

/* Lets adverbs come first, then nouns, verbs, sentences; equal ones stay. */
static void sort_by_form(struct piece *pieces, unsigned n)
{
	static const unsigned char rank[] = {[PHRASE_ADVERB] = 1,
		[PHRASE_NOUN] = 1,
		[PHRASE_VERB] = 2,
		[PHRASE_SENTENCE] = 3,
		[PHRASE_QUESTION] = 3};

	for (unsigned i = 1; i < n; i++)
		for (unsigned j = i; j && rank[pieces[j].form] < rank[pieces[j - 1].form]; j--) {
			struct piece swap = pieces[j];

			pieces[j] = pieces[j - 1];
			pieces[j - 1] = swap;
		}
}

static void shuffle(struct piece *pieces, unsigned n, struct rng *r)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = rng_below(r, i);
		struct piece swap = pieces[i - 1];

		pieces[i - 1] = pieces[j];
		pieces[j] = swap;
	}
}

/* A bare "{}" reads only right behind the command. */
static void bare_value_first(struct piece *pieces, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (!strcmp(pieces[i].text, "{}")) {
			struct piece swap = pieces[i];

			memmove(pieces + 1, pieces, i * sizeof *pieces);
			pieces[0] = swap;
			return;
		}
}

static int is_action(const struct piece *p)
{
	return p->stated->item->option && p->stated->item->option->action;
}

/* An option that is what is asked for ("delete the branch") stands for the command. */
static void action_first(struct piece *pieces, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (is_action(&pieces[i])) {
			struct piece swap = pieces[i];

			pieces[i] = pieces[0];
			pieces[0] = swap;
			return;
		}
}

/* Whether the piece can stand for the command: a spelling alone asks for nothing, and
 * of an action only the spec's own phrases are a request. */
static int says_action(const struct piece *p)
{
	if (!is_action(p))
		return strncmp(p->text, "--", 2) != 0;
	for (const char *const *s = p->stated->item->option->says; *s; s++)
		if (!strcmp(p->text, *s))
			return 1;
	return !p->stated->item->option->says[0];
}

/* A flag that says no, as "without opening the browser"; the piece stays where no
 * phrasing of it lends itself. */
static void say_without(struct composer *c, struct piece *p)
{
	const struct phrase_list *list = &p->stated->item->clauses;
	struct buf text = {0};

	if (p->fixed || p->stated->n_values || p->stated->item->argument ||
		!rng_chance(&c->extra, c->style->rate[RATE_NEGATION]))
		return;
	for (unsigned tries = 0; tries < 2 * list->n; tries++) {
		const struct phrase *phrase = &list->at[rng_below(&c->extra, list->n)];

		if (phrase->form != PHRASE_VERB || !reword_without(phrase->text, &text))
			continue;
		p->phrase = phrase;
		p->text = arena_strdup(&c->words, text.data);
		p->form = PHRASE_ADVERB;
		break;
	}
	buf_release(&text);
}

/* In the order of words of a language whose verbs come last. */
static void say_verb_last(struct composer *c, struct piece *p)
{
	struct buf text = {0};

	if (!p->fixed && p->form == PHRASE_VERB && reword_verb_last(p->text, &text))
		p->text = arena_strdup(&c->words, text.data);
	buf_release(&text);
}

/* "start the server" as "paint the server", where a verb is given that stands for it. */
static int say_other_verb(struct composer *c, struct piece *p)
{
	size_t verb = p->form == PHRASE_VERB ? phrase_verb(p->text) : 0;
	struct buf text = {0};

	if (!verb || !p->text[verb])
		return 0;
	buf_addf(&text, "%s%s", c->verb, p->text + verb);
	p->text = arena_strdup(&c->words, text.data);
	buf_release(&text);
	return 1;
}

static struct piece piece_of(const struct stated *s, struct rng *r)
{
	const struct synth_item *item = s->item;
	const struct phrase_list *list = &item->clauses;
	struct piece p = {0};

	p.stated = s;
	if (s->accepted >= 0 && item->value_clauses && item->value_clauses[s->accepted].n_draw &&
		rng_below(r, 100) < 45) {
		list = &item->value_clauses[s->accepted];
		p.fixed = 1;
	}
	for (unsigned attempt = 0; attempt < 64; attempt++) {
		p.phrase = &list->at[list->draw[rng_below(r, list->n_draw)]];
		if (list != &item->clauses || !item->argument ||
			(p.phrase->slot != NULL) == (s->n_values > 0))
			break;
	}
	p.text = p.phrase->text;
	p.form = p.phrase->form;
	if (item->argument && !s->n_values && p.phrase->slot) { /* an optional value left out */
		p.text = item->noun;
		p.form = PHRASE_NOUN;
	}
	return p;
}

static int may_lead(const struct piece *p, enum order order)
{
	if (order == ORDER_FACTS_FIRST)
		return p->form == PHRASE_SENTENCE;
	return p->form == PHRASE_ADVERB && !begins(p->text, "so") && !begins(p->text, "but") &&
	       !begins(p->text, "whose") && !begins(p->text, "that") && !begins(p->text, "plus") &&
	       !begins(p->text, "live") && !begins(p->text, "that");
}

/* Says the pieces that can stand before the command; returns how many. */
static unsigned say_leading(struct said *s, struct piece *pieces, unsigned n, enum order order)
{
	unsigned led = 0, most = 1 + rng_below(s->r, 2);

	for (unsigned i = 0; i < n && led < most; i++) {
		struct piece swap = pieces[i];

		if (!may_lead(&pieces[i], order))
			continue;
		pieces[i] = pieces[led];
		pieces[led] = swap;
		if (led && order == ORDER_FACTS_FIRST)
			text_add(s->out, rng_below(s->r, 2) ? ". " : " and ");
		else if (led)
			text_add(s->out, " and ");
		say_text(s, &swap, 0);
		text_id(s->out, swap.phrase->id);
		led++;
	}
	if (led)
		text_add(s->out, order == ORDER_CLAUSE_FIRST ? ", "
				 : rng_below(s->r, 3)	     ? ". "
							     : ", so ");
	return led;
}

static enum order order_draw(struct rng *r, unsigned n)
{
	uint32_t dice = rng_below(r, 100);
	unsigned order = 0;

	if (!n)
		return ORDER_PLAIN;
	while (order + 1 < ORDER_COUNT && dice >= order_weights[order])
		dice -= order_weights[order++];
	return (enum order)order;
}

static void say_rest(struct said *s, struct piece *pieces, unsigned n, enum order order)
{
	static const char *const colons[] = {": ", ", ", " - ", "; "};
	const char *separator = rng_below(s->r, 3) ? ", " : "; ";

	if (order == ORDER_PLAIN || order == ORDER_ATTACHED || order == ORDER_CLAUSE_FIRST)
		sort_by_form(pieces, n);
	bare_value_first(pieces, n);
	for (unsigned i = 0; i < n; i++) {
		if (order == ORDER_LIST && strcmp(pieces[i].text, "{}")) {
			text_add(s->out, i ? separator : colons[rng_below(s->r, 4)]);
			say_text(s, &pieces[i], 0);
			text_id(s->out, pieces[i].phrase->id);
			s->last = pieces[i].form;
			continue;
		}
		if (order == ORDER_ATTACHED && pieces[i].form == PHRASE_ADVERB) {
			say_joint(s, " ", pieces[i].text);
			say_text(s, &pieces[i], 0);
			text_id(s->out, pieces[i].phrase->id);
			s->last = PHRASE_ADVERB;
			continue;
		}
		say(s, &pieces[i], i == 0, order);
	}
	if (s->frame->after[0] && n == 0)
		text_add(s->out, s->frame->after);
}

/* The value that a person takes back at the end: "... Sorry, I meant 8080, not 80". */
static void choose_late(struct said *s, const struct piece *pieces, unsigned n)
{
	if (s->c->style->rate[RATE_CORRECTION] <= 0 || !s->correct || rng_below(&s->c->extra, 2))
		return;
	s->correct = 0;
	for (unsigned i = 0; i < n && !s->late; i++) {
		if (!pieces[i].phrase->slot || pieces[i].fixed)
			continue;
		s->wrong = compose_wrong_value(s->c, pieces[i].stated);
		s->late = s->wrong ? pieces[i].stated : NULL;
	}
}

static void say_late(struct said *s)
{
	static const char *const patterns[][3] = {{"sorry, I meant ", ", not ", ""},
		{"make that ", " instead of ", ""}, {"no wait, ", ", not ", ""},
		{"actually ", " instead of ", ""}, {"I mean ", " rather than ", ""}};
	const char *const *p = patterns[rng_below(&s->c->extra, 5)];
	const struct stated *stated = s->late;

	if (!stated)
		return;
	s->late = NULL;
	end_sentence(s);
	text_add(s->out, p[0]);
	compose_value(s->c, stated, 0, BEHIND_WORDS, s->out);
	text_add(s->out, p[1]);
	text_value(s->out, s->wrong);
	s->last = PHRASE_SENTENCE;
}

static struct piece command_piece(
	struct composer *c, const struct synth_command *command, struct rng *r)
{
	const struct phrase_list *phrases = &command->phrases;
	struct piece p = {0};

	for (unsigned tries = 0; tries < 64; tries++) {
		p.phrase = &phrases->at[phrases->draw[rng_below(r, phrases->n_draw)]];
		p.text = p.phrase->text;
		p.form = p.phrase->form;
		if (!c->verb || say_other_verb(c, &p))
			break;
	}
	return p;
}

/* The words of all pieces in the order of another language; which one takes what may be. */
static void reorder(struct said *s, struct piece *command, struct piece *pieces, unsigned n)
{
	say_verb_last(s->c, command);
	for (unsigned i = 0; i < n; i++)
		say_verb_last(s->c, &pieces[i]);
	s->foreign = 1;
}

static enum order choose_order(struct said *s, unsigned n)
{
	enum order order = order_draw(s->r, n);

	if (s->c->style->plain)
		return ORDER_PLAIN;
	return s->foreign && n && rng_below(&s->c->extra, 2) ? ORDER_CLAUSE_FIRST : order;
}

void compose(struct composer *c, const struct label *label, struct rng *r, struct text *out)
{
	struct piece pieces[SET_MAX], command = {0};
	unsigned n = label->n, index, led = 0;
	struct said s = {.out = out, .r = r, .scratch = &c->scratch, .last = PHRASE_VERB, .c = c};
	double corrections = c->style->rate[RATE_CORRECTION];
	enum order order;
	int unwanted;

	s.foreign = rng_chance(&c->extra, c->style->rate[RATE_ORDER]);
	order = choose_order(&s, n);
	text_clear(out);
	s.correct = rng_below(r, 1000) < 25;
	if (corrections >= 0)
		s.correct = rng_chance(&c->extra, corrections);
	for (unsigned i = 0; i < n; i++) {
		pieces[i] = piece_of(&label->at[i], r);
		say_without(c, &pieces[i]);
	}
	choose_late(&s, pieces, n);
	shuffle(pieces, n, r);
	action_first(pieces, n);
	if (n && (!label->command->command->runnable || is_action(&pieces[0]))) {
		/* The program alone does nothing: what is asked for is the option. */
		for (int attempt = 0; !says_action(&pieces[0]) && attempt < 1000; attempt++)
			pieces[0] = piece_of(pieces[0].stated, r); /* a spelling asks for nothing */
		command = pieces[0];
		memmove(pieces, pieces + 1, --n * sizeof *pieces);
	} else {
		command = command_piece(c, label->command, r);
	}
	if (s.foreign)
		reorder(&s, &command, pieces, n);
	do
		s.frame = compose_draw_frame(c, &command, r, &index);
	while (s.foreign && s.frame->form == FORM_GERUND);
	say_chatter_before(&s);
	if (order == ORDER_CLAUSE_FIRST || order == ORDER_FACTS_FIRST) {
		led = say_leading(&s, pieces, n, order);
		if (!led)
			order = ORDER_PLAIN;
	}
	say_command(&s, &command, c->frame_ids[index]);
	say_rest(&s, pieces + led, n - led, order);
	text_id(out, order_ids[order]);
	unwanted = rng_below(r, 1000) < 40; /* few commands have such a flag */
	if (c->style->rate[RATE_UNWANTED] >= 0)
		unwanted = rng_chance(&c->extra, c->style->rate[RATE_UNWANTED]);
	if (unwanted)
		say_unwanted(&s, label);
	say_late(&s);
	say_chatter_after(&s);
}
