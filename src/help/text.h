/*
 * text.h - help as a program printed it, made into plain lines: without escape
 * sequences, overstrikes, boxes and tabs.
 */
#ifndef HELP_TEXT_H
#define HELP_TEXT_H

#include <stddef.h>
#include "base/mem.h"

/* A stranger's text: what is beyond these is left out, and said so. */
enum {
	HELP_BYTES_MAX = 1 << 20,
	HELP_LINES_MAX = 20000,
	HELP_WIDTH_MAX = 2000 /* bytes of a line */
};

struct help_line {
	const char *text; /* from the first character that is no blank; "" where empty */
	size_t indent;	  /* columns before it; a character that is not ASCII counts one */
	size_t number;	  /* in the text as printed, from 1 */
	int boxed;	  /* stood between the bars of a box */
	int title;	  /* stood in the upper edge of a box */
};

struct help_text {
	struct arena arena;
	struct help_line *lines;
	size_t n_lines;
	int cut; /* something was left out: too long */
};

/* Reads len bytes of anything.  Release with help_text_release(). */
void help_text_read(struct help_text *text, const char *data, size_t len);
void help_text_release(struct help_text *text);

/* Columns of the first len bytes of UTF-8 text. */
size_t help_columns(const char *text, size_t len);

#endif
