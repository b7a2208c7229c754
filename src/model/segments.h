/* segments.h - the nodes of a tree as attention sees them, on the device. */
#ifndef MODEL_SEGMENTS_H
#define MODEL_SEGMENTS_H

#include "kernels/device.h"
#include "model/tree.h"

struct segments {
	struct attention_segment *segments; /* device memory, [n_nodes] */
	struct key_range *ranges;	    /* device memory */
	size_t cap_segments, cap_ranges;
	/* The same on the host. */
	struct attention_segment *host_segments;
	struct key_range *host_ranges;
	size_t cap_host_ranges;
	size_t n_ranges;
};

/* Room for max_nodes nodes; the ranges grow as needed. */
int segments_alloc(struct segments *s, const struct device *device, int max_nodes, uint64_t *bytes,
	struct error *err);
void segments_free(struct segments *s, const struct device *device);

/* Adds a range to the list being built on the host, joined to the last one of
 * those from `first` on where it continues it. */
void segments_add_range(struct segments *s, size_t first, struct key_range range);
/* Copies n segments and the ranges to the device. */
int segments_upload(struct segments *s, const struct device *device, int n, struct error *err);

/* A segment for each node: its ancestors' rows are its ranges. */
int segments_load(
	struct segments *s, const struct device *device, const struct tree *t, struct error *err);

#endif
