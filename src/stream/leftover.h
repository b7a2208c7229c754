/* leftover.h - temporary files that must not outlive the program. */
#ifndef STREAM_LEFTOVER_H
#define STREAM_LEFTOVER_H

/*
 * Removes path when the program ends before leftover_forget(path): by exit(), so
 * by die() anywhere, or by SIGHUP, SIGINT or SIGTERM where those would kill it (a
 * handler that the program set itself is left alone).  kill -9 leaves the file.
 * The string is kept, not copied.  A child process removes nothing of its parent.
 */
void leftover_guard(const char *path);
/* The file is published or gone.  path is the same pointer. */
void leftover_forget(const char *path);

#endif
