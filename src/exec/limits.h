/* limits.h - what a command may use up. */
#ifndef EXEC_LIMITS_H
#define EXEC_LIMITS_H

#include "base/error.h"

/* 0: as it is for us, except for processes. */
struct limits {
	int processes;	 /* alive at once in the whole tree */
	int memory_mib;	 /* private memory of each process */
	int file_mib;	 /* size of each file that is written */
	int files;	 /* open in each process */
	int cpu_seconds; /* of each process */
};

/* Generous: they stop an accident, not a large program. */
void limits_default(struct limits *limits);

/* Sets them in this process, for it and all that it starts.  The count of processes is
 * also kept by a control group (exec/cage.h) and the supervisor (exec/tree.h), because the
 * kernel keeps it for each user, and not at all for root. */
void limits_set(const struct limits *limits);

#endif
