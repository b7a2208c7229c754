#include "exec/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct process {
	pid_t pid, parent;
	int ours;
};

unsigned tree_count_system(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 ? info.procs : 0;
}

/* The parent: the second field behind the name, which may hold anything.  0 for one that
 * has ended. */
static pid_t parent_of(int proc, const char *pid)
{
	char path[64], text[512];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%.32s/stat", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	end = strrchr(text, ')');
	if (!end || strlen(end) <= 4 || end[2] == 'Z' || end[2] == 'X')
		return 0;
	return (pid_t)strtol(end + 4, NULL, 10);
}

static int compare(const void *a, const void *b)
{
	pid_t x = ((const struct process *)a)->pid, y = ((const struct process *)b)->pid;

	return (x > y) - (x < y);
}

static struct process *list_all(size_t *n)
{
	struct process *list = NULL;
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t cap = 0;

	*n = 0;
	while (proc && (entry = readdir(proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		list = array_grow(list, &cap, *n, sizeof *list);
		list[(*n)++] = (struct process){.pid = (pid_t)strtol(entry->d_name, NULL, 10),
			.parent = parent_of(dirfd(proc), entry->d_name)};
	}
	if (proc)
		closedir(proc);
	if (*n)
		qsort(list, *n, sizeof *list, compare);
	return list;
}

/* Marks the descendants: until nothing is added any more, since numbers wrap. */
static size_t mark(struct process *list, size_t n)
{
	pid_t self = getpid();
	size_t count = 0, before;

	do {
		before = count;
		for (size_t i = 0; i < n; i++) {
			struct process key = {.pid = list[i].parent};
			const struct process *parent;

			if (list[i].ours)
				continue;
			parent = bsearch(&key, list, n, sizeof *list, compare);
			list[i].ours = key.pid == self || (parent && parent->ours);
			count += (size_t)list[i].ours;
		}
	} while (count != before);
	return count;
}

size_t tree_count(void)
{
	size_t n, count;
	struct process *list = list_all(&n);

	count = n ? mark(list, n) : 0;
	free(list);
	return count;
}

void tree_signal(int sig)
{
	size_t n;
	struct process *list = list_all(&n);

	if (n)
		mark(list, n);
	for (size_t i = 0; i < n; i++)
		if (list[i].ours)
			kill(list[i].pid, sig);
	free(list);
}

enum {
	KILL_ROUNDS = 2000,
	STOP_ROUNDS = 100
};

/* Those who multiply are stopped first: until there are not more of them than before,
 * and at our own pace. */
static void stop_all(void)
{
	size_t before, count = 0;
	int nice_before = getpriority(PRIO_PROCESS, 0);

	setpriority(PRIO_PROCESS, 0, -20);
	for (int round = 0; round < STOP_ROUNDS; round++) {
		before = count;
		tree_signal(SIGSTOP);
		count = tree_count();
		if (count <= before)
			break;
	}
	setpriority(PRIO_PROCESS, 0, nice_before);
}

void tree_kill(void)
{
	const struct timespec pause = {0, 1000000};

	if (tree_count() > 1)
		stop_all();
	for (int round = 0; round < KILL_ROUNDS; round++) {
		tree_signal(SIGKILL);
		if (tree_count() == 0)
			break;
		nanosleep(&pause, NULL);
	}
}
