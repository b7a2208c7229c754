/*
 * device.h - the one device table.  The model, the trainer and the sampler are
 * written once against it.  (Operations: see struct device below.)
 */
#ifndef KERNELS_DEVICE_H
#define KERNELS_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

struct device;

/* "auto", "cpu", "cuda", "cuda:N".  threads 0: all cores.  What was chosen is
 * said once with note().  NULL and a message (exit 69) where it is not there. */
const struct device *device_open(const char *name, int threads, struct error *err);

#endif
