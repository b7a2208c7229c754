/* value.c - fits a word to an argument: accepted values, type, range, pattern. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/number_text.h"
#include "cli/value.h"

/* Limits on what a stranger's pattern may cost per value. */
enum {
	MATCH_LIMIT = 100000,
	MATCH_DEPTH = 10000,
	MATCH_HEAP_KIB = 4096
};

static void *memory_get(size_t size, void *arena)
{
	return arena_alloc(arena, size);
}

static void memory_put(void *memory, void *arena)
{
	(void)memory;
	(void)arena; /* goes with the arena */
}

int value_pattern_compile(struct argument *a, struct arena *arena, char *message, size_t size)
{
	pcre2_general_context *general =
		pcre2_general_context_create(memory_get, memory_put, arena);
	pcre2_compile_context *context = pcre2_compile_context_create(general);
	unsigned char text[200];
	PCRE2_SIZE at;
	int fault;

	a->pattern_code = pcre2_compile((PCRE2_SPTR)a->pattern, PCRE2_ZERO_TERMINATED,
		PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF | PCRE2_UCP |
			PCRE2_NEVER_BACKSLASH_C,
		&fault, &at, context);
	if (a->pattern_code)
		return 0;
	if (pcre2_get_error_message(fault, text, sizeof(text)) < 0)
		snprintf((char *)text, sizeof(text), "error %d", fault);
	snprintf(message, size, "%s at offset %zu", (char *)text, (size_t)at);
	return -1;
}

/* 1 match, 0 none, -1 where the pattern costs more than the limits allow. */
static int pattern_match(const struct argument *a, const char *text, struct arena *arena)
{
	pcre2_general_context *general =
		pcre2_general_context_create(memory_get, memory_put, arena);
	pcre2_match_context *context = pcre2_match_context_create(general);
	pcre2_match_data *data = pcre2_match_data_create(1, general);
	int rc;

	pcre2_set_match_limit(context, MATCH_LIMIT);
	pcre2_set_depth_limit(context, MATCH_DEPTH);
	pcre2_set_heap_limit(context, MATCH_HEAP_KIB);
	rc = pcre2_match(a->pattern_code, (PCRE2_SPTR)text, strlen(text), 0, PCRE2_NO_UTF_CHECK,
		data, context);
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	return rc >= 0 ? 1 : -1;
}

static enum verdict_code accepted_check(const struct argument *a, const char *text,
	const char **canonical, char *message, size_t size)
{
	struct nearest nearest = {0};

	for (size_t i = 0; i < a->n_accepted; i++)
		if (!strcmp(a->accepted[i].value, text) ||
			(a->ignore_case && !strcasecmp(a->accepted[i].value, text))) {
			*canonical = a->accepted[i].value;
			return VERDICT_OK;
		}
	for (size_t i = 0; i < a->n_accepted; i++)
		nearest_offer(&nearest, text, a->accepted[i].value);
	if (nearest.text) {
		snprintf(message, size, "'%.80s' is not accepted; did you mean '%.80s'?", text,
			nearest.text);
		return VERDICT_NOT_ACCEPTED;
	}
	snprintf(message, size, "'%.80s' is not accepted; one of:", text);
	for (size_t i = 0; i < a->n_accepted; i++) {
		size_t used = strlen(message);

		snprintf(message + used, size - used, "%s %.60s", i ? "," : "",
			a->accepted[i].value);
	}
	return VERDICT_NOT_ACCEPTED;
}

static enum verdict_code range_check(
	const struct argument *a, const char *text, double value, char *message, size_t size)
{
	if (a->has_minimum && !(value >= a->minimum)) {
		snprintf(message, size, "%.60s is less than the least value, %.17g", text,
			a->minimum);
		return VERDICT_OUT_OF_RANGE;
	}
	if (a->has_maximum && !(value <= a->maximum)) {
		snprintf(message, size, "%.60s is more than the greatest value, %.17g", text,
			a->maximum);
		return VERDICT_OUT_OF_RANGE;
	}
	return VERDICT_OK;
}

static enum verdict_code type_check(enum dialect dialect, const struct argument *a,
	const char *text, struct arena *arena, const char **canonical, char *message, size_t size)
{
	double value = 0;
	int fits = 1;

	switch (a->type) {
	case VALUE_INTEGER:
	case VALUE_PORT:
		fits = integer_text(dialect, text, arena, canonical);
		break;
	case VALUE_NUMBER:
		fits = number_text(dialect, text, arena, canonical);
		break;
	case VALUE_BOOLEAN:
		fits = boolean_text(dialect, text, canonical);
		break;
	case VALUE_DURATION:
		fits = duration_text(dialect, text);
		break;
	default:
		return VERDICT_OK;
	}
	if (!fits) {
		snprintf(message, size, "'%.80s' is not a valid %s", text,
			a->type == VALUE_INTEGER ? "integer" : a->type_name);
		return VERDICT_BAD_TYPE;
	}
	if (a->type == VALUE_BOOLEAN || a->type == VALUE_DURATION)
		return VERDICT_OK;
	value = strtod(*canonical, NULL);
	return range_check(a, text, value, message, size);
}

enum verdict_code value_check(enum dialect dialect, const struct argument *a, const char *text,
	struct arena *arena, const char **canonical, char *message, size_t size)
{
	enum verdict_code code;

	*canonical = text;
	if (a->n_accepted > 0) {
		code = accepted_check(a, text, canonical, message, size);
		if (code != VERDICT_OK)
			return code;
		text = *canonical;
	}
	code = type_check(dialect, a, text, arena, canonical, message, size);
	if (code != VERDICT_OK || !a->pattern_code)
		return code;
	switch (pattern_match(a, *canonical, arena)) {
	case 1:
		return VERDICT_OK;
	case 0:
		snprintf(message, size, "'%.80s' does not have the form %.120s", text, a->pattern);
		return VERDICT_BAD_PATTERN;
	}
	snprintf(
		message, size, "'%.80s' cannot be checked: the pattern takes too long on it", text);
	return VERDICT_BAD_PATTERN;
}
