/*
 * vec.h - fp32 vectors of the width that the compiler was told to build for, in
 * the vector extensions that gcc and clang share.  VEC is their length.
 */
#ifndef KERNELS_CPU_VEC_H
#define KERNELS_CPU_VEC_H

#include <stdint.h>
#include <string.h>
#if defined __AVX2__
#include <immintrin.h>
#endif

#if defined __AVX512F__
#define VEC 16
#elif defined __AVX2__
#define VEC 8
#else
#define VEC 4
#endif

typedef float vec __attribute__((vector_size(4 * VEC)));
typedef int32_t vec_int __attribute__((vector_size(4 * VEC)));
/* The same anywhere in memory. */
typedef float vec_unaligned __attribute__((vector_size(4 * VEC), aligned(4), may_alias));

static inline vec vec_load(const float *p)
{
	return (vec) * (const vec_unaligned *)p;
}

static inline void vec_store(float *p, vec x)
{
	*(vec_unaligned *)p = (vec_unaligned)x;
}

static inline vec vec_all(float x)
{
	return (vec){0} + x;
}

/* a where mask is set (all bits of a lane), else b. */
static inline vec vec_select(vec_int mask, vec a, vec b)
{
	return (vec)(((vec_int)a & mask) | ((vec_int)b & ~mask));
}

/* A NaN in a is passed over, one in b stays. */
static inline vec vec_max(vec a, vec b)
{
	return vec_select(a > b, a, b);
}

static inline float vec_sum(vec x)
{
	float lane[VEC], sum = 0.0f;

	vec_store(lane, x);
	for (int s = VEC / 2; s > 1; s /= 2)
		for (int i = 0; i < s; i++)
			lane[i] += lane[i + s];
	sum = lane[0] + lane[1];
	return sum;
}

static inline float vec_highest(vec x)
{
	float lane[VEC];

	vec_store(lane, x);
	for (int s = VEC / 2; s > 0; s /= 2)
		for (int i = 0; i < s; i++)
			lane[i] = lane[i] > lane[i + s] ? lane[i] : lane[i + s];
	return lane[0];
}

/* Set in the lanes below n. */
static inline vec_int vec_below(int n)
{
#if VEC == 16
	const vec_int lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif VEC == 8
	const vec_int lane = {0, 1, 2, 3, 4, 5, 6, 7};
#else
	const vec_int lane = {0, 1, 2, 3};
#endif

	return lane < (vec_int){0} + n;
}

/* The first n < VEC numbers, zeros behind them; nothing else is touched. */
static inline vec vec_load_part(const float *p, int n)
{
#if VEC == 16
	return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
#elif VEC == 8
	return (vec)_mm256_maskload_ps(p, (__m256i)vec_below(n));
#else
	float lane[VEC] = {0};

	memcpy(lane, p, (size_t)n * sizeof *lane);
	return vec_load(lane);
#endif
}

static inline void vec_store_part(float *p, vec x, int n)
{
#if VEC == 16
	_mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)x);
#elif VEC == 8
	_mm256_maskstore_ps(p, (__m256i)vec_below(n), (__m256)x);
#else
	memcpy(p, &x, (size_t)n * sizeof *p);
#endif
}

/* exp(x) as exp_fast() in exp.h computes it, for x up to 88. */
static inline vec vec_exp(vec x)
{
	const vec round = vec_all(12582912.0f);
	vec t, n, r, p;
	vec_int bits;

	x = vec_max(vec_all(-87.0f), x);
	t = x * 1.44269504088896341f + round;
	n = t - round;
	r = x - n * 0.693145751953125f;
	r = r - n * 1.428606765330187e-6f;
	p = vec_all(1.0f / 5040.0f);
	p = p * r + 1.0f / 720.0f;
	p = p * r + 1.0f / 120.0f;
	p = p * r + 1.0f / 24.0f;
	p = p * r + 1.0f / 6.0f;
	p = p * r + 0.5f;
	p = p * r + 1.0f;
	p = p * r + 1.0f;
	bits = ((vec_int)t + 127) << 23;
	return p * (vec)bits;
}

/* Lane l of one step of a transposition, from the rows i (lanes 0 .. VEC - 1) and
 * i + s (lanes from VEC on): the blocks of s x s beside the diagonal change places. */
#define VEC_LOW(l, s) ((l) & (s) ? VEC + (l) - (s) : (l))
#define VEC_HIGH(l, s) ((l) & (s) ? VEC + (l) : (l) + (s))
#define VEC_PICK4(pick, l, s) pick((l), s), pick((l) + 1, s), pick((l) + 2, s), pick((l) + 3, s)
#if VEC == 16
#define VEC_PICK(pick, s)                                                                          \
	VEC_PICK4(pick, 0, s), VEC_PICK4(pick, 4, s), VEC_PICK4(pick, 8, s), VEC_PICK4(pick, 12, s)
#elif VEC == 8
#define VEC_PICK(pick, s) VEC_PICK4(pick, 0, s), VEC_PICK4(pick, 4, s)
#else
#define VEC_PICK(pick, s) VEC_PICK4(pick, 0, s)
#endif

#define VEC_TRANSPOSE_STEP(t, s)                                                                   \
	_Pragma("GCC unroll 16") for (int i_ = 0; i_ < VEC; i_++)                                  \
	{                                                                                          \
		if (i_ & (s))                                                                      \
			continue;                                                                  \
		vec low_ = __builtin_shufflevector((t)[i_], (t)[i_ + (s)], VEC_PICK(VEC_LOW, s));  \
		vec high_ =                                                                        \
			__builtin_shufflevector((t)[i_], (t)[i_ + (s)], VEC_PICK(VEC_HIGH, s));    \
		(t)[i_] = low_;                                                                    \
		(t)[i_ + (s)] = high_;                                                             \
	}

/* A square of VEC vectors, in place. */
static inline __attribute__((always_inline)) void vec_transpose(vec *t)
{
	VEC_TRANSPOSE_STEP(t, 1)
	VEC_TRANSPOSE_STEP(t, 2)
#if VEC >= 8
	VEC_TRANSPOSE_STEP(t, 4)
#endif
#if VEC == 16
	VEC_TRANSPOSE_STEP(t, 8)
#endif
}

#endif
