/* filter_calls.h - system calls that no command may make (seccomp). */
#ifndef EXEC_FILTER_CALLS_H
#define EXEC_FILTER_CALLS_H

#include "base/error.h"

/* From now on, in this process and those it makes, these fail:
 *   - ioctl(2) with TIOCSTI or TIOCLINUX (EPERM): they would type into the terminal;
 *   - sandboxed: new namespaces and mounts, tracing, kernel keyrings, bpf, io_uring,
 *     userfaultfd, perf_event_open, modules (EPERM; clone3 is ENOSYS, so that libraries
 *     use clone): the ways from within into more of the kernel than a command needs; and
 *     the calls of another architecture (ENOSYS), whose numbers are others.
 * Needs PR_SET_NO_NEW_PRIVS or privilege.  0, or -1. */
int filter_calls_install(int sandboxed, struct error *err);

/* The filter of the sandbox as a memory file, as bubblewrap reads it: its process 1 is to
 * be able to do no more than the command.  A descriptor (close-on-exec), or -1. */
int filter_calls_file(struct error *err);

#endif
