/* measure.c - see measure.h. */
#include "help/measure.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word, *unit;
} units[] = {{"ns", "nanoseconds"}, {"nanoseconds", "nanoseconds"},
	{"microseconds", "microseconds"}, {"usec", "microseconds"}, {"ms", "milliseconds"},
	{"msec", "milliseconds"}, {"msecs", "milliseconds"}, {"millis", "milliseconds"},
	{"milliseconds", "milliseconds"}, {"sec", "seconds"}, {"secs", "seconds"},
	{"seconds", "seconds"}, {"mins", "minutes"}, {"minutes", "minutes"}, {"hours", "hours"},
	{"days", "days"}, {"weeks", "weeks"}, {"bytes", "bytes"}, {"kb", "kibibytes"},
	{"kib", "kibibytes"}, {"kilobytes", "kibibytes"}, {"kibibytes", "kibibytes"},
	{"mb", "mebibytes"}, {"mib", "mebibytes"}, {"megabytes", "mebibytes"},
	{"mebibytes", "mebibytes"}, {"gb", "gibibytes"}, {"gib", "gibibytes"},
	{"gigabytes", "gibibytes"}, {"gibibytes", "gibibytes"}};

/* The unit of a word of n letters; NULL: it is none. */
static const char *unit_of(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].word) == n && !strncasecmp(units[i].word, word, n))
			return units[i].unit;
	return NULL;
}

static size_t letters(const char *s)
{
	size_t n = 0;

	while (isalpha((unsigned char)s[n]))
		n++;
	return n;
}

/* TIMEOUT_SECONDS: the last word tells. */
static const char *of_metavar(const char *name)
{
	const char *last = name + strlen(name);

	while (last > name && isalpha((unsigned char)last[-1]))
		last--;
	return unit_of(last, strlen(last));
}

/* The unit behind a head that is no part of a word; closed: with a bracket, a comma or a
 * semicolon behind it. */
static const char *behind(const char *d, const char *head, int closed)
{
	size_t n = strlen(head);

	for (const char *s = strcasestr(d, head); s; s = strcasestr(s + 1, head)) {
		const char *word = s + n, *end = word + letters(word);
		const char *unit = unit_of(word, (size_t)(end - word));

		if (unit && (s == d || !isalnum((unsigned char)s[-1])) && *end != '-' &&
			(!closed || (*end && strchr(")],;", *end))))
			return unit;
	}
	return NULL;
}

/* "in seconds", "number of days", "(ms)". */
static const char *of_description(const char *d)
{
	const char *unit = behind(d, "in ", 0);

	if (!unit)
		unit = behind(d, "number of ", 0);
	if (!unit)
		unit = behind(d, "(", 1);
	return unit ? unit : behind(d, "[", 1);
}

void help_measure(struct help_value *v, const char *description)
{
	const char *named;

	if (v->n_choices ||
		(v->type != VALUE_STRING && v->type != VALUE_INTEGER && v->type != VALUE_NUMBER))
		return;
	named = of_metavar(v->name);
	v->unit = named ? named : of_description(description);
	if (named && v->type == VALUE_STRING)
		v->type = VALUE_NUMBER;
}
