/* phrase_item.c - the ways to state an option, a positional, an accepted value. */
#include <ctype.h>
#include <string.h>
#include "synth/synth.h"
#include "synth/english.h"

enum {
	CLAUSES_MAX = 200,
	VALUE_CLAUSES_MAX = 60,
	NOUNS_MAX = 5
};

/* Weights: what the spec says, what is made of it, the bare spelling. */
enum {
	WEIGHT_SAYS = 8,
	WEIGHT_MADE = 1,
	WEIGHT_SPELLING = 1
};

/* Appends pattern with its one %x replaced by text. */
static void fill(const char *pattern, const char *text, struct buf *out)
{
	const char *at = strchr(pattern, '%');

	buf_clear(out);
	if (!at) {
		buf_adds(out, pattern);
		return;
	}
	buf_add(out, pattern, (size_t)(at - pattern));
	buf_adds(out, text);
	buf_adds(out, at + 2);
}

static int is_acronym(const char *word, size_t len)
{
	static const char *const known[] = {"url", "uri", "id", "api", "ssl", "tls", "ip", "dns",
		"ui", "json", "cpu", "gpu", "ttl", "http", "https", "sql", "csv", "html", "ssh",
		"k8s"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == len && !strncasecmp(word, known[i], len))
			return len > 0 && known[i][0] != 'k';
	return 0;
}

/* "--base-image" becomes "base image", "--studio-url" "studio URL". */
static const char *noun_of(const char *name, struct arena *arena)
{
	struct buf out = {0};
	char *noun;

	name += strspn(name, "-+/");
	if (name[0] && !name[1])
		buf_adds(&out, "option");	  /* "-b" has no word of its own */
	if (name[0] && name[1] == '-' && name[2]) /* "--n-jobs": how many jobs */
		name += 2;
	while (*name) {
		size_t len = strcspn(name, "-_.");

		if (out.len)
			buf_addc(&out, ' ');
		for (size_t i = 0; i < len; i++)
			buf_addc(&out,
				(char)(is_acronym(name, len) ? toupper((unsigned char)name[i])
							     : tolower((unsigned char)name[i])));
		name += len + (name[len] != '\0');
	}
	noun = arena_strdup(arena, out.data ? out.data : "");
	buf_release(&out);
	return noun;
}

int phrase_noun_reads(const char *noun)
{
	static const char *const last_words[] = {"to", "from", "contains", "with", "by", "in", "on",
		"for", "of", "at", "after", "before", "since", "until", "only", "is", "as", "than",
		"matches", "with"};
	const char *last = strrchr(noun, ' ');

	last = last ? last + 1 : noun;
	for (size_t i = 0; i < sizeof last_words / sizeof *last_words; i++)
		if (!strcasecmp(last, last_words[i]))
			return 0;
	for (const char *const *w = (const char *const[]){" on ", " at ", " of ", " in ", " for ",
		     " from ", NULL};
		*w; w++)
		if (strstr(noun, *w))
			return 0; /* "debugpy on port" */
	return *noun != '\0';
}

/* Nouns that the spec's phrases use: "ssl key {}" says "ssl key". */
static unsigned nouns_of(
	const struct synth_item *item, const char *nouns[NOUNS_MAX], struct arena *arena)
{
	unsigned n = 0;

	if (phrase_noun_reads(item->noun) || !item->clauses.n)
		nouns[n++] = item->noun;
	for (unsigned i = 0; i < item->clauses.n && n < NOUNS_MAX; i++) {
		const struct phrase *p = &item->clauses.at[i];
		size_t len = strlen(p->text), words = 0, known = 0;

		if (p->form != PHRASE_NOUN || len < 5 || strcmp(p->text + len - 3, " {}"))
			continue;
		for (size_t j = 0; j < len - 3; j++)
			words += p->text[j] == ' ';
		if (words > 2 || strchr(p->text, ',') || !strncmp(p->text, "the ", 4) ||
			!strncmp(p->text, "just ", 5) || !strncmp(p->text, "only ", 5) ||
			!strncmp(p->text, "no ", 3))
			continue;
		for (unsigned k = 0; k < n; k++)
			known += strlen(nouns[k]) == len - 3 &&
				 !strncasecmp(nouns[k], p->text, len - 3);
		nouns[n] = arena_strndup(arena, p->text, len - 3);
		n += !known && phrase_noun_reads(nouns[n]);
	}
	return n;
}

static void add_value_clauses(struct synth_item *item, struct arena *arena)
{
	const char *nouns[NOUNS_MAX];
	unsigned n = nouns_of(item, nouns, arena);
	int list = (item->option && item->option->repeatable) || item->argument->max_count != 1;
	const struct words *patterns =
		list && !item->clauses.n ? &words_list_clause : &words_value_clause;
	struct buf text = {0};

	for (unsigned i = 0; i < patterns->n; i++)
		for (unsigned k = 0; k < n && item->clauses.n < CLAUSES_MAX; k++) {
			size_t len = strlen(nouns[k]);

			if (len > 2 && nouns[k][len - 1] == 's' && nouns[k][len - 2] != 's' &&
				(strstr(patterns->at[i], " is ") ||
					strstr(patterns->at[i], " has ")))
				continue; /* "the credentials is" */
			if (!strcmp(nouns[k], "name") && !strncmp(patterns->at[i], "my ", 3))
				continue; /* that would be the speaker's */
			fill(patterns->at[i], nouns[k], &text);
			phrase_add(&item->clauses, arena, text.data,
				item->clauses.n ? WEIGHT_MADE : 2);
		}
	buf_release(&text);
}

/* What goes without saying: "on 8080" where there is a --port, "with app.json" where
 * there is a --config.  Other options may have these words too, for other kinds. */
static void add_bare(struct synth_item *item, struct arena *arena)
{
	static const struct {
		const char *name, *clauses[4];
	} bare[] = {{"--port", {"on {}", "at {}"}}, {"--host", {"on {}", "at {}"}},
		{"--config", {"with {}", "using {}", "from {}", "for {}"}},
		{"--file", {"with {}", "from {}"}}, {"--output", {"to {}", "into {}"}},
		{"--image", {"with {}", "using {}", "from {}"}}, {"--tag", {"as {}"}},
		{"--name", {"as {}", "called {}"}}, {"--url", {"at {}", "against {}"}}};

	for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
		for (size_t k = 0; k < 4 && !strcmp(item->option->name, bare[i].name); k++)
			if (bare[i].clauses[k])
				phrase_add(&item->clauses, arena, bare[i].clauses[k], 3);
}

/* A description such as "Restart on file changes." is an imperative already. */
static void add_description(struct synth_item *item, const char *description, struct arena *arena)
{
	struct buf text = {0};
	size_t end = strcspn(description, ".;:(,\n");

	if (end > 3 && end < 70) {
		buf_add(&text, description, end);
		while (text.len && text.data[text.len - 1] == ' ')
			text.data[--text.len] = '\0';
		if (text.len > 1 && islower((unsigned char)text.data[1]))
			text.data[0] = (char)tolower((unsigned char)text.data[0]);
		if (phrase_form_of(text.data) == PHRASE_VERB)
			phrase_add(&item->clauses, arena, text.data,
				item->clauses.n ? 2 * WEIGHT_MADE : WEIGHT_SAYS);
	}
	buf_release(&text);
}

/* "don't pull" after "it should" is "not pull"; after "make it" it is "not pull" too. */
/* Length of "don't " or "do not " at the beginning of a phrase; 0: none. */
static size_t forbids(const char *phrase)
{
	return !strncasecmp(phrase, "don't ", 6) ? 6 : !strncasecmp(phrase, "do not ", 7) ? 7 : 0;
}

static void wrap_imperatives(struct synth_item *item, struct arena *arena)
{
	unsigned n = item->clauses.n;
	struct buf text = {0}, verb = {0};

	for (unsigned i = 0; i < n; i++) {
		const char *phrase = item->clauses.at[i].text;
		size_t forbidding = forbids(phrase);

		if (item->clauses.at[i].form != PHRASE_VERB || !strncasecmp(phrase, "please", 6) ||
			strstr(phrase, " me ") || strstr(phrase, "make sure") ||
			!strncasecmp(phrase, "just ", 5) || !strncasecmp(phrase, "give ", 5) ||
			!strncasecmp(phrase, "also ", 5))
			continue;
		for (unsigned w = 0; w < words_flag_verb.n; w++) {
			const char *pattern = words_flag_verb.at[w];
			int plain = !strncmp(pattern, "please", 6) ||
				    !strncmp(pattern, "and ", 4) || !strncmp(pattern, "also ", 5);

			if (item->clauses.n >= CLAUSES_MAX)
				break;
			buf_clear(&verb);
			if (!plain && forbidding)
				buf_addf(&verb, "not %s", phrase + forbidding);
			else
				buf_adds(&verb, phrase);
			fill(pattern, verb.data, &text);
			phrase_add(&item->clauses, arena, text.data, WEIGHT_MADE);
		}
	}
	buf_release(&text);
	buf_release(&verb);
}

static void add_flag_names(struct synth_item *item, struct arena *arena)
{
	static const char *const on[] = {"with %n", "%n on", "turn on %n", "enable %n",
		"with %n on", "%n mode", "in %n mode", "switch on %n", "with %n enabled",
		"%n enabled"};
	static const char *const off[] = {"no %n", "%n off", "turn off %n", "disable %n",
		"with %n off", "without %n", "with %n disabled", "switch off %n"};
	const char *noun = item->noun;
	int negative = !strncmp(noun, "no ", 3) || !strncmp(noun, "without ", 8);
	const char *bare = negative ? strchr(noun, ' ') + 1 : noun;
	size_t n = negative ? sizeof off / sizeof *off : sizeof on / sizeof *on;
	struct buf text = {0};
	unsigned weight = item->clauses.n ? WEIGHT_MADE : 3;

	/* A verb ("--wait", "--allow-x") makes no noun: "with wait" is no English. */
	if (phrase_verb(bare) && !negative) {
		phrase_add(&item->clauses, arena, bare, weight);
	} else {
		for (size_t i = 0; i < n; i++) {
			fill(negative ? off[i] : on[i], bare, &text);
			phrase_add(&item->clauses, arena, text.data, weight);
		}
	}
	buf_release(&text);
}

static void add_spelling(struct synth_item *item, struct arena *arena)
{
	static const char *const flag[] = {"%n", "with %n", "use %n"};
	static const char *const value[] = {"%n {}", "with %n {}", "use %n {}", "set %n to {}"};
	struct buf text = {0};

	for (size_t i = 0; i < (item->argument ? 4 : 3); i++) {
		fill(item->argument ? value[i] : flag[i], item->option->name, &text);
		phrase_add(&item->clauses, arena, text.data, WEIGHT_SPELLING);
	}
	buf_release(&text);
}

/* Whether a noun phrase can stand in the clause's slot: "from {}", not "in {} mode". */
static int slot_is_open(const struct phrase *p)
{
	static const char *const before[] = {"from", "for", "in", "on", "to", "of", "as", "with",
		"using", "at", "into", "is", "be", "take", "use", "only", "just", "want", "{}"};
	const char *word;

	if (!p->slot || p->slot[2])
		return 0;
	if (p->slot < p->text + 2)
		return 0;
	word = p->slot - 1;
	while (word > p->text && word[-1] != ' ')
		word--;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		if (!strncasecmp(word, before[i], strlen(before[i])) &&
			word[strlen(before[i])] == ' ')
			return 1;
	return 0;
}

static void add_accepted(struct synth_item *item, struct phrase_list *list,
	const struct accepted_value *value, struct arena *arena)
{
	static const char *const alone[] = {
		"with %s", "I want %s", "use %s", "using %s", "it should be %s", "%s"};
	struct buf text = {0};

	for (const char *const *s = value->says; s && *s; s++) {
		enum phrase_form form = phrase_form_of(*s);

		phrase_add(list, arena, *s, 2);
		if (form == PHRASE_VERB || form == PHRASE_ADVERB || form == PHRASE_SENTENCE)
			continue;
		for (unsigned i = 0; i < item->clauses.n && list->n < VALUE_CLAUSES_MAX; i++) {
			const struct phrase *p = &item->clauses.at[i];

			if (!slot_is_open(p) || p->weight < WEIGHT_SAYS)
				continue;
			buf_clear(&text);
			buf_add(&text, p->text, (size_t)(p->slot - p->text));
			buf_adds(&text, *s);
			phrase_add(list, arena, text.data, 2);
		}
		for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
			fill(alone[i], *s, &text);
			phrase_add(list, arena, text.data, 1);
		}
	}
	buf_release(&text);
}

/* Whether another option of the command has the phrasing too, at least as plainly,
 * and takes values of the same kind. */
static int is_ambiguous(const struct synth_command *c, unsigned a, const struct phrase *mine)
{
	for (unsigned b = 0; b < c->n_items; b++) {
		const struct phrase_list *other = &c->items[b].clauses;

		if (b == a || (c->items[a].argument && c->items[b].argument &&
				      c->items[a].value.kind != c->items[b].value.kind))
			continue;
		for (unsigned j = 0; j < other->n; j++)
			if (mine->weight <= other->at[j].weight &&
				!strcasecmp(other->at[j].text, mine->text))
				return 1;
	}
	return 0;
}

/* Two options of one command with one phrasing are told apart only where their
 * values differ in kind; else neither may be said that way. */
static void drop_ambiguous(struct synth_command *c)
{
	unsigned char **drop = xcalloc(c->n_items + 1, sizeof *drop);

	for (unsigned a = 0; a < c->n_items; a++) {
		drop[a] = xcalloc(c->items[a].clauses.n + 1, 1);
		for (unsigned i = 0; i < c->items[a].clauses.n; i++)
			drop[a][i] = (unsigned char)is_ambiguous(c, a, &c->items[a].clauses.at[i]);
	}
	for (unsigned a = 0; a < c->n_items; a++) {
		phrase_prune(&c->items[a].clauses, drop[a]);
		free(drop[a]);
	}
	free(drop);
}

static void says_of_item(struct synth_item *item, struct arena *arena)
{
	const char *const *says = item->option ? item->option->says : item->argument->says;
	struct buf text = {0};

	for (; says && *says; says++) {
		const char *s = !strncasecmp(*says, "and ", 4) ? *says + 4 : *says;

		buf_clear(&text);
		buf_adds(&text, s);
		if (item->argument && !strstr(s, "{}") &&
			!(item->option && item->option->optional_value))
			buf_adds(&text, " {}");
		phrase_add(&item->clauses, arena, text.data, WEIGHT_SAYS);
	}
	buf_release(&text);
}

static const char *with_slot(const char *name, struct arena *arena)
{
	size_t len = strlen(name);
	char *text = arena_alloc(arena, len + 4);

	memcpy(text, name, len);
	memcpy(text + len, " {}", 4);
	return text;
}

void phrases_of_items(struct synth_command *c, struct arena *arena)
{
	for (unsigned i = 0; i < c->n_items; i++) {
		struct synth_item *item = &c->items[i];
		const char *name = item->option ? item->option->name : item->argument->name;

		item->noun = noun_of(name, arena);
		says_of_item(item, arena);
		if (item->option && !item->argument) {
			add_description(item, item->option->description, arena);
			wrap_imperatives(item, arena);
			add_flag_names(item, arena);
		} else if (!(item->argument->passthrough && item->clauses.n)) {
			add_value_clauses(item, arena);
			if (item->option)
				add_bare(item, arena);
		}
		if (item->option)
			add_spelling(item, arena);
	}
	drop_ambiguous(c);
	for (unsigned i = 0; i < c->n_items; i++) {
		struct synth_item *item = &c->items[i];
		size_t n = item->argument ? item->argument->n_accepted : 0;
		struct buf key = {0};

		item->value_clauses =
			n ? arena_zalloc(arena, n * sizeof *item->value_clauses) : NULL;
		for (size_t v = 0; v < n; v++) {
			add_accepted(
				item, &item->value_clauses[v], &item->argument->accepted[v], arena);
			buf_clear(&key);
			buf_addf(&key, "value%s=%s", strchr(item->key, '.'),
				item->argument->accepted[v].value);
			phrase_finish(&item->value_clauses[v], arena, key.data);
		}
		if (!item->clauses.n) /* all were ambiguous: its own name is not */
			phrase_add(&item->clauses, arena,
				item->option
					? (item->argument ? with_slot(item->option->name, arena)
							  : item->option->name)
					: "{}",
				1);
		phrase_finish(&item->clauses, arena, item->key);
		buf_release(&key);
	}
}
