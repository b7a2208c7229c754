/* parallel.c - a pool of threads that take pieces of loops. */
#include "kernels/cpu/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "kernels/cpu/annotate.h"

int cpu_threads = 1;
int64_t cpu_grain = 1 << 15;

enum {
	PIECES = 3,	 /* for each thread: a late one leaves its pieces to others */
	SPINS = 1 << 12, /* before a thread without work goes to sleep */
	MAX_THREADS = 1024
};

/* The low half of `state` when no piece can be taken. */
#define CLOSED UINT32_C(0xffffffff)

static struct {
	/* Number of the loop (high half) and of the next piece (low half). */
	_Atomic uint64_t state;
	/* Of the open loop; written only while the state is closed. */
	_Atomic(cpu_job) job;
	_Atomic(const void *) context;
	_Atomic int n, step;
	_Atomic uint32_t pieces;
	_Atomic uint32_t done;
	_Atomic int sleepers;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int workers;
} pool = {
	.state = CLOSED,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

static inline void pause_a_little(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#endif
}

/* Takes and does one piece; 0 where there is none.  What is read of the loop is
 * that of the state it was read under, or the exchange fails. */
static int take_piece(void)
{
	uint64_t state = atomic_load(&pool.state);
	uint32_t piece = (uint32_t)state;
	cpu_job job = atomic_load(&pool.job);
	const void *context = atomic_load(&pool.context);
	int n = atomic_load(&pool.n), step = atomic_load(&pool.step), to;

	if (piece == CLOSED || piece >= atomic_load(&pool.pieces))
		return 0;
	if (!atomic_compare_exchange_strong(&pool.state, &state, state + 1))
		return 1; /* somebody was faster: look again */
	HAPPENS_AFTER(pool.state);
	to = n - (int)piece * step < step ? n : ((int)piece + 1) * step;
	job(context, (int)piece * step, to);
	HAPPENS_BEFORE(pool.done);
	atomic_fetch_add(&pool.done, 1);
	return 1;
}

static void sleep_until_changed(uint64_t state)
{
	pthread_mutex_lock(&pool.lock);
	atomic_fetch_add(&pool.sleepers, 1);
	while (atomic_load(&pool.state) == state)
		pthread_cond_wait(&pool.wake, &pool.lock);
	atomic_fetch_sub(&pool.sleepers, 1);
	pthread_mutex_unlock(&pool.lock);
}

static void *work(void *unused)
{
	(void)unused;
	for (;;) {
		uint64_t state;
		int spins = 0;

		while (take_piece())
			;
		state = atomic_load(&pool.state);
		while (atomic_load(&pool.state) == state && spins++ < SPINS)
			pause_a_little();
		if (spins >= SPINS &&
			((uint32_t)state == CLOSED || (uint32_t)state >= atomic_load(&pool.pieces)))
			sleep_until_changed(state);
	}
	return NULL;
}

/* Where a thread cannot be had, the others do its work. */
static void start_workers(int wanted)
{
	pthread_attr_t attributes;
	pthread_t thread;

	ATOMICS_ARE_MEANT(pool);
	if (pthread_attr_init(&attributes) != 0)
		return;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 8 << 20);
	while (pool.workers < wanted && pool.workers < MAX_THREADS &&
		pthread_create(&thread, &attributes, work, NULL) == 0)
		pool.workers++;
	pthread_attr_destroy(&attributes);
}

void cpu_for(int n, int multiple, int64_t amount, cpu_job job, const void *context)
{
	uint64_t loop;
	int step, spins = 0;

	if (n <= 0)
		return;
	step = (n + cpu_threads * PIECES - 1) / (cpu_threads * PIECES);
	step = (step + multiple - 1) / multiple * multiple;
	if (cpu_threads == 1 || amount < cpu_grain || step >= n) {
		job(context, 0, n);
		return;
	}
	if (pool.workers < cpu_threads - 1)
		start_workers(cpu_threads - 1);
	loop = (atomic_load(&pool.state) >> 32) + 1;
	atomic_store(&pool.state, loop << 32 | CLOSED);
	atomic_store(&pool.job, job);
	atomic_store(&pool.context, context);
	atomic_store(&pool.n, n);
	atomic_store(&pool.step, step);
	atomic_store(&pool.pieces, (uint32_t)((n + step - 1) / step));
	atomic_store(&pool.done, 0);
	HAPPENS_BEFORE(pool.state);
	atomic_store(&pool.state, loop << 32);
	if (atomic_load(&pool.sleepers)) {
		pthread_mutex_lock(&pool.lock);
		pthread_cond_broadcast(&pool.wake);
		pthread_mutex_unlock(&pool.lock);
	}
	while (take_piece())
		;
	while (atomic_load(&pool.done) < atomic_load(&pool.pieces)) {
		pause_a_little();
		if (++spins % SPINS == 0)
			sched_yield();
	}
	HAPPENS_AFTER(pool.done);
}
