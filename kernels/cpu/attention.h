/* attention.h - what the two directions of attention share. */
#ifndef KERNELS_CPU_ATTENTION_H
#define KERNELS_CPU_ATTENTION_H

#include "kernels/cpu/cpu.h"

/* Keys taken at once. */
enum {
	KEY_BLOCK = 256
};

static inline float dot(const float *a, const float *b, int n)
{
	float sum = 0.0f;

#pragma omp simd reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

#endif
