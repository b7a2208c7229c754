#include "text/map64.h"

#include <stdlib.h>
#include "base/hash.h"
#include "base/mem.h"

static struct map64_slot *find(const struct map64 *m, uint64_t key)
{
	size_t mask = m->size - 1, i = hash_mix(key) & mask;

	while (m->slots[i].key != key && m->slots[i].key != UINT64_MAX)
		i = (i + 1) & mask;
	return &m->slots[i];
}

const uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	struct map64_slot *slot;

	if (!m->size)
		return NULL;
	slot = find(m, key);
	return slot->key == key ? &slot->value : NULL;
}

static void grow(struct map64 *m)
{
	struct map64 bigger = {.size = m->size ? m->size * 2 : 64};

	bigger.slots = xreallocarray(NULL, bigger.size, sizeof *bigger.slots);
	for (size_t i = 0; i < bigger.size; i++)
		bigger.slots[i].key = UINT64_MAX;
	for (size_t i = 0; i < m->size; i++) {
		if (m->slots[i].key != UINT64_MAX)
			*find(&bigger, m->slots[i].key) = m->slots[i];
	}
	bigger.count = m->count;
	free(m->slots);
	*m = bigger;
}

uint64_t *map64_put(struct map64 *m, uint64_t key)
{
	struct map64_slot *slot;

	if (m->count * 2 >= m->size)
		grow(m);
	slot = find(m, key);
	if (slot->key != key) {
		*slot = (struct map64_slot){key, 0};
		m->count++;
	}
	return &slot->value;
}

void map64_release(struct map64 *m)
{
	free(m->slots);
	*m = (struct map64){0};
}
