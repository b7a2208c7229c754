/*
 * parallel.h - loops shared by threads.
 *
 * A loop is cut into pieces that do not depend on who does them; the caller takes
 * pieces too.  A thread that the system does not run therefore costs nothing: the
 * others do its share (with OpenMP's barrier everybody waits for it, and on a busy
 * machine a step of the model took twenty times as long).
 */
#ifndef KERNELS_CPU_PARALLEL_H
#define KERNELS_CPU_PARALLEL_H

#include <stdint.h>

/* Threads that an operation may use, the caller's included. */
extern int cpu_threads;

/* Work (in multiply-adds or so) below which waking other threads costs more than
 * it saves.  Tests lower it. */
extern int64_t cpu_grain;

typedef void (*cpu_job)(const void *context, int from, int to);

/* job(context, from, to) for pieces that together are 0 .. n - 1; a piece is a
 * multiple of `multiple` items, but for the last.  work: of the whole loop. */
void cpu_for(int n, int multiple, int64_t work, cpu_job job, const void *context);

#endif
