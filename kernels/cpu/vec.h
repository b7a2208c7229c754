/*
 * vec.h - fp32 vectors of the width that the compiler was told to build for, in
 * the vector extensions that gcc and clang share.  VEC is their length; without
 * AVX2 it is not defined.
 */
#ifndef KERNELS_CPU_VEC_H
#define KERNELS_CPU_VEC_H

#if defined __AVX512F__
#define VEC 16
#elif defined __AVX2__ && defined __FMA__
#define VEC 8
#endif

#ifdef VEC

typedef float vec __attribute__((vector_size(4 * VEC)));
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

/* Lane l of one step of a transposition, from the rows i (lanes 0 .. VEC - 1) and
 * i + s (lanes from VEC on): the blocks of s x s beside the diagonal change places. */
#define VEC_LOW(l, s) ((l) & (s) ? VEC + (l) - (s) : (l))
#define VEC_HIGH(l, s) ((l) & (s) ? VEC + (l) : (l) + (s))
#define VEC_PICK8(pick, l, s)                                                                      \
	pick((l), s), pick((l) + 1, s), pick((l) + 2, s), pick((l) + 3, s), pick((l) + 4, s),      \
		pick((l) + 5, s), pick((l) + 6, s), pick((l) + 7, s)
#if VEC == 16
#define VEC_PICK(pick, s) VEC_PICK8(pick, 0, s), VEC_PICK8(pick, 8, s)
#else
#define VEC_PICK(pick, s) VEC_PICK8(pick, 0, s)
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
	VEC_TRANSPOSE_STEP(t, 4)
#if VEC == 16
	VEC_TRANSPOSE_STEP(t, 8)
#endif
}

#endif

#endif
