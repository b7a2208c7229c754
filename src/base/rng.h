/*
 * rng.h - counter-based random numbers: Philox 4x32-10 (Salmon et al., "Parallel
 * Random Numbers: As Easy as 1, 2, 3", SC 2011).  A draw is a pure function of
 * its key and counter, so it does not depend on batching or order.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* What a draw is for; part of the key, so that purposes never share numbers. */
enum rng_purpose {
	RNG_SYNTH = 1,
	RNG_INIT,
	RNG_DROPOUT,
	RNG_SHUFFLE,
	RNG_SAMPLE,
	RNG_SPLIT,
	RNG_TEST,
	RNG_TOKENIZER
};

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A stream of draws for one (seed, purpose, a, b): its state is a position only. */
struct rng {
	uint32_t key[2];
	uint32_t counter[4];
	uint32_t out[4];
	unsigned used; /* of out; 4: draw the next block */
};

/* a and b name the item (record, step, sample ...) that the stream belongs to. */
void rng_init(struct rng *r, uint64_t seed, enum rng_purpose purpose, uint64_t a, uint32_t b);
uint32_t rng_u32(struct rng *r);
uint64_t rng_u64(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n);		    /* uniform in [0, n), unbiased; n > 0 */
double rng_double(struct rng *r);			    /* uniform in [0, 1), 53 bits */
double rng_normal(struct rng *r);			    /* mean 0, variance 1 (Box-Muller) */
int rng_chance(struct rng *r, double p);		    /* 1 with probability p */
void rng_shuffle(struct rng *r, uint32_t *items, size_t n); /* Fisher-Yates */

/* One number in [0, 1) for exactly these coordinates (token sampling). */
double rng_at(uint64_t seed, enum rng_purpose purpose, uint64_t step, uint32_t group,
	uint32_t sample, uint32_t position);

#endif
