/* filter_calls.h - system calls that no command may make (seccomp). */
#ifndef EXEC_FILTER_CALLS_H
#define EXEC_FILTER_CALLS_H

#include "base/error.h"

/* From now on, in this process and those it makes, ioctl(2) with TIOCSTI or
 * TIOCLINUX fails with EPERM: they would type into the terminal that we run on.
 * Needs PR_SET_NO_NEW_PRIVS or privilege.  0, or -1. */
int filter_calls_install(struct error *err);

#endif
