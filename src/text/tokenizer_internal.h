/* tokenizer_internal.h - what the files of the tokenizer share. */
#ifndef TEXT_TOKENIZER_INTERNAL_H
#define TEXT_TOKENIZER_INTERNAL_H

#include "text/added.h"
#include "text/map64.h"
#include "text/normalize.h"
#include "text/sentencepiece.h"
#include "text/splitter.h"
#include "text/tokenizer.h"

enum {
	CACHE_SLOTS = 16384, /* a power of two */
	CACHE_TEXT = 30,     /* longest word kept, bytes */
	CACHE_IDS = 14	     /* most ids kept for a word */
};

struct token {
	char *bytes; /* what it decodes to; NULL: no such id */
	uint32_t len;
	int32_t added; /* index into added, or -1 */
	int in_model;  /* in model.vocab */
};

struct cache_slot {
	unsigned char len, n;
	char text[CACHE_TEXT];
	int32_t ids[CACHE_IDS];
};

struct merge_rule {
	int32_t left, right, merged;
};

/* Room for merging one word. */
struct merge_work {
	struct symbol *symbols;
	uint64_t *heap, *skipped;
	size_t symbols_cap, heap_len, heap_cap, skipped_cap;
};

struct tokenizer {
	struct buf file; /* tokenizer.json, byte for byte */
	char hash[65];
	struct token *tokens; /* by id */
	uint32_t n_tokens;
	int byte_level;		       /* symbols are bytes, in the names as in bytelevel.h; */
				       /* otherwise characters, and */
	int byte_fallback;	       /* a character without a token is spelled in bytes */
	int32_t byte_ids[256];	       /* -1: not in the vocabulary */
	struct map64 chars;	       /* code point -> id, where not byte_level */
	int32_t unknown;	       /* token of symbols that have none; -1: they are dropped */
	int fuse_unknown;	       /* one for several of them in a row */
	int mark_splits;	       /* no merge crosses the border before a blank's mark */
	struct map64 merges;	       /* left << 32 | right -> rank << 32 | merged */
	struct merge_rule *rules;      /* by rank */
	struct map64 contents;	       /* hash of text in the file -> first id, chained by */
	int32_t *chain;		       /* next id with the same hash, or -1 */
	char **names;		       /* by id: the text in the file */
	int ignore_merges;	       /* a word that is a token is not merged */
	struct normalizer *normalizer; /* NULL: none */
	struct splitter *splitter;
	struct piece_decoder decoder; /* where not byte_level */
	struct added_entry *added;
	size_t n_added;
	struct added_trie raw, normalized; /* the second looks at what the first left */
	struct arena arena;		   /* normalized contents of added tokens */
	struct cache_slot *cache;
	struct merge_work work;
};

/* Reads the text of a tokenizer.json (taken over, also on failure). */
struct tokenizer *tokenizer_parse(struct buf *text, struct error *err);

/* Gives id (which has none) its text in the file. */
void tokenizer_set_name(struct tokenizer *t, int32_t id, const char *name);
/* Id by the text that the file has for a token (bytes as printable characters);
 * -1: none. */
int32_t tokenizer_find_name(const struct tokenizer *t, const char *name, size_t len);

#endif
