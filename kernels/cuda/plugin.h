/*
 * plugin.h - what device-cuda.so exports, and how its table is found.
 */
#ifndef KERNELS_CUDA_PLUGIN_H
#define KERNELS_CUDA_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include "kernels/device.h"

enum {
	DEVICE_PLUGIN_VERSION = 1
};

/* The symbol device_plugin.  A plug-in of another version, or built when the table was
 * of another size, is refused. */
struct device_plugin {
	uint32_t version;
	size_t table_size;
	/* The table for device `ordinal`, and in said[said_size] what it is.  NULL and a
	 * message (EXIT_UNAVAILABLE) with what was needed and what is there. */
	const struct device *(*open)(
		int ordinal, char *said, size_t said_size, struct error *err);
};

#endif
