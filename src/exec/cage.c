#include "exec/cage.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	LEAVE_ROUNDS = 100
};

/* A line of /proc/self/cgroup, NUMBER:CONTROLLERS:PATH, to the directory of our group. */
static int group_directory(char *line, char *out, size_t size)
{
	char *controllers = strchr(line, ':'), *path, *save = NULL;

	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path || strstr(path, "/.."))
		return -1;
	*controllers++ = '\0';
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (strcmp(path, "/") == 0)
		path = "";
	if (!*controllers)
		return snprintf(out, size, "/sys/fs/cgroup%s", path) < (int)size ? 0 : -1;
	for (char *c = strtok_r(controllers, ",", &save); c; c = strtok_r(NULL, ",", &save))
		if (strcmp(c, "pids") == 0)
			return snprintf(out, size, "/sys/fs/cgroup/pids%s", path) < (int)size ? 0
											      : -1;
	return -1;
}

static int write_number(const char *directory, const char *name, int number)
{
	char path[PATH_MAX + 32], text[16];
	int len = snprintf(text, sizeof text, "%d", number), fd, done;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	done = write(fd, text, (size_t)len) == len;
	close(fd);
	return done ? 0 : -1;
}

static int cage_enter_in(struct cage *cage, int most)
{
	if (snprintf(cage->path, sizeof cage->path, "%s/confirm-exec.%d", cage->home,
		    (int)getpid()) >= (int)sizeof cage->path ||
		mkdir(cage->path, 0755) != 0) {
		cage->path[0] = '\0';
		return -1;
	}
	if (write_number(cage->path, "pids.max", most + 1) == 0 &&
		write_number(cage->path, "cgroup.procs", 0) == 0)
		return 0;
	rmdir(cage->path);
	cage->path[0] = '\0';
	return -1;
}

void cage_enter(struct cage *cage, int most)
{
	char line[PATH_MAX + 128];
	FILE *f;

	cage->path[0] = '\0';
	if (geteuid() != 0 || most <= 0)
		return;
	f = fopen("/proc/self/cgroup", "re");
	while (f && !cage->path[0] && fgets(line, sizeof line, f))
		if (group_directory(line, cage->home, sizeof cage->home) == 0)
			cage_enter_in(cage, most);
	if (f)
		fclose(f);
}

void cage_leave(struct cage *cage)
{
	const struct timespec pause = {0, 10000000};

	if (cage->path[0] && write_number(cage->home, "cgroup.procs", 0) != 0)
		return;
	for (int round = 0; cage->path[0] && round < LEAVE_ROUNDS; round++) {
		if (rmdir(cage->path) == 0)
			break;
		nanosleep(&pause, NULL);
	}
	cage->path[0] = '\0';
}
