/*
 * rulebook.h - the policy file: what a person allows, asks to be asked about, and
 * forbids, as JSON.
 *
 *	{"policy": 1,
 *	 "default": "ask",
 *	 "programs": [{"name": "langgraph", "path": "/opt/venv/bin/langgraph",
 *	               "sha256": "...", "interpreter_sha256": "..."}],
 *	 "settings": {"network": false, "writable": false, "timeout": 60, ...},
 *	 "rules": [{"command": "langgraph dev", "decide": "ask",
 *	            "settings": {"network": true, "writable": true}},
 *	           {"command": "langgraph dev", "option": "--port", "range": [1024, 65535],
 *	            "decide": "auto"},
 *	           {"command": "langgraph dev", "option": "--port", "decide": "deny",
 *	            "reason": "ports below 1024 are the system's"}]}
 *
 * A command line is judged piece by piece: its command, each option that is given and
 * each positional argument.  For a piece the first rule decides that names it and whose
 * conditions hold; where there is none, "default".  The strictest decision over all
 * pieces is that of the command line: so it is run without a question only where every
 * piece is named by an `auto` rule.
 *
 * A rule names the command path ("langgraph dev"; " *" behind it takes what is below
 * in, "*" alone is any), and of it an option by its primary name or a positional
 * argument by its name ("*": any); neither: the command itself.  Conditions are on the
 * piece's values: "below" (paths: those that lie in one of these directories, after
 * . and .. are resolved in the text and links on the disk), "hosts" (hosts or URLs;
 * "*.example.com" is what lies below), "range" (numbers, both ends included), "is"
 * (exactly one of these).  An `auto` or `ask` rule holds where every value meets every
 * condition; a `deny` rule already where one value does, or cannot be understood.
 *
 * "settings" of the file hold for all; those of the rule that decides about the command
 * itself replace them one by one.
 */
#ifndef EXEC_RULEBOOK_H
#define EXEC_RULEBOOK_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"
#include "exec/limits.h"

enum decision {
	DECIDE_AUTO,
	DECIDE_ASK,
	DECIDE_DENY /* the strictest is the greatest */
};

extern const char *const decision_names[]; /* by enum decision, NULL-terminated */

struct rulebook_program {
	const char *name;			 /* argv[0] */
	const char *path;			 /* absolute */
	const char *sha256, *interpreter_sha256; /* NULL: not pinned */
};

struct rulebook_settings {
	int network, writable; /* the working directory may be written */
	int timeout;	       /* seconds */
	int output_mib;	       /* bound of the output */
	unsigned umask;
	struct limits limits;
	const char *const *read, *const *write; /* more that the sandbox opens */
	size_t n_read, n_write;
	const char *const *environment; /* names that pass */
	size_t n_environment;
};

struct rulebook_rule {
	const char *command, *option, *argument; /* option, argument: NULL, name or "*" */
	enum decision decide;
	const char *reason;				     /* NULL: none */
	const char *const *below, *const *hosts, *const *is; /* NULL: no such condition */
	int has_range;
	double low, high;
	struct rulebook_settings settings;
};

struct rulebook {
	struct arena arena;
	const char *path; /* links resolved; "" for the one that is built in */
	char hash[65];	  /* SHA-256 of its bytes */
	enum decision fallback;
	struct rulebook_program *programs;
	size_t n_programs;
	struct rulebook_settings settings;
	struct rulebook_rule *rules;
	size_t n_rules;
};

/* Where the policy is: wanted, else /etc/confirm-exec/policy.json, else
 * confirm-exec/policy.json below $XDG_CONFIG_HOME or ~/.config.  The string is the
 * caller's; NULL where none is wanted and none is there.  One that is there but cannot
 * be looked at is there. */
char *rulebook_find(const char *wanted);

/* Reads and checks it: NULL and "FILE: JSON path: fault".  Refused (126): what
 * walk_open() refuses with WALK_STRICT.  Faults: 65. */
struct rulebook *rulebook_load(const char *path, struct error *err);
/* The same from text; name stands for the file in messages. */
struct rulebook *rulebook_parse(const char *text, size_t len, const char *name, struct error *err);
void rulebook_free(struct rulebook *book);

/* The file still says what was read: 0, or -1 (126). */
int rulebook_unchanged(const struct rulebook *book, struct error *err);

/* The entry of the program; NULL (126). */
const struct rulebook_program *rulebook_program(
	const struct rulebook *book, const char *name, struct error *err);

/* What holds where nothing else is said. */
void rulebook_settings_default(struct rulebook_settings *settings);

#endif
