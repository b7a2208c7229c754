/*
 * question.h - what a person is shown before they decide.
 */
#ifndef EXEC_QUESTION_H
#define EXEC_QUESTION_H

#include "exec/plan.h"
#include "exec/proposal.h"

/* Appends the whole description of the plan: every word on a line of its own, and
 * what it will be given.  Printable ASCII only. */
void question_describe(const struct plan *plan, const struct proposal *proposal,
	const char *spec_path, struct buf *out);

/* The question itself; dangerous commands want a whole word. */
const char *question_text(const struct proposal *proposal);

/* 1 where the answer is a yes to that question; blanks around it are ignored. */
int question_answered_yes(const struct proposal *proposal, const char *answer);

#endif
