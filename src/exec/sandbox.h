/*
 * sandbox.h - the command's view of the machine, made by bubblewrap: everything
 * readable, the working directory writable where the policy says so, private /tmp,
 * /var/tmp and /run (so that no service's socket is within reach), own processes, no
 * network unless the policy opens it.
 */
#ifndef EXEC_SANDBOX_H
#define EXEC_SANDBOX_H

#include "exec/plan.h"

/* Where bubblewrap is looked for: a NULL-terminated list of directories. */
extern const char *const sandbox_directories[];

/* What the plan asks for is possible in a sandbox: 0, or -1 (126). */
int sandbox_possible(const struct plan *plan, struct error *err);

/* bubblewrap's argument vector for the plan; arena memory.  devices: of devices_make().
 * filter: descriptor of the system calls that fail (filter_calls_file()).  script: descriptor of a
 * copy of the script that is shown in place of it (-1: none).  command: what is executed inside,
 * NULL-terminated. */
const char **sandbox_arguments(const struct plan *plan, int devices, int filter, int script,
	const char *const *command, struct arena *arena);

enum {
	SANDBOX_HIDDEN_MAX = 16
};

/* Directories with a person's keys that are there, and that the sandbox shows
 * empty unless --share-read or --share-write opens them: their number. */
size_t sandbox_hidden(const struct plan *plan, struct arena *arena, const char **paths);

/* The path by which a script is opened inside. */
const char *sandbox_script_path(const struct plan *plan);

#endif
