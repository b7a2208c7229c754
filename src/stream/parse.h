/* parse.h - the JSON reader behind record_parse() and json_text_parse(). */
#ifndef STREAM_PARSE_H
#define STREAM_PARSE_H

#include "stream/jsonl.h"

/* A top-level field of a record, in the order of the text, then in that of
 * record_set().  Offsets count from the start of the record's text. */
struct record_field {
	const char *name;	   /* of a field that the text does not have; else NULL */
	unsigned key, key_len;	   /* the name as spelt, without its quotes */
	unsigned value, value_len; /* the value as spelt */
	char escaped;		   /* the name holds escapes */
	char changed;		   /* record_set() replaced the value */
};

/* Parses one object; fills the field table and tail of r where r is not NULL.
 * The object, or NULL with a message that says at which byte what is wrong. */
json_t *json_parse_object(const char *text, size_t len, struct record *r, struct error *err);

#endif
