/*
 * spans.h - value spans of a request: the parts that look like values (numbers,
 * URLs, paths, images, versions, hosts, quoted text, words outside the phrase
 * lexicon), found and numbered before a model sees the request.
 *
 * One deterministic function; the same in training and at run time.  Spans do
 * not overlap, are in order of their position, and begin and end at word
 * boundaries: quotes around and punctuation behind a value are not part of it.
 */
#ifndef TEXT_SPANS_H
#define TEXT_SPANS_H

#include <stddef.h>
#include "base/error.h"
#include "base/mem.h"

enum span_type {
	SPAN_NUMBER,  /* 8123, 2.5, -3 */
	SPAN_SIZE,    /* 30s, 512m, 2GB: a number with a unit */
	SPAN_URL,     /* http://..., postgres://... */
	SPAN_PATH,    /* ./x, /etc/y, dir/file.json, file.ext, ~/z */
	SPAN_IMAGE,   /* name:tag, registry/name:tag */
	SPAN_VERSION, /* 0.2.74, 3.11 with a v or two dots */
	SPAN_HOST,    /* 0.0.0.0, db.internal, host:port */
	SPAN_QUOTED,  /* between '', "", `` or typographic quotes, unless it is of a type above */
	SPAN_NAME,    /* identifier-like: has _, -, inner capitals or digits */
	SPAN_WORD,    /* a word outside the lexicon */
	SPAN_TYPE_COUNT
};

extern const char *const span_type_names[]; /* NULL-terminated */

enum {
	SPANS_MAX = 16
};

struct span {
	size_t from, to; /* byte offsets of the value in the request */
	enum span_type type;
};

/* The words that people use in requests besides values: lower case, one a line
 * in lexicon.txt of a model directory.  NULL stands for "every word is known". */
struct lexicon;
struct lexicon *lexicon_new(void);
void lexicon_free(struct lexicon *lex);
void lexicon_add(struct lexicon *lex, const char *word, size_t len);
int lexicon_has(const struct lexicon *lex, const char *word, size_t len);
size_t lexicon_count(const struct lexicon *lex);
int lexicon_load(struct lexicon *lex, const char *path, struct error *err);
int lexicon_save(const struct lexicon *lex, const char *path, struct error *err); /* sorted */

/* Finds the spans of request (valid UTF-8, len bytes): their count, at most
 * SPANS_MAX, unknown words giving way to the other types (the rest stays plain). */
size_t spans_find(
	const char *request, size_t len, const struct lexicon *lex, struct span spans[SPANS_MAX]);

/* How spans are shown to a model. */
enum spans_mode {
	SPANS_REPLACE,
	SPANS_MARK,
	SPANS_NONE
};
extern const char *const spans_mode_names[]; /* NULL-terminated */

/* The answer text of a canonical argv: its JSON without blanks, in which a word
 * that equals a span's text is written as a bare $K, K from 1, and so is the part of
 * a word behind an option's "=": "--option="$K.  Each span once, the first unused
 * one that fits; word 0 never, and an option only where it is a span: one that is no
 * word of the lexicon, to be handed on to another tool.  argc < 0: "null". */
void answer_print(int argc, const char *const *argv, const char *request, const struct span *spans,
	size_t n_spans, struct buf *out);

/* Reads an answer text back, spans put in.  *argc -1: null.  -1 (and a message)
 * where the text is no answer.  Words are arena memory, then NULL. */
int answer_parse(const char *text, size_t len, const char *request, const struct span *spans,
	size_t n_spans, struct arena *arena, int *argc, const char ***argv, struct error *err);

#endif
