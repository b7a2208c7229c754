/*
 * cudasim.h - runs CUDA kernels on the CPU, one fiber per CUDA thread: what a kernel
 * sees in place of nvcc's built-ins.  Shared memory is declared by SHARED and
 * SHARED_DYN, kernels are started by LAUNCH; README.md has the rules.
 */
#ifndef T_CUDASIM_CUDASIM_H
#define T_CUDASIM_CUDASIM_H

#include "t/cudasim/cuda_types.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#define CUDASIM 1
#define CUDASIM_NO_TSAN __attribute__((no_sanitize("thread")))

// ---- keywords ---------------------------------------------------------------
#define __shared__ cudasim_error_use_SHARED_or_SHARED_DYN
#define __launch_bounds__(...)
#define DEVICE_FN static inline

// ---- runtime interface (cudasim.cpp) -------------------------------------------
struct cudasim_thread {
	uint3 tid, bid;
	dim3 bdim, gdim;
	unsigned lane;
};
extern "C" __thread cudasim_thread *cudasim_cur; // the running CUDA thread; NULL in host code

namespace cudasim
{
enum sched {
	FORWARD,
	REVERSE,
	RANDOM
};
void set_schedule(sched s, uint64_t seed = 1); // order of threads and of blocks
void set_lazy(bool on);			       // streams run work only when synchronised with
void set_strict(bool on);		       // exited threads at a barrier are an error

struct lane_arg { // one lane's part in a warp collective
	alignas(16) unsigned char v[16];
	alignas(16) unsigned char out[16];
	int src;
	unsigned n;
	const void *p[4];
};
typedef void (*complete_fn)(lane_arg **lanes, uint32_t mask);
void warp_collective(
	int op, uint32_t mask, lane_arg *a, complete_fn fn, const char *file, int line);
int block_sync(int op, int pred, const char *file, int line);
void yield();
void *shared_static(const void *key, size_t size);
void *shared_dynamic();
void check_pointer(const void *p, const char *what, int arg);
[[noreturn]] void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void launch_grid(const char *name, const void *fn, dim3 grid, dim3 block, size_t smem,
	cudaStream_t s, std::function<void()> body);
cudaError_t func_attribute(const void *fn, cudaFuncAttribute attr, int value);

template <class... P, class... A>
void launch(const char *name, void (*k)(P...), dim3 grid, dim3 block, size_t smem, cudaStream_t s,
	A &&...a)
{
	static_assert(sizeof...(P) == sizeof...(A), "wrong number of kernel arguments");
	std::tuple<std::decay_t<P>...> args(static_cast<P>(a)...); // by value, as a launch does
	int i = 0;
	auto chk = [&](auto &x) {
		if constexpr (std::is_pointer_v<std::decay_t<decltype(x)>>)
			check_pointer((const void *)x, name, i);
		i++;
	};
	std::apply([&](auto &...x) { (chk(x), ...); }, args);
	launch_grid(
		name, (const void *)k, grid, block, smem, s, [k, args] { std::apply(k, args); });
}
template <class T> T &shared_ref(const void *key)
{
	static_assert(alignof(T) <= 16);
	return *reinterpret_cast<T *>(shared_static(key, sizeof(T)));
}
} // namespace cudasim

#define LAUNCH(kernel, grid, block, smem, stream, ...)                                             \
	::cudasim::launch(#kernel, kernel, dim3(grid), dim3(block), (smem), (stream), ##__VA_ARGS__)
#define SHARED(T, name, ...)                                                                       \
	static char cudasim_key_##name;                                                            \
	auto &name = ::cudasim::shared_ref<T __VA_ARGS__>(&cudasim_key_##name)
#define SHARED_DYN(T, name) T *name = reinterpret_cast<T *>(::cudasim::shared_dynamic())

#define threadIdx (cudasim_cur->tid)
#define blockIdx (cudasim_cur->bid)
#define blockDim (cudasim_cur->bdim)
#define gridDim (cudasim_cur->gdim)
static constexpr int warpSize = 32;

// ---- barriers and warp collectives ----------------------------------------------
#define CUDASIM_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define CUDASIM_HERE file, line
namespace cudasim
{
enum {
	OP_SYNC,
	OP_COUNT,
	OP_AND,
	OP_OR,
	OP_SYNCWARP,
	OP_SHFL,
	OP_BALLOT,
	OP_MATCH
};
void do_none(lane_arg **l, uint32_t mask);
void do_shfl(lane_arg **l, uint32_t mask);
void do_ballot(lane_arg **l, uint32_t mask);

template <class T> T shuffle(uint32_t mask, T v, int src, CUDASIM_SITE)
{
	static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
	lane_arg a;
	memcpy(a.v, &v, sizeof(T));
	a.n = sizeof(T);
	a.src = src;
	warp_collective(OP_SHFL, mask, &a, do_shfl, CUDASIM_HERE);
	T r;
	memcpy(&r, a.out, sizeof(T));
	return r;
}
inline uint32_t ballot(uint32_t mask, int pred, CUDASIM_SITE)
{
	lane_arg a;
	a.src = pred != 0;
	warp_collective(OP_BALLOT, mask, &a, do_ballot, CUDASIM_HERE);
	return (uint32_t)a.src;
}
} // namespace cudasim

inline void __syncthreads(CUDASIM_SITE)
{
	cudasim::block_sync(cudasim::OP_SYNC, 0, CUDASIM_HERE);
}
inline int __syncthreads_count(int p, CUDASIM_SITE)
{
	return cudasim::block_sync(cudasim::OP_COUNT, p, CUDASIM_HERE);
}
inline int __syncthreads_and(int p, CUDASIM_SITE)
{
	return cudasim::block_sync(cudasim::OP_AND, p, CUDASIM_HERE);
}
inline int __syncthreads_or(int p, CUDASIM_SITE)
{
	return cudasim::block_sync(cudasim::OP_OR, p, CUDASIM_HERE);
}
inline void __syncwarp(uint32_t mask = 0xffffffffu, CUDASIM_SITE)
{
	cudasim::lane_arg a;
	cudasim::warp_collective(cudasim::OP_SYNCWARP, mask, &a, cudasim::do_none, CUDASIM_HERE);
}
template <class T> T __shfl_sync(uint32_t mask, T v, int src, int w = 32, CUDASIM_SITE)
{
	int lane = cudasim_cur->lane, base = lane & ~(w - 1);
	return cudasim::shuffle(mask, v, base + (src & (w - 1)), CUDASIM_HERE);
}
template <class T> T __shfl_xor_sync(uint32_t mask, T v, int m, int w = 32, CUDASIM_SITE)
{
	int lane = cudasim_cur->lane, s = lane ^ m;
	return cudasim::shuffle(mask, v, s >= (lane & ~(w - 1)) + w ? lane : s, CUDASIM_HERE);
}
template <class T> T __shfl_down_sync(uint32_t mask, T v, unsigned d, int w = 32, CUDASIM_SITE)
{
	int lane = cudasim_cur->lane, s = (lane & (w - 1)) + (int)d;
	return cudasim::shuffle(mask, v, s >= w ? lane : lane + (int)d, CUDASIM_HERE);
}
template <class T> T __shfl_up_sync(uint32_t mask, T v, unsigned d, int w = 32, CUDASIM_SITE)
{
	int lane = cudasim_cur->lane, s = (lane & (w - 1)) - (int)d;
	return cudasim::shuffle(mask, v, s < 0 ? lane : lane - (int)d, CUDASIM_HERE);
}
inline unsigned __ballot_sync(uint32_t mask, int p, CUDASIM_SITE)
{
	return cudasim::ballot(mask, p, CUDASIM_HERE);
}
inline int __any_sync(uint32_t mask, int p, CUDASIM_SITE)
{
	return cudasim::ballot(mask, p, CUDASIM_HERE) != 0;
}
inline int __all_sync(uint32_t mask, int p, CUDASIM_SITE)
{
	return cudasim::ballot(mask, !p, CUDASIM_HERE) == 0;
}

// ---- memory ------------------------------------------------------------------------
namespace cudasim
{
void fence();
template <class T, class F> T atomic_rmw(T *p, F f)
{
	using U = std::conditional_t<sizeof(T) == 8, uint64_t,
		std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
	U *u = reinterpret_cast<U *>(p), o = __atomic_load_n(u, __ATOMIC_RELAXED), n;
	T old;
	do {
		memcpy(&old, &o, sizeof(T));
		T x = f(old);
		memcpy(&n, &x, sizeof(T));
	} while (!__atomic_compare_exchange_n(u, &o, n, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	yield();
	return old;
}
} // namespace cudasim
template <class T, class V> T atomicAdd(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return (T)(o + (T)v); });
}
template <class T, class V> T atomicSub(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return (T)(o - (T)v); });
}
template <class T, class V> T atomicMax(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return o < (T)v ? (T)v : o; });
}
template <class T, class V> T atomicMin(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return (T)v < o ? (T)v : o; });
}
template <class T, class V> T atomicOr(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return (T)(o | (T)v); });
}
template <class T, class V> T atomicAnd(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return (T)(o & (T)v); });
}
template <class T, class V> T atomicExch(T *p, V v)
{
	return cudasim::atomic_rmw(p, [=](T) { return (T)v; });
}
template <class T, class V, class W> T atomicCAS(T *p, V c, W v)
{
	return cudasim::atomic_rmw(p, [=](T o) { return o == (T)c ? (T)v : o; });
}
inline unsigned atomicInc(unsigned *p, unsigned v)
{
	return cudasim::atomic_rmw(p, [=](unsigned o) { return o >= v ? 0u : o + 1; });
}

template <class T> T __ldg(const T *p)
{
	return *p;
}
template <class T> T __ldcs(const T *p)
{
	return *p;
}
template <class T> T __ldcg(const T *p)
{
	return *p;
}
template <class T, class V> void __stcs(T *p, V v)
{
	*p = v;
}
template <class T, class V> void __stcg(T *p, V v)
{
	*p = v;
}
inline void __threadfence()
{
	cudasim::fence();
}
inline void __threadfence_block()
{
	cudasim::fence();
}
inline void __threadfence_system()
{
	cudasim::fence();
}
#define __trap() ::cudasim::fail("__trap at %s:%d", __FILE__, __LINE__)
#define __nanosleep(n) ((void)(n), ::cudasim::yield())

// ---- arithmetic ---------------------------------------------------------------------
// glibc's <math.h> already declares __expf and friends: they must be macros, not functions
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __fdividef(x, y) ((float)(x) / (float)(y))
inline float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}
template <class To, class From> inline To same_bits(From x)
{
	To r;
	static_assert(sizeof r == sizeof x, "another size");
	memcpy(&r, &x, sizeof r);
	return r;
}
inline int __float_as_int(float x)
{
	return same_bits<int>(x);
}
inline unsigned __float_as_uint(float x)
{
	return same_bits<unsigned>(x);
}
inline float __int_as_float(int x)
{
	return same_bits<float>(x);
}
inline float __uint_as_float(unsigned x)
{
	return same_bits<float>(x);
}
inline int __popc(unsigned x)
{
	return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}
inline int __clz(int x)
{
	return x ? __builtin_clz((unsigned)x) : 32;
}
inline int __ffs(int x)
{
	return __builtin_ffs(x);
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((uint64_t)a * b >> 32);
}
inline unsigned __brev(unsigned x)
{
	unsigned r = 0;
	for (int i = 0; i < 32; i++)
		r |= (x >> i & 1u) << (31 - i);
	return r;
}
template <class A, class B> std::common_type_t<A, B> min(A a, B b)
{
	using T = std::common_type_t<A, B>;
	return (T)b < (T)a ? (T)b : (T)a;
}
template <class A, class B> std::common_type_t<A, B> max(A a, B b)
{
	using T = std::common_type_t<A, B>;
	return (T)a < (T)b ? (T)b : (T)a;
}
// ---- host API templates that the real header offers to nvcc only ---------------------
template <class... P> cudaError_t cudaFuncSetAttribute(void (*k)(P...), cudaFuncAttribute a, int v)
{
	return cudasim::func_attribute((const void *)k, a, v);
}
#endif
