/* run.c - the directory of a training run. */
#include "rl/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "rl/metrics.h"
#include "stream/file.h"

static const char STEP_PREFIX[] = "step-";
/* A step in the making, or on its way out: never taken for a published one. */
static const char HIDDEN_PREFIX[] = ".step-";
enum {
	WAIT_MS = 500
};

/* Number of a step's name; -1: not one.  "step-007" is no spelling of ours. */
static long long step_number(const char *name)
{
	const char *digits = name + strlen(STEP_PREFIX);
	long long n;

	if (strncmp(name, STEP_PREFIX, strlen(STEP_PREFIX)) != 0 ||
		digits[strspn(digits, "0123456789")] != '\0' ||
		(digits[0] == '0' && digits[1] != '\0') ||
		number_integer(digits, 0, (1LL << 53), &n, NULL) != 0)
		return -1;
	return n;
}

long long run_newest(const char *run)
{
	DIR *d = opendir(run);
	struct dirent *entry;
	long long newest = -1;

	if (!d)
		return -1;
	while ((entry = readdir(d))) {
		long long n = step_number(entry->d_name);

		if (n > newest)
			newest = n;
	}
	closedir(d);
	return newest;
}

void run_step_path(const char *run, long long step, struct buf *out)
{
	buf_addf(out, "%s/%s%lld", run, STEP_PREFIX, step);
}

void run_temporary_path(const char *run, long long step, struct buf *out)
{
	buf_addf(out, "%s/%s%lld.new", run, HIDDEN_PREFIX, step);
}

/* Removes every hidden step directory. */
static int remove_unfinished(const char *run, struct error *err)
{
	DIR *d = opendir(run);
	struct dirent *entry;
	struct buf path = {0};
	int failed = 0;

	if (!d)
		return error_set_errno(err, EXIT_IO, "%s", run);
	while (!failed && (entry = readdir(d))) {
		if (strncmp(entry->d_name, HIDDEN_PREFIX, strlen(HIDDEN_PREFIX)) != 0)
			continue;
		buf_clear(&path);
		buf_addf(&path, "%s/%s", run, entry->d_name);
		failed = directory_remove(path.data, err);
	}
	closedir(d);
	buf_release(&path);
	return failed;
}

static int lock_open(const char *run, int flags)
{
	struct buf path = {0};
	int fd;

	buf_addf(&path, "%s/lock", run);
	fd = open(path.data, flags | O_CLOEXEC, 0666);
	buf_release(&path);
	return fd;
}

int run_lock(const char *run, struct error *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	if (directory_make(run, err) != 0)
		return -1;
	fd = lock_open(run, O_RDWR | O_CREAT);
	if (fd < 0)
		return error_set_errno(err, EXIT_IO, "%s/lock", run);
	if (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
		if (errno == EAGAIN || errno == EACCES)
			error_set(
				err, EXIT_UNAVAILABLE, "%s: another trainer publishes there", run);
		else
			error_set_errno(err, EXIT_IO, "%s/lock", run);
		close(fd);
		return -1;
	}
	if (remove_unfinished(run, err) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* 1 where a living trainer holds the lock. */
static int trainer_lives(const char *run)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = lock_open(run, O_RDWR), lives;

	if (fd < 0)
		return 0;
	lives = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return lives;
}

/* A step goes out of sight by one rename before its files are removed. */
static int step_remove(const char *run, long long step, struct error *err)
{
	struct buf from = {0}, to = {0};
	int failed = 0;

	run_step_path(run, step, &from);
	buf_addf(&to, "%s/%s%lld.old", run, HIDDEN_PREFIX, step);
	if (rename(from.data, to.data) != 0) {
		if (errno != ENOENT)
			failed = error_set_errno(err, EXIT_IO, "%s", from.data);
	} else {
		failed = directory_remove(to.data, err);
	}
	buf_release(&from);
	buf_release(&to);
	return failed;
}

int run_prune(const char *run, long long newest, long long keep, struct error *err)
{
	DIR *d = opendir(run);
	struct dirent *entry;
	int failed = 0;

	if (!d)
		return error_set_errno(err, EXIT_IO, "%s", run);
	while (!failed && (entry = readdir(d))) {
		long long n = step_number(entry->d_name);

		if (n >= 0 && n <= newest - keep)
			failed = step_remove(run, n, err);
	}
	closedir(d);
	return failed;
}

/* Waits for a change of the directory, for the reader to leave, or WAIT_MS. */
static enum run_wait_result wait_once(int watch, int out_fd, struct error *err)
{
	struct pollfd fds[2] = {{.fd = watch, .events = POLLIN}, {.fd = out_fd}};
	char events[4096];

	if (poll(fds, 2, WAIT_MS) < 0 && errno != EINTR) {
		error_set_errno(err, EXIT_IO, "poll");
		return RUN_FAILED;
	}
	if (fds[1].revents & POLLERR)
		return RUN_CLOSED;
	if (fds[0].revents & POLLIN && read(watch, events, sizeof events) < 0) {
		error_set_errno(err, EXIT_IO, "inotify");
		return RUN_FAILED;
	}
	return RUN_READY;
}

enum run_wait_result run_wait(
	const char *run, long long step, int out_fd, double patience, struct error *err)
{
	enum run_wait_result result = RUN_READY;
	double began = seconds_now();
	int watch, lived = 0;

	if (run_newest(run) >= step)
		return RUN_READY;
	if (directory_make(run, err) != 0)
		return RUN_FAILED;
	watch = inotify_init1(IN_CLOEXEC);
	if (watch < 0 || inotify_add_watch(watch, run, IN_MOVED_TO) < 0) {
		error_set_errno(err, EXIT_IO, "%s: cannot be watched", run);
		result = RUN_FAILED;
	}
	/* The step may have come between the first look and the watch. */
	while (result == RUN_READY && run_newest(run) < step) {
		int lives = trainer_lives(run);

		if (!lives && (lived || seconds_now() - began > patience) && run_newest(run) < step)
			result = RUN_NO_TRAINER;
		else
			result = wait_once(watch, out_fd, err);
		lived |= lives;
	}
	if (watch >= 0)
		close(watch);
	return result;
}
