/*
 * style.h - which kinds of requests are written, and how often: beyond what every
 * dataset has, each kind by a rate of its own, or all by a level of difficulty.
 */
#ifndef SYNTH_STYLE_H
#define SYNTH_STYLE_H

/* Shares from 0 to 1; AS_EVER: as it is where nobody asks for anything. */
enum style_rate {
	RATE_SPOKEN,	 /* of numbers and measures: "thirty seconds", "8,123", "512 MB" */
	RATE_SPACES,	 /* of names and texts: with blanks or quotes in them */
	RATE_CORRECTION, /* of requests: "on 80, no, 8080" */
	RATE_NEGATION,	 /* of flags that say no: "without opening the browser" */
	RATE_UNWANTED,	 /* of requests: "no tunnel needed", and none is there */
	RATE_ORDER,	 /* of requests: words in the order of other languages */
	RATE_HARD,	 /* of refusals: one word away from a request that is answered */
	RATE_TYPOS,	 /* of requests: with a slip or two */
	RATE_CHATTER,	 /* of requests: greetings, thanks, stories around them */
	RATE_UNITS,	 /* of amounts that an option counts: "two minutes" for 120 */
	RATE_COUNT
};

#define AS_EVER (-1.0)

struct style {
	double rate[RATE_COUNT];
	int least, most; /* options of a free draw; most -1: as ever */
	int plain;	 /* no order of clauses but the plainest */
};

enum {
	STYLE_LEVELS = 5,
	STYLE_LEVEL_USUAL = 3 /* what is written where nobody asks for anything */
};

extern const char *const style_rate_names[RATE_COUNT]; /* "spoken", ... */
extern const struct style style_usual;

/* The style of a level, 1 (one option at most, plainly) to STYLE_LEVELS. */
void style_level(struct style *style, int level);

#endif
