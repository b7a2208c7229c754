/* span_noise.h - words taken for values: what a request might look like to a model that
 * is to learn that not each span is one. */
#ifndef TEXT_SPAN_NOISE_H
#define TEXT_SPAN_NOISE_H

#include "base/rng.h"
#include "text/spans.h"

/* Makes one word of the request, of ASCII letters and in none of the n spans, a span of
 * some type, in its place among the others.  The new number of spans: n where there is
 * no such word or no room. */
size_t spans_mistake(
	const char *request, size_t len, struct span spans[SPANS_MAX], size_t n, struct rng *rng);

#endif
