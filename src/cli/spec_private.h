/* spec_private.h - what the parts of the spec loader share. */
#ifndef CLI_SPEC_PRIVATE_H
#define CLI_SPEC_PRIVATE_H

#include "cli/spec.h"

/* A spec is a stranger's file: these bound the work and memory it can ask for. */
enum {
	SPEC_BYTES_MAX = 16 << 20,
	SPEC_DEPTH_MAX = 16,
	SPEC_COMMANDS_MAX = 4096,
	SPEC_OPTIONS_MAX = 2048, /* of one command, inherited ones included */
	SPEC_ARGUMENTS_MAX = 64,
	SPEC_RULES_MAX = 1024,	      /* of one command */
	SPEC_SPELLINGS_MAX = 1 << 20, /* of all commands together */
	SPEC_NAME_MAX = 128,
	SPEC_PATTERN_MAX = 4096,
	SPEC_COUNT_MAX = 1 << 16, /* arity */
	SPEC_UNITS_MAX = 16	  /* suffixes of one argument */
};

/* State of one load: where we are in the document, and what failed. */
struct spec_reader {
	struct spec *spec;
	const char *file;
	struct buf path; /* "$.commands[1].options[0]" */
	struct error *err;
	struct command **commands;
	size_t n_commands, cap_commands;
	size_t n_spellings;
};

/* Fills the error with "FILE: PATH: message" and returns -1. */
int spec_fault(struct spec_reader *r, const char *fmt, ...) ATTR_PRINTF(2, 3);
/* Appends to the path; returns its former length for spec_leave(). */
size_t spec_enter(struct spec_reader *r, const char *fmt, ...) ATTR_PRINTF(2, 3);
void spec_leave(struct spec_reader *r, size_t length);

/* Typed members of a JSON object.  Absent: 0 and *value untouched; present: 1;
 * wrong type: -1 and the fault. */
int json_member_string(struct spec_reader *r, json_t *object, const char *key, const char **value);
int json_member_bool(struct spec_reader *r, json_t *object, const char *key, int *value);
int json_member_array(struct spec_reader *r, json_t *object, const char *key, json_t **value);
int json_member_count(struct spec_reader *r, json_t *object, const char *key, int *value);
/* A JSON array of strings as a NULL-terminated list in the arena; NULL: fault. */
const char *const *json_strings(struct spec_reader *r, json_t *array);

/* The same for the metadata array of an OpenCLI object. */
int metadata_check(struct spec_reader *r, json_t *owner);
json_t *metadata_find(json_t *owner, const char *name, size_t *index);
int metadata_string(struct spec_reader *r, json_t *owner, const char *name, const char **value);
int metadata_bool(struct spec_reader *r, json_t *owner, const char *name, int *value);
int metadata_number(struct spec_reader *r, json_t *owner, const char *name, double *value);
int metadata_strings(
	struct spec_reader *r, json_t *owner, const char *name, const char *const **value);

/* spec_argument.c */
int argument_read(struct spec_reader *r, json_t *json, struct argument *a, int of_option);
/* spec_read.c: the tree of commands below the document. */
int document_read(struct spec_reader *r);
/* spec_rules.c: resolves negates and the rules of one command. */
int negations_resolve(struct spec_reader *r, json_t *json, struct command *c, struct option *own);
int rules_read(struct spec_reader *r, json_t *json, struct command *c);

/* lookup.c: spellings of options and names of subcommands, hashed.  -1 and the
 * spelling that is there twice. */
int lookup_build(struct arena *arena, struct command *c, const char **twice);
const struct option *lookup_option(const struct command *c, const char *spelling, size_t len);
const struct command *lookup_command(const struct command *c, const char *name);

#endif
