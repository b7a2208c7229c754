/*
 * cage.h - a control group that bounds how many processes there are, where we may make one:
 * the kernel's limit for each user does not hold for root.
 */
#ifndef EXEC_CAGE_H
#define EXEC_CAGE_H

#include <limits.h>

struct cage {
	char path[PATH_MAX]; /* "": there is none */
	char home[PATH_MAX]; /* the group that we came from */
};

/* Makes one below our own group, for at most so many processes beside us, and enters it:
 * before the question, because it takes the kernel some 10 ms.  Root only.  Where it
 * cannot be made there is none, and the supervisor's count (exec/tree.h) is left. */
void cage_enter(struct cage *cage, int most);

/* Goes back, and takes it away once all that was in it has ended. */
void cage_leave(struct cage *cage);

#endif
