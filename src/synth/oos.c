/* oos.c - see oos.h. */
#include "synth/oos.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include "synth/english.h"
#include "synth/slots.h"

enum kind {
	OOS_TASK,
	OOS_WISH,
	OOS_FEATURE,
	OOS_FOREIGN,
	OOS_MISSING,
	OOS_TALK,
	OOS_CONCEPT,
	OOS_DANGER,
	OOS_KINDS
};

static const char *const kind_keys[OOS_KINDS] = {"oos.other-tool", "oos.wish", "oos.feature",
	"oos.option", "oos.missing", "oos.talk", "oos.concept", "oos.danger"};
static const unsigned char kind_weights[OOS_KINDS] = {28, 17, 4, 9, 18, 5, 10, 9};

/* Whether word stands in text as a whole word. */
static int holds_word(const char *text, const char *word, size_t len)
{
	for (const char *at = text; (at = strcasestr(at, word)); at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
			!isalnum((unsigned char)at[len]))
			return 1;
	return 0;
}

static int says_hold(const char *const *says, const char *word)
{
	for (; says && *says; says++)
		if (holds_word(*says, word, strlen(word)))
			return 1;
	return 0;
}

/* Whether the spec speaks of the verb anywhere: then it may well be a feature. */
static int spec_knows(const struct spec *spec, const char *verb)
{
	size_t len = strlen(verb);

	for (size_t i = 0; i < spec->n_commands; i++) {
		const struct command *c = spec->commands[i];

		if (holds_word(c->name, verb, len) || holds_word(c->description, verb, len) ||
			says_hold(c->says, verb))
			return 1;
		for (size_t j = 0; j < c->n_options; j++)
			if (holds_word(c->options[j]->name, verb, len) ||
				holds_word(c->options[j]->description, verb, len) ||
				says_hold(c->options[j]->says, verb))
				return 1;
	}
	return 0;
}

/* Whether a request for other tools speaks of what this one is about. */
static int is_topic(const struct spec *spec, const char *template)
{
	for (const char *const *t = spec->topics; *t; t++)
		if (holds_word(template, *t, strlen(*t)))
			return 1;
	return 0;
}

/* Whether two names share a word of some length ("--debug-port", "--port"). */
static int names_overlap(const char *a, const char *b)
{
	while (*a) {
		size_t len;
		char word[64];

		a += strspn(a, "-_ .");
		len = strcspn(a, "-_ .");
		if (len >= 3 && len < sizeof word) {
			memcpy(word, a, len);
			word[len] = '\0';
			if (strcasestr(b, word))
				return 1;
		}
		a += len;
	}
	return 0;
}

/* Kinds of values that a person may mean by the same words. */
static int kind_group(const struct synth_item *item)
{
	switch (item->value.kind) {
	case KIND_IMAGE:
	case KIND_DIGEST:
	case KIND_REPOSITORY:
	case KIND_TAG:
		return KIND_IMAGE;
	case KIND_UUID:
	case KIND_IDENTIFIER:
	case KIND_NAME:
	case KIND_FILE:
	case KIND_DIRECTORY:
		return KIND_NAME;
	case KIND_URL:
	case KIND_HOST:
	case KIND_ADDRESS:
		return KIND_HOST;
	case KIND_ACCEPTED:
	case KIND_POOL:
		return -1;
	default:
		return (int)item->value.kind;
	}
}

/* Whether two texts share the beginning of a longer word: "reload", "reloading". */
static int texts_overlap(const char *a, const char *b)
{
	while (*a) {
		size_t len = strcspn(a, " ,.{}-");
		char stem[6];

		if (len >= 5) {
			memcpy(stem, a, 5);
			stem[5] = '\0';
			if (strcasestr(b, stem))
				return 1;
		}
		a += len;
		a += strspn(a, " ,.{}-");
	}
	return 0;
}

static int says_overlap(const char *const *says, const struct synth_item *own)
{
	const char *const *mine;

	assert(own->option || own->argument);
	mine = own->option ? own->option->says : own->argument->says;

	for (; says && *says; says++)
		for (size_t i = 0; mine && mine[i]; i++)
			if (!strcasecmp(*says, mine[i]) || texts_overlap(*says, mine[i]))
				return 1;
	return 0;
}

/* Whether the command has something that the option's words may stand for. */
static int has_like(const struct synth_command *c, const struct synth_item *item)
{
	for (unsigned i = 0; i < c->n_items; i++) {
		const struct synth_item *own = &c->items[i];

		if (own->argument && item->argument && kind_group(own) >= 0 &&
			kind_group(own) == kind_group(item))
			return 1;
		if (says_overlap(item->option->says, own))
			return 1;
	}
	return texts_overlap(item->option->description, c->command->description);
}

/* An option of another command that this one has nothing like, hidden ones included. */
static int is_foreign(const struct synth_command *planned, const struct synth_item *item)
{
	const struct command *c = planned->command;

	if (!item->option || item->informational || !item->usable)
		return 0;
	for (size_t i = 0; i < c->n_arguments; i++)
		if (c->arguments[i]->passthrough ||
			names_overlap(item->option->name, c->arguments[i]->name))
			return 0;
	for (size_t i = 0; i < c->n_options; i++)
		if (names_overlap(item->option->name, c->options[i]->name) ||
			names_overlap(item->option->name, c->options[i]->description))
			return 0;
	return !names_overlap(item->option->name, c->name) &&
	       !names_overlap(item->option->name, c->description) && !has_like(planned, item);
}

static void find_foreign(struct oos *oos)
{
	const struct plan *plan = oos->plan;
	size_t cap = 0;

	for (unsigned a = 0; a < plan->n_commands; a++)
		for (unsigned b = 0; b < plan->n_commands; b++)
			for (unsigned i = 0; a != b && i < plan->commands[b].n_items; i++) {
				if (!plan->commands[a].command->runnable ||
					!is_foreign(
						&plan->commands[a], &plan->commands[b].items[i]))
					continue;
				oos->foreign = array_grow(
					oos->foreign, &cap, oos->n_foreign, sizeof *oos->foreign);
				oos->foreign[oos->n_foreign++] = (struct oos_foreign){
					&plan->commands[a], &plan->commands[b].items[i]};
			}
}

static const struct words *templates_of(enum kind kind)
{
	switch (kind) {
	case OOS_TASK:
		return &oos_task;
	case OOS_WISH:
		return &oos_wish;
	case OOS_FEATURE:
		return &oos_feature_tail;
	case OOS_MISSING:
		return &oos_missing;
	case OOS_TALK:
		return &oos_small_talk;
	case OOS_CONCEPT:
		return &oos_concept;
	case OOS_DANGER:
		return &oos_danger;
	default:
		return NULL;
	}
}

static void make_ids(struct oos *oos)
{
	struct buf id = {0};

	oos->ids = arena_alloc(&oos->arena, OOS_KINDS * sizeof *oos->ids);
	for (unsigned kind = 0; kind < OOS_KINDS; kind++) {
		const struct words *w = templates_of((enum kind)kind);
		unsigned n = w ? w->n + oos_missing_command.n : 1;

		oos->ids[kind] = arena_alloc(&oos->arena, n * sizeof **oos->ids);
		for (unsigned i = 0; i < n; i++) {
			buf_clear(&id);
			buf_addf(&id, "%s/%u", kind_keys[kind], i);
			oos->ids[kind][i] = arena_strdup(&oos->arena, id.data);
		}
	}
	buf_release(&id);
}

/* The wishes whose verb the spec does not know. */
static void find_wishes(struct oos *oos)
{
	oos->wishes = arena_alloc(&oos->arena, (oos_wish.n + 1) * sizeof *oos->wishes);
	oos->n_wishes = oos_wish.n;
	for (unsigned i = 0; i < oos_wish.n; i++) {
		const char *wish = oos_wish.at[i], *object = strstr(wish, " %o");
		size_t len = strcspn(wish, " ");
		char verb[64];

		if (object && (size_t)(object - wish) < 12)
			len = (size_t)(object - wish); /* "roll back", "load test" */
		memcpy(verb, wish, len);
		verb[len] = '\0';
		oos->wishes[i] =
			spec_knows(oos->plan->spec, verb) || is_topic(oos->plan->spec, wish) ? NULL
											     : wish;
	}
}

void oos_init(struct oos *oos, const struct plan *plan)
{
	const char **verbs;

	memset(oos, 0, sizeof *oos);
	oos->plan = plan;
	verbs = arena_alloc(&oos->arena, oos_feature_verb.n * sizeof *verbs);
	for (unsigned i = 0; i < oos_feature_verb.n; i++)
		if (!spec_knows(plan->spec, oos_feature_verb.at[i]))
			verbs[oos->n_verbs++] = oos_feature_verb.at[i];
	oos->verbs = verbs;
	find_wishes(oos);
	find_foreign(oos);
	make_ids(oos);
}

void oos_release(struct oos *oos)
{
	free(oos->foreign);
	text_release(&oos->body);
	buf_release(&oos->scratch);
	arena_release(&oos->arena);
}

static const struct synth_command *any_command(const struct oos *oos, struct rng *r)
{
	const struct synth_command *c;

	do
		c = &oos->plan->commands[rng_below(r, oos->plan->n_commands)];
	while (!c->command->runnable && rng_below(r, 16));
	return c;
}

/* An imperative of the command (one without a slot). */
static const struct phrase *imperative(const struct synth_command *c, struct rng *r)
{
	for (unsigned attempt = 0; attempt < 32 && c->phrases.n_draw; attempt++) {
		const struct phrase *p =
			&c->phrases.at[c->phrases.draw[rng_below(r, c->phrases.n_draw)]];

		if (p->form == PHRASE_VERB && !p->slot)
			return p;
	}
	return NULL;
}

/* An option (or positional) of the command that takes a free value. */
static const struct synth_item *valued_item(const struct synth_command *c, struct rng *r)
{
	for (unsigned attempt = 0; attempt < 24 && c->n_items; attempt++) {
		const struct synth_item *item = &c->items[rng_below(r, c->n_items)];

		if (item->argument && item->option && !item->option->optional_value &&
			!item->argument->n_accepted && !item->argument->passthrough &&
			phrase_noun_reads(item->noun))
			return item;
	}
	return NULL;
}

/* Appends a template to the body.  c and item may be NULL where it names none. */
static void fill_len(struct oos *oos, const char *template, size_t len,
	const struct synth_command *c, const struct synth_item *item, struct rng *r)
{
	const struct phrase *p;

	for (const char *s = template; s < template + len; s++) {
		if (*s == '{') {
			const char *end = strchr(s, '}');

			slot_add(s + 1, (size_t)(end - s - 1), r, &oos->scratch, &oos->body);
			s = end;
		} else if (*s == '%' && s[1] == 'c') {
			p = imperative(c, r);
			text_add(&oos->body, p ? p->text : "do it");
			if (p)
				text_id(&oos->body, p->id);
			s++;
		} else if (*s == '%' && s[1] == 'n') {
			text_add(&oos->body, item ? item->noun : "setting");
			s++;
		} else if (*s == '%' && s[1] == 't') {
			text_add(&oos->body, oos->plan->spec->name);
			s++;
		} else {
			buf_addc(&oos->body.buf, *s);
		}
	}
}

static void fill(struct oos *oos, const char *template, const struct synth_command *c,
	const struct synth_item *item, struct rng *r)
{
	fill_len(oos, template, strlen(template), c, item, r);
}

static const char *any_object(const struct synth_command *c, struct rng *r)
{
	return c->n_objects ? c->objects[rng_below(r, c->n_objects)] : "the project";
}

static void draw_wish(struct oos *oos, struct rng *r)
{
	const struct synth_command *c = any_command(oos, r);
	unsigned wish = 0;
	const char *object;

	for (unsigned attempt = 0; attempt < 64; attempt++) {
		wish = rng_below(r, oos->n_wishes);
		if (oos->wishes[wish])
			break;
	}
	object = strstr(oos_wish.at[wish], "%o");
	buf_clear(&oos->scratch);
	fill_len(oos, oos_wish.at[wish], (size_t)(object - oos_wish.at[wish]), c, NULL, r);
	text_add(&oos->body, any_object(c, r));
	fill_len(oos, object + 2, strlen(object + 2), c, NULL, r);
	text_id(&oos->body, oos->ids[OOS_WISH][wish]);
}

static void draw_feature(struct oos *oos, struct rng *r)
{
	const struct synth_command *c = any_command(oos, r);
	unsigned tail = rng_below(r, oos_feature_tail.n);

	if (!oos->n_verbs) {
		text_add(&oos->body, "undo");
	} else {
		text_add(&oos->body, oos->verbs[rng_below(r, oos->n_verbs)]);
	}
	text_add(&oos->body, " ");
	text_add(&oos->body, any_object(c, r));
	fill(oos, oos_feature_tail.at[tail], c, NULL, r);
	text_id(&oos->body, oos->ids[OOS_FEATURE][tail]);
}

static void draw_foreign(struct oos *oos, struct rng *r)
{
	const struct oos_foreign *f = &oos->foreign[rng_below(r, oos->n_foreign)];
	const struct phrase *p = imperative(f->command, r), *clause = NULL;
	struct stated stated = {.item = f->item, .accepted = -1};

	text_add(&oos->body, p ? p->text : "do it");
	if (p)
		text_id(&oos->body, p->id);
	for (unsigned attempt = 0; attempt < 32; attempt++) {
		const struct phrase_list *list = &f->item->clauses;

		clause = &list->at[list->draw[rng_below(r, list->n_draw)]];
		if ((clause->slot != NULL) == (f->item->argument != NULL) &&
			!text_would_repeat(&oos->body, clause->text))
			break;
	}
	text_add(&oos->body, clause->form == PHRASE_ADVERB || !strncmp(clause->text, "and ", 4) ||
					     !strncmp(clause->text, "also ", 5)
				     ? " "
			     : clause->form == PHRASE_NOUN ? " with "
			     : clause->form == PHRASE_VERB ? " and "
							   : ", ");
	if (clause->slot && f->item->argument) {
		buf_clear(&oos->scratch);
		value_draw(&f->item->value, r, &oos->scratch);
		stated.values[stated.n_values++] = oos->scratch.data;
		text_add_len(&oos->body, clause->text, (size_t)(clause->slot - clause->text));
		text_value_quoted(&oos->body, stated.values[0], r);
		text_add(&oos->body, clause->slot + 2);
	} else {
		text_add(&oos->body, clause->text);
	}
	text_id(&oos->body, oos->ids[OOS_FOREIGN][0]);
	text_id(&oos->body, clause->id);
}

/* Whether the command cannot be run without a value that somebody must state. */
static int needs_value(const struct synth_command *c)
{
	for (unsigned i = 0; i < c->n_items; i++) {
		const struct synth_item *item = &c->items[i];

		if (item->argument &&
			(item->option ? item->option->required : item->argument->required))
			return 1;
	}
	for (size_t i = 0; i < c->command->n_rules; i++)
		if (c->command->rules[i].kind == RULE_ONE_OF)
			return 1;
	return 0;
}

static void draw_missing(struct oos *oos, struct rng *r)
{
	const struct synth_command *c = NULL;
	const struct synth_item *item = NULL;
	unsigned template;

	if (rng_below(r, 100) < 45) {
		for (unsigned attempt = 0; attempt < 64 && !c; attempt++) {
			c = any_command(oos, r);
			if (!c->command->runnable || !needs_value(c))
				c = NULL;
		}
	}
	if (c) {
		template = rng_below(r, oos_missing_command.n);
		fill(oos, oos_missing_command.at[template], c, NULL, r);
		text_id(&oos->body, oos->ids[OOS_MISSING][oos_missing.n + template]);
		return;
	}
	for (unsigned attempt = 0; attempt < 64 && !item; attempt++) {
		c = any_command(oos, r);
		item = c->command->runnable ? valued_item(c, r) : NULL;
	}
	template = rng_below(r, oos_missing.n);
	fill(oos, oos_missing.at[template], c, item, r);
	text_id(&oos->body, oos->ids[OOS_MISSING][template]);
}

static void draw_listed(struct oos *oos, enum kind kind, struct rng *r)
{
	const struct words *w = templates_of(kind);
	const struct synth_command *c = any_command(oos, r);
	const struct synth_item *item = valued_item(c, r);
	unsigned template;

	assert(w);
	template = rng_below(r, w->n);

	for (unsigned attempt = 0; !item && attempt < 32; attempt++)
		item = valued_item(any_command(oos, r), r);
	/* A task for a tool of this very name is in scope. */
	for (unsigned attempt = 0; attempt < 64; attempt++) {
		const struct spec *spec = oos->plan->spec;
		int named = kind == OOS_TASK &&
			    holds_word(w->at[template], spec->name, strlen(spec->name));

		if (!(named && attempt < 32) && !is_topic(spec, w->at[template]))
			break;
		template = rng_below(r, w->n);
	}
	fill(oos, w->at[template], c, item, r);
	text_id(&oos->body, oos->ids[kind][template]);
}

static int is_framed(enum kind kind, struct rng *r)
{
	if (kind == OOS_TALK || kind == OOS_CONCEPT)
		return 0;
	return kind == OOS_DANGER ? rng_below(r, 2) : rng_below(r, 5) != 0;
}

void oos_draw(struct oos *oos, struct composer *composer, struct rng *r, struct text *out)
{
	unsigned dice = rng_below(r, 100), kind = 0;
	int framed;

	while (kind + 1 < OOS_KINDS && dice >= kind_weights[kind])
		dice -= kind_weights[kind++];
	if (kind == OOS_FOREIGN && !oos->n_foreign)
		kind = OOS_TASK;
	text_clear(&oos->body);
	switch (kind) {
	case OOS_WISH:
		draw_wish(oos, r);
		break;
	case OOS_FEATURE:
		draw_feature(oos, r);
		break;
	case OOS_FOREIGN:
		draw_foreign(oos, r);
		break;
	case OOS_MISSING:
		draw_missing(oos, r);
		break;
	default:
		draw_listed(oos, (enum kind)kind, r);
	}
	framed = is_framed((enum kind)kind, r);
	/* "I want to" goes before an imperative only; "commit the .env file" stays as it
	 * was before "commit" was known as a verb, for the datasets that are there. */
	if (kind == OOS_DANGER && !strncmp(oos->body.buf.data, "commit ", 7))
		framed = 0;
	if (kind == OOS_MISSING || kind == OOS_DANGER)
		framed = framed && phrase_form_of(oos->body.buf.data) == PHRASE_VERB &&
			 phrase_verb(oos->body.buf.data);
	compose_frame(composer, &oos->body, framed, r, out);
}
