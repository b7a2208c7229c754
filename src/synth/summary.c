#include "synth/summary.h"

void summary_accept(struct summary *s, enum side split, const struct split_parts *parts)
{
	s->split[split]++;
	for (size_t i = 0; i < parts->n_phrasings; i++)
		hash_set_add(&s->phrasings[split], parts->phrasings[i]);
	if (parts->shape)
		hash_set_add(&s->shapes[split], parts->shape);
}

void summary_print(const struct summary *s, unsigned checks, int with_splits, struct buf *out)
{
	buf_addf(out, "%-16s %10lld\n", "records", s->inputs);
	buf_addf(out, "%-16s %10lld\n", "accepted", s->accepted);
	for (int i = 0; i < CHECK_COUNT; i++) {
		if (checks >> i & 1)
			buf_addf(out, "%-16s %10lld rejected\n", check_names[i], s->rejected[i]);
	}
	if (!with_splits)
		return;
	buf_addf(out, "%-6s %10s %8s %10s %8s\n", "split", "records", "share", "phrasings",
		"shapes");
	for (int i = 0; i < SIDE_COUNT; i++)
		buf_addf(out, "%-6s %10lld %7.2f%% %10zu %8zu\n", side_names[i], s->split[i],
			s->accepted ? 100.0 * (double)s->split[i] / (double)s->accepted : 0.0,
			s->phrasings[i].len, s->shapes[i].len);
}

void summary_release(struct summary *s)
{
	for (int i = 0; i < SIDE_COUNT; i++) {
		hash_set_release(&s->phrasings[i]);
		hash_set_release(&s->shapes[i]);
	}
}
