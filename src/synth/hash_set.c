#include "synth/hash_set.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

static int insert(struct hash_set *s, uint64_t hash)
{
	size_t i = hash_mix(hash) & (s->cap - 1);

	while (s->slots[i] && s->slots[i] != hash)
		i = (i + 1) & (s->cap - 1);
	if (s->slots[i])
		return 0;
	s->slots[i] = hash;
	s->len++;
	return 1;
}

int hash_set_add(struct hash_set *s, uint64_t hash)
{
	if ((s->len + 1) * 4 > s->cap * 3) {
		struct hash_set bigger = {.cap = s->cap ? s->cap * 2 : 64};

		bigger.slots = xcalloc(bigger.cap, sizeof *bigger.slots);
		for (size_t i = 0; i < s->cap; i++) {
			if (s->slots[i])
				insert(&bigger, s->slots[i]);
		}
		free(s->slots);
		*s = bigger;
	}
	return insert(s, hash);
}

int hash_set_has(const struct hash_set *s, uint64_t hash)
{
	size_t i;

	if (!s->cap)
		return 0;
	for (i = hash_mix(hash) & (s->cap - 1); s->slots[i]; i = (i + 1) & (s->cap - 1)) {
		if (s->slots[i] == hash)
			return 1;
	}
	return 0;
}

void hash_set_release(struct hash_set *s)
{
	free(s->slots);
	*s = (struct hash_set){0};
}
