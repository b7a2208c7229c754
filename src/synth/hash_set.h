/* hash_set.h - a set of 64-bit hashes: 11 to 21 bytes each. */
#ifndef SYNTH_HASH_SET_H
#define SYNTH_HASH_SET_H

#include <stddef.h>
#include <stdint.h>

/* Of hashes other than 0; zero-initialised is empty and valid. */
struct hash_set {
	uint64_t *slots;
	size_t len, cap;
};

/* 1 where the hash is new. */
int hash_set_add(struct hash_set *s, uint64_t hash);
int hash_set_has(const struct hash_set *s, uint64_t hash);
void hash_set_release(struct hash_set *s);

#endif
