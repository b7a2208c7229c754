/*
 * ground.h - does what an argv states follow from the request?
 *
 * A value is grounded where the request
 *   - holds it literally, bounded on both sides: not as a part of a longer word,
 *     number, path, address or version (quotes around it and punctuation behind
 *     it do not count, nor a `~` or a currency sign before a number);
 *   - holds it as a number with thousands separators (8,123 for 8123), with its
 *     unit apart (512 MB for 512MB), or in English words (eight thousand);
 *   - holds it as a quantity in another unit, where the spec says what the argument
 *     counts (two minutes for 120, see quantity.h); digits of such a quantity are
 *     then no values of their own;
 *   - where the spec lists the value (accepted, default, example): says one of
 *     its `says` phrases, or the value's own words (my app for my-app), in
 *     whatever case.
 * Options without a value, and which option a value belongs to, are not judged.
 */
#ifndef TEXT_GROUND_H
#define TEXT_GROUND_H

#include <stddef.h>
#include "cli/verify.h"

/* 1 where the request (plain, see words_plain) holds the value literally,
 * bounded.  fold: ASCII case does not count. */
int ground_literal(const char *request, size_t len, const char *value, int fold);

/* 1 where one value of an argument is grounded as described above. */
int ground_value(
	const char *request, size_t len, const struct argument *argument, const char *value);

/* The first value of m that is not grounded, NULL where all are; *item is what
 * states it. */
const char *ground_check(
	const char *request, size_t len, const struct meaning *m, const struct meaning_item **item);

#endif
