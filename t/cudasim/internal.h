/* internal.h - what the files of the simulator share. */
#ifndef T_CUDASIM_INTERNAL_H
#define T_CUDASIM_INTERNAL_H

#include <functional>
#include "t/cudasim/cuda_types.h"

namespace cudasim
{
/* Settings, from the environment: CUDASIM_LAZY, CUDASIM_POISON, CUDASIM_HIDE. */
extern bool g_lazy, g_poison, g_hide;

/* Runs all blocks of a grid, one after the other. */
void run_grid(
	const char *name, dim3 grid, dim3 block, size_t smem, const std::function<void()> &body);
/* Makes device memory out of bounds for the host, or in bounds for a kernel (ASan). */
void hide_device_memory(bool hide);
/* Ends the program unless n bytes from p lie in one device allocation. */
void check_range(const void *p, size_t n, const char *what);
/* Work for a stream: done at once, or when somebody waits for it (lazily). */
void enqueue_work(cudaStream_t s, std::function<void()> w);
} // namespace cudasim

#endif
