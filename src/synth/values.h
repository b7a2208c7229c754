/*
 * values.h - realistic values for the arguments of a spec, drawn by type, by the
 * words of the option's name and description, and after the spec's examples.
 */
#ifndef SYNTH_VALUES_H
#define SYNTH_VALUES_H

#include "base/rng.h"
#include "cli/spec.h"

enum value_kind {
	KIND_ACCEPTED, /* one of the accepted values */
	KIND_POOL,     /* one of a fixed pool: examples, or values that fit a pattern */
	KIND_INTEGER,
	KIND_NUMBER,
	KIND_PORT,
	KIND_BOOLEAN,
	KIND_FILE,
	KIND_DIRECTORY,
	KIND_URL,
	KIND_DATABASE,
	KIND_HOST,
	KIND_ADDRESS,
	KIND_IMAGE,
	KIND_DIGEST, /* an image pinned by its digest */
	KIND_REPOSITORY,
	KIND_TAG,
	KIND_VERSION,
	KIND_UUID,
	KIND_IDENTIFIER,
	KIND_NAME,
	KIND_SECRET,
	KIND_COMMAND,
	KIND_DURATION,
	KIND_SIZE,
	KIND_TIME,
	KIND_WORDS,
	KIND_EMAIL,
	KIND_COUNT
};

struct value_plan {
	enum value_kind kind;
	const struct argument *argument;
	const char *const *pool; /* n_pool of them, for KIND_POOL and as examples */
	size_t n_pool;
	const char *const *extensions; /* for KIND_FILE: NULL-terminated, with the dot */
	int like_examples;	       /* files are named after the examples */
	long long minimum, maximum;    /* for integers */
	double real_minimum, real_maximum;
	double example_share; /* how often an example of the spec is taken */
};

/* Decides how to draw values of an argument; name is its option's or its own.
 * What it points to is arena memory or the spec's.  0, or -1 where no value is
 * known that fits the argument's pattern. */
int value_plan_init(
	struct value_plan *p, const struct argument *a, const char *name, struct arena *arena);

/* Appends one value.  Never empty, no control characters, no quotes or backquotes
 * unless an example has them. */
void value_draw(const struct value_plan *p, struct rng *r, struct buf *out);

/* One value of a kind without an argument (for requests out of scope). */
void value_draw_kind(enum value_kind kind, struct rng *r, struct buf *out);

#endif
