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

/* constraint_menu.c */
int32_t walk_at_node(struct walk *w, int32_t node, uint32_t used);
int32_t walk_at_end(struct walk *w);
const struct menu *place_menu(struct walk *w, int32_t place);
/* Symbols of a way from a place to the end, which then exists; or NO_EXIT. */
int32_t place_exit(struct walk *w, int32_t place);
/* Symbols of text as a piece of its own; arena memory of the constraint or the walk. */
struct symbols text_symbols(
	struct constraint *c, struct arena *arena, const char *text, size_t len, int plain);

/* constraint_free.c: one more byte.  0 not possible; 1 goes on; 2 the string is closed. */
int free_step(struct walk *w, const struct place *place, struct free_text *text, unsigned char b);
struct ground_want want_of(const struct walk *w, const struct grammar_piece *piece);

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
