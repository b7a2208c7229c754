/* phrase.c - lists of phrasings, and those of commands.  See phrase.h. */
#include "synth/phrase.h"

#include <ctype.h>
#include <string.h>
#include "base/hash.h"
#include "synth/synth.h"
#include "synth/english.h"

enum {
	COMMAND_PHRASES_MAX = 160,
	OBJECTS_MAX = 24
};

void phrase_add(struct phrase_list *list, struct arena *arena, const char *text, unsigned weight)
{
	struct phrase *grown, *p;

	if (!*text)
		return;
	for (unsigned i = 0; i < list->n; i++)
		if (!strcasecmp(list->at[i].text, text))
			return;
	if ((list->n & (list->n - 1)) == 0) { /* grows at powers of two */
		grown = arena_alloc(arena, (list->n ? 2 * list->n : 1) * sizeof *grown);
		if (list->n)
			memcpy(grown, list->at, list->n * sizeof *grown);
		list->at = grown;
	}
	p = &list->at[list->n++];
	memset(p, 0, sizeof *p);
	p->text = arena_strdup(arena, text);
	p->slot = strstr(p->text, "{}");
	p->form = phrase_form_of(p->text);
	p->weight = (unsigned short)weight;
}

void phrase_finish(struct phrase_list *list, struct arena *arena, const char *key)
{
	struct buf id = {0};
	unsigned total = 0;

	for (unsigned i = 0; i < list->n; i++) {
		buf_clear(&id);
		buf_addf(&id, "%s/%u", key, i);
		list->at[i].id = arena_strdup(arena, id.data);
		total += list->at[i].weight;
	}
	buf_release(&id);
	list->draw = arena_alloc(arena, (total ? total : 1) * sizeof *list->draw);
	list->n_draw = 0;
	for (unsigned i = 0; i < list->n; i++)
		for (unsigned j = 0; j < list->at[i].weight; j++)
			list->draw[list->n_draw++] = (unsigned short)i;
}

void phrase_prune(struct phrase_list *list, const unsigned char *drop)
{
	unsigned n = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (!drop[i])
			list->at[n++] = list->at[i];
	list->n = n;
}

/* "the server": what follows the verb of an imperative, if it is an object. */
static const char *object_of(const char *text, size_t verb)
{
	static const char *const determiners[] = {"the ", "a ", "an ", "my ", "our ", "this ",
		"all ", "some ", "every ", "these ", "your "};

	const char *last = strrchr(text, ' ');

	if (!verb || text[verb] != ' ')
		return NULL;
	for (const char *const *w = (const char *const[]){"running", "deployed", "up", "away",
		     "online", "down", "off", "open", "ready", "going", "done", NULL};
		last && *w; w++)
		if (!strcasecmp(last + 1, *w))
			return NULL; /* "get the stack running": no object alone */
	for (size_t i = 0; i < sizeof determiners / sizeof *determiners; i++)
		if (!strncasecmp(text + verb + 1, determiners[i], strlen(determiners[i])))
			return text + verb + 1;
	return NULL;
}

/* Text of a description's first sentence, without brackets, decoration and end. */
static void first_sentence(const char *description, struct buf *out)
{
	const char *s = description;

	while (*s && !isalnum((unsigned char)*s) && *s != '[')
		s++;
	if (*s == '[')
		for (s = strchr(s, ']') ? strchr(s, ']') + 1 : s + 1; *s == ' '; s++)
			;
	for (; *s && *s != '(' && *s != '\n' && *s != ';' && *s != ':' && *s != ','; s++) {
		if (*s == '.' && (!s[1] || isspace((unsigned char)s[1])))
			break;
		buf_addc(out, *s);
	}
	while (out->len && (out->data[out->len - 1] == ' ' || out->data[out->len - 1] == '.'))
		out->data[--out->len] = '\0';
	if (out->len > 1 && islower((unsigned char)out->data[1]))
		out->data[0] = (char)tolower((unsigned char)out->data[0]);
	if (out->len > 80 || !out->len)
		buf_clear(out), buf_adds(out, "");
}

/* "up", "deploy list": the words after the program's name. */
static void command_path(const struct command *c, char separator, struct buf *out)
{
	if (c->parent && c->parent->parent) {
		command_path(c->parent, separator, out);
		buf_addc(out, separator);
	}
	buf_adds(out, c->name);
}

static int is_listed(const char *const *list, const char *word)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list != NULL;
}

static void add_composed(struct phrase_list *list, const struct spec *spec, struct arena *arena,
	const char *object, int class, struct buf *text)
{
	for (const char *const *v = verb_classes[class].verbs; *v; v++) {
		if (is_listed(spec->verbs_avoided, *v))
			continue;
		if (list->n >= COMMAND_PHRASES_MAX)
			return;
		buf_clear(text);
		buf_addf(text, "%s %s", *v, object);
		phrase_add(list, arena, text->data, 1);
	}
}

/* Whether to need the thing is to want the command: "I need the dev server", but
 * not "I need the config" for one that checks it. */
static int class_makes(int class)
{
	static const char *const makers[] = {
		"start", "build", "create", "generate", "list", "show", "fetch"};

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (!strcmp(verb_classes[class].verbs[0], makers[i]))
			return 1;
	return 0;
}

/* "dev server", "I need the dev server": what people say who save the verb. */
static void add_nouns(
	struct phrase_list *list, struct arena *arena, const char *object, struct buf *text)
{
	static const char *const wishes[] = {
		"I need ", "I want ", "need ", "we need ", "I'd like to have "};
	const char *noun = object + strcspn(object, " ") + 1;

	if (strchr(object, ',') || strlen(object) > 40)
		return;
	if (phrase_form_of(noun) == PHRASE_NOUN)
		phrase_add(list, arena, noun, 2);
	for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
		if (list->n >= COMMAND_PHRASES_MAX)
			return;
		buf_clear(text);
		buf_addf(text, "%s%s", wishes[i], object);
		phrase_add(list, arena, text->data, 1);
		list->at[list->n - 1].form = PHRASE_SENTENCE;
	}
}

/* Every verb of the class of a phrase's verb, with its object. */
static void compose_verbs(struct synth_command *c, const struct spec *spec, struct arena *arena)
{
	const char **objects = arena_alloc(arena, OBJECTS_MAX * sizeof *objects);
	unsigned n = c->phrases.n;
	struct buf text = {0};

	c->objects = objects;
	for (unsigned i = 0; i < n; i++) {
		const char *phrase = c->phrases.at[i].text;
		size_t verb = c->phrases.at[i].form == PHRASE_VERB ? phrase_verb(phrase) : 0;
		const char *object = object_of(phrase, verb);
		int class = verb ? phrase_verb_class(phrase, verb) : -1;

		if (!object || strstr(phrase, "{}"))
			continue;
		if (c->n_objects < OBJECTS_MAX && !strstr(object, " and ") && strlen(object) < 40)
			objects[c->n_objects++] = object;
		if (class < 0)
			continue;
		add_composed(&c->phrases, spec, arena, object, class, &text);
		if (class_makes(class))
			add_nouns(&c->phrases, arena, object, &text);
	}
	buf_release(&text);
}

/* From the command's own name: "run tool sub", and "add remote" as "add a remote". */
static void add_names(struct synth_command *c, const struct spec *spec, struct arena *arena)
{
	static const char *const patterns[] = {
		"run %s %s", "%s %s", "use %s %s", "do a %s %s", "call %s %s", "execute %s %s"};
	const struct command *command = c->command;
	struct buf path = {0}, text = {0};

	if (!command->parent) {
		buf_addf(&text, "run %s", spec->name);
		phrase_add(&c->phrases, arena, text.data, 2);
		buf_release(&text);
		return;
	}
	command_path(command, ' ', &path);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		buf_clear(&text);
		/* The patterns are the table above; both take two strings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buf_addf(&text, patterns[i], spec->name, path.data);
#pragma GCC diagnostic pop
		phrase_add(&c->phrases, arena, text.data, 1);
	}
	if (command->parent->parent && phrase_verb(command->name) == strlen(command->name)) {
		buf_clear(&text);
		buf_addf(&text, "%s the %s", command->name, command->parent->name);
		phrase_add(&c->phrases, arena, text.data, 2);
	}
	buf_release(&path);
	buf_release(&text);
}

void phrases_of_command(struct synth_command *c, const struct spec *spec, struct arena *arena)
{
	struct buf text = {0};

	for (const char *const *s = c->command->says; s && *s; s++)
		phrase_add(&c->phrases, arena, *s, 6);
	first_sentence(c->command->description, &text);
	if (text.len && phrase_verb(text.data) && !c->phrases.n)
		phrase_add(&c->phrases, arena, text.data, 6);
	else if (text.len && phrase_verb(text.data))
		phrase_add(&c->phrases, arena, text.data, 2);
	if (!c->phrases.n || c->phrases.at[0].form == PHRASE_NOUN)
		c->phrases.n = 0;
	compose_verbs(c, spec, arena);
	add_names(c, spec, arena);
	buf_release(&text);
	phrases_of_items(c, arena);
}

static uint64_t text_hash(const char *text)
{
	uint64_t h = FNV64_INIT;

	for (; *text; text++) {
		char lower = (char)tolower((unsigned char)*text);

		h = fnv64(h, &lower, 1);
	}
	return h;
}

/* Whether another command's phrase is the same and as good, or better. */
static int is_shared(
	const struct synth_command *commands, unsigned n, unsigned a, const struct phrase *mine)
{
	uint64_t h = text_hash(mine->text);

	for (unsigned b = 0; b < n; b++) {
		const struct synth_command *other = &commands[b];

		if (b == a)
			continue;
		for (unsigned j = 0; j < other->phrases.n; j++)
			if (other->phrases.at[j].weight >= mine->weight &&
				text_hash(other->phrases.at[j].text) == h)
				return 1;
		/* A thing alone must be one that no other command is about. */
		for (unsigned j = 0; mine->form == PHRASE_NOUN && j < other->n_objects; j++)
			if (!strcasecmp(other->objects[j] + strcspn(other->objects[j], " ") + 1,
				    mine->text))
				return 1;
	}
	return 0;
}

void phrases_drop_shared(struct synth_command *commands, unsigned n)
{
	unsigned char **drop = xcalloc(n + 1, sizeof *drop);

	for (unsigned a = 0; a < n; a++) {
		drop[a] = xcalloc(commands[a].phrases.n + 1, 1);
		for (unsigned i = 0; i < commands[a].phrases.n; i++)
			drop[a][i] = (unsigned char)is_shared(
				commands, n, a, &commands[a].phrases.at[i]);
	}
	for (unsigned a = 0; a < n; a++) {
		phrase_prune(&commands[a].phrases, drop[a]);
		free(drop[a]);
	}
	free(drop);
}
