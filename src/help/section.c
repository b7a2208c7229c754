/* section.c - titles of sections. */
#include "help/section.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *word;
	enum help_section kind;
} title_words[] = {
	{"example", HELP_SECTION_IGNORED},
	{"environment", HELP_SECTION_IGNORED},
	{"exit status", HELP_SECTION_IGNORED},
	{"exit code", HELP_SECTION_IGNORED},
	{"see also", HELP_SECTION_IGNORED},
	{"option", HELP_SECTION_OPTIONS},
	{"flags", HELP_SECTION_OPTIONS},
	{"command", HELP_SECTION_COMMANDS},
	{"actions", HELP_SECTION_COMMANDS},
	{"verbs", HELP_SECTION_COMMANDS},
	{"argument", HELP_SECTION_ARGUMENTS},
	{"args", HELP_SECTION_ARGUMENTS},
	{"operands", HELP_SECTION_ARGUMENTS},
	{"parameters", HELP_SECTION_ARGUMENTS},
};

enum help_section help_section_kind(const char *title)
{
	for (size_t i = 0; i < sizeof title_words / sizeof *title_words; i++)
		if (strcasestr(title, title_words[i].word) &&
			/* "commit (see also: ...)" */
			(title_words[i].kind != HELP_SECTION_IGNORED ||
				(!strchr(title, '(') && !strcasestr(title, "command"))))
			return title_words[i].kind;
	return HELP_SECTION_OTHER;
}

static int is_upper_title(const char *s)
{
	int letters = 0;

	for (; *s; s++) {
		if (islower((unsigned char)*s) ||
			!strchr(" -/&:", *s) == !isalpha((unsigned char)*s))
			return 0;
		letters += isupper((unsigned char)*s) != 0;
	}
	return letters >= 3;
}

int help_is_title(const struct help_line *line, const struct help_line *next)
{
	size_t len = strlen(line->text);

	if (line->title)
		return 1;
	if (line->boxed || len == 0 || len > 120 || line->text[0] == '-' || line->indent > 2)
		return 0;
	if (line->text[len - 1] == ':')
		return next && strstr(line->text, "  ") == NULL && next->indent >= line->indent;
	if (line->indent > 0 || !next || next->indent == 0)
		return 0;
	/* Commands, OPTIONS, cobra's old USAGE; and git's sentences without an end above a
	 * list in two columns. */
	if (is_upper_title(line->text))
		return 1;
	return len < 80 && line->text[len - 1] != '.' && next->number == line->number + 1 &&
	       (help_section_kind(line->text) != HELP_SECTION_OTHER ||
		       (next->text[0] != '-' && strstr(next->text, "  ") != NULL));
}
