/*
 * unit.h - units of time and size that a value is counted in.
 *
 * An argument's `unit` metadata is the name of a unit, where its values are bare numbers
 * ("seconds"), or an object of suffixes: {"": "bytes", "k": "kibibytes", "m": "mebibytes"}.
 */
#ifndef CLI_UNIT_H
#define CLI_UNIT_H

#include <stdint.h>

enum unit {
	UNIT_NANOSECONDS,
	UNIT_MICROSECONDS,
	UNIT_MILLISECONDS,
	UNIT_SECONDS,
	UNIT_MINUTES,
	UNIT_HOURS,
	UNIT_DAYS,
	UNIT_WEEKS,
	UNIT_BYTES, /* from here on sizes */
	UNIT_KILOBYTES,
	UNIT_MEGABYTES,
	UNIT_GIGABYTES,
	UNIT_TERABYTES,
	UNIT_KIBIBYTES,
	UNIT_MEBIBYTES,
	UNIT_GIBIBYTES,
	UNIT_TEBIBYTES,
	UNIT_COUNT
};

extern const char *const unit_names[]; /* NULL-terminated, by enum unit */

/* One way in which values of an argument are written. */
struct unit_suffix {
	const char *suffix; /* behind the number; "": a bare number */
	enum unit unit;
};

static inline int unit_is_size(enum unit unit)
{
	return unit >= UNIT_BYTES;
}

/* Nanoseconds or bytes. */
int64_t unit_factor(enum unit unit);

#endif
