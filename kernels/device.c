/* device.c - choosing a device. */
#include "kernels/device.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cuda/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those that this process may run on (a container's share, taskset). */
static int usable_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Where the plug-in may lie, from the program's own folder. */
static const char *const plugin_places[] = {"device-cuda.so", "../device-cuda.so",
	"../build/release/device-cuda.so", "../lib/cli-learn/device-cuda.so"};

/* The variable CUDA_PLUGIN names the file (tests: the simulator's); else the first of
 * the places that has one.  -1: there is none. */
static int plugin_find(char *path, size_t size)
{
	const char *chosen = getenv("CUDA_PLUGIN");
	char program[PATH_MAX], *slash;
	ssize_t n;

	if (chosen && *chosen) {
		int len = snprintf(path, size, "%s", chosen);

		return len > 0 && (size_t)len < size ? 0 : -1;
	}
	n = readlink("/proc/self/exe", program, sizeof program - 1);
	if (n <= 0)
		return -1;
	program[n] = '\0';
	if (!(slash = strrchr(program, '/')))
		return -1;
	*slash = '\0';
	for (size_t i = 0; i < sizeof plugin_places / sizeof plugin_places[0]; i++) {
		int len = snprintf(path, size, "%s/%s", program, plugin_places[i]);

		if (len > 0 && (size_t)len < size && access(path, R_OK) == 0)
			return 0;
	}
	return -1;
}

static const struct device *cuda_open(int ordinal, char *said, size_t size, struct error *err)
{
	char path[PATH_MAX];
	const struct device_plugin *plugin;
	void *library;

	if (plugin_find(path, sizeof path) != 0) {
		error_set(err, EXIT_UNAVAILABLE,
			"device-cuda.so is not there; build it with nvcc: make cuda; or use "
			"--device cpu");
		return NULL;
	}
	if (!(library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) ||
		!(plugin = dlsym(library, "device_plugin"))) {
		error_set(err, EXIT_UNAVAILABLE, "%s; use --device cpu", dlerror());
		return NULL;
	}
	if (plugin->version != DEVICE_PLUGIN_VERSION ||
		plugin->table_size != sizeof(struct device)) {
		error_set(err, EXIT_UNAVAILABLE, "%s is of another version: make cuda", path);
		return NULL;
	}
	return plugin->open(ordinal, said, size, err);
}

/* "cuda" or "cuda:N". */
static const struct device *cuda_named(const char *name, struct error *err)
{
	enum {
		MOST = 1024
	};
	char *end, said[256];
	long ordinal = 0;
	const struct device *d;

	if (name[4] == ':') {
		ordinal = strtol(name + 5, &end, 10);
		if (name[5] < '0' || name[5] > '9' || *end || ordinal >= MOST) {
			error_set(err, EXIT_USAGE, "unknown device '%s': cuda or cuda:N", name);
			return NULL;
		}
	}
	if (!(d = cuda_open((int)ordinal, said, sizeof said, err))) {
		error_prefix(err, "device '%s'", name);
		return NULL;
	}
	note("device: %s, %s", name, said);
	return d;
}

/* Whether "auto" looks further: opening the plug-in costs more than some programs take. */
static int driver_is_there(void)
{
	return getenv("CUDA_PLUGIN") || access("/dev/nvidiactl", F_OK) == 0 ||
	       access("/dev/dxg", F_OK) == 0;
}

const struct device *device_open(const char *name, int threads, struct error *err)
{
	enum {
		MAX_THREADS = 1024
	};
	struct error why;

	if (strcmp(name, "cuda") == 0 || strncmp(name, "cuda:", 5) == 0)
		return cuda_named(name, err);
	if (strcmp(name, "auto") != 0 && strcmp(name, "cpu") != 0) {
		error_set(err, EXIT_USAGE, "unknown device '%s': auto, cpu, cuda or cuda:N", name);
		return NULL;
	}
	if (threads < 0 || threads > MAX_THREADS) {
		error_set(err, EXIT_USAGE, "%d threads: 0 (all cores) to %d", threads, MAX_THREADS);
		return NULL;
	}
	if (strcmp(name, "auto") == 0 && driver_is_there()) {
		const struct device *d = cuda_named("cuda", &why);

		if (d)
			return d;
		note("%s: the CPU is used instead", why.message);
	}
	cpu_threads = threads ? threads : usable_cores();
	cpu_blas_prepare();
	note("device: cpu, %d thread%s", cpu_threads, cpu_threads == 1 ? "" : "s");
	return &cpu_device;
}
