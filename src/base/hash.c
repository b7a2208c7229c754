#include "base/hash.h"

void sha256_end(struct sha256_ctx *sha, char out[65])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof digest, digest);
	for (size_t i = 0; i < sizeof digest; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[2 * sizeof digest] = '\0';
}

void sha256_hex(const void *data, size_t len, char out[65])
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, len, data);
	sha256_end(&sha, out);
}

uint64_t fnv64(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

uint64_t hash_mix(uint64_t hash)
{
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdu;
	hash ^= hash >> 33;
	hash *= 0xc4ceb9fe1a85ec53u;
	return hash ^ hash >> 33;
}
