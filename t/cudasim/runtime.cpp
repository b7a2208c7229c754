/*
 * runtime.cpp - device memory, streams, events, graphs: the part of the runtime's
 * interface that the kernels' host code uses.  Compiled without sanitizers.
 */
#include "t/cudasim/cudasim.h"
#include "t/cudasim/internal.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#define WEAK extern "C" __attribute__((weak))
WEAK void __asan_poison_memory_region(void const volatile *, size_t);
WEAK void __asan_unpoison_memory_region(void const volatile *, size_t);

namespace cudasim
{
// ---- device memory ----------------------------------------------------------------------
struct alloc {
	size_t n;
	bool device;
};
static std::map<uintptr_t, alloc> g_mem;
static const alloc *find(const void *p, uintptr_t *base = nullptr)
{
	auto it = g_mem.upper_bound((uintptr_t)p);
	if (it == g_mem.begin())
		return nullptr;
	--it;
	if ((uintptr_t)p >= it->first + std::max<size_t>(it->second.n, 1))
		return nullptr;
	if (base)
		*base = it->first;
	return &it->second;
}
// Outside kernels device memory is poisoned under ASan: host code that touches it is caught.
void hide_device_memory(bool hide)
{
	if (!__asan_poison_memory_region || !g_hide)
		return;
	for (auto &m : g_mem)
		if (m.second.device)
			(hide ? __asan_poison_memory_region : __asan_unpoison_memory_region)(
				(void *)m.first, m.second.n);
}
void check_pointer(const void *p, const char *kernel, int arg)
{
	if (p && !find(p))
		fail("argument %d of kernel %s (%p) is not a device pointer", arg, kernel, p);
}
void check_range(const void *p, size_t n, const char *what)
{
	uintptr_t b;
	const alloc *a = find(p, &b);
	if (n && (!a || (uintptr_t)p + n > b + a->n))
		fail("%s: [%p, +%zu) is not inside one device allocation", what, p, n);
}
} // namespace cudasim
using namespace cudasim;

// ---- streams, events, graphs ---------------------------------------------------------------
typedef std::function<void()> work;
struct CUgraph_st {
	std::vector<work> ops;
};
struct CUgraphExec_st {
	std::vector<work> ops;
};
struct CUevent_st {
	CUstream_st *s = nullptr;
	uint64_t at = 0;
};
struct CUstream_st {
	std::deque<work> q;
	uint64_t pushed = 0, done = 0;
	CUgraph_st *capture = nullptr;
};
static CUstream_st g_null;
static std::vector<CUstream_st *> g_streams{&g_null};
static std::unordered_map<const void *, int> g_max_dyn;
static thread_local cudaError_t g_err = cudaSuccess;
static cudaError_t err(cudaError_t e)
{
	if (e)
		g_err = e;
	return e;
}
static CUstream_st *S(cudaStream_t s)
{
	return (uintptr_t)s <= 2 ? &g_null : s;
}
static void drain(CUstream_st *s, uint64_t upto = UINT64_MAX)
{
	while (!s->q.empty() && s->done < upto) {
		work w = std::move(s->q.front());
		s->q.pop_front();
		w();
		s->done++;
	}
}
static void enqueue(cudaStream_t st, work w)
{
	CUstream_st *s = S(st);
	if (s->capture)
		s->capture->ops.push_back(std::move(w));
	else if (g_lazy)
		s->q.push_back(std::move(w)), s->pushed++;
	else
		w();
}
static void drain_all()
{
	for (auto *s : g_streams)
		drain(s);
}
static struct at_exit {
	~at_exit()
	{
		drain_all();
	}
} g_at_exit;
static bool broken();
namespace cudasim
{
void enqueue_work(cudaStream_t s, std::function<void()> w)
{
	enqueue(s, std::move(w));
}
void launch_grid(const char *name, const void *fn, dim3 g, dim3 b, size_t smem, cudaStream_t s,
	std::function<void()> body)
{
	auto m = g_max_dyn.find(fn);
	size_t max = m == g_max_dyn.end() ? 48 << 10 : m->second;
	if (!g.x || !g.y || !g.z || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535 || !b.x ||
		!b.y || !b.z || b.z > 64 || (uint64_t)b.x * b.y * b.z > 1024)
		return (void)err(cudaErrorInvalidConfiguration);
	if (smem > max)
		return (void)err(cudaErrorInvalidValue);
	if (broken())
		return (void)err(cudaErrorIllegalAddress);
	enqueue(s, [=] { run_grid(name, g, b, smem, body); });
}
cudaError_t func_attribute(const void *fn, cudaFuncAttribute a, int v)
{
	if (a == cudaFuncAttributeMaxDynamicSharedMemorySize) {
		if (v < 0 || v > 227 << 10)
			return err(cudaErrorInvalidValue);
		g_max_dyn[fn] = v;
	}
	return cudaSuccess;
}
} // namespace cudasim
static unsigned long long setting(const char *name, unsigned long long otherwise)
{
	const char *s = getenv(name);
	return s ? strtoull(s, nullptr, 10) : otherwise;
}
static size_t device_memory()
{
	return setting("CUDASIM_MEMORY", 4ull << 30);
}
/* The launch that is to fail as a broken device does: CUDASIM_FAIL, counted from 1. */
static bool broken()
{
	static unsigned long long launches, at = setting("CUDASIM_FAIL", 0);
	return at && ++launches >= at;
}
extern "C" {
static void *alloc_mem(size_t n, bool device)
{
	void *p = aligned_alloc(256, (n + 255) & ~(size_t)255);
	if (!p)
		return p;
	if (g_poison)
		memset(p, 0xff, n);
	if (__asan_poison_memory_region) { // exact end, and hidden from the host
		size_t r = ((n + 255) & ~(size_t)255) - n;
		if (r)
			__asan_poison_memory_region((char *)p + n, r);
		if (device && g_hide)
			__asan_poison_memory_region(p, n);
	}
	g_mem[(uintptr_t)p] = {n, device};
	return p;
}
static cudaError_t free_mem(void *p, bool device)
{
	if (!p)
		return cudaSuccess;
	drain_all();
	auto it = g_mem.find((uintptr_t)p);
	if (it == g_mem.end() || it->second.device != device)
		return err(cudaErrorInvalidValue);
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(p, (it->second.n + 255) & ~(size_t)255);
	g_mem.erase(it);
	free(p);
	return cudaSuccess;
}
cudaError_t cudaMalloc(void **p, size_t n)
{
	if (n > device_memory())
		return *p = nullptr, err(cudaErrorMemoryAllocation);
	return (*p = alloc_mem(n, true)) ? cudaSuccess : err(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void *p)
{
	return free_mem(p, true);
}
cudaError_t cudaMallocHost(void **p, size_t n)
{
	return (*p = alloc_mem(n, false)) ? cudaSuccess : err(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void *p)
{
	return free_mem(p, false);
}
static void check_copy(void *d, const void *s, size_t n, cudaMemcpyKind k)
{
	if (k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice)
		check_range(d, n, "cudaMemcpy destination");
	if (k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice)
		check_range(s, n, "cudaMemcpy source");
	const alloc *a;
	if ((k == cudaMemcpyHostToDevice && (a = find(s)) && a->device) ||
		(k == cudaMemcpyDeviceToHost && (a = find(d)) && a->device))
		fail("cudaMemcpy: the host side is a device pointer");
}
static void copy_bytes(void *d, const void *s, size_t n)
{
	hide_device_memory(false);
	memmove(d, s, n); // intercepted by the sanitizers: the host side is checked too
	hide_device_memory(true);
}
cudaError_t cudaMemcpyAsync(void *d, const void *s, size_t n, cudaMemcpyKind k, cudaStream_t st)
{
	check_copy(d, s, n, k);
	enqueue(st, [=] { copy_bytes(d, s, n); });
	return cudaSuccess;
}
cudaError_t cudaMemcpy(void *d, const void *s, size_t n, cudaMemcpyKind k)
{
	if (g_null.capture)
		return err(cudaErrorStreamCaptureUnsupported);
	check_copy(d, s, n, k);
	drain(&g_null);
	copy_bytes(d, s, n);
	return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *d, int v, size_t n, cudaStream_t st)
{
	check_range(d, n, "cudaMemset");
	enqueue(st, [=] {
		hide_device_memory(false);
		memset(d, v, n);
		hide_device_memory(true);
	});
	return cudaSuccess;
}
cudaError_t cudaMemset(void *d, int v, size_t n)
{
	return cudaMemsetAsync(d, v, n, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *s)
{
	g_streams.push_back(*s = new CUstream_st);
	return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
	return cudaStreamCreate(s);
}
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	drain(s);
	g_streams.erase(std::find(g_streams.begin(), g_streams.end(), s));
	delete s;
	return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
	if (S(s)->capture)
		return err(cudaErrorStreamCaptureUnsupported);
	drain(S(s));
	return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void)
{
	drain_all();
	return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
	*e = new CUevent_st;
	return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
	delete e;
	return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t st)
{
	CUstream_st *s = S(st);
	if (s->capture)
		return cudaSuccess; // a captured graph is replayed in issue order
	enqueue(st, [] {});
	e->s = s, e->at = s->pushed;
	return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t st, cudaEvent_t e, unsigned)
{
	if (S(st)->capture || !e->s)
		return cudaSuccess;
	CUstream_st *s = e->s;
	uint64_t at = e->at;
	enqueue(st, [=] { drain(s, at); });
	return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
	if (e->s)
		drain(e->s, e->at);
	return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
{
	if (S(s) == &g_null || s->capture)
		return err(cudaErrorStreamCaptureUnsupported);
	s->capture = new CUgraph_st;
	return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g)
{
	*g = s->capture;
	s->capture = nullptr;
	return *g ? cudaSuccess : err(cudaErrorIllegalState);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *x, cudaGraph_t g, unsigned long long)
{
	*x = new CUgraphExec_st{g->ops};
	return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s)
{
	for (auto &w : x->ops)
		enqueue(s, w);
	return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
	delete g;
	return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x)
{
	delete x;
	return cudaSuccess;
}
cudaError_t cudaGetLastError(void)
{
	cudaError_t e = g_err;
	g_err = cudaSuccess;
	return e;
}
cudaError_t cudaPeekAtLastError(void)
{
	return g_err;
}
const char *cudaGetErrorString(cudaError_t e)
{
	return e ? "simulated fault" : "no error";
}
/* What the machine has is told by the environment, so that a machine that lacks it can
 * be tested: CUDASIM_DRIVER, CUDASIM_DEVICES, CUDASIM_MEMORY (bytes), CUDASIM_COMPUTE. */
cudaError_t cudaDriverGetVersion(int *v)
{
	*v = (int)setting("CUDASIM_DRIVER", CUDART_VERSION);
	return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *n)
{
	*n = (int)setting("CUDASIM_DEVICES", 1);
	return *n ? cudaSuccess : err(cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int d)
{
	return d ? err(cudaErrorInvalidDevice) : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
	*p = {};
	snprintf(p->name, sizeof p->name, "simulator");
	p->major = (int)setting("CUDASIM_COMPUTE", 90) / 10;
	p->minor = (int)setting("CUDASIM_COMPUTE", 90) % 10;
	p->multiProcessorCount = 4;
	p->totalGlobalMem = device_memory();
	return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *f, size_t *t)
{
	*f = *t = device_memory();
	return cudaSuccess;
}
}
