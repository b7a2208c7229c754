/* map64.h - a hash table from 64-bit keys to 64-bit values; nothing is removed.
 * Zero-initialised is empty and valid.  The key UINT64_MAX may not be used. */
#ifndef TEXT_MAP64_H
#define TEXT_MAP64_H

#include <stddef.h>
#include <stdint.h>

struct map64 {
	struct map64_slot {
		uint64_t key, value;
	} * slots;
	size_t count, size; /* size: a power of two, or 0 */
};

/* The value of key; NULL where it is not there. */
const uint64_t *map64_get(const struct map64 *m, uint64_t key);
/* The place of key's value, made (0) where it is not there.  Good until the next put. */
uint64_t *map64_put(struct map64 *m, uint64_t key);
void map64_release(struct map64 *m);

#endif
