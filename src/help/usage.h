/* usage.h - the usage line: positionals, what is required, subcommands. */
#ifndef HELP_USAGE_H
#define HELP_USAGE_H

#include "help/model.h"

struct help_usage {
	int commands;	     /* a subcommand stands in it: 1 optional, 2 required */
	const char *program; /* its first word */
};

/* Reads one usage line of the command: adds options that only it states, completes
 * arity and order of the positionals, whose descriptions may be known already. */
void help_usage_read(struct help_command *c, const char *line, size_t number, struct arena *arena,
	struct help_usage *usage);

#endif
