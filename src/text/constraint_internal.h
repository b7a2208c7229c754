/* constraint_internal.h - what the parts of constrained decoding share. */
#ifndef TEXT_CONSTRAINT_INTERNAL_H
#define TEXT_CONSTRAINT_INTERNAL_H

#include "text/constraint.h"
#include "text/ground_values.h"
#include "text/map64.h"
#include "text/token_trie.h"

/* Answers are sequences of symbols: tokens, or bytes and one symbol for the end. */
enum {
	SYMBOL_END = 256,    /* among bytes */
	SYMBOLS_A_TOKEN = 8, /* bytes that stand for a token of the limit */
	NO_EXIT = INT32_MAX,
	EXIT_UNKNOWN = -1, /* of places: nothing is known, */
	EXIT_ASKED = -2,   /* or a search for the end is under way */
	LIST_ITEMS_MAX = 16,
	FREE_BYTES_MAX = 4096, /* of a value that is spelled freely */
	THREADS_MAX = 16
};

struct symbols {
	const int32_t *data;
	int32_t n;
};

struct constraint {
	struct grammar *grammar;
	const struct spec *spec;
	const struct prompter *prompter;
	int ground, has_tokens;
	size_t n_walks, keep; /* walks that there are; bytes of grammar kept between them */
	struct arena arena;
	struct map64 texts; /* a piece's text -> its symbols, by address */
	size_t n_bytes;
	struct symbols quote;
	int32_t end; /* symbol */
	struct token_trie *trie;
	unsigned char lacks[256];   /* bytes that are no token: texts with them cannot be said */
	struct arena arena_scratch; /* emptied now and then */
	struct arena arena_checks;  /* emptied by each check of a value */
	struct ids ids;		    /* scratch */
	struct buf text, item;
	char *scratch; /* a freely spelled value while tokens are tried */
};

enum place_kind {
	PLACE_NODE,    /* at a node of the grammar */
	PLACE_CONTENT, /* within a string, before a value that the request states */
	PLACE_FREE,    /* within a string that may be any value */
	PLACE_DONE     /* behind the end */
};

/* Where an answer stands, as far as what follows depends on it. */
struct place {
	enum place_kind kind;
	int32_t node;			   /* PLACE_NODE */
	const struct grammar_piece *piece; /* whose value is being spelled */
	uint32_t used;			   /* spans, a bit each */
	int items;			   /* of a list, so far */
	struct menu *menu;		   /* NULL: not made yet */
	int32_t exit;			   /* symbols of a way to the end, mostly a short one */
};

/* One way on from a place: symbols, and the place behind them. */
struct entry {
	struct symbols symbols;
	int32_t place;
	const char *plain; /* its part of argv's JSON, spans put in */
	size_t plain_len;
};

struct menu {
	struct entry *entries; /* sorted by symbols */
	int32_t n;
};

/* A position within a menu: entries lo .. hi - 1 agree in `depth` symbols so far. */
struct thread {
	int32_t place, lo, hi, depth;
};

/* A value being spelled freely. */
struct free_text {
	char *bytes;
	size_t len, item; /* item: where the present one of a list begins */
	int escape;	  /* behind a backslash */
};

/* All positions that the symbols so far may have led to.  At most one of the threads
 * is at a PLACE_FREE, with its text. */
struct state {
	struct thread threads[THREADS_MAX];
	int n_threads;
	struct free_text text;
	int32_t depth;		       /* symbols so far, where there is a limit; else 0 */
	const struct choices *choices; /* NULL: not known yet */
	int32_t next_alike;	       /* state of the same hash; -1 */
};

/* A value within a string, and the quote behind it, or the separator of a list. */
struct content {
	const char *value;
	struct symbols closed, more;
	const char *closed_plain, *more_plain; /* their JSON */
};

/* What is known of an argument and the request. */
struct known_values {
	const struct grammar_piece *piece; /* one of those that ask alike */
	unsigned char fits[SPANS_MAX];	   /* as is; where has_fits */
	int has_fits;
	const char **listed, **stated;
	size_t n_listed, n_stated;
	int has_listed, has_stated; /* the arrays are there */
	struct content *contents;   /* what can be spelled; where has_contents */
	size_t n_contents;
	int has_contents;
	const char *first_stated; /* one of the stated, where has_first_stated */
	int has_first_stated;
};

struct walk {
	struct guide guide;
	struct constraint *c;
	struct arena arena;
	struct grounding grounding;
	const char *span_texts[SPANS_MAX];
	unsigned span_types[SPANS_MAX]; /* of it and of those of equal text, a bit each */
	size_t n_spans;
	int32_t limit; /* symbols of an answer; 0: none */
	struct place *places;
	size_t n_places, cap_places;
	struct map64 place_index, known_index;
	struct state *states;
	size_t n_states, cap_states;
	struct map64 state_index, steps;
	size_t n_bytes;
	struct ids asked; /* places of the search for an end that is going on */
	int cut;	  /* it met one of them */
};

/* 1 where each byte of a text can be said. */
int can_spell(const struct constraint *c, const char *text);

/* constraint_symbols.c: memory of the arena, or of the constraint. */
struct symbols symbols_one(struct arena *arena, int32_t id);
void symbols_sort(int32_t *symbols, size_t n); /* ascending */
struct symbols symbols_join(struct arena *arena, struct symbols a, struct symbols b);
/* Symbols of text as a piece of its own. */
struct symbols text_symbols(
	struct constraint *c, struct arena *arena, const char *text, size_t len, int plain);
/* Symbols of a piece's fixed text, remembered. */
struct symbols piece_symbols(struct constraint *c, const struct grammar_piece *piece);
/* The symbols of a value within a string, and in *quoted its JSON. */
struct symbols content_symbols(struct walk *w, const char *value, struct buf *quoted);
/* The fixed text and, where it is not there yet, the quote that begins a string. */
struct symbols gateway_symbols(struct walk *w, const struct grammar_piece *piece);
/* A span named: text, the quote that closes a string begun, $K. */
struct symbols span_symbols(struct walk *w, const struct grammar_piece *piece, size_t k);

/* constraint_values.c: what the request has for the argument of a piece. */
struct ground_want want_of(const struct walk *w, const struct grammar_piece *piece);
int is_stated(const struct walk *w, const struct argument *argument, const char *value);
int span_fits(struct walk *w, const struct grammar_piece *piece, size_t k);
/* 1 where span k is not used, and is the first of its text. */
int span_is_open(const struct walk *w, uint32_t used, size_t k);
/* 1 where text is that of a span which can still be named. */
int has_open_span(const struct walk *w, uint32_t used, const char *text);
/* Values that the spec lists and the request names. */
size_t listed_values(struct walk *w, const struct grammar_piece *piece, const char ***values);
/* The JSON of a value between fixed text and a closing quote, in c->text; the token
 * that is all of it, -1 where there is none. */
int32_t value_token(struct walk *w, const struct grammar_piece *piece, const char *value);
/* 1 where any value may be spelled. */
int is_free(const struct walk *w, const struct grammar_piece *piece);
/* 1 where a value of a string is said otherwise: by the span that it is, or, of those
 * that the spec lists, by a token. */
int is_said_otherwise(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, const char *value);
/* A value that can be spelled within a string, NULL where there is none.  *alone: 0 where
 * it cannot be the only one of a list. */
const char *first_content(
	struct walk *w, const struct grammar_piece *piece, uint32_t used, int *alone);
int has_content(struct walk *w, const struct grammar_piece *piece, uint32_t used);
/* All values that can be spelled within a string; the same wherever the argument is. */
const struct known_values *contents_of(struct walk *w, const struct grammar_piece *piece);

/* constraint_exit.c: symbols of a way to the end, which then exists; or NO_EXIT. */
int32_t place_exit(struct walk *w, int32_t place);
int32_t piece_exit(struct walk *w, const struct grammar_piece *piece, uint32_t used);

/* constraint_menu.c */
int32_t walk_at_node(struct walk *w, int32_t node, uint32_t used);
int32_t walk_at_end(struct walk *w);
const struct menu *place_menu(struct walk *w, int32_t place);

/* constraint_free.c: one more byte.  0 not possible; 1 goes on; 2 the string is closed. */
int free_step(struct walk *w, const struct place *place, struct free_text *text, unsigned char b);

/* constraint_threads.c */
/* The state at the start of a place. */
void threads_start(struct walk *w, struct state *s, int32_t place);
/* The state behind a symbol of s: 0 where there is none.  to->text.bytes is scratch. */
int threads_step(struct walk *w, const struct state *s, int32_t symbol, struct state *to);
/* Next symbols of the threads in menus, ascending, each once; *free_thread: the number of
 * the thread at a PLACE_FREE, or -1. */
size_t threads_symbols(
	struct walk *w, const struct state *s, int32_t *symbols, size_t max, int *free_thread);

/* Ids as choices, in memory of the walk. */
const struct choices *choices_keep(struct walk *w, const int32_t *ids, size_t n);

/* constraint_mask.c */
const struct choices *choices_by_bytes(struct walk *w, const struct state *s);
void free_choices_by_tokens(struct walk *w, const struct state *s, struct ids *out);

#endif
