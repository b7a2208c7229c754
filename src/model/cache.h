/*
 * cache.h - keys and values of rows computed earlier, and passes of further rows
 * over them: what sampling needs of the model.
 */
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include "model/cache_head.h"
#include "model/decoder.h"
#include "model/segments.h"

struct cache {
	struct model *m;
	int max_slots;	/* that there is memory for; cache_reserve() */
	int max_rows;	/* of a pass */
	uint64_t bytes; /* of device memory */
	float **kv;	/* [n_layers] of [max_slots, 2 n_kv_heads head_dim] */
	struct layer_buffers buffers;
	float *x, *delta, *y, *inv;
	struct rope_tables rope;
	int32_t *tokens, *positions, *slots; /* of the rows of a pass */
	int32_t *asked;			     /* rows that heads ask of, each once */
	struct {
		int n;
		int32_t *rows;	/* [max_rows] the same */
		int32_t *place; /* [max_rows] of a row among them, -1: not asked of */
		int32_t *heads; /* [max_draws] place of each head's row */
	} host;
	struct segments segments;
	struct cache_head head;
	struct probe probe;
};

/* The rows of one pass, host memory.  Row i gets token, position and the slot in
 * which its key and value are kept; its segment is in cache->segments (host). */
struct cache_rows {
	int n, n_segments; /* n at most max_rows */
	const int32_t *tokens, *positions, *slots;
};

/* Room for max_slots slots to begin with, for passes of max_rows rows and for
 * max_draws rows of the head and draws of a pass. */
int cache_alloc(struct cache *c, struct model *m, int max_slots, int max_rows, int max_draws,
	int max_positions, struct error *err);
void cache_free(struct cache *c);

/* Room for n slots, with what they hold kept: memory grows by doubling, a layer at a
 * time, so that it follows what is used and not what might be. */
int cache_reserve(struct cache *c, int64_t n, struct error *err);

/* Runs the rows through the model and draws.  -1: not finite, or the device. */
int cache_run(struct cache *c, const struct cache_rows *rows, const struct cache_draws *draws,
	struct error *err);
/* Runs the rows through the model and gives scores instead of drawing. */
int cache_score(struct cache *c, const struct cache_rows *rows, const struct cache_scores *scores,
	struct error *err);

#endif
