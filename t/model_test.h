/* model_test.h - what the tests of kernels and model share. */
#ifndef T_MODEL_TEST_H
#define T_MODEL_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/device.h"
#include "model/model.h"

/* Largest difference relative to the largest reference value; a NaN is infinite. */
static inline double relative_gap(const float *got, const float *want, size_t n)
{
	double scale = 0.0, gap = 0.0;

	for (size_t i = 0; i < n; i++) {
		double d = fabs((double)got[i] - (double)want[i]);

		if (!(d <= gap))
			gap = isnan(d) ? INFINITY : d;
		if (fabs((double)want[i]) > scale)
			scale = fabs((double)want[i]);
	}
	return scale > 0.0 ? gap / scale : gap;
}

#define assert_close(got, want, n, tolerance)                                                      \
	do {                                                                                       \
		double gap_ = relative_gap(got, want, n);                                          \
		if (!(gap_ <= (tolerance)))                                                        \
			fail_msg("%s: relative error %g", #got, gap_);                             \
	} while (0)

/* Ends the test with the library's message. */
#define assert_ok(call, err)                                                                       \
	do {                                                                                       \
		if ((call) != 0)                                                                   \
			fail_msg("%s: %s", #call, (err).message);                                  \
	} while (0)

static inline const struct device *test_device(int threads)
{
	struct error err;
	const struct device *d;

	note_enable(0);
	d = device_open("cpu", threads, &err);
	if (!d)
		fail_msg("%s", err.message);
	return d;
}

/* Device memory for n floats between sentinels, filled with NaNs: an output that
 * is not written, or written past its end, shows. */
enum {
	GUARD = 32
};
static const float sentinel = 1234567.0f;

static inline float *guarded(size_t n)
{
	float *all = xreallocarray(NULL, n + 2 * GUARD, sizeof *all);

	for (size_t i = 0; i < n + 2 * GUARD; i++)
		all[i] = i >= GUARD && i < n + GUARD ? NAN : sentinel;
	return all + GUARD;
}

static inline void guarded_free(float *x, size_t n)
{
	for (int i = 1; i <= GUARD; i++)
		if (x[-i] != sentinel || x[n + (size_t)i - 1] != sentinel)
			fail_msg("written outside of %zu floats", n);
	free(x - GUARD);
}

static inline float *random_floats(struct rng *r, size_t n, double scale)
{
	float *x = xreallocarray(NULL, n + 1, sizeof *x);

	for (size_t i = 0; i < n; i++)
		x[i] = (float)(scale * rng_normal(r));
	return x;
}

#endif
