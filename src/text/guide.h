/*
 * guide.h - what may come next in a completion: the interface between those who know
 * the language of answers and those who run models.
 *
 * A guide belongs to one request.  Its states are small numbers; 0 is the start of
 * the completion.  A completion is in the language where each of its tokens is among
 * the choices of the state before it; there is always at least one choice until the
 * end token is taken.  Where there is just one, it is certain: it costs no draw and
 * has log-probability 0.
 */
#ifndef TEXT_GUIDE_H
#define TEXT_GUIDE_H

#include <stdint.h>

/* A set of token ids, ascending, at least one. */
struct choices {
	const int32_t *ids;
	int32_t n;
	uint64_t hash; /* of the ids: equal sets, equal hash */
};

/* Whether a token is one of them; NULL: everything is. */
int choices_have(const struct choices *c, int32_t token);

struct guide {
	/* The choices at a state; valid as long as the guide. */
	const struct choices *(*choices)(struct guide *g, int32_t state);
	/* The state behind a token; -1 where it is no choice. */
	int32_t (*next)(struct guide *g, int32_t state, int32_t token);
};

#endif
