/* unit.c - see unit.h. */
#include "cli/unit.h"

#include <stddef.h>

const char *const unit_names[] = {"nanoseconds", "microseconds", "milliseconds", "seconds",
	"minutes", "hours", "days", "weeks", "bytes", "kilobytes", "megabytes", "gigabytes",
	"terabytes", "kibibytes", "mebibytes", "gibibytes", "tebibytes", NULL};

int64_t unit_factor(enum unit unit)
{
	static const int64_t factors[UNIT_COUNT] = {
		[UNIT_NANOSECONDS] = 1,
		[UNIT_MICROSECONDS] = 1000,
		[UNIT_MILLISECONDS] = 1000000,
		[UNIT_SECONDS] = 1000000000,
		[UNIT_MINUTES] = 60 * INT64_C(1000000000),
		[UNIT_HOURS] = 3600 * INT64_C(1000000000),
		[UNIT_DAYS] = 86400 * INT64_C(1000000000),
		[UNIT_WEEKS] = 604800 * INT64_C(1000000000),
		[UNIT_BYTES] = 1,
		[UNIT_KILOBYTES] = 1000,
		[UNIT_MEGABYTES] = 1000000,
		[UNIT_GIGABYTES] = 1000000000,
		[UNIT_TERABYTES] = INT64_C(1000000000000),
		[UNIT_KIBIBYTES] = INT64_C(1) << 10,
		[UNIT_MEBIBYTES] = INT64_C(1) << 20,
		[UNIT_GIBIBYTES] = INT64_C(1) << 30,
		[UNIT_TEBIBYTES] = INT64_C(1) << 40,
	};

	return factors[unit];
}
