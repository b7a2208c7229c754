/* choices.c - sets of choices compared, and laid out behind one another. */
#include "model/choices.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

struct choice_slot {
	const struct choices *choices; /* NULL: free */
	int32_t start;
};

int choices_compare(const struct choices *a, const struct choices *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->ids == b->ids ? 0 : memcmp(a->ids, b->ids, (size_t)a->n * sizeof *a->ids);
}

static struct choice_slot *find(const struct choice_lists *l, const struct choices *c)
{
	size_t i = c->hash & (l->n_slots - 1);

	while (l->slots[i].choices && choices_compare(l->slots[i].choices, c) != 0)
		i = (i + 1) & (l->n_slots - 1);
	return &l->slots[i];
}

static void grow(struct choice_lists *l)
{
	struct choice_slot *old = l->slots;
	size_t n = l->n_slots;

	l->n_slots = n ? 2 * n : 64;
	l->slots = xcalloc(l->n_slots, sizeof *l->slots);
	for (size_t i = 0; i < n; i++)
		if (old[i].choices)
			*find(l, old[i].choices) = old[i];
	free(old);
}

static int check(const struct choices *c, int vocab, struct error *err)
{
	if (c->n < 1)
		return error_set(err, EXIT_INTERNAL, "an empty set of choices");
	if (c->ids[0] < 0 || c->ids[c->n - 1] >= vocab)
		return error_set(err, EXIT_DATA, "choice %d is not in a vocabulary of %d",
			(int)(c->ids[0] < 0 ? c->ids[0] : c->ids[c->n - 1]), vocab);
	for (int32_t i = 1; i < c->n; i++)
		if (c->ids[i] <= c->ids[i - 1])
			return error_set(err, EXIT_INTERNAL, "choices %d, %d are not ascending",
				(int)c->ids[i - 1], (int)c->ids[i]);
	return 0;
}

int32_t choice_lists_add(
	struct choice_lists *l, const struct choices *c, int vocab, struct error *err)
{
	struct choice_slot *slot;

	if (2 * (l->n_lists + 1) > l->n_slots)
		grow(l);
	slot = find(l, c);
	if (slot->choices)
		return slot->start;
	if (check(c, vocab, err) != 0)
		return -1;
	if (l->n_ids + (size_t)c->n > INT32_MAX)
		return error_set(err, EXIT_DATA, "a batch with more than %d choices", INT32_MAX);
	if (l->n_ids + (size_t)c->n > l->cap_ids) {
		l->cap_ids = 2 * (l->n_ids + (size_t)c->n);
		l->ids = xreallocarray(l->ids, l->cap_ids, sizeof *l->ids);
	}
	memcpy(l->ids + l->n_ids, c->ids, (size_t)c->n * sizeof *c->ids);
	*slot = (struct choice_slot){c, (int32_t)l->n_ids};
	l->n_ids += (size_t)c->n;
	l->n_lists++;
	return slot->start;
}

void choice_lists_clear(struct choice_lists *l)
{
	if (l->n_lists)
		memset(l->slots, 0, l->n_slots * sizeof *l->slots);
	l->n_ids = l->n_lists = 0;
}

void choice_lists_release(struct choice_lists *l)
{
	free(l->ids);
	free(l->slots);
	*l = (struct choice_lists){0};
}
