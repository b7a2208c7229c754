/* section.h - titles of sections, and what they announce. */
#ifndef HELP_SECTION_H
#define HELP_SECTION_H

#include "help/entry.h"

/* The line is a title; next: the following line that is not empty, or NULL. */
int help_is_title(const struct help_line *line, const struct help_line *next);
enum help_section help_section_kind(const char *title);

#endif
