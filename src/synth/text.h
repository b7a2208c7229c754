/*
 * text.h - a request in the making: its words, and where values stand in it, so
 * that nothing done to the words afterwards ever touches a value.
 */
#ifndef SYNTH_TEXT_H
#define SYNTH_TEXT_H

#include "base/mem.h"
#include "base/rng.h"

enum {
	TEXT_VALUES_MAX = 48,
	TEXT_IDS_MAX = 24
};

struct text {
	struct buf buf;
	struct {
		size_t from, to;
	} values[TEXT_VALUES_MAX];
	unsigned n_values;
	int verbatim;		       /* no slip, no article left out: every word counts */
	const char *ids[TEXT_IDS_MAX]; /* components: "frame/3" */
	unsigned n_ids;
};

void text_clear(struct text *t);
void text_release(struct text *t);
void text_id(struct text *t, const char *id);
void text_add(struct text *t, const char *words);
void text_add_len(struct text *t, const char *words, size_t len);
/* Adds words that must stay as they are. */
void text_add_fixed(struct text *t, const char *words);
/* Adds a value as it is; the words on both sides must bound it. */
void text_value(struct text *t, const char *value);
/* The same, in quotes where it has blanks or, now and then, anyway. */
void text_value_quoted(struct text *t, const char *value, struct rng *r);
/* Whether the text ends in the word that words begin with: "reload on" "on port". */
int text_would_repeat(const struct text *t, const char *words);
/* 1 where position at lies in a value. */
int text_in_value(const struct text *t, size_t at);

/* How a person writes it down. */
struct surface {
	int sentence_case; /* capitals where sentences begin */
	int lower;	   /* no capitals at all */
	int telegraphic;   /* no articles */
	int typos;	   /* how many slips */
	int hurried;	   /* "pls", "w/", "img" */
	int contractions;  /* -1: spelled out, 1: apostrophes left out, 0: as they are */
};

void surface_draw(struct surface *s, struct rng *r);
/* Writes in as *s says into out (cleared first); ids are carried over. */
void surface_apply(const struct surface *s, const struct text *in, struct rng *r, struct text *out);

#endif
