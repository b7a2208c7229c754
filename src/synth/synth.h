/*
 * synth.h - the synthesiser: from a spec and seeds to pairs of request and argv.
 *
 * Labels come first: an argv is drawn from the spec, then put into words.  Record
 * k of a seed is a pure function of (spec, seeds, seed, k).
 */
#ifndef SYNTH_SYNTH_H
#define SYNTH_SYNTH_H

#include <stdint.h>
#include "base/rng.h"
#include "cli/spec.h"
#include "cli/verify.h"
#include "synth/phrase.h"
#include "synth/values.h"

enum {
	SET_MAX = 12,	/* options and positionals of one argv */
	LIST_MAX = 3,	/* values of one repeated option */
	ITEM_MAX = 512, /* options and positionals of one command */
};

/* An option or a positional of a command: what an argv may state. */
struct synth_item {
	const struct option *option;	 /* NULL: a positional */
	const struct argument *argument; /* NULL: a flag */
	struct value_plan value;
	int usable;			   /* 0: no value known that fits */
	int informational;		   /* --help, --version: rarely asked for */
	struct phrase_list clauses;	   /* how people state it */
	struct phrase_list *value_clauses; /* for each accepted value; or NULL */
	const char *noun;		   /* "base image" */
	const char *key;		   /* "option.up.--port" */
};

/* Which items are stated, ascending, and with which accepted values (-1: drawn). */
struct item_set {
	unsigned n;
	unsigned short at[SET_MAX];
	short accepted[SET_MAX];
	int single; /* one value each, though more may be given */
};

struct synth_command {
	const struct command *command;
	const char *key; /* "up", "deploy.list" */
	struct synth_item *items;
	unsigned n_items;
	unsigned char *legal; /* n_items x n_items: may the two be stated together? */
	struct phrase_list phrases;
	const char *const *objects; /* what it acts on: "the server" */
	unsigned n_objects;
	double weight;
};

struct plan {
	const struct spec *spec;
	struct arena arena;
	struct synth_command *commands; /* visible and runnable ones */
	unsigned n_commands;
};

/* Precomputes everything that records need.  NULL and *err where the spec offers
 * nothing to ask for.  spec must outlive the plan. */
struct plan *plan_new(const struct spec *spec, struct error *err);
void plan_free(struct plan *plan);

/* Adds what the rules ask for beside the set's items; r chooses where one of
 * several is needed.  0, or -1 where the set cannot be made legal. */
int set_close(const struct synth_command *c, struct item_set *set, struct rng *r);
/* Adds an item in order; 0, or -1 where the set is full. */
int set_add(struct item_set *set, unsigned item, int accepted);
int set_has(const struct item_set *set, unsigned item);

#endif
