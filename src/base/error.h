/*
 * error.h - the one error path of the suite.
 *
 * Library code never exits: it returns -1 (or NULL) and describes the fault in
 * a struct error that the caller passed in.  Programs end with die().  Every
 * message is one line on standard error, written by one write(2), prefixed by
 * the program's name, with control characters made visible.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

/* Exit codes of every program (sysexits.h), and of confirm-exec (timeout(1)). */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 64,	/* bad option or operand */
	EXIT_DATA = 65,		/* a record, spec or model that is malformed */
	EXIT_NOINPUT = 66,	/* an input that cannot be opened */
	EXIT_UNAVAILABLE = 69,	/* a device or service that is not there */
	EXIT_INTERNAL = 70,	/* a bug of ours */
	EXIT_IO = 74,		/* reading or writing failed */
	EXIT_TIMEOUT = 124,	/* confirm-exec: the command ran out of time */
	EXIT_FAILURE_OWN = 125, /* confirm-exec: failed itself, nothing was run */
	EXIT_REFUSED = 126,	/* confirm-exec: declined, or not allowed */
	EXIT_NOTFOUND = 127	/* confirm-exec: no such executable */
};

#define ATTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* What went wrong in a library call.  .code is the exit code that fits it;
 * .system is the errno behind it, 0 where no system call failed. */
struct error {
	enum exit_code code;
	int system;
	char message[1024];
};

/* Fills *err (which may be NULL) and returns -1, so that a library function can
 * say `return error_set(err, EXIT_DATA, ...)`.  A too long message is cut.  The
 * arguments may be parts of *err itself. */
int error_set(struct error *err, enum exit_code code, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* The same, with ": " and the text of errno (read first) behind it. */
int error_set_errno(struct error *err, enum exit_code code, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* Puts "PREFIX: " before the message that is already in *err; returns -1. */
int error_prefix(struct error *err, const char *fmt, ...) ATTR_PRINTF(2, 3);

#if defined __clang_analyzer__ && !defined ERROR_DEFINES
/* It does not look into other files: what those return. */
#define error_set(...) ((void)error_set(__VA_ARGS__), -1)
#define error_set_errno(...) ((void)error_set_errno(__VA_ARGS__), -1)
#define error_prefix(...) ((void)error_prefix(__VA_ARGS__), -1)
#endif

/* The name that messages begin with: the last component of argv[0]. */
void program_name_set(const char *argv0);
const char *program_name(void);

/* Silences note() (the option --quiet); warn() and die() always speak. */
void note_enable(int on);

void note(const char *fmt, ...) ATTR_PRINTF(1, 2);
void warn(const char *fmt, ...) ATTR_PRINTF(1, 2);
void warn_errno(const char *fmt, ...) ATTR_PRINTF(1, 2);
void die(enum exit_code code, const char *fmt, ...) ATTR_PRINTF(2, 3) __attribute__((noreturn));
void die_errno(enum exit_code code, const char *fmt, ...) ATTR_PRINTF(2, 3)
	__attribute__((noreturn));
/* Ends the program with what a library call left in *err. */
void die_error(const struct error *err) __attribute__((noreturn));

#endif
