/* device.c - choosing a device. */
#include "kernels/device.h"
#include "kernels/cpu/cpu.h"

#include <sched.h>
#include <string.h>

/* Those that this process may run on (a container's share, taskset). */
static int usable_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

const struct device *device_open(const char *name, int threads, struct error *err)
{
	enum {
		MAX_THREADS = 1024
	};

	if (strcmp(name, "cuda") == 0 || strncmp(name, "cuda:", 5) == 0) {
		error_set(err, EXIT_UNAVAILABLE,
			"device '%s': there is no CUDA device here; use --device cpu", name);
		return NULL;
	}
	if (strcmp(name, "auto") != 0 && strcmp(name, "cpu") != 0) {
		error_set(err, EXIT_USAGE, "unknown device '%s': auto, cpu, cuda or cuda:N", name);
		return NULL;
	}
	if (threads < 0 || threads > MAX_THREADS) {
		error_set(err, EXIT_USAGE, "%d threads: 0 (all cores) to %d", threads, MAX_THREADS);
		return NULL;
	}
	cpu_threads = threads ? threads : usable_cores();
	cpu_blas_prepare();
	note("device: cpu, %d thread%s", cpu_threads, cpu_threads == 1 ? "" : "s");
	return &cpu_device;
}
