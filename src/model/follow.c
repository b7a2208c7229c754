/* follow.c - tokens that are certain under a guide. */
#include "model/follow.h"

int follow_certain(struct guide *g, int32_t *state, int32_t *run, int32_t *n, int32_t room,
	int32_t end_id, int32_t vocab, struct error *err)
{
	const struct choices *c;

	for (;;) {
		if (*n >= room || (*n && run[*n - 1] == end_id))
			return 0;
		if (!g)
			return 1;
		if (*n && (*state = g->next(g, *state, run[*n - 1])) < 0)
			return error_set(err, EXIT_INTERNAL,
				"the guide does not go on behind token %d", (int)run[*n - 1]);
		c = g->choices(g, *state);
		if (!c || c->n < 1 || c->ids[0] < 0 || c->ids[c->n - 1] >= vocab)
			return error_set(err, EXIT_INTERNAL,
				"the guide gives no choices of a vocabulary of %d", (int)vocab);
		if (c->n > 1)
			return 1;
		run[(*n)++] = c->ids[0];
	}
}
