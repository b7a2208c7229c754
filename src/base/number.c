#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int number_integer(
	const char *text, long long min, long long max, long long *value, struct error *err)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (!*text || isspace((unsigned char)*text) || *end || end == text)
		return error_set(err, EXIT_USAGE, "'%s' is not a whole number", text);
	if (errno == ERANGE || n < min || n > max)
		return error_set(err, EXIT_USAGE, "%s is not within %lld to %lld", text, min, max);
	*value = n;
	return 0;
}

int number_real(const char *text, double min, double max, double *value, struct error *err)
{
	char *end;
	double x;

	x = strtod(text, &end);
	/* strtod() would take hexadecimal, "inf", "nan" and leading blanks too. */
	if (strspn(text, "0123456789+-.eE") != strlen(text) || *end || end == text || !isfinite(x))
		return error_set(err, EXIT_USAGE, "'%s' is not a number", text);
	if (!(x >= min && x <= max))
		return error_set(err, EXIT_USAGE, "%s is not within %g to %g", text, min, max);
	*value = x;
	return 0;
}
