#include "synth/leftovers.h"

#include <string.h>

#include "text/words.h"

static int name_byte(unsigned char c)
{
	return (c < 0x80 && byte_in_word(c)) || c == '.' || c == '-';
}

/* Length of a name between open and close at s (of len bytes), both included;
 * 0 where it is none.  empty: no name is needed. */
static size_t bracketed(const char *s, size_t len, char close, int empty)
{
	size_t n = 1;

	while (n < len && n < 64 && name_byte((unsigned char)s[n]))
		n++;
	if (n == len || s[n] != close || (n == 1 && !empty))
		return 0;
	return n + 1;
}

static size_t slot_at(const char *s, size_t len)
{
	size_t n;

	switch (*s) {
	case '{':
		return bracketed(s, len, '}', 1);
	case '<':
		return bracketed(s, len, '>', 0);
	case '%':
		if (len > 1 && s[1] == '(') {
			n = bracketed(s + 1, len - 1, ')', 0);
			return n && n + 1 < len && strchr("sdifr", s[n + 1]) ? n + 2 : 0;
		}
		if (len > 1 && strchr("sdr", s[1]) &&
			(len == 2 || !byte_in_word((unsigned char)s[2])))
			return 2;
	}
	return 0;
}

/* Punctuation and blanks at s that a careful writer does not leave. */
static size_t seam_at(const char *request, const char *s, size_t len, const char **what)
{
	if (*s == ' ') {
		*what = "blank too many";
		if (len == 1 || s == request)
			return 1;
		/* " ." may well be the directory. */
		return s[1] == ' ' || s[1] == ',' ? 2 : 0;
	}
	if (len < 2)
		return 0;
	*what = "empty place";
	if ((*s == '"' && s[1] == '"') || (*s == '\'' && s[1] == '\'') ||
		(*s == '(' && s[1] == ')') || (*s == '[' && s[1] == ']')) {
		/* f() and it''s are spelled so by people */
		return s > request && byte_in_word((unsigned char)s[-1]) ? 0 : 2;
	}
	*what = "punctuation twice";
	return *s == ',' && strchr(",.?", s[1]) ? 2 : 0;
}

static int in_argv(const char *text, size_t len, int argc, const char *const *argv)
{
	for (int i = 0; i < argc; i++) {
		if (memmem(argv[i], strlen(argv[i]), text, len))
			return 1;
	}
	return 0;
}

static int may_repeat(const char *word, size_t len)
{
	static const char *const usual[] = {
		"that", "had", "very", "really", "please", "no", "so", "again", "bye", "never"};

	for (size_t i = 0; i < len; i++) {
		unsigned char c = byte_lower((unsigned char)word[i]);

		if (c < 'a' || c > 'z')
			return 1;
	}
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		if (word_is(word, len, usual[i]))
			return 1;
	}
	return 0;
}

/* A word said twice with nothing but one blank between. */
static const char *doubled(
	const char *request, size_t len, int argc, const char *const *argv, size_t *found_len)
{
	const char *last = NULL, *word;
	size_t at = 0, last_len = 0, word_len, code = 0;
	int in_code = 0;

	while ((word = words_next(request, len, &at, &word_len))) {
		/* `npm run run` is for the shell to judge. */
		for (; request + code < word; code++)
			in_code ^= request[code] == '`';
		if (last && !in_code && last_len == word_len && last + last_len + 1 == word &&
			strncasecmp(last, word, word_len) == 0 && !may_repeat(word, word_len)) {
			char lower[64] = "";

			for (size_t i = 0; i < word_len && word_len < sizeof lower; i++)
				lower[i] = (char)byte_lower((unsigned char)word[i]);
			if (!in_argv(word, word_len, argc, argv) &&
				!in_argv(lower, strlen(lower) ? word_len : 0, argc, argv)) {
				*found_len = word_len * 2 + 1;
				return last;
			}
		}
		last = word;
		last_len = word_len;
	}
	return NULL;
}

const char *leftover_find(const char *request, size_t len, int argc, const char *const *argv,
	size_t *found_len, const char **what)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)request[i];
		size_t n;

		if (byte_in_word(c))
			continue;
		n = slot_at(request + i, len - i);
		*what = "unfilled slot";
		if (n == 0)
			n = seam_at(request, request + i, len - i, what);
		if (n && !in_argv(request + i, n, argc, argv)) {
			*found_len = n;
			return request + i;
		}
		if (n)
			i += n - 1;
	}
	*what = "word twice";
	return doubled(request, len, argc, argv, found_len);
}
