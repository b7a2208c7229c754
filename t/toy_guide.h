/* toy_guide.h - guides of small languages given as lists of sentences, for tests. */
#ifndef T_TOY_GUIDE_H
#define T_TOY_GUIDE_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/guide.h"

enum {
	TOY_STATES = 4096,
	TOY_LEN = 64
};

struct sentence {
	int32_t n;
	int32_t tokens[TOY_LEN];
};

/* A trie of sentences; a state without sentences below it comes back to itself with the
 * token `forever`. */
struct toy {
	struct guide guide;
	int32_t n_states;
	struct choices choices[TOY_STATES];
	int32_t *ids[TOY_STATES], *to[TOY_STATES];
	int32_t forever;
	int calls; /* of next() */
};

static inline int toy_find(const struct toy *t, int32_t state, int32_t token)
{
	for (int32_t i = 0; i < t->choices[state].n; i++)
		if (t->ids[state][i] == token)
			return i;
	return -1;
}

static inline const struct choices *toy_choices(struct guide *g, int32_t state)
{
	return &((struct toy *)g)->choices[state];
}

static inline int32_t toy_next(struct guide *g, int32_t state, int32_t token)
{
	struct toy *t = (struct toy *)g;
	int i = toy_find(t, state, token);

	t->calls++;
	return i < 0 ? -1 : t->to[state][i];
}

static inline int32_t toy_add(struct toy *t, int32_t state, int32_t token, int32_t target)
{
	struct choices *c = &t->choices[state];
	int at = toy_find(t, state, token);

	if (at >= 0)
		return t->to[state][at];
	t->ids[state] = xreallocarray(t->ids[state], (size_t)c->n + 1, sizeof(int32_t));
	t->to[state] = xreallocarray(t->to[state], (size_t)c->n + 1, sizeof(int32_t));
	for (at = c->n; at > 0 && t->ids[state][at - 1] > token; at--) {
		t->ids[state][at] = t->ids[state][at - 1];
		t->to[state][at] = t->to[state][at - 1];
	}
	t->ids[state][at] = token;
	t->to[state][at] = target;
	c->ids = t->ids[state];
	c->n++;
	return target;
}

static inline struct toy *toy_new(const struct sentence *s, int n, int32_t forever)
{
	struct toy *t = xcalloc(1, sizeof *t);

	t->guide = (struct guide){toy_choices, toy_next};
	t->n_states = 1;
	t->forever = forever;
	for (int i = 0; i < n; i++) {
		int32_t state = 0;

		for (int32_t k = 0; k < s[i].n; k++) {
			int32_t to = toy_add(t, state, s[i].tokens[k], t->n_states);

			t->n_states += to == t->n_states;
			state = to;
		}
	}
	for (int32_t i = 0; i < t->n_states; i++)
		if (t->choices[i].n == 0)
			toy_add(t, i, forever, i);
	for (int32_t i = 0; i < t->n_states; i++)
		for (int32_t k = 0; k < t->choices[i].n; k++)
			t->choices[i].hash =
				t->choices[i].hash * 1000003 + (uint64_t)t->ids[i][k] + 1;
	return t;
}

static inline void toy_free(struct toy *t)
{
	for (int32_t i = 0; i < t->n_states; i++) {
		free(t->ids[i]);
		free(t->to[i]);
	}
	free(t);
}

#endif
