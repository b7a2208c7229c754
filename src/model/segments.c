/* segments.c - the nodes of a tree as attention sees them, on the device. */
#include "model/segments.h"

#include <stdlib.h>
#include "base/mem.h"

int segments_alloc(struct segments *s, const struct device *device, int max_nodes, uint64_t *bytes,
	struct error *err)
{
	const size_t n = (size_t)max_nodes;

	*s = (struct segments){.cap_segments = n, .cap_ranges = 4 * n, .cap_host_ranges = 4 * n};
	s->host_segments = xcalloc(n, sizeof *s->host_segments);
	s->host_ranges = xcalloc(s->cap_host_ranges, sizeof *s->host_ranges);
	*bytes += n * sizeof *s->segments + s->cap_ranges * sizeof *s->ranges;
	if (!(s->segments = device->alloc(n * sizeof *s->segments, err)) ||
		!(s->ranges = device->alloc(s->cap_ranges * sizeof *s->ranges, err)))
		return -1;
	return 0;
}

void segments_free(struct segments *s, const struct device *device)
{
	device->free(s->segments);
	device->free(s->ranges);
	free(s->host_segments);
	free(s->host_ranges);
	*s = (struct segments){0};
}

void segments_add_range(struct segments *s, size_t first, struct key_range range)
{
	struct key_range *last = s->n_ranges > first ? &s->host_ranges[s->n_ranges - 1] : NULL;

	if (last && last->start + last->len == range.start) {
		last->len += range.len;
		return;
	}
	s->host_ranges = array_grow(
		s->host_ranges, &s->cap_host_ranges, s->n_ranges, sizeof *s->host_ranges);
	s->host_ranges[s->n_ranges++] = range;
}

int segments_upload(struct segments *s, const struct device *device, int n, struct error *err)
{
	if (s->n_ranges > INT32_MAX)
		return error_set(err, EXIT_DATA, "a tree too deep");
	if (s->n_ranges > s->cap_ranges) {
		device->free(s->ranges);
		s->cap_ranges = s->cap_host_ranges;
		s->ranges = device->alloc(s->cap_ranges * sizeof *s->ranges, err);
		if (!s->ranges) {
			s->cap_ranges = 0;
			return -1;
		}
	}
	device->upload(s->segments, s->host_segments, (size_t)n * sizeof *s->segments);
	device->upload(s->ranges, s->host_ranges, s->n_ranges * sizeof *s->ranges);
	return 0;
}

/* Ranges of a node: those of its parent, then the parent itself. */
static void add_node(struct segments *s, const struct tree *t, int32_t index)
{
	const struct tree_node *node = &t->nodes[index];
	const size_t first = s->n_ranges;

	if (node->parent >= 0) {
		const struct attention_segment *parent = &s->host_segments[node->parent];

		for (int32_t i = 0; i < parent->n_ranges; i++)
			segments_add_range(s, first, s->host_ranges[parent->first_range + i]);
		segments_add_range(s, first, (struct key_range){parent->own, parent->n_queries});
	}
	s->host_segments[index] = (struct attention_segment){
		.query = node->start,
		.n_queries = node->len,
		.own = node->start,
		.first_range = (int32_t)first,
		.n_ranges = (int32_t)(s->n_ranges - first),
		.reach = node->start + node->len,
	};
}

int segments_load(
	struct segments *s, const struct device *device, const struct tree *t, struct error *err)
{
	s->n_ranges = 0;
	for (int32_t i = 0; i < t->n_nodes && s->n_ranges <= INT32_MAX; i++)
		add_node(s, t, i);
	for (int32_t i = t->n_nodes - 1; i >= 0; i--) {
		int32_t parent = t->nodes[i].parent, reach = s->host_segments[i].reach;

		if (parent >= 0 && s->host_segments[parent].reach < reach)
			s->host_segments[parent].reach = reach;
	}
	return segments_upload(s, device, t->n_nodes, err);
}
