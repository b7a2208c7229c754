/*
 * question.h - what a person is shown before they decide.
 */
#ifndef EXEC_QUESTION_H
#define EXEC_QUESTION_H

#include "exec/plan.h"
#include "exec/proposal.h"

/* Appends the whole description of the plan: every word on a line of its own, as it
 * would have to be typed, with its dangers and whether the request states it; and what
 * the command will be given.  policy: what it says, NULL for nothing.  Printable ASCII
 * only. */
void question_describe(const struct plan *plan, const struct proposal *proposal,
	const char *spec_path, const char *policy, struct buf *out);

/* Appends a warning where the text does not fit a terminal of this many lines and
 * columns (0: not known, taken for 24 and 80). */
void question_warn_long(struct buf *text, unsigned lines, unsigned columns);

/* The question itself; dangerous commands want a whole word. */
const char *question_text(const struct proposal *proposal);

/* 1 where the answer (len bytes) is a yes to that question; blanks around it are
 * ignored. */
int question_answered_yes(const struct proposal *proposal, const char *answer, size_t len);

#endif
