/* grammar_options.c - the pieces of options and subcommands. */
#include <string.h>
#include "cli/grammar_internal.h"
#include "cli/value_prefix.h"

/* How an option with a value is written, as meaning_argv() does it. */
struct shape {
	int separate; /* --name value; dash says of which values */
	int attached; /* --name=value */
	enum value_dash separate_dash, attached_dash;
	int bare;	      /* --name, without a value */
	int open_behind;      /* behind a separate value a further word could be one too */
	uint32_t least, most; /* words of one time; most UINT32_MAX: any number */
	int as_operand;	      /* argparse: a dash is fine where it does not read as an option */
	int alone;	      /* ... but of a first value only where a second follows */
	int repeats;
	int not_empty; /* of an attached value */
};

static int is_long(const struct grammar *g, const struct option *o)
{
	return o->name[1] == '-' || g->traits->one_dash_long || o->name[2];
}

/* Whether the name itself is read as that option. */
static int name_is_read(const struct grammar *g, const struct option *o)
{
	const unsigned char *s = (const unsigned char *)o->name + 1;
	size_t letter = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;

	if (g->traits->long_options || g->traits->one_dash_long)
		return 1;
	return *s != '-' && s[letter] == '\0';
}

/* The shape of one value in one word. */
static void shape_single(const struct grammar *g, const struct option *o, struct shape *s)
{
	const struct dialect_traits *t = g->traits;
	int none = o->argument->min_count == 0;
	int readable = is_long(g, o) || t->short_attached;

	s->not_empty = !is_long(g, o) && (!t->short_equals || g->spec->dialect == DIALECT_COBRA);
	if (o->attached || (none && !t->optional_separate)) {
		s->attached = readable;
		return;
	}
	s->separate = 1;
	if (t->dash_values && !none)
		return;
	s->separate_dash = DASH_NOT;
	s->attached = readable;
	s->attached_dash = DASH_ONLY;
}

/* Several words, or a list where several would do: never attached. */
static void shape_group(const struct grammar *g, const struct option *o, struct shape *s)
{
	const struct dialect_traits *t = g->traits;
	int none = o->argument->min_count == 0;

	s->separate = !o->attached && (!none || t->optional_separate);
	if (!t->dash_values || none)
		s->separate_dash = DASH_NOT;
	s->as_operand = g->spec->dialect == DIALECT_ARGPARSE;
}

static struct shape shape_of(const struct grammar *g, const struct option *o)
{
	const struct argument *a = o->argument;
	int argparse = g->spec->dialect == DIALECT_ARGPARSE;
	uint32_t least = a->min_count > 1 ? (uint32_t)a->min_count : 1;
	struct shape s = {.bare = a->min_count == 0, .least = least, .most = least};

	s.open_behind = a->max_count != 1 && a->min_count != a->max_count;
	s.repeats = o->repeatable && !o->separator;
	if (o->separator) {
		s.most = 1;
		if (least > 1)
			return s;
	} else if (argparse) {
		s.most = a->max_count < 0 ? UINT32_MAX : (uint32_t)a->max_count;
	}
	if (a->max_count < 0 && !o->separator) {
		s.repeats = 0;
	} else if ((uint32_t)a->max_count != s.most) {
		s.repeats = 0;
	}
	if (a->max_count == 1 || (a->max_count < 0 && (o->separator || least == 1)))
		shape_single(g, o, &s);
	else
		shape_group(g, o, &s);
	if (s.most == UINT32_MAX && least == 1 && s.separate)
		s.as_operand = s.alone = 1;
	return s;
}

int option_is_written(const struct grammar *g, const struct option *o)
{
	struct arena scratch = {0};
	struct shape s;
	int fits;

	if (!name_is_read(g, o))
		return 0;
	if (!o->argument)
		return 1;
	s = shape_of(g, o);
	if (s.bare)
		return 1;
	fits = o->argument->n_accepted > 0 ||
	       value_prefix(g->spec->dialect, o->argument, "", 0, &scratch);
	arena_release(&scratch);
	return (s.separate || s.attached) && fits;
}

/* before, the word as a JSON string (closed or not), behind. */
static const char *text_make(
	struct grammar *g, const char *word, const char *inside, const char *behind)
{
	struct buf text = {0};
	char *out;

	buf_adds(&text, ",\"");
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			buf_addc(&text, '\\');
		buf_addc(&text, *word);
	}
	buf_adds(&text, inside);
	buf_adds(&text, behind);
	out = grammar_alloc(g, text.len + 1);
	memcpy(out, text.data, text.len + 1);
	buf_release(&text);
	return out;
}

static struct option_texts *texts_of(struct grammar *g, struct level *l, size_t pos)
{
	const struct option *o = l->command->options[pos];
	size_t size = l->command->n_options * sizeof(*l->texts);
	int equals = is_long(g, o) || g->traits->short_equals;
	struct option_texts *t;

	if (!l->texts) {
		l->texts = grammar_alloc(g, size);
		memset(l->texts, 0, size);
	}
	t = &l->texts[pos];
	if (t->bare)
		return t;
	t->bare = text_make(g, o->name, "\"", "");
	if (o->argument) {
		t->value = text_make(g, o->name, "\"", ",");
		t->attach = text_make(g, o->name, equals ? "=" : "", "");
	} else {
		t->off = text_make(g, o->name, equals ? "=false" : "false", "\"");
	}
	return t;
}

/* An option about to be written. */
struct offer {
	struct level *l;
	size_t pos;
	int repeated;
	struct place behind;	     /* with pos, option and flags of what is behind it */
	const unsigned char *states; /* behind it */
};

/* Where a value must follow. */
static int32_t value_node(struct grammar *g, const struct offer *f, uint32_t count)
{
	struct place p = f->behind;

	p.kind = PLACE_VALUE;
	p.option = (uint16_t)f->pos;
	p.count = count;
	p.flags |= f->repeated ? PLACE_REPEATED : 0;
	return place_node(g, &p, NULL, f->states);
}

static int32_t behind_value(struct grammar *g, const struct offer *f, const struct shape *s,
	uint32_t count, int attached)
{
	struct place p = f->behind;
	int full = count >= s->most;

	if (count < s->least)
		return value_node(g, f, count);
	if (s->open_behind && !attached)
		p.flags |= PLACE_OPEN;
	if (!full && !attached) {
		p.flags |= PLACE_PENDING | (f->repeated ? PLACE_REPEATED : 0);
		p.option = (uint16_t)f->pos;
		p.count = s->most == UINT32_MAX ? s->least : count;
	}
	if (s->repeats && (full || attached))
		p.flags |= PLACE_AGAIN;
	p.pos = (uint16_t)(f->pos + !(p.flags & PLACE_AGAIN));
	return place_node(g, &p, NULL, f->states);
}

/* The value pieces of a separate value, `count` of them being there already. */
static void separate_pieces(struct piece_list *list, const struct offer *f, const struct shape *s,
	uint32_t count, const char *text)
{
	struct grammar *g = list->g;
	const struct option *o = f->l->command->options[f->pos];
	int32_t next = behind_value(g, f, s, count + 1, 0);

	if (s->separate_dash == DASH_ANY || value_may(g, o->argument, s->separate_dash))
		piece_add_value(list, text, o->argument, o, s->separate_dash, next);
	if (!s->as_operand || !value_may(g, o->argument, DASH_ONLY))
		return;
	if (s->alone && count == 0)
		next = value_node(g, f, 1);
	piece_add_value(list, text, o->argument, o, DASH_ONLY, next)->as_operand = 1;
}

static void offer_value(struct piece_list *list, struct offer *f)
{
	struct grammar *g = list->g;
	const struct option *o = f->l->command->options[f->pos];
	const struct option_texts *t = texts_of(g, f->l, f->pos);
	struct shape s = shape_of(g, o);
	struct grammar_piece *piece;
	struct place p = f->behind;

	if (s.bare && !f->repeated) {
		if (!f->l->command->options[f->pos]->attached && g->traits->optional_separate)
			p.flags |= PLACE_OPEN;
		p.pos = (uint16_t)(f->pos + 1);
		if (s.separate) {
			p.flags |= PLACE_PENDING;
			p.option = (uint16_t)f->pos;
		}
		piece_add(list, t->bare, place_node(g, &p, NULL, f->states));
	} else if (s.separate && value_may(g, o->argument, s.separate_dash)) {
		piece_add(list, t->value, value_node(g, f, 0));
	}
	if (s.attached && value_may(g, o->argument, s.attached_dash)) {
		piece = piece_add_value(list, t->attach, o->argument, o, s.attached_dash,
			behind_value(g, f, &s, s.least, 1));
		piece->inside = 1;
		piece->not_empty = (unsigned char)s.not_empty;
	}
}

static void offer_flag(struct piece_list *list, struct offer *f)
{
	struct grammar *g = list->g;
	const struct option *o = f->l->command->options[f->pos];
	const struct option_texts *t = texts_of(g, f->l, f->pos);
	struct place p = f->behind;
	int32_t next;

	p.pos = (uint16_t)(f->pos + !o->repeatable);
	p.flags |= o->repeatable ? PLACE_AGAIN : 0;
	next = place_node(g, &p, NULL, f->states);
	piece_add(list, t->bare, next);
	if (g->traits->flag_values)
		piece_add(list, t->off, next)->off = 1;
}

static void offer_any(struct piece_list *list, struct offer *f)
{
	if (f->l->command->options[f->pos]->argument)
		offer_value(list, f);
	else
		offer_flag(list, f);
}

/* Whether the answer can still be completed behind an option: at this command, or
 * at one below. */
static int offer_can_end(struct grammar *g, struct offer *f, size_t pos, int broken)
{
	int leaf = !broken && !(f->behind.flags & PLACE_BROKEN) &&
		   level_can_end(g, f->l, pos, f->states);

	if (!leaf)
		f->behind.flags |= PLACE_BROKEN;
	return leaf ||
	       (!(f->behind.flags & PLACE_LEAF) && level_can_descend(g, f->l, pos, f->states, 0));
}

static void offer_option(struct piece_list *list, const struct place *p, struct level *l,
	const unsigned char *before, size_t pos, int repeated)
{
	struct grammar *g = list->g;
	const struct command *c = l->command;
	const struct option *o = c->options[pos];
	unsigned char *states = arena_alloc(&g->scratch, l->n_rules + 1);
	struct offer f = {.l = l, .pos = pos, .repeated = repeated, .states = states};
	int broken = 0;

	memcpy(states, before, l->n_rules);
	if (!repeated)
		broken = rules_pass(l, states, pos, 1);
	f.behind = (struct place){
		.kind = PLACE_LEVEL, .command = p->command, .flags = p->flags & PLACE_KEPT};
	if (o->recursive || pos >= c->n_own || g->traits->late_options)
		f.behind.flags |= PLACE_LEAF;
	if (broken == 2 || !offer_can_end(g, &f, pos + 1, broken))
		return;
	offer_any(list, &f);
}

/* Options that act alone: --help.  Their values are all that may follow. */
static void eager_pieces(struct piece_list *list, struct level *l, const unsigned char *states)
{
	for (size_t i = 0; i < l->command->n_options; i++) {
		const struct option *o = l->command->options[i];
		struct offer f = {.l = l, .pos = i, .states = states};

		f.behind = (struct place){.kind = PLACE_LEVEL,
			.command = (uint16_t)l->command->index,
			.flags = PLACE_LEAF | PLACE_EAGER};
		if (o->eager && option_is_written(list->g, o))
			offer_any(list, &f);
	}
}

static void options_pieces(struct piece_list *list, const struct place *p, struct level *l,
	const unsigned char *states)
{
	unsigned char *now = arena_alloc(&list->g->scratch, l->n_rules + 1);
	struct place from = *p;
	size_t pos = p->pos;

	memcpy(now, states, l->n_rules);
	if (p->flags & PLACE_AGAIN)
		offer_option(list, &from, l, now, pos++, 1);
	for (; pos < l->command->n_options; pos++) {
		int broken;

		if (l->takes[pos])
			offer_option(list, &from, l, now, pos, 0);
		broken = rules_pass(l, now, pos, 0);
		if (broken == 2)
			return;
		if (broken)
			from.flags |= PLACE_BROKEN;
	}
}

/* A command's name behind what is there already. */
void child_pieces(struct piece_list *list, const struct command *c)
{
	struct grammar *g = list->g;
	struct place p = {.kind = PLACE_LEVEL};

	for (size_t i = 0; i < c->n_commands; i++) {
		struct level *l = level_of(g, c->commands[i]);
		unsigned char *states = arena_zalloc(&g->scratch, l->n_rules + 1);

		if (!level_alive(g, l, 0))
			continue;
		if (!l->name)
			l->name = text_make(g, l->command->name, "\"", "");
		p.command = (uint16_t)l->command->index;
		piece_add(list, l->name, place_node(g, &p, NULL, states));
	}
}

/* Whether the options so far suffice for a subcommand to follow now. */
static int descends_now(struct grammar *g, const struct place *p, const struct level *l, size_t pos,
	const unsigned char *states)
{
	unsigned char *copy = arena_alloc(&g->scratch, l->n_rules + 1);

	if (l->command->n_commands == 0 || (p->flags & PLACE_LEAF))
		return 0;
	memcpy(copy, states, l->n_rules);
	if (!g->traits->late_options && rules_skip(l, copy, pos, l->command->n_options) == 2)
		return 0;
	return level_can_descend(g, l, l->command->n_options, copy, 0);
}

/* What may follow the options: an end, operands, or a subcommand. */
static void rest_pieces(struct piece_list *list, const struct place *p, struct level *l,
	const unsigned char *states, size_t pos)
{
	struct grammar *g = list->g;
	const struct command *c = l->command;
	unsigned char *rest = arena_alloc(&g->scratch, l->n_rules + 1);
	int group = c->n_commands > 0, open = p->flags & PLACE_OPEN;
	int descend = descends_now(g, p, l, pos, states), words, plain;
	enum operand_mode mode = group && !g->traits->late_options ? OPERANDS_FIRST
				 : open				   ? OPERANDS_ANY
								   : OPERANDS_NEED;

	memcpy(rest, states, l->n_rules);
	words = !(p->flags & PLACE_BROKEN) && !rules_skip(l, rest, pos, c->n_options) &&
		(!group || c->runnable || !g->traits->late_options);
	plain = words && (!group || g->traits->late_options);
	if (words && (!group || c->runnable) && operands_none(g, l, rest))
		piece_add(list, "]", GRAMMAR_END);
	if (plain && !open)
		operands_begin(list, l, rest, OPERANDS_PLAIN);
	words = words && operands_can_begin(g, l, rest, mode);
	if (descend && !open && !(p->flags & PLACE_BARE))
		child_pieces(list, c);
	if (words || (descend && open))
		piece_add(list, ",\"--\"", operands_node(g, l, rest, mode, words, descend && open));
}

void level_pieces(struct piece_list *list, int32_t node)
{
	struct grammar *g = list->g;
	unsigned char *states;
	struct level *l;
	struct place p;
	struct way *ways;

	node_place(g, node, &p, &ways, &states);
	l = level_of(g, g->spec->commands[p.command]);
	list->command = l->command;
	if (p.flags & PLACE_PENDING) {
		struct shape s = shape_of(g, l->command->options[p.option]);
		struct offer f = {.l = l,
			.pos = p.option,
			.repeated = (p.flags & PLACE_REPEATED) != 0,
			.states = states};

		f.behind = (struct place){
			.kind = PLACE_LEVEL, .command = p.command, .flags = p.flags & PLACE_KEPT};
		separate_pieces(list, &f, &s, p.count, ",");
	}
	if (p.flags & PLACE_BARE)
		eager_pieces(list, l, states);
	if (p.flags & PLACE_EAGER) {
		piece_add(list, "]", GRAMMAR_END);
		return;
	}
	options_pieces(list, &p, l, states);
	rest_pieces(list, &p, l, states, p.pos + ((p.flags & PLACE_AGAIN) != 0));
}

void value_pieces(struct piece_list *list, int32_t node)
{
	struct grammar *g = list->g;
	unsigned char *states;
	struct place p;
	struct way *ways;
	struct offer f;
	struct shape s;

	node_place(g, node, &p, &ways, &states);
	f = (struct offer){.l = level_of(g, g->spec->commands[p.command]),
		.pos = p.option,
		.repeated = (p.flags & PLACE_REPEATED) != 0,
		.states = states};
	f.behind = (struct place){
		.kind = PLACE_LEVEL, .command = p.command, .flags = p.flags & PLACE_KEPT};
	list->command = f.l->command;
	s = shape_of(g, f.l->command->options[f.pos]);
	separate_pieces(list, &f, &s, p.count, p.count ? "," : "");
}
