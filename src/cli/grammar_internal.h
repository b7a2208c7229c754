/*
 * grammar_internal.h - what the parts of the grammar automaton share.
 *
 * A place is what the automaton has to remember within an answer: the command, how
 * far its options have been passed, what the rules still want to know, and whether
 * the last option could take a further word.  Each place is a node; equal places are
 * one node.  Places that follow a command's operands are sets of ways in which the
 * words so far may be shared out among the arguments.
 */
#ifndef CLI_GRAMMAR_INTERNAL_H
#define CLI_GRAMMAR_INTERNAL_H

#include "cli/dialect.h"
#include "cli/grammar.h"

enum {
	GRAMMAR_RULES_MAX = 1024 + 2 * 2048, /* of a command, required options, negations */
	SEARCH_STEPS_MAX = 1 << 14	     /* of one search for a way to the end */
};

/* Byte strings, each stored once and numbered from 0. */
struct intern {
	struct intern_entry {
		const unsigned char *key;
		size_t len;
		uint64_t hash;
	} * entries;
	size_t n, cap;
	uint32_t *slots; /* number + 1; 0: free */
	size_t mask;
};

/* What is known of a rule while options are passed in order. */
enum rule_state {
	RULE_OPEN,   /* nothing decisive yet */
	RULE_BOUND,  /* conflicts: one was given; requires...: the first was given */
	RULE_BARRED, /* requires: one of the others is missing; -any: one is there */
	RULE_DONE    /* kept, whatever follows */
};

struct level_rule {
	unsigned char kind;   /* enum rule_kind */
	unsigned char common; /* holds where a subcommand follows, too */
	uint16_t last;	      /* position of the last member */
};

struct rule_use {
	uint16_t rule;
	unsigned char lead; /* the first member */
};

/* Fixed texts of an option; NULL until asked for. */
struct option_texts {
	const char *bare;   /* ,"--name" */
	const char *value;  /* ,"--name", */
	const char *attach; /* ,"--name= */
	const char *off;    /* ,"--name=false" */
};

/* A command as the automaton sees it.  Positions: its options in order, then its
 * arguments. */
struct level {
	const struct command *command;
	size_t n_positions, n_rules;
	struct level_rule *rules;
	uint32_t *first_use; /* n_positions + 1, into uses */
	struct rule_use *uses;
	unsigned char *takes; /* by position: can be written at all */
	struct option_texts *texts;
	const char *opening;	       /* ["prog","sub" */
	const char *name;	       /* ,"sub" */
	signed char alive, alive_bare; /* -1: not known yet */
};

enum place_kind {
	PLACE_START,
	PLACE_END,
	PLACE_LEVEL,
	PLACE_VALUE,
	PLACE_OPERANDS
};

enum place_flag {
	PLACE_BARE = 1,	      /* only command names so far: an eager option may follow */
	PLACE_OPEN = 4,	      /* the last option could take the next word too */
	PLACE_AGAIN = 8,      /* the option at pos was given and may be repeated */
	PLACE_LEAF = 16,      /* no subcommand can follow any more */
	PLACE_BROKEN = 32,    /* a rule is broken: a subcommand must follow */
	PLACE_PENDING = 64,   /* `option` takes further values */
	PLACE_REPEATED = 128, /* ... and was given before */
	PLACE_EAGER = 256,    /* an option that acts alone was given */
	PLACE_KEPT = PLACE_LEAF | PLACE_BROKEN | PLACE_EAGER
};

/* How operands stand to "--". */
enum operand_mode {
	OPERANDS_PLAIN, /* not there: no value begins with a dash */
	OPERANDS_FIRST, /* there: the first value begins with a dash */
	OPERANDS_NEED,	/* there: one of the values to come begins with a dash */
	OPERANDS_ANY	/* there: and justified */
};

struct place {
	unsigned char kind, mode; /* mode: enum operand_mode */
	uint16_t flags;
	uint16_t command, pos, option;
	uint16_t n_ways; /* of operands */
	uint32_t count;	 /* values of the option so far */
};

/* One way to share out operands: n of them to argument j so far. */
enum way_tail {
	WAY_FREE,  /* all arguments before are full */
	WAY_LEAST, /* each later argument gets its minimum */
	WAY_NONE,  /* click: later ones get nothing */
	WAY_FULL   /* click: later ones are filled */
};

struct way {
	uint16_t j;
	unsigned char tail, zero; /* zero: places are compared byte by byte */
	uint32_t n;
};

struct node {
	const struct grammar_piece *pieces;
	uint32_t n, built;
};

struct grammar {
	const struct spec *spec;
	const struct dialect_traits *traits;
	struct arena arena;
	struct arena scratch;
	struct intern places;
	struct node *nodes; /* by place */
	size_t cap_nodes;
	struct intern searched; /* (command, position, rules): is there a way to the end */
	signed char *found;
	size_t cap_found;
	size_t steps;	       /* of the search that is running */
	struct level **levels; /* by command */
	size_t bytes;
	int exact;
};

/* Pieces being gathered. */
struct piece_list {
	struct grammar *g;
	const struct command *command; /* of the node */
	struct grammar_piece *items;
	size_t n, cap;
};

/* grammar_node.c */
uint32_t intern_put(struct grammar *g, struct intern *t, const void *key, size_t len);
void intern_release(struct intern *t);
void *grammar_alloc(struct grammar *g, size_t size);
/* The node of a place with the states of the command's rules (n_ways of them for
 * operands, each behind its way). */
int32_t place_node(struct grammar *g, const struct place *p, const struct way *ways,
	const unsigned char *states);
/* Reads them back; ways and states are memory of g->scratch. */
void node_place(struct grammar *g, int32_t node, struct place *p, struct way **ways,
	unsigned char **states);
struct grammar_piece *piece_add(struct piece_list *list, const char *text, int32_t next);
struct grammar_piece *piece_add_value(struct piece_list *list, const char *text,
	const struct argument *a, const struct option *o, enum value_dash dash, int32_t next);

/* grammar_rules.c */
struct level *level_of(struct grammar *g, const struct command *c);
/* Passes a position, given or not.  0; 1 where a rule is broken; 2 where one is that
 * holds for subcommands too. */
int rules_pass(const struct level *l, unsigned char *states, size_t pos, int given);
int rules_skip(const struct level *l, unsigned char *states, size_t from, size_t to);
/* 1 where an answer whose options before pos are decided can still be completed at
 * this command (or, the search being too long, may be). */
int level_can_end(
	struct grammar *g, const struct level *l, size_t pos, const unsigned char *states);
/* 1 where a subcommand can still follow. */
int level_can_descend(struct grammar *g, const struct level *l, size_t pos,
	const unsigned char *states, int bare);
/* 1 where some answer stops at this command or below; bare: nothing but names so far. */
int level_alive(struct grammar *g, struct level *l, int bare);

/* grammar_operands.c */
int operands_can_end(struct grammar *g, const struct level *l, const struct way *way,
	const unsigned char *states, enum operand_mode mode);
/* 1 where at least one operand can follow, and then an end. */
int operands_can_begin(struct grammar *g, const struct level *l, const unsigned char *states,
	enum operand_mode mode);
void operands_pieces(struct piece_list *list, int32_t node);
/* Those of the first operand; states: with all options passed. */
void operands_begin(struct piece_list *list, const struct level *l, const unsigned char *states,
	enum operand_mode mode);
/* Behind "--": words may follow, and subcommands. */
int32_t operands_node(struct grammar *g, const struct level *l, const unsigned char *states,
	enum operand_mode mode, int words, int descend);
/* 1 where no operand at all is fine. */
int operands_none(struct grammar *g, const struct level *l, const unsigned char *states);
int value_may(struct grammar *g, const struct argument *a, enum value_dash dash);

/* grammar_options.c */
void level_pieces(struct piece_list *list, int32_t node);
void value_pieces(struct piece_list *list, int32_t node);
int option_is_written(const struct grammar *g, const struct option *o);
void child_pieces(struct piece_list *list, const struct command *c);

#endif
