/*
 * quantity.h - amounts of time, of memory, and of things that a request states, and
 * what they come to in the unit of an argument: two minutes are 120 seconds.
 */
#ifndef TEXT_QUANTITY_H
#define TEXT_QUANTITY_H

#include <stddef.h>
#include <stdint.h>
#include "cli/spec.h"

enum quantity_kind {
	QUANTITY_TIME,	/* two minutes, 1.5 h, half an hour, 1h30m, a minute and a half */
	QUANTITY_SIZE,	/* half a gig, 512 MB, two mebibytes */
	QUANTITY_COUNT, /* a dozen, two dozen, a couple, 5k, 1.5 million */
};

enum {
	QUANTITIES_MAX = 16,	/* in a request: more are not looked for */
	QUANTITY_TEXT_MAX = 40, /* bytes of a value, its NUL included */
	QUANTITY_DECIMALS = 3
};

struct quantity {
	size_t from, to; /* bytes of the request */
	enum quantity_kind kind;
	int64_t milli;	/* thousandths of the unit */
	enum unit unit; /* as it was said; of a count none */
	int colloquial; /* a size that people mean in 1000s or in 1024s: as the tool counts */
	int64_t more;	/* nanoseconds of smaller units behind it */
};

/* The quantities of a request that may state a value of the argument: those of time or
 * size where the spec says that it counts them, and counts that are not part of such a
 * one.  Their number. */
size_t quantities_find(const struct argument *a, const char *text, size_t len,
	struct quantity quantities[QUANTITIES_MAX]);

/* The one value that a quantity comes to: in the unit that was said where the argument
 * has it, else in the largest one in which it is whole, smaller ones first.  Sizes are
 * counted in 1024s unless the argument has decimal units (kilobytes ...).  0 where there
 * is none.  Whether it fits type and range is not looked at. */
int quantity_value(
	const struct argument *a, const struct quantity *q, char value[QUANTITY_TEXT_MAX]);

/* 1 where value is a bare number that a quantity must not lend its digits to: in "two
 * minutes" there is no 2 for an argument that counts seconds. */
int quantity_hides(const struct argument *a, const char *value);

#endif
