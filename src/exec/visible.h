/*
 * visible.h - text from strangers, made fit to be shown on a terminal: what is
 * written is printable ASCII only, so that nothing can hide, move or repaint.
 */
#ifndef EXEC_VISIBLE_H
#define EXEC_VISIBLE_H

#include <stddef.h>
#include "base/mem.h"

/* What a text held besides printable ASCII. */
enum visible_kind {
	VISIBLE_CONTROL = 1,   /* C0, DEL, C1 */
	VISIBLE_DIRECTION = 2, /* bidirectional marks, overrides and isolates */
	VISIBLE_INVISIBLE = 4, /* zero-width characters, tags, variation selectors, odd blanks */
	VISIBLE_FOREIGN = 8,   /* any other character beyond ASCII: look-alikes among them */
	VISIBLE_INVALID = 16,  /* bytes that are not UTF-8 */
	VISIBLE_BLANKS = 32    /* visible_shell() only: at an end, or several in a row */
};

/* Appends the text between double quotes: \" and \\ escaped, every character that
 * is not printable ASCII as \u{HEX}, every byte that is not UTF-8 as \x{HH}.
 * Different texts never look alike.  Returns the kinds found (0: plain). */
unsigned visible_quoted(struct buf *out, const char *text, size_t len);

/* The same without the quotes around. */
unsigned visible_plain(struct buf *out, const char *text, size_t len);

/* Names the kinds found, in words, comma-separated. */
void visible_kinds(struct buf *out, unsigned kinds);

/* Appends a word exactly as a person would have to type it in bash, zsh or ksh (in a
 * UTF-8 locale): bare where nothing needs quoting, else '...', else $'...' with \n, \t,
 * \r, \OOO, \uHHHH and \UHHHHHHHH for all that is not printable ASCII.  For reading only,
 * nothing is ever passed to a shell.  Different words never look alike.  Returns the
 * kinds found. */
unsigned visible_shell(struct buf *out, const char *word);

/* One character (size bytes, as utf8_decode() says) that a terminal shows as it is:
 * printable ASCII, or a letter or sign of another script. */
int visible_harmless(const char *text, size_t size);

#endif
