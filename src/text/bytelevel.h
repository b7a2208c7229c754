/*
 * bytelevel.h - GPT-2's reversible table between bytes and printable characters
 * (openai/gpt-2, encoder.py, bytes_to_unicode): a printable Latin-1 byte stands
 * for itself, the n-th other one is U+0100 + n.
 */
#ifndef TEXT_BYTELEVEL_H
#define TEXT_BYTELEVEL_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

uint32_t bytelevel_char(unsigned char byte);
int bytelevel_byte(int32_t code); /* -1: not in the table */

/* Appends the characters of bytes. */
void bytelevel_encode(const char *bytes, size_t len, struct buf *out);
/* Appends the bytes of text: 0; -1, and nothing added, where a character is not
 * in the table. */
int bytelevel_decode(const char *text, size_t len, struct buf *out);

#endif
