#include "exec/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct process {
	pid_t pid, parent;
	unsigned long long start; /* clock ticks since the machine's start */
	int ours;
};

unsigned tree_count_system(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 ? info.procs : 0;
}

enum {
	FIELD_PARENT = 2, /* behind the name, which may hold anything */
	FIELD_START = 20
};

/* Reads parent and start of a process.  0, or -1 for one that has ended. */
static int process_read(int proc, pid_t pid, struct process *p)
{
	char path[64], text[1024], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%d/stat", (int)pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return -1;
	*p = (struct process){.pid = pid};
	for (int field = 1; (at = strchr(at, ' ')) != NULL; field++) {
		at++;
		if (field == FIELD_PARENT)
			p->parent = (pid_t)strtol(at, NULL, 10);
		if (field == FIELD_START) {
			p->start = strtoull(at, NULL, 10);
			return 0;
		}
	}
	return -1;
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
		if (process_read(dirfd(proc), (pid_t)strtol(entry->d_name, NULL, 10), &list[*n]) ==
			0)
			(*n)++;
	}
	if (proc)
		closedir(proc);
	if (*n)
		qsort(list, *n, sizeof *list, compare);
	return list;
}

/* Our children of before. */
static struct process *strangers;
static size_t n_strangers;

static int is_stranger(const struct process *p)
{
	for (size_t i = 0; i < n_strangers; i++)
		if (strangers[i].pid == p->pid && strangers[i].start == p->start)
			return 1;
	return 0;
}

void tree_begin(void)
{
	pid_t self = getpid();
	size_t n;

	free(strangers);
	strangers = list_all(&n);
	n_strangers = 0;
	for (size_t i = 0; i < n; i++)
		if (strangers[i].parent == self)
			strangers[n_strangers++] = strangers[i];
}

/* Marks the descendants: until nothing is added any more, since numbers wrap.  A parent is
 * never younger than its child: then its number had belonged to someone else. */
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
			list[i].ours = (key.pid == self && !is_stranger(&list[i])) ||
				       (parent && parent->ours && parent->start <= list[i].start);
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

/* Numbers are given to others as soon as their owner has ended: the signal goes through a
 * descriptor of the process, once it is sure that this is still the one of the list. */
static void signal_process(int proc, const struct process *p, int sig)
{
	int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	struct process now;

	if (fd < 0)
		return;
	if (process_read(proc, p->pid, &now) == 0 && now.start == p->start &&
		(now.parent == p->parent || now.parent == getpid()))
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	close(fd);
}

void tree_signal(int sig)
{
	size_t n;
	struct process *list = list_all(&n);
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (n)
		mark(list, n);
	for (size_t i = 0; proc >= 0 && i < n; i++)
		if (list[i].ours)
			signal_process(proc, &list[i], sig);
	if (proc >= 0)
		close(proc);
	free(list);
}

enum {
	KILL_ROUNDS = 2000,
	STOP_ROUNDS = 100
};

/* Those who multiply are stopped first: until there are not more of them than before. */
static void stop_all(void)
{
	size_t before, count = 0;

	for (int round = 0; round < STOP_ROUNDS; round++) {
		before = count;
		tree_signal(SIGSTOP);
		count = tree_count();
		if (count <= before)
			break;
	}
}

void tree_kill(void)
{
	const struct timespec pause = {0, 1000000};
	int nice_before = getpriority(PRIO_PROCESS, 0);

	/* The first of a sandbox takes all others with it.  Where there is none, and they
	 * multiply, we need the processor more than they do. */
	setpriority(PRIO_PROCESS, 0, -20);
	tree_signal(SIGKILL);
	for (int round = 0; round < KILL_ROUNDS && tree_count() > 0; round++) {
		if (round % 10 == 1)
			stop_all();
		tree_signal(SIGKILL);
		nanosleep(&pause, NULL);
	}
	setpriority(PRIO_PROCESS, 0, nice_before);
}
