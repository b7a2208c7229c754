/* reword.c - see reword.h. */
#include "synth/reword.h"

#include <string.h>
#include "synth/phrase.h"

int reword_without(const char *text, struct buf *out)
{
	const char *verb;

	if (!strncasecmp(text, "please ", 7))
		text += 7;
	if (!strncasecmp(text, "don't ", 6))
		verb = text + 6;
	else if (!strncasecmp(text, "do not ", 7))
		verb = text + 7;
	else
		return 0;
	/* "don't bother to", "don't you": only what makes a gerund. */
	if (!phrase_verb(verb) || !strncasecmp(verb, "let ", 4) || strchr(verb, ','))
		return 0;
	buf_adds(out, "without ");
	phrase_gerund(verb, out);
	return 1;
}

int reword_verb_last(const char *text, struct buf *out)
{
	static const char *const first[] = {
		"the ", "a ", "an ", "my ", "our ", "this ", "all ", "every ", "{} "};
	static const char *const not_verbs[] = {"don't", "do", "make", "let", "have", "be", "never",
		"give", "please", "also", "just", "and"};
	size_t verb = strcspn(text, " ");
	const char *rest;

	if (!text[verb] || phrase_verb(text) != verb || strpbrk(text, ",;:(="))
		return 0;
	for (size_t i = 0; i < sizeof not_verbs / sizeof *not_verbs; i++)
		if (strlen(not_verbs[i]) == verb && !strncasecmp(text, not_verbs[i], verb))
			return 0;
	rest = text + verb + 1;
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		if (strncasecmp(rest, first[i], strlen(first[i])) != 0)
			continue;
		if (strstr(rest, " and "))
			return 0;
		buf_addf(out, "%s %.*s", rest, (int)verb, text);
		return 1;
	}
	return 0;
}
