/*
 * check.h - the checks that a pair must pass before anything is trained on it.
 */
#ifndef SYNTH_CHECK_H
#define SYNTH_CHECK_H

#include "base/mem.h"
#include "cli/verify.h"
#include "stream/jsonl.h"

/* In the order in which they are made: the first that fails is the reason. */
enum check {
	CHECK_SCHEMA,	       /* fields are there and of their types */
	CHECK_LENGTH,	       /* request, argv and words are within bounds */
	CHECK_VERDICT,	       /* the tool's own parser would accept the argv */
	CHECK_CANONICAL,       /* argv is in canonical form */
	CHECK_LEFTOVERS,       /* nothing of a template is left (leftovers.h) */
	CHECK_GROUNDED,	       /* every value follows from the request (ground.h) */
	CHECK_CONTRADICTIONS,  /* the same request with another argv came before */
	CHECK_DUPLICATES,      /* the same pair came before */
	CHECK_NEAR_DUPLICATES, /* nearly the same one did (dedup.h) */
	CHECK_COUNT
};

extern const char *const check_names[]; /* NULL-terminated */
#define CHECKS_ALL ((1u << CHECK_COUNT) - 1)

enum {
	REQUEST_BYTES_MAX = 2000,
	ARGV_WORDS_MAX = 64,
	WORD_BYTES_MAX = 4096
};

/* "schema,verdict,..." or "all" to a set of 1u << enum check.  0, or -1. */
int checks_parse(const char *text, unsigned *checks, struct error *err);

struct checker;

/* spec must outlive the checker. */
struct checker *checker_new(const struct spec *spec, unsigned checks);
void checker_free(struct checker *c);

/* A record as the checks read it; valid until the next one is checked. */
struct checked {
	int failed;	    /* enum check; -1: none, the record is accepted */
	char message[1024]; /* why it failed; valid UTF-8 */
	int has_verdict;    /* an argv (or null) was there to verify */
	struct verdict verdict;
	const struct meaning *meaning; /* NULL: argv is null, absent or not valid */
	int argc;		       /* -1: null, -2: absent or unreadable */
	const char **argv;
	const char *request; /* plain text (words_plain); "" where there is none */
	size_t request_len;
};

/* Checks a record, and remembers it where it passes.  1: accepted; 0: rejected. */
int checker_run(struct checker *c, const struct record *r, struct checked *out);

#endif
