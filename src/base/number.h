/* number.h - numbers from text: whole, in range, or an error; never clamped. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/error.h"

/* Decimal integer with min <= value <= max, no blanks around it.  0, or -1. */
int number_integer(
	const char *text, long long min, long long max, long long *value, struct error *err);

/* Finite decimal number with min <= value <= max.  0, or -1. */
int number_real(const char *text, double min, double max, double *value, struct error *err);

#endif
