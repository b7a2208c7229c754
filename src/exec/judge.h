/* judge.h - what the policy says about one command line (the rules: exec/rulebook.h). */
#ifndef EXEC_JUDGE_H
#define EXEC_JUDGE_H

#include "cli/verify.h"
#include "exec/rulebook.h"

struct judgement {
	enum decision decision; /* the strictest over all pieces */
	const char *why;	/* which piece and rule decided, for people and the log */
	const struct rulebook_settings *settings; /* of the book or of the command's rule */
};

/* Judges the meaning of a verified command line that is to run in directory (absolute,
 * links resolved).  Memory is the arena's, and the book's. */
void judge(const struct rulebook *book, const struct meaning *meaning, const char *directory,
	struct arena *arena, struct judgement *out);

/* Appends a line for each rule that names a command, option or argument that the grammar
 * does not have; the number of such rules.  Rules about other programs are left out. */
size_t judge_unknown_names(const struct rulebook *book, const struct spec *spec, struct buf *out);

#endif
