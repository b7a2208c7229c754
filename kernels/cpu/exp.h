/*
 * exp.h - exp() in fp32 that the compiler can vectorise: branch-free, relative
 * error below 1.2e-7 where the result is a normal number.
 */
#ifndef KERNELS_CPU_EXP_H
#define KERNELS_CPU_EXP_H

#include <stdint.h>
#include <string.h>

/* exp(x) = 2^n exp(r), |r| <= ln(2) / 2, exp(r) by its Taylor polynomial of
 * degree 7.  Below -87 the result stays at 1.6e-38 (not 0), above 88 it stays
 * at 1.6e38: callers subtract a maximum first.  A NaN stays one. */
static inline float exp_fast(float x)
{
	const float round = 12582912.0f; /* 1.5 * 2^23: adding it rounds to integer */
	float t, n, r, p, scale;
	int32_t bits;

	x = x < -87.0f ? -87.0f : x;
	x = x > 88.0f ? 88.0f : x;
	t = x * 1.44269504088896341f + round;
	n = t - round;
	r = x - n * 0.693145751953125f;
	r = r - n * 1.428606765330187e-6f;
	p = 1.0f / 5040.0f;
	p = p * r + 1.0f / 720.0f;
	p = p * r + 1.0f / 120.0f;
	p = p * r + 1.0f / 24.0f;
	p = p * r + 1.0f / 6.0f;
	p = p * r + 0.5f;
	p = p * r + 1.0f;
	p = p * r + 1.0f;
	/* The low bits of t hold n: shifted, they are the exponent of 2^n. */
	memcpy(&bits, &t, sizeof bits);
	bits = (int32_t)(((uint32_t)bits + 127u) << 23);
	memcpy(&scale, &bits, sizeof scale);
	return p * scale;
}

#endif
