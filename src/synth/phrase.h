/*
 * phrase.h - the ways to say one thing: a command, an option, an accepted value.
 *
 * Phrasings are numbered within their key, and (key, number) is what a split can
 * hold out: two phrasings that differ are two numbers, whatever they were made
 * from.  Number 0 is the plainest.
 */
#ifndef SYNTH_PHRASE_H
#define SYNTH_PHRASE_H

#include "base/mem.h"
#include "cli/spec.h"

enum phrase_form {
	PHRASE_VERB,	 /* "use {} as the image": an imperative */
	PHRASE_ADVERB,	 /* "on port {}": attaches to an imperative */
	PHRASE_NOUN,	 /* "port {}", "verbose output" */
	PHRASE_SENTENCE, /* "the port should be {}" */
	PHRASE_QUESTION	 /* "which version is installed" */
};

struct phrase {
	const char *text; /* "{}" is the value's slot, at most one */
	const char *slot; /* points at it; NULL: none */
	const char *id;	  /* "option.up.--port/4" */
	enum phrase_form form;
	unsigned short weight;
};

struct phrase_list {
	struct phrase *at;
	unsigned n;
	unsigned short *draw; /* indices, each as often as its weight says */
	unsigned n_draw;
};

struct synth_command;
struct synth_item;

/* How a phrase is used, told by its first words. */
enum phrase_form phrase_form_of(const char *text);
/* Length of the verb that an imperative begins with ("get rid of x": 10), or 0. */
size_t phrase_verb(const char *text);
/* Appends the imperative as a gerund: "start x" becomes "starting x". */
void phrase_gerund(const char *text, struct buf *out);
/* Class of a verb in verb_classes, or -1. */
int phrase_verb_class(const char *verb, size_t len);

/* Fills the phrases of a command, and of all its items.  Phrasings that two
 * options of a command would share are left out where their values cannot tell
 * them apart. */
void phrases_of_command(struct synth_command *c, const struct spec *spec, struct arena *arena);
/* Those of its items; c->items[].key and .value are set. */
void phrases_of_items(struct synth_command *c, struct arena *arena);
/* Drops phrasings that say more than one command. */
void phrases_drop_shared(struct synth_command *commands, unsigned n);

/* Whether "the NOUN is ..." reads: not "the push to is", not "the name contains is". */
int phrase_noun_reads(const char *noun);
/* Builder: adds a phrase unless the list has its text already. */
void phrase_add(struct phrase_list *list, struct arena *arena, const char *text, unsigned weight);
/* Removes the phrases for which drop[i] is set; before phrase_finish(). */
void phrase_prune(struct phrase_list *list, const unsigned char *drop);
/* Numbers the list's phrases under key, and makes the table of draws. */
void phrase_finish(struct phrase_list *list, struct arena *arena, const char *key);

#endif
