/*
 * cage.h - a control group that bounds how many processes there are, where we may make one:
 * the kernel's limit for each user does not hold for root.
 */
#ifndef EXEC_CAGE_H
#define EXEC_CAGE_H

#include <limits.h>

struct cage {
	char path[PATH_MAX]; /* "": there is none */
	int processes;	     /* descriptor of its list of processes; -1 */
};

/* Makes one below our own, for at most so many processes; root only.  Where it cannot be
 * made there is none, and the supervisor's count (exec/tree.h) is left. */
void cage_make(struct cage *cage, int most);

/* In a child: from now on in the cage, with all that it starts. */
void cage_enter(const struct cage *cage);

/* Takes it away once all that was in it has ended. */
void cage_release(struct cage *cage);

#endif
