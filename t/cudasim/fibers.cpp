/*
 * fibers.cpp - the threads of a grid: fibers, their order, barriers, shared memory.
 * Compiled without sanitizers, which are reached by weak symbols: an instrumented
 * caller of their fiber switches would corrupt their call stacks.
 */
#include "t/cudasim/cudasim.h"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#include <sys/mman.h>
#include <sys/time.h>

#include "t/cudasim/internal.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#define WEAK extern "C" __attribute__((weak))
WEAK void __sanitizer_start_switch_fiber(void **, const void *, size_t);
WEAK void __sanitizer_finish_switch_fiber(void *, const void **, size_t *);
WEAK void __asan_poison_memory_region(void const volatile *, size_t);
WEAK void __asan_unpoison_memory_region(void const volatile *, size_t);
WEAK void *__tsan_get_current_fiber();
WEAK void *__tsan_create_fiber(unsigned);
WEAK void __tsan_switch_to_fiber(void *, unsigned);
WEAK void AnnotateIgnoreWritesBegin(const char *, int);
WEAK void AnnotateIgnoreWritesEnd(const char *, int);
WEAK void __tsan_acquire(void *);
WEAK void __tsan_release(void *);

__thread cudasim_thread *cudasim_cur;

namespace cudasim
{
// ---- configuration -----------------------------------------------------------
static sched g_sched = FORWARD;
static uint64_t g_seed = 1;
bool g_lazy = false;
bool g_poison = true;
static bool g_strict = true;
bool g_hide = true;
static size_t g_stack = 256 << 10;

static struct init {
	init()
	{
		if (const char *s = getenv("CUDASIM_SCHED"))
			g_sched = *s == 'r' ? (s[1] == 'e' ? REVERSE : RANDOM) : FORWARD;
		if (const char *s = getenv("CUDASIM_SEED"))
			g_seed = std::max(1ull, strtoull(s, 0, 0));
		if (const char *s = getenv("CUDASIM_LAZY"))
			g_lazy = *s == '1';
		if (const char *s = getenv("CUDASIM_STRICT"))
			g_strict = *s == '1';
		if (const char *s = getenv("CUDASIM_POISON"))
			g_poison = *s == '1';
		if (const char *s = getenv("CUDASIM_HIDE"))
			g_hide = *s == '1';
	}
} g_init;
void set_schedule(sched s, uint64_t seed)
{
	g_sched = s, g_seed = seed ? seed : 1;
} // xorshift sticks at 0
void set_lazy(bool on)
{
	g_lazy = on;
}
void set_strict(bool on)
{
	g_strict = on;
}

static uint64_t rng()
{
	g_seed ^= g_seed << 13, g_seed ^= g_seed >> 7, g_seed ^= g_seed << 17;
	return g_seed * 0x2545F4914F6CDD1Dull >> 32;
}

// ---- fibers --------------------------------------------------------------------
enum state {
	READY,
	AT_BLOCK,
	AT_WARP,
	DONE
};
struct fiber {
	cudasim_thread t;
	unsigned lin;
	state st;
	int op, pred;
	uint32_t mask;
	lane_arg *arg;
	complete_fn fn;
	const char *file;
	int line;
	void *sp;
	char *stack;
	void *fake; // ASan
	void *ts;   // TSan
};
struct smem {
	const void *key;
	void *p;
};
struct block {
	unsigned n, live, waiting;
	bool ahead; // RANDOM: let the threads woken last run on, so that a warp runs ahead of the
		    // others
	uint8_t warp_live[32], warp_waiting[32]; // lanes not exited; lanes in a warp collective
	int bar_result;
	size_t dyn_bytes, static_bytes;
	void *dyn;
	smem statics[64];
	unsigned nstatics;
	const std::function<void()> *body;
	const char *kernel;
};
// Under TSan the blocks of a grid take turns on SETS sets of fibers, each with its own TSan
// contexts, so that accesses of blocks on different sets are unordered: races between blocks show.
// Otherwise one set serves all.
enum {
	SETS = 3,
	QSIZE = 2048
};
static fiber *g_pool[SETS][1024], **g_fibers; // g_fibers: the set in use, index = linear thread id
static fiber g_main;
static fiber *g_cur;
static block B;
static unsigned g_q[QSIZE], g_head, g_tail; // ring of runnable threads; FIFO unless RANDOM
// TSan's synchronisation objects: per set one for each warp's lowest lane and one for the block
// barrier
static struct {
	char warp[SETS][1024], block[SETS][8], fence[8], launch[8];
} g_ts;
static unsigned g_set;
#define TS_BLOCK g_ts.block[g_set]
#define TS_FENCE g_ts.fence
#define TS_LAUNCH g_ts.launch
static bool tsan()
{
	return __tsan_create_fiber != nullptr;
}

void fail(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "cudasim: ");
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (g_cur && g_cur != &g_main)
		fprintf(stderr, " [kernel %s block (%u,%u,%u) thread (%u,%u,%u)]", B.kernel,
			g_cur->t.bid.x, g_cur->t.bid.y, g_cur->t.bid.z, g_cur->t.tid.x,
			g_cur->t.tid.y, g_cur->t.tid.z);
	fprintf(stderr, "\n");
	fflush(NULL);
	abort();
}

extern "C" void cudasim_switch(void **save, void *to);
#if defined(__x86_64__)
asm(R"(
	.text
	.globl cudasim_switch
	.type cudasim_switch,@function
cudasim_switch:
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp,(%rdi)
	mov %rsi,%rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	ret
	.size cudasim_switch,.-cudasim_switch
)");
#else
#error "no fiber switch for this CPU: it is x86-64 only"
#endif

static void *g_main_stack; // learnt from ASan at the first switch
static size_t g_main_stack_size;

static void switch_to(fiber *to)
{
	fiber *from = g_cur;
	if (to == from)
		return;
	g_cur = to;
	cudasim_cur = to == &g_main ? nullptr : &to->t;
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(&from->fake,
			to == &g_main ? g_main_stack : to->stack,
			to == &g_main ? g_main_stack_size : g_stack);
	if (tsan())
		__tsan_switch_to_fiber(to->ts, 1);
	cudasim_switch(&from->sp, to->sp);
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(from->fake, 0, 0);
}
static fiber *pick()
{
	if (g_head == g_tail)
		return &g_main; // deadlock or end of block
	if (g_sched == RANDOM) {
		uint64_t r = rng();
		if (B.ahead && r % 16)
			return g_fibers[g_q[--g_tail % QSIZE]];
		std::swap(g_q[g_head % QSIZE], g_q[(g_head + r / 16 % (g_tail - g_head)) % QSIZE]);
	}
	return g_fibers[g_q[g_head++ % QSIZE]];
}
static void wake(unsigned i)
{
	g_fibers[i]->st = READY, g_q[g_tail++ % QSIZE] = i;
}
static void wake_range(unsigned lo, unsigned hi, bool (*want)(fiber *))
{
	if (g_sched == REVERSE) {
		for (unsigned i = hi; i-- > lo;)
			if (want(g_fibers[i]))
				wake(i);
	} else
		for (unsigned i = lo; i < hi; i++)
			if (want(g_fibers[i]))
				wake(i);
}
void yield()
{
	if (g_sched != RANDOM || g_cur == &g_main || !g_cur || rng() % 4)
		return;
	wake(g_cur->lin);
	switch_to(pick());
}

// ---- barriers ---------------------------------------------------------------------
static const char *op_name(int op)
{
	static const char *const n[] = {"__syncthreads", "__syncthreads_count", "__syncthreads_and",
		"__syncthreads_or", "__syncwarp", "__shfl_*_sync", "__ballot/any/all_sync"};
	return n[op];
}
static void report_block(const char *what)
{
	fprintf(stderr, "cudasim: %s in kernel %s, block (%u,%u,%u):\n", what, B.kernel,
		g_fibers[0]->t.bid.x, g_fibers[0]->t.bid.y, g_fibers[0]->t.bid.z);
	for (unsigned i = 0, j; i < B.n; i = j) {
		fiber *f = g_fibers[i];
		for (j = i + 1; j < B.n; j++) {
			fiber *g = g_fibers[j];
			if (g->st != f->st ||
				(f->st != DONE && f->st != READY &&
					(g->line != f->line || g->op != f->op)) ||
				(f->st == AT_WARP && g->mask != f->mask))
				break;
		}
		fprintf(stderr, "  threads %u..%u: ", i, j - 1);
		if (f->st == DONE)
			fprintf(stderr, "exited\n");
		else if (f->st == READY)
			fprintf(stderr, "runnable\n");
		else if (f->st == AT_BLOCK)
			fprintf(stderr, "wait in %s at %s:%d\n", op_name(f->op), f->file, f->line);
		else
			fprintf(stderr, "wait in %s mask %08x at %s:%d\n", op_name(f->op), f->mask,
				f->file, f->line);
	}
	fflush(NULL);
	abort();
}
static void tsan_barrier(unsigned lo, unsigned hi, uint32_t mask, void *obj)
{
	if (!tsan())
		return;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = lo; i < hi; i++)
			if (g_fibers[i]->st != DONE && (mask >> ((i - lo) & 31) & 1)) {
				__tsan_switch_to_fiber(g_fibers[i]->ts, 1);
				pass ? __tsan_acquire(obj) : __tsan_release(obj);
			}
	__tsan_switch_to_fiber(g_cur->ts, 1);
}
static void block_complete()
{
	fiber *ref = nullptr;
	int cnt = 0, all = 1;
	for (unsigned i = 0; i < B.n; i++) {
		fiber *f = g_fibers[i];
		if (f->st == DONE)
			continue;
		if (!ref)
			ref = f;
		if (f->op != ref->op || f->line != ref->line || strcmp(f->file, ref->file))
			report_block("divergent barrier");
		cnt += f->pred != 0, all &= f->pred != 0;
	}
	if (g_strict && B.live != B.n)
		report_block("barrier after some threads exited");
	B.bar_result = ref->op == OP_COUNT ? cnt : ref->op == OP_AND ? all : cnt != 0;
	B.waiting = 0;
	tsan_barrier(0, B.n, ~0u, TS_BLOCK);
	wake_range(0, B.n, [](fiber *f) { return f->st == AT_BLOCK; });
}
int block_sync(int op, int pred, const char *file, int line)
{
	fiber *f = g_cur;
	f->st = AT_BLOCK, f->op = op, f->pred = pred, f->file = file, f->line = line;
	if (++B.waiting == B.live)
		block_complete();
	switch_to(pick());
	return B.bar_result;
}
// Completes the collective that the lanes of `mask` wait in, if all of them are there.
static bool try_warp(unsigned warp, uint32_t mask)
{
	if (B.warp_waiting[warp] < B.warp_live[warp] && mask == ~0u)
		return false; // quick way out of the common case
	unsigned lo = warp * 32, hi = std::min(lo + 32, B.n);
	lane_arg *args[32];
	fiber *ref = nullptr;
	uint32_t got = 0;
	bool exited = false;
	for (unsigned i = lo; i < hi; i++) {
		fiber *f = g_fibers[i];
		if (!(mask >> (i - lo) & 1))
			continue;
		if (f->st == DONE) {
			exited = true;
			continue;
		}
		if (f->st != AT_WARP)
			return false;
		if (f->mask != mask)
			report_block("warp collective with different masks");
		if (ref && f->op != ref->op)
			report_block("lanes meet in different warp collectives");
		ref = f, args[i - lo] = f->arg, got |= 1u << (i - lo);
	}
	if (!ref)
		return false;
	if (exited && g_strict)
		report_block("warp collective names lanes that have exited");
	tsan_barrier(lo, hi, got, &g_ts.warp[g_set][lo + __builtin_ctz(got)]);
	ref->fn(args, got);
	B.warp_waiting[warp] -= __builtin_popcount(got);
	for (unsigned k = 0; k < 32; k++) {
		unsigned i = g_sched == REVERSE ? 31 - k : k;
		if (got >> i & 1)
			wake(lo + i);
	}
	return true;
}
void warp_collective(int op, uint32_t mask, lane_arg *a, complete_fn fn, const char *file, int line)
{
	fiber *f = g_cur;
	if (!(mask >> f->t.lane & 1))
		fail("lane %u calls %s at %s:%d but is not in its mask %08x", f->t.lane,
			op_name(op), file, line, mask);
	f->st = AT_WARP, f->op = op, f->mask = mask, f->arg = a, f->fn = fn, f->file = file,
	f->line = line;
	B.warp_waiting[f->lin / 32]++;
	try_warp(f->lin / 32, mask);
	switch_to(pick());
}
static void thread_exit(fiber *f)
{
	f->st = DONE;
	B.live--, B.warp_live[f->lin / 32]--;
	if (B.live && B.waiting == B.live)
		block_complete();
	unsigned lo = f->lin & ~31u, hi = std::min(lo + 32, B.n);
	for (unsigned i = lo; i < hi; i++) // lanes that waited for this one only
		if (g_fibers[i]->st == AT_WARP && (g_fibers[i]->mask >> f->t.lane & 1) &&
			try_warp(f->lin / 32, g_fibers[i]->mask))
			break;
}
void do_none(lane_arg **, uint32_t)
{
}
void do_shfl(lane_arg **l, uint32_t mask)
{
	for (int i = 0; i < 32; i++)
		if (mask >> i & 1) {
			int s = l[i]->src;
			if (!(mask >> s & 1))
				fail("__shfl: lane %d reads lane %d, which takes no part", i, s);
			memcpy(l[i]->out, l[s]->v, 16);
		}
}
void do_ballot(lane_arg **l, uint32_t mask)
{
	uint32_t r = 0;
	for (int i = 0; i < 32; i++)
		if (mask >> i & 1)
			r |= (uint32_t)l[i]->src << i;
	for (int i = 0; i < 32; i++)
		if (mask >> i & 1)
			l[i]->src = (int)r;
}
void fence()
{
	if (tsan())
		__tsan_acquire(TS_FENCE), __tsan_release(TS_FENCE);
	yield();
}

// ---- shared memory -------------------------------------------------------------------
// malloc'd per block: exact ASan redzones, clean TSan shadow, NaN-poisoned contents.
static void tsan_ignore(bool on) // while on, malloc and free leave a clean shadow
{
	if (tsan())
		(on ? AnnotateIgnoreWritesBegin : AnnotateIgnoreWritesEnd)(__FILE__, __LINE__);
}
static void *smem_alloc(size_t n)
{
	tsan_ignore(true);
	void *p = aligned_alloc(16, (n + 15) & ~(size_t)15);
	if (g_poison)
		memset(p, 0xff, n);
	if (__asan_poison_memory_region && (n & 15))
		__asan_poison_memory_region((char *)p + n, 16 - (n & 15));
	tsan_ignore(false);
	return p;
}
static void smem_free(void *p)
{
	tsan_ignore(true);
	free(p);
	tsan_ignore(false);
}
void *shared_static(const void *key, size_t size)
{
	for (unsigned i = 0; i < B.nstatics; i++)
		if (B.statics[i].key == key)
			return B.statics[i].p;
	B.static_bytes += size;
	if (B.static_bytes > 48 << 10 || B.static_bytes + B.dyn_bytes > 227 << 10 ||
		B.nstatics == 64)
		fail("too much shared memory: %zu static + %zu dynamic", B.static_bytes,
			B.dyn_bytes);
	void *p = smem_alloc(size);
	B.statics[B.nstatics++] = {key, p};
	return p;
}
void *shared_dynamic()
{
	if (!B.dyn_bytes)
		fail("kernel uses dynamic shared memory but was launched with 0 bytes");
	return B.dyn;
}

// ---- running a grid --------------------------------------------------------------------
static void thread_main()
{
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(
			g_cur->fake, (const void **)&g_main_stack, &g_main_stack_size);
	for (;;) {
		(*B.body)();
		thread_exit(g_cur);
		switch_to(pick());
	}
}
static fiber *make_fiber(unsigned i)
{
	fiber *f = new fiber();
	f->lin = i;
	char *m = (char *)mmap(0, g_stack + 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m == MAP_FAILED)
		fail("no memory for a fiber stack");
	mprotect(m, 4096, PROT_NONE);
	f->stack = m + 4096;
	void **sp = (void **)(f->stack + g_stack);
	*--sp = nullptr;	     // fake return address: keeps the ABI's alignment
	*--sp = (void *)thread_main; // popped by ret
	for (int k = 0; k < 6; k++)
		*--sp = nullptr;
	f->sp = sp;
	if (tsan())
		f->ts = __tsan_create_fiber(0);
	return f;
}
static void run_block(uint3 bid, dim3 bdim, dim3 gdim)
{
	B.live = B.n, B.waiting = 0, B.static_bytes = 0, B.ahead = g_sched == RANDOM && rng() % 2;
	B.dyn = B.dyn_bytes ? smem_alloc(B.dyn_bytes) : nullptr;
	g_head = g_tail = 0;
	for (unsigned w = 0; w * 32 < B.n; w++)
		B.warp_live[w] = std::min(32u, B.n - w * 32), B.warp_waiting[w] = 0;
	for (unsigned i = 0; i < B.n; i++) {
		fiber *f = g_fibers[i];
		f->t.bid = bid, f->t.bdim = bdim, f->t.gdim = gdim;
		f->t.tid = uint3{i % bdim.x, i / bdim.x % bdim.y, i / (bdim.x * bdim.y)};
		f->t.lane = i & 31;
		f->st = READY;
	}
	wake_range(0, B.n, [](fiber *) { return true; });
	switch_to(pick());
	if (B.live)
		report_block("deadlock");
	if (B.dyn)
		smem_free(B.dyn);
	while (B.nstatics)
		smem_free(B.statics[--B.nstatics].p);
}
// Orders a whole grid after what the host did (start) or before what it does next.
static void tsan_grid(bool start)
{
	if (!tsan())
		return;
	if (start)
		__tsan_release(TS_LAUNCH);
	for (auto &set : g_pool)
		for (unsigned i = 0; i < B.n && set[i]; i++) {
			__tsan_switch_to_fiber(set[i]->ts, 1);
			start ? __tsan_acquire(TS_LAUNCH) : __tsan_release(TS_LAUNCH);
		}
	__tsan_switch_to_fiber(g_main.ts, 1);
	if (!start)
		__tsan_acquire(TS_LAUNCH);
}
void run_grid(const char *name, dim3 g, dim3 b, size_t smem, const std::function<void()> &body)
{
	if (g_cur && g_cur != &g_main)
		fail("launch from a kernel");
	g_cur = &g_main;
	if (tsan())
		g_main.ts = __tsan_get_current_fiber();
	hide_device_memory(false);
	B.n = b.x * b.y * b.z, B.dyn_bytes = smem, B.body = &body, B.kernel = name;
	uint64_t nb = (uint64_t)g.x * g.y * g.z;
	std::vector<uint32_t> perm;
	if (g_sched == RANDOM) {
		perm.resize(nb);
		for (uint64_t i = 0; i < nb; i++) {
			uint64_t j = rng() % (i + 1);
			perm[i] = perm[j], perm[j] = i;
		}
	}
	unsigned sets = tsan() ? std::min<uint64_t>(nb, SETS) : 1;
	for (unsigned z = 0; z < sets; z++)
		for (unsigned i = 0; i < B.n; i++)
			if (!g_pool[z][i])
				g_pool[z][i] = make_fiber(i);
	tsan_grid(true);
	for (uint64_t i = 0; i < nb; i++) {
		g_fibers = g_pool[g_set = i % sets];
		uint64_t k = g_sched == REVERSE ? nb - 1 - i : g_sched == RANDOM ? perm[i] : i;
		run_block(uint3{(unsigned)(k % g.x), (unsigned)(k / g.x % g.y),
				  (unsigned)(k / ((uint64_t)g.x * g.y))},
			b, g);
	}
	tsan_grid(false);
	hide_device_memory(true);
	g_cur = nullptr;
}
} // namespace cudasim
