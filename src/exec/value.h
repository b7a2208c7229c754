/*
 * value.h - what a rule of the policy asks about one value: is it a path below this
 * directory, this host, a number in that range.  A value is looked at in each way in
 * which a program could take it.
 */
#ifndef EXEC_VALUE_H
#define EXEC_VALUE_H

enum fit {
	FIT_NO,
	FIT_YES,
	FIT_MAYBE /* it cannot be told: no auto, but deny */
};

/* A path, taken from directory, lies in place (absolute) or is it: with "." and ".."
 * taken out of the text, and as the kernel would go (links first), which may differ:
 * then FIT_MAYBE. */
enum fit value_below(const char *value, const char *directory, const char *place);

/* A host, HOST:PORT, USER@HOST:PATH or URL names this host; "*.NAME": one below NAME.
 * Addresses are compared as such, whatever their spelling. */
enum fit value_host(const char *value, const char *host);

enum fit value_in_range(const char *value, double low, double high);

#endif
