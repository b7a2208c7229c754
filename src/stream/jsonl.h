/*
 * jsonl.h - JSON Lines over zstd: the stream contract, both directions.
 *
 * Reading: zstd frames (any number, skippable ones too) and plain text are told
 * apart by their first bytes.  A frame that ends early or fails its checksum is
 * an error, never an end of file.  A line is one JSON object in strict UTF-8;
 * blank lines are skipped, CR before LF and a missing last LF are accepted.
 * A byte order mark before the first line is skipped.  Rejected: duplicate keys,
 * other values than objects, nesting beyond 200, lone surrogates (\ud800),
 * lines beyond JSONL_LINE_MAX.
 *
 * A record keeps its own text.  Fields that nobody set are written back byte
 * for byte, in their order: numbers beyond 2^53, escapes and spacing survive.
 * In memory an integer beyond 64 bits is the nearest double, and a number beyond
 * the doubles is the largest one (as in jq); both still pass through unchanged.
 * Strings and names may hold NUL bytes (json_string_length() counts them).
 */
#ifndef STREAM_JSONL_H
#define STREAM_JSONL_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include "base/error.h"
#include "base/mem.h"

enum {
	JSONL_LINE_MAX = 1 << 28
};

struct record {
	struct buf text;  /* the line as it was read, without its end; empty for a new record */
	json_t *json;	  /* the object; owned.  Read it freely, change it by record_set() */
	long line;	  /* 1-based line number in its input; 0 for a new record */
	const char *file; /* name of the input it came from; owned by the reader */
	/* private to record.c: where each field stands in the text */
	struct record_field *fields;
	size_t n_fields, cap_fields;
	size_t tail; /* new fields go here */
};

/* A new, empty object.  record_release() frees everything; zero it to reuse. */
void record_init(struct record *r);
void record_release(struct record *r);

/* Sets a top-level field, replacing in place or appending.  Takes over value
 * (also on failure); NULL value is an internal error.  key must outlive r. */
void record_set(struct record *r, const char *key, json_t *value);
/* Takes a top-level field out, where it is there. */
void record_remove(struct record *r, const char *key);

/* Parses one line of text (len bytes, not NUL-terminated necessarily).  0, or -1
 * with a message that says what is wrong (without file and line). */
int record_parse(struct record *r, const char *line, size_t len, struct error *err);

/* Appends the record's JSON text, without LF, to out. */
void record_print(const struct record *r, struct buf *out);

/* Typed access to a field.  A string that holds a NUL is an error (r->json has
 * it whole).  NULL / default where the field is absent or null;
 * -1 with a message ("field 'argv': ...") where it is of another type. */
int record_string(const struct record *r, const char *key, const char **value, struct error *err);
int record_integer(const struct record *r, const char *key, long long *value, struct error *err);
int record_real(const struct record *r, const char *key, double *value, struct error *err);

/* A field that is an array of strings, or null.  On success *argc is the count
 * and argv points to arena memory (argc strings, then NULL); argc is -1 where
 * the field is null and -2 where it is absent.  Strings that hold a NUL or are
 * no strings are an error (-1). */
int record_argv(const struct record *r, const char *key, struct arena *arena, int *argc,
	const char ***argv, struct error *err);

/* An array field of integers; *n is -1 where it is absent or null. */
int record_integers(const struct record *r, const char *key, struct arena *arena, int *n,
	int **values, struct error *err);
int record_reals(const struct record *r, const char *key, struct arena *arena, int *n,
	double **values, struct error *err);

/* Reads one JSON object (len bytes of text) as record_parse() does: the object,
 * which the caller owns, or NULL and *err. */
json_t *json_text_parse(const char *text, size_t len, struct error *err);
/* Appends a value as compact JSON text to out: UTF-8, reals by the fewest digits
 * that read back as the same double. */
void json_text_print(const json_t *value, struct buf *out);
void json_text_print_string(const char *text, size_t len, struct buf *out);

/* A JSON array of strings from argv (argc words); null where argc < 0. */
json_t *json_from_argv(int argc, const char *const *argv);

struct jsonl_reader;

/* Opens a file, or standard input where path is NULL or "-".  NULL and *err on failure. */
struct jsonl_reader *jsonl_open(const char *path, struct error *err);
void jsonl_close(struct jsonl_reader *in);

/* Reads the next record into r (which is released first).
 * 1: a record; 0: clean end; -1: the line is malformed (r->text holds it, *err
 * is "FILE:LINE: what", and reading may go on); -2: the stream is broken (read
 * error, truncated or corrupt frame, endless line) and stays so. */
int jsonl_read(struct jsonl_reader *in, struct record *r, struct error *err);
/* 1 where a whole line is already here, so that jsonl_read() will not wait for
 * one: where it is 0, a filter in a loop flushes before it reads on. */
int jsonl_pending(const struct jsonl_reader *in);
const char *jsonl_name(const struct jsonl_reader *in);

struct jsonl_writer;

/* Writes to path, atomically (temporary file in its directory, published by
 * jsonl_finish), or to standard output where path is NULL or "-".  Plain text
 * where plain is set or standard output is a terminal; else zstd, checksums on.
 * An existing path that is no regular file (a device, a pipe) is written to as it
 * is.  Where a reader has closed its end of the pipe, writing, flushing and
 * finishing fail with err->system == EPIPE. */
struct jsonl_writer *jsonl_create(const char *path, int plain, struct error *err);
int jsonl_write(struct jsonl_writer *out, const struct record *r, struct error *err);
/* A line of JSON text that the caller made (no LF). */
int jsonl_write_text(struct jsonl_writer *out, const char *text, size_t len, struct error *err);
/* Ends the batch: everything written so far can be read at the other end. */
int jsonl_flush(struct jsonl_writer *out, struct error *err);
/* Ends the frame, flushes, fsyncs and publishes a file; frees out in any case. */
int jsonl_finish(struct jsonl_writer *out, struct error *err);
/* Drops what is not written: the frame stays unfinished, a file unpublished. */
void jsonl_abort(struct jsonl_writer *out);

#endif
