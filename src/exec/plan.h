/*
 * plan.h - everything that a person is asked to agree to, and its digest: what is
 * confirmed is what runs.
 */
#ifndef EXEC_PLAN_H
#define EXEC_PLAN_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"
#include "exec/executable.h"
#include "exec/limits.h"

struct plan {
	int argc;
	const char *const *argv; /* argc words, NULL */
	struct executable exe;
	const char *directory; /* absolute, links resolved */
	unsigned long long directory_device, directory_inode;
	size_t n_environment;
	const char *const *environment; /* "NAME=value", NULL */
	const char *input;		/* its standard input; "": /dev/null */
	int input_fd;			/* open for reading; -1: none */
	const char *policy;		/* file and hash of the policy, "" for none */
	int timeout;			/* seconds */
	int output_mib;			/* of output are passed on; then it is ended */
	int umask;
	struct limits limits;
	int writable; /* the sandbox lets the working directory be written */
	int sandbox;  /* in bubblewrap */
	int network;  /* the sandbox shares the network */
	size_t n_read, n_write;
	const char *const *read, *const *write; /* what else the sandbox opens; absolute */
	const char *audit_directory;		/* never writable inside; "" for none */
	char digest[65];			/* as of the question */
};

/* Digest of the plan against what is on disk now: the words, the environment, the
 * settings, and device, inode, size, modification time and content hash of the
 * open executable (and interpreter), the same without content of the open input, device
 * and inode of the directory that is open as directory (AT_FDCWD: the current one). */
int plan_digest(const struct plan *plan, int directory, char digest[65], struct error *err);

/* The plan as a sealed memory file that a process in the sandbox reads back; its
 * descriptor is close-on-exec.  Descriptor numbers are passed as they are. */
int plan_pack(const struct plan *plan, int status, struct error *err);
int plan_unpack(int fd, struct arena *arena, struct plan *plan, int *status, struct error *err);

/* A sealed copy of a file's content whose hash must be as given; its descriptor,
 * close-on-exec, offset 0. */
int content_copy(int fd, const struct identity *identity, struct error *err);

#endif
