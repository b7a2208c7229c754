#include "base/rng.h"

#include <math.h>

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
	uint32_t k0 = key[0], k1 = key[1];

	for (int round = 0; round < 10; round++) {
		uint64_t p0 = (uint64_t)0xD2511F53u * c0;
		uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
		uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
		uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;

		c1 = (uint32_t)p1;
		c3 = (uint32_t)p0;
		c0 = n0;
		c2 = n2;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* The seed is the key; purpose and item are the upper words of the counter. */
void rng_init(struct rng *r, uint64_t seed, enum rng_purpose purpose, uint64_t a, uint32_t b)
{
	r->key[0] = (uint32_t)seed ^ ((uint32_t)purpose << 24);
	r->key[1] = (uint32_t)(seed >> 32) ^ (uint32_t)purpose;
	r->counter[0] = 0;
	r->counter[1] = b;
	r->counter[2] = (uint32_t)a;
	r->counter[3] = (uint32_t)(a >> 32);
	r->used = 4;
}

uint32_t rng_u32(struct rng *r)
{
	if (r->used == 4) {
		philox4x32(r->counter, r->key, r->out);
		r->counter[0]++;
		r->used = 0;
	}
	return r->out[r->used++];
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t high = rng_u32(r);

	return high << 32 | rng_u32(r);
}

/* Lemire's method: reject the few low products that would favour some values. */
uint32_t rng_below(struct rng *r, uint32_t n)
{
	uint64_t m = (uint64_t)rng_u32(r) * n;

	if ((uint32_t)m < n) {
		uint32_t floor = -n % n;

		while ((uint32_t)m < floor)
			m = (uint64_t)rng_u32(r) * n;
	}
	return (uint32_t)(m >> 32);
}

double rng_double(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_normal(struct rng *r)
{
	double u = 1.0 - rng_double(r), v = rng_double(r);

	return sqrt(-2.0 * log(u)) * cos(6.283185307179586476925 * v);
}

int rng_chance(struct rng *r, double p)
{
	return rng_double(r) < p;
}

void rng_shuffle(struct rng *r, uint32_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = rng_below(r, (uint32_t)i);
		uint32_t t = items[i - 1];

		items[i - 1] = items[j];
		items[j] = t;
	}
}

double rng_at(uint64_t seed, enum rng_purpose purpose, uint64_t step, uint32_t group,
	uint32_t sample, uint32_t position)
{
	const uint32_t key[2] = {
		(uint32_t)seed ^ ((uint32_t)purpose << 24) ^ (uint32_t)(step >> 32),
		(uint32_t)(seed >> 32) ^ (uint32_t)purpose,
	};
	const uint32_t counter[4] = {position, sample, group, (uint32_t)step};
	uint32_t out[4];

	philox4x32(counter, key, out);
	return (double)(((uint64_t)out[0] << 32 | out[1]) >> 11) * 0x1p-53;
}
