/* phrase_form.c - what an English phrase is, told by its first words. */
#include <ctype.h>
#include <string.h>
#include "synth/phrase.h"
#include "synth/english.h"

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (s[n] && !isspace((unsigned char)s[n]) && s[n] != ',' && s[n] != ':')
		n++;
	return n;
}

static int in_words(const struct words *w, const char *word, size_t len)
{
	for (unsigned i = 0; i < w->n; i++)
		if (strlen(w->at[i]) == len && !strncasecmp(w->at[i], word, len))
			return 1;
	return 0;
}

static int starts_with_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncasecmp(text, word, len) && (!text[len] || text[len] == ' ');
}

int phrase_verb_class(const char *verb, size_t len)
{
	for (unsigned c = 0; c < n_verb_classes; c++)
		if (strlen(verb_classes[c].verbs[0]) == len &&
			!strncasecmp(verb_classes[c].verbs[0], verb, len))
			return (int)c;
	for (unsigned c = 0; c < n_verb_classes; c++)
		for (const char *const *v = verb_classes[c].verbs; *v; v++)
			if (strlen(*v) == len && !strncasecmp(*v, verb, len))
				return (int)c;
	return -1;
}

size_t phrase_verb(const char *text)
{
	size_t best = 0, len;

	for (unsigned i = 0; i < words_phrasal.n; i++)
		if (starts_with_word(text, words_phrasal.at[i])) {
			len = strlen(words_phrasal.at[i]);
			best = len > best ? len : best;
		}
	if (best)
		return best;
	len = word_length(text);
	return in_words(&words_verb, text, len) ? len : 0;
}

/* Whether a finite verb stands in the text: then it is a sentence. */
static int is_finite(const char *text)
{
	static const char *const finite[] = {" should ", " must ", " is ", " are ", " lives ",
		" has ", " needs ", " will ", " can ", " would ", " means ", " gets ", " goes ",
		" comes ", " come ", " wants ", " have "};
	const char *first = NULL, *at;

	for (size_t i = 0; i < sizeof finite / sizeof *finite; i++) {
		at = strstr(text, finite[i]);
		if (at && (!first || at < first))
			first = at;
	}
	for (const char *const *w = (const char *const[]){" whose ", " that ", " which ", " where ",
		     " when ", NULL};
		first && *w; w++) {
		at = strstr(text, *w);
		if (at && at < first)
			return 0;
	}
	return first != NULL;
}

static int is_question(const char *text)
{
	static const char *const first[] = {"what", "which", "how", "is", "are", "does", "do you",
		"can", "who", "where", "when", "why", "did", "has", "have you", "was", "were",
		"what's", "who's"};

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (starts_with_word(text, first[i]))
			return !strstr(text, "{}"); /* "where the port is {}" asks nothing */
	return 0;
}

static int is_participle(const char *word, size_t len)
{
	static const char *const not_participles[] = {"bring", "ping", "string", "nothing",
		"everything", "something", "need", "feed", "embed", "seed", "speed", "bed", "ring",
		"thing", "king", "red", "sing", "anything", "debugging", "logging"};

	for (size_t i = 0; i < sizeof not_participles / sizeof *not_participles; i++)
		if (strlen(not_participles[i]) == len &&
			!strncasecmp(word, not_participles[i], len))
			return 0;
	return (len > 4 && !strncasecmp(word + len - 3, "ing", 3)) ||
	       (len > 4 && !strncasecmp(word + len - 2, "ed", 2));
}

enum phrase_form phrase_form_of(const char *text)
{
	size_t len = word_length(text);

	if (starts_with_word(text, "please"))
		return PHRASE_VERB;
	if (is_question(text))
		return PHRASE_QUESTION;
	if (in_words(&words_preposition, text, len))
		return !strncasecmp(text, "no ", 3) ? PHRASE_NOUN : PHRASE_ADVERB;
	if (is_participle(text, len))
		return PHRASE_ADVERB;
	if (in_words(&words_subject, text, len))
		return PHRASE_SENTENCE;
	if (phrase_verb(text) && !is_finite(text))
		return PHRASE_VERB;
	if (is_finite(text))
		return PHRASE_SENTENCE;
	return phrase_verb(text) ? PHRASE_VERB : PHRASE_NOUN;
}

/* Whether the last consonant is doubled before -ing. */
static int doubles(const char *verb, size_t len)
{
	static const char *const two[] = {"run", "set", "get", "put", "stop", "ship", "scan",
		"plan", "drop", "cut", "spin", "begin", "tag", "log", "let", "emit", "submit",
		"pin", "trim", "skip", "init", "shut", "pop", "grab", "wrap", "zip", "map", "kit",
		"quit", "split", "strip", "grep", "debug", "prep", "hit", "dig", "swap", "squat",
		"permit", "commit", "forget", "plot", "unzip", "step", "stub"};

	for (size_t i = 0; i < sizeof two / sizeof *two; i++)
		if (strlen(two[i]) == len && !strncasecmp(verb, two[i], len))
			return 1;
	return 0;
}

void phrase_gerund(const char *text, struct buf *out)
{
	size_t len = word_length(text);

	if (starts_with_word(text, "please") && text[6]) {
		phrase_gerund(text + 7, out);
		return;
	}
	if (starts_with_word(text, "don't") || starts_with_word(text, "do not")) {
		buf_adds(out, "not ");
		phrase_gerund(text + (text[2] == 'n' ? 6 : 7), out);
		return;
	}
	if (starts_with_word(text, "sanity") || starts_with_word(text, "double-check")) {
		len = text[0] == 's' ? strlen("sanity check") : strlen("double-check");
		buf_add(out, text, len);
	} else if (len > 2 && !strncasecmp(text + len - 2, "ie", 2)) {
		buf_add(out, text, len - 2);
		buf_addc(out, 'y');
	} else if (len > 2 && text[len - 1] == 'e' && text[len - 2] != 'e' &&
		   text[len - 2] != 'y') {
		buf_add(out, text, len - 1);
	} else {
		buf_add(out, text, len);
		if (doubles(text, len))
			buf_addc(out, text[len - 1]);
	}
	buf_adds(out, "ing");
	buf_adds(out, text + len);
}
