/*
 * leftovers.h - what a template leaves behind in a request that was not filled
 * in or joined well.
 *
 *   {} {name} <slot> %s %(name)s   slots
 *   "" '' () []                    where a slot was filled with nothing
 *   two blanks, blank at an end, blank before a comma
 *   ,, ,. ,?                       joined badly
 *   the the                        a word twice (not: that that, very very, within backticks)
 *
 * Nothing that an argv word holds too is a leftover: a request may well be about
 * '{}' or <name>.
 */
#ifndef SYNTH_LEFTOVERS_H
#define SYNTH_LEFTOVERS_H

#include <stddef.h>

/* The first leftover of the request (plain text): its length in *found_len and
 * what it is in *what; NULL where there is none.  argc < 0: no argv. */
const char *leftover_find(const char *request, size_t len, int argc, const char *const *argv,
	size_t *found_len, const char **what);

#endif
