/* file.h - whole files: read, and publish atomically. */
#ifndef STREAM_FILE_H
#define STREAM_FILE_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

/* Reads a whole regular file (or pipe) of at most max bytes, appending to out. */
int file_read(const char *path, size_t max, struct buf *out, struct error *err);

/* Publishes data as path: temporary name in the same directory, fsync, rename. */
int file_publish(const char *path, const void *data, size_t len, struct error *err);

/* Creates every missing directory of path (as mkdir -p). */
int directory_make(const char *path, struct error *err);

/* fsyncs a directory's files and itself, and renames it to its final name, which
 * must not exist. */
int directory_publish(const char *temporary, const char *path, struct error *err);

/* Removes a directory and what is in it; a missing one is no error. */
int directory_remove(const char *path, struct error *err);

/* "DIR/NAME", to be freed by the caller. */
char *path_join(const char *dir, const char *name);

#endif
