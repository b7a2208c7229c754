/* provenance.h - which words of a command come from the request, and which do not. */
#ifndef EXEC_PROVENANCE_H
#define EXEC_PROVENANCE_H

#include "exec/proposal.h"

enum provenance {
	WORD_GRAMMAR, /* program, subcommand, option, "--" */
	WORD_STATED,  /* its value is in the request, as a whole word, in any case */
	WORD_UNSTATED /* it is not */
};

/* Of word i of a verified proposal; WORD_GRAMMAR where there is no request at all. */
enum provenance provenance_of(const struct proposal *proposal, int i);

#endif
