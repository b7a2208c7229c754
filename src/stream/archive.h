/*
 * archive.h - a directory in one file: tar, compressed by zstd or anything else
 * that libarchive reads.
 */
#ifndef STREAM_ARCHIVE_H
#define STREAM_ARCHIVE_H

#include <stdint.h>
#include "base/error.h"

/*
 * Unpacks archive into dir, which must not exist or be empty.  An archive comes
 * from a stranger, so only plain files and directories with names below dir are
 * accepted: no absolute name, no "..", no link, no device; at most max_bytes of
 * content and 100,000 entries, and no file twice.  Where everything lies in one
 * top directory, dir gets the contents of that.  0, or -1: then dir is gone.
 */
int archive_unpack(const char *archive, const char *dir, uint64_t max_bytes, struct error *err);

/* Packs the plain files and directories below dir into archive (tar, zstd),
 * published atomically.  The same contents give the same bytes: names are
 * sorted, times, owners and permissions are not kept.  0, or -1. */
int archive_pack(const char *dir, const char *archive, struct error *err);

/* Where a program accepts a directory or a packed one: *dir becomes path itself,
 * or a fresh temporary directory ($TMPDIR, or the system's) with its contents.
 * The caller ends with directory_leave(), which frees *dir and, where it is
 * temporary, removes the directory.  0, or -1. */
int directory_enter(
	const char *path, uint64_t max_bytes, char **dir, int *is_temporary, struct error *err);
int directory_leave(char *dir, int is_temporary, struct error *err);

#endif
