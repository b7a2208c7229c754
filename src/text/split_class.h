/*
 * split_class.h - patterns of tokenizer.json for PCRE2.  `tokenizers` matches them by
 * Oniguruma, whose tables are of Unicode 16, and classifies digits by Rust's (Unicode
 * 17); PCRE2's are those of the system.  The characters that came after Unicode 14 are
 * added to the classes, so that words end at the same places everywhere.
 */
#ifndef TEXT_SPLIT_CLASS_H
#define TEXT_SPLIT_CLASS_H

#include <stddef.h>
#include "base/mem.h"

/* Appends pattern with its classes spelled out: \s without U+180E, \w, \d, \h (a
 * hexadecimal digit), and \p{...} of letters, marks, numbers, punctuation, symbols.
 * \P{...} and \W, \D, \H likewise, but within brackets they stay PCRE2's. */
void split_class_pattern(const char *pattern, struct buf *out);

/* What Rust's char::is_numeric says yes to, as a class in brackets. */
extern const char split_class_numeric[];

#endif
