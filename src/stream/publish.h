/* publish.h - the one way a file comes to be: whole, or not at all. */
#ifndef STREAM_PUBLISH_H
#define STREAM_PUBLISH_H

#include "base/error.h"

struct publish {
	int fd;		 /* write here; -1: none */
	char *path;	 /* the final name, behind any symbolic link */
	char *temporary; /* where the data is now; NULL: path is written in place */
};

/* Opens a temporary file beside path.  An existing path that is no regular file
 * (a device, a pipe) is opened for writing itself.  0, or -1. */
int publish_open(struct publish *p, const char *path, struct error *err);
/* fsyncs, closes and renames to path; frees in any case.  0, or -1: then path is
 * as it was and the temporary file is gone. */
int publish_commit(struct publish *p, struct error *err);
/* Closes and removes what was written; frees.  Does nothing after a commit. */
void publish_abort(struct publish *p);

/* After a failed call: whether errno says that fd would have blocked (somebody made
 * our end of the pipe non-blocking) and the time to try again has come; events is
 * POLLIN or POLLOUT.  Else 0, and errno as it was. */
int wait_ready(int fd, short events);
/* write(2) until all is written.  0, or -1 and errno. */
int write_all(int fd, const void *data, size_t len);
/* fsyncs the directory that holds path.  0, or -1 and errno. */
int directory_sync(const char *path);

#endif
