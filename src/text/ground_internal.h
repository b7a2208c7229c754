/* ground_internal.h - where values may begin and end; shared within text/. */
#ifndef TEXT_GROUND_INTERNAL_H
#define TEXT_GROUND_INTERNAL_H

#include <stddef.h>

/* 1 where text[at] is not the middle of something that began before it; first is the
 * first byte of the value. */
int ground_bounded_left(const char *text, size_t at, unsigned char first);
/* 1 where what ends before text[to] does not go on; last is the value's last byte. */
int ground_bounded_right(const char *text, size_t len, size_t to, unsigned char last);

#endif
