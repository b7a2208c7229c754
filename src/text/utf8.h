/* utf8.h - UTF-8: decoding, validity, and the few Unicode classes that we need. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

/* Decodes the character at s (len > 0 bytes left): its code point and, in *size,
 * its length; -1 and *size = 1 for a byte that is not valid UTF-8 there. */
int32_t utf8_decode(const char *s, size_t len, size_t *size);
/* Writes code as UTF-8 (at most 4 bytes); its length. */
size_t utf8_encode(uint32_t code, char out[4]);
/* Offset of the first byte that is not valid UTF-8, or len. */
size_t utf8_valid(const char *s, size_t len);
/* Appends s with U+FFFD in place of each maximal ill-formed part (Unicode
 * standard, chapter 3, table 3-8; what Rust's from_utf8_lossy does). */
void utf8_repair(const char *s, size_t len, struct buf *out);

/* White space of Unicode (the property White_Space). */
int utf8_is_space(int32_t code);
/* Simple lower case of Latin, Greek, Cyrillic and Armenian capitals; other
 * code points are returned as they are. */
int32_t utf8_lower(int32_t code);

#endif
