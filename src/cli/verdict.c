/* verdict.c - names of verdicts, and the verdict as JSON. */
#include "cli/verify.h"

static const char *const names[VERDICT_COUNT] = {
	[VERDICT_OK] = "ok",
	[VERDICT_EMPTY] = "empty",
	[VERDICT_WRONG_PROGRAM] = "wrong-program",
	[VERDICT_BAD_TEXT] = "bad-text",
	[VERDICT_MISSING_COMMAND] = "missing-command",
	[VERDICT_UNKNOWN_COMMAND] = "unknown-command",
	[VERDICT_UNKNOWN_OPTION] = "unknown-option",
	[VERDICT_AMBIGUOUS_OPTION] = "ambiguous-option",
	[VERDICT_MISSING_VALUE] = "missing-value",
	[VERDICT_UNEXPECTED_VALUE] = "unexpected-value",
	[VERDICT_BAD_TYPE] = "bad-type",
	[VERDICT_OUT_OF_RANGE] = "out-of-range",
	[VERDICT_BAD_PATTERN] = "bad-pattern",
	[VERDICT_NOT_ACCEPTED] = "not-accepted",
	[VERDICT_MISSING_REQUIRED] = "missing-required",
	[VERDICT_CONFLICT] = "conflict",
	[VERDICT_REQUIRES] = "requires",
	[VERDICT_ONE_OF] = "one-of",
	[VERDICT_REPEATED] = "repeated",
	[VERDICT_TOO_MANY] = "too-many",
	[VERDICT_NOT_CANONICAL] = "not-canonical",
};

const char *verdict_name(enum verdict_code code)
{
	return (unsigned)code < VERDICT_COUNT ? names[code] : "unknown";
}

json_t *verdict_json(const struct verdict *v)
{
	json_t *out = json_object();

	json_object_set_new(out, "ok", json_boolean(v->code == VERDICT_OK));
	json_object_set_new(out, "code", json_string(verdict_name(v->code)));
	json_object_set_new(out, "at", json_integer(v->at));
	/* A word cut in the middle of a character must not lose the message. */
	json_t *message = json_string(v->message);
	json_object_set_new(out, "message", message ? message : json_string("(not UTF-8)"));
	return out;
}
