/*
 * secret.h - keeps the values of options that the grammar calls secret (keys,
 * addresses that hold a password) out of logs: there they are "sha256:" and the
 * hash, so that whoever has the value can tell that it was this one.
 */
#ifndef EXEC_SECRET_H
#define EXEC_SECRET_H

#include "base/mem.h"
#include "cli/spec.h"

struct secrets {
	const char *const *argv; /* argc words as a log may hold them, and NULL */
	size_t n;
	const char **values; /* what was hidden */
};

/* Finds the values in argv, which need not be valid.  command: whose options the
 * words name, spelled exactly; NULL: not known, so that whatever might be a secret
 * option of any command counts as one (abbreviated, misspelled by dashes or case,
 * in a cluster).  Memory is the arena's. */
void secrets_find(const struct spec *spec, const struct command *command, int argc,
	const char *const *argv, struct arena *arena, struct secrets *out);

/* A text that may quote the words: the values in it hidden, cut off ones too. */
const char *secrets_hide(const struct secrets *secrets, const char *text, struct arena *arena);

#endif
