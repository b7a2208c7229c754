/* grammar.h - where the grammar of a CLI is found when nobody names a file. */
#ifndef EXEC_GRAMMAR_H
#define EXEC_GRAMMAR_H

#include "base/error.h"

/* The path of the grammar of the CLI of this name, in a fixed place beside the
 * programs: bin/../seeds/CLI/cli.json or bin/../share/cli-learn/seeds/CLI/cli.json.
 * The name comes from a record: anything but a plain word is refused.  The string
 * is the caller's; NULL (66) where there is none. */
char *grammar_find(const char *cli, struct error *err);

#endif
