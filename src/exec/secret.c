#include "exec/secret.h"

#include <ctype.h>
#include <string.h>

#include "base/hash.h"

enum {
	SHORTEST = 4,	 /* a shorter value is hidden as a word, not within texts */
	CUT_OFF_MIN = 12 /* so much of a value is hidden even where the rest is missing */
};

static const char *hidden(const char *value, size_t prefix, struct arena *arena)
{
	char hash[65];
	struct buf text = {0};
	const char *out;

	sha256_hex(value + prefix, strlen(value + prefix), hash);
	buf_add(&text, value, prefix);
	buf_addf(&text, "sha256:%s", hash);
	out = arena_strndup(arena, text.data, text.len);
	buf_release(&text);
	return out;
}

/* Does the word name the option, perhaps abbreviated, with other dashes or case? */
static int resembles(const char *word, size_t len, const char *name)
{
	size_t letters = 0;

	for (size_t i = 0; i < len; i++) {
		if (word[i] == '-' || word[i] == '_')
			continue;
		while (*name == '-' || *name == '_')
			name++;
		if (tolower((unsigned char)word[i]) != tolower((unsigned char)*name))
			return 0;
		name++;
		letters++;
	}
	return letters > 0;
}

enum match {
	NO_MATCH,
	LOOSE,
	EXACT
};

/* One spelling; *value: where the value begins in the word, 0: in the next one. */
static enum match spelling_match(const char *spelling, const char *word, size_t *value)
{
	size_t len = strlen(spelling), n = strcspn(word, "=");
	const char *letter;

	*value = word[n] == '=' ? n + 1 : 0;
	if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
		return NO_MATCH;
	if (n == len && strncmp(word, spelling, n) == 0)
		return EXACT;
	if (len > 2)
		return resembles(word, n, spelling) ? LOOSE : NO_MATCH;
	letter = word[1] != '-' ? strchr(word + 1, spelling[1]) : NULL;
	if (!letter)
		return NO_MATCH;
	*value = letter[1] ? (size_t)(letter + 1 - word) : 0;
	return letter == word + 1 ? EXACT : LOOSE;
}

static enum match option_match(const struct option *o, const char *word, size_t *value)
{
	enum match best = spelling_match(o->name, word, value);

	for (size_t i = 0; o->aliases[i] && best != EXACT; i++) {
		size_t at;
		enum match match = spelling_match(o->aliases[i], word, &at);

		if (match > best) {
			best = match;
			*value = at;
		}
	}
	return best;
}

struct search {
	const char *word;
	const struct option *secret; /* the best match so far */
	enum match match;
	size_t value;
	int is_other; /* the exact name of an option that is not secret */
};

static void search_command(struct search *s, const struct command *c)
{
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option *o = c->options[i];
		size_t value;
		enum match match = option_match(o, s->word, &value);

		if (!o->secret) {
			s->is_other |= match == EXACT;
		} else if (match > s->match) {
			s->match = match;
			s->secret = o;
			s->value = value;
		}
	}
}

static void search_word(struct search *s, const struct spec *spec, const struct command *command)
{
	if (command)
		search_command(s, command);
	for (size_t i = 0; !command && i < spec->n_commands; i++)
		search_command(s, spec->commands[i]);
	if (s->match == LOOSE && (command || s->is_other))
		s->secret = NULL;
}

/* How many of the words behind the option are its value. */
static int words_taken(const struct option *o, int argc, const char *const *argv)
{
	int most = o->argument ? o->argument->max_count : 1, n = 0;

	while (n < argc && (most < 0 || n < most)) {
		/* What may be left out is no option. */
		if ((most < 0 || o->optional_value) && argv[n][0] == '-')
			break;
		n++;
	}
	return n;
}

static const char *hide_word(
	struct secrets *s, const char *word, size_t prefix, struct arena *arena)
{
	s->values[s->n++] = word + prefix;
	return hidden(word, prefix, arena);
}

void secrets_find(const struct spec *spec, const struct command *command, int argc,
	const char *const *argv, struct arena *arena, struct secrets *out)
{
	const char **words = arena_zalloc(arena, ((size_t)argc + 1) * sizeof *words);

	out->n = 0;
	out->values = arena_zalloc(arena, ((size_t)argc + 1) * sizeof *out->values);
	for (int i = 0; i < argc; i++) {
		struct search s = {.word = argv[i]};

		words[i] = argv[i];
		search_word(&s, spec, command);
		if (!s.secret)
			continue;
		if (s.value) {
			words[i] = hide_word(out, argv[i], s.value, arena);
			continue;
		}
		for (int n = words_taken(s.secret, argc - i - 1, argv + i + 1); n > 0; n--) {
			i++;
			words[i] = hide_word(out, argv[i], 0, arena);
		}
	}
	out->argv = words;
}

/* How much of the text at this place is a value, or the beginning of one. */
static size_t quoted(const struct secrets *s, const char *text, size_t *which)
{
	size_t longest = 0;

	for (size_t i = 0; i < s->n; i++) {
		const char *value = s->values[i];
		size_t len = strlen(value), same = 0;

		while (same < len && text[same] == value[same])
			same++;
		if (len < SHORTEST || (same < len && same < CUT_OFF_MIN) || same <= longest)
			continue;
		longest = same;
		*which = i;
	}
	return longest;
}

const char *secrets_hide(const struct secrets *secrets, const char *text, struct arena *arena)
{
	struct buf out = {0};
	const char *kept;

	while (*text) {
		size_t which = 0, len = quoted(secrets, text, &which);

		if (len)
			buf_adds(&out, hidden(secrets->values[which], 0, arena));
		else
			buf_addc(&out, *text);
		text += len ? len : 1;
	}
	kept = arena_strndup(arena, out.data ? out.data : "", out.len);
	buf_release(&out);
	return kept;
}
