#include "exec/limits.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "exec/tree.h"

void limits_default(struct limits *limits)
{
	struct sysinfo info;

	*limits = (struct limits){.processes = 1024, .file_mib = 65536, .files = 65536};
	if (sysinfo(&info) == 0)
		limits->memory_mib = (int)((unsigned long long)info.totalram * info.mem_unit >> 20);
}

static void lower(int resource, rlim_t value)
{
	struct rlimit r;

	if (getrlimit(resource, &r) != 0)
		return;
	if (r.rlim_max == RLIM_INFINITY || r.rlim_max > value)
		r.rlim_max = value;
	if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	setrlimit(resource, &r);
}

/* When memory runs out, the kernel is to end the command and not its neighbours. */
static void offer_to_be_killed(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "500", 3) < 0) {
		/* It is a favour to others, no rule. */
	}
	close(fd);
}

void limits_set(const struct limits *l)
{
	lower(RLIMIT_CORE, 0);
	/* It counts all processes of the user: those that are there already, too. */
	if (l->processes)
		lower(RLIMIT_NPROC, (rlim_t)l->processes + tree_count_system());
	if (l->memory_mib)
		lower(RLIMIT_DATA, (rlim_t)l->memory_mib << 20);
	if (l->file_mib)
		lower(RLIMIT_FSIZE, (rlim_t)l->file_mib << 20);
	if (l->files)
		lower(RLIMIT_NOFILE, (rlim_t)l->files);
	if (l->cpu_seconds)
		lower(RLIMIT_CPU, (rlim_t)l->cpu_seconds);
	lower(RLIMIT_MEMLOCK, 8 << 20);
	lower(RLIMIT_MSGQUEUE, 0);
	offer_to_be_killed();
}
