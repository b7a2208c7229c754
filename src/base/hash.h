/* hash.h - content hashes: SHA-256 (nettle, which uses the
 * processor's instructions for it) as names, FNV-1a 64 for tables. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

/* Lower-case hexadecimal SHA-256 of data; out holds 64 digits and a NUL. */
void sha256_hex(const void *data, size_t len, char out[65]);

/* The same of data that comes in pieces, between nettle's sha256_init() and this. */
void sha256_end(struct sha256_ctx *sha, char out[65]);

/* FNV-1a, 64 bits.  Start with hash = FNV64_INIT, or chain an earlier result. */
#define FNV64_INIT 0xcbf29ce484222325u
uint64_t fnv64(uint64_t hash, const void *data, size_t len);

/* Scrambles a 64-bit hash so that its low bits can index a table. */
uint64_t hash_mix(uint64_t hash);

#endif
