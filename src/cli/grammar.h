/*
 * grammar.h - the canonical answers of a CLI as an automaton.
 *
 * The language: `null`, or the JSON array text of a canonical argv, as meaning_argv()
 * spells it, without blanks, one text for each argv: options in spec order, each rule
 * of the spec kept.  A node is a place within an answer, numbered; pieces lead from one
 * node to the next.  Nodes are made when they are first asked for: what an automaton
 * must remember of rules, repeats and counts is part of a node.
 *
 * A piece is fixed text, maybe followed by a value.  No piece's fixed text is a
 * beginning of another's at the same node, but where a value follows either one.
 * The pieces of a node lead only to nodes from which GRAMMAR_END can be reached,
 * given that every argument has a value that fits (where the search for that would
 * cost too much, a rule may be left to the verifier: grammar_is_exact() says so).
 */
#ifndef CLI_GRAMMAR_H
#define CLI_GRAMMAR_H

#include "cli/spec.h"

struct grammar;

enum {
	GRAMMAR_START = 0,
	GRAMMAR_END = 1 /* the answer is complete; no pieces */
};

/* Whether a value may begin with a dash (a lone "-" does not count as one). */
enum value_dash {
	DASH_ANY,
	DASH_NOT,
	DASH_ONLY
};

struct grammar_piece {
	const char *text; /* fixed text: ["prog","sub" or ,"--port", or ] ... */
	size_t len;
	/* The value behind it: NULL for none.  Where `inside` is 0 the value is a JSON
	 * string of its own ("v"), or a span (bare $K).  Where it is 1, text ends within a
	 * JSON string (,"--name= without a closing quote): the value ends that string
	 * (v"), or, for a span, the string is closed and the span follows ("$K). */
	const struct argument *argument;
	const struct option *option; /* whose value it is; NULL: of a positional */
	int inside;
	/* inside a list (`separator` of the option): what a value must not contain, and
	 * what comes behind each value but the last; 0: no list.  A list is one piece:
	 * its value is one or more values that fit, joined. */
	char separator;
	enum value_dash dash;
	int32_t next; /* node behind the piece */
	/* What else a value must be; grammar_value_fits() looks at all of it.  Two pieces of
	 * a node may have the same text where values of different arguments may follow. */
	unsigned char lone_dash;       /* here a lone "-" counts as beginning with a dash */
	unsigned char not_empty;       /* must have a byte at least */
	unsigned char as_operand;      /* argparse: with its dash it must not read as an option */
	unsigned char no_command;      /* cobra: must not be the name of a subcommand */
	const struct command *command; /* that of the place */
	unsigned char off;	       /* the text gives a flag the value "false" */
};

/* The spec must live as long. */
struct grammar *grammar_new(const struct spec *spec);
void grammar_free(struct grammar *g);
const struct spec *grammar_spec(const struct grammar *g);
/* Bytes of nodes made so far. */
size_t grammar_bytes(const struct grammar *g);

/* The pieces that begin at a node: *n of them, valid as long as the grammar. */
const struct grammar_piece *grammar_pieces(struct grammar *g, int32_t node, size_t *n);

/* 1 where value may stand at a piece: its argument takes it as it is spelled, and so do
 * the place and the parser.  A list is given whole. */
int grammar_value_fits(const struct grammar *g, const struct grammar_piece *piece,
	const char *value, struct arena *arena);

/* 1 where the answer is in the language; argc < 0: null. */
int grammar_accepts(struct grammar *g, int argc, const char *const *argv);

/* 0 where some rule was left to the verifier so far. */
int grammar_is_exact(const struct grammar *g);

#endif
