/*
 * The rules of execution; each has a test of its number in t/0750-confirm-exec.bats.
 *
 *  1. The command MUST be one argv that the verifier accepts in canonical form,
 *     whatever the record claims; anything else is refused (126).
 *  2. Exactly one record MUST have been read, to the end of its stream.
 *  3. Consent MUST be typed by a person at /dev/tty after the question was shown:
 *     nothing typed ahead, no pipe, no option answers it.  The default is no.
 *  4. No shell MUST be involved.  There is one place that executes: execute() in child.c.
 *  5. argv[0] MUST be looked up in fixed directories only, never in an inherited
 *     PATH or the working directory, and no one else may be able to change it.
 *  6. What is executed MUST be the descriptor that was opened before the question.
 *  7. The digest of words, executable, directory and environment MUST be the same
 *     before the question and right before the execution.
 *  8. Everything shown MUST be printable ASCII; nothing is cut off.
 *  9. The environment MUST be made from nothing and a list of names.
 * 10. The command MUST get descriptors 0 (/dev/null), 1 and 2 only (a script without
 *     a sandbox: also the script itself, for its interpreter to read, as 3).
 * 11. The command MUST have no controlling terminal and no way to new privileges.
 * 12. Its whole process tree MUST be gone when we end, or after the time limit.
 * 13. A sandbox that does not work MUST be a refusal, never a run without it.
 * 14. The decision MUST be in the log, on disk, before the execution.
 */
#include "exec/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exec/child.h"
#include "exec/sandbox.h"

enum {
	GRACE_SECONDS = 5
};

void run_close_inherited(void)
{
	closefrom(3);
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_signals(sigset_t *set)
{
	static const int list[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	sigemptyset(set);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		sigaddset(set, list[i]);
}

/* Reaps what has ended: 1 when pid is among it. */
static int reap(pid_t pid, int *status)
{
	pid_t ended;
	int value;

	while ((ended = waitpid(-1, &value, WNOHANG)) > 0) {
		if (ended != pid)
			continue;
		*status = value;
		return 1;
	}
	return 0;
}

/* Waits for pid.  Signals to us go to its group (a third interrupt kills it); after
 * the time limit it is asked to end, and killed when it does not. */
static void wait_for(pid_t pid, double started, int timeout, int *status, int *timed_out)
{
	double deadline = started + timeout;
	int interrupts = 0;
	sigset_t set;

	wait_signals(&set);
	while (!reap(pid, status)) {
		double left = deadline - seconds_now();
		struct timespec t = {0, 0};
		int sig;

		if (left <= 0) {
			kill(-pid, *timed_out ? SIGKILL : SIGTERM);
			*timed_out = 1;
			deadline = seconds_now() + GRACE_SECONDS;
			continue;
		}
		t.tv_sec = (time_t)left;
		t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
		sig = sigtimedwait(&set, NULL, &t);
		if (sig > 0 && sig != SIGCHLD)
			kill(-pid, sig == SIGINT && ++interrupts >= 3 ? SIGKILL : sig);
	}
}

/* Kills what the command left behind: its group, and those who left it, who have
 * become our children (PR_SET_CHILD_SUBREAPER). */
static void kill_rest(pid_t group)
{
	char path[64], pids[4096];

	kill(-group, SIGKILL);
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	for (int round = 0; round < 1000; round++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, pids, sizeof pids - 1);
		char *at = pids, *end;

		if (fd >= 0)
			close(fd);
		if (n <= 0)
			break;
		pids[n] = '\0';
		for (long pid; (pid = strtol(at, &end, 10)) > 0 && end != at; at = end)
			kill((pid_t)pid, SIGKILL);
		waitpid(-1, NULL, 0);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void read_status(int fd, const struct plan *p, struct outcome *o)
{
	char text[2 + sizeof o->failure.message];
	ssize_t n;
	size_t len = 0;
	char *failed;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (len < sizeof text - 1 && (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	failed = len > 0 ? memchr(text, SAY_FAILED, len > 1 ? 2 : 1) : NULL;
	if (failed && failed[1])
		error_set(&o->failure, (enum exit_code)(unsigned char)failed[1], "%s", failed + 2);
	else if (text[0] == SAY_STARTED)
		o->started = 1;
	else if (!o->timed_out)
		error_set(&o->failure, EXIT_FAILURE_OWN,
			"the %s could not be made: nothing was run",
			p->sandbox ? "sandbox" : "child");
}

static pid_t fork_child(
	const struct plan *p, int directory, int *status, sigset_t *saved, struct error *err)
{
	pid_t parent = getpid(), pid;
	int ends[2];
	sigset_t set;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot make a pipe");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	wait_signals(&set);
	sigprocmask(SIG_BLOCK, &set, saved);
	pid = fork();
	if (pid == 0)
		child_run(p, directory, parent, ends[1]);
	close(ends[1]);
	*status = ends[0];
	if (pid < 0) {
		close(ends[0]);
		sigprocmask(SIG_SETMASK, saved, NULL);
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot fork");
	}
	return pid;
}

int run_plan(const struct plan *plan, int directory, struct outcome *o, struct error *err)
{
	double started = seconds_now();
	int status_pipe = -1, status = 0;
	sigset_t saved;
	pid_t pid;

	memset(o, 0, sizeof *o);
	pid = fork_child(plan, directory, &status_pipe, &saved, err);
	if (pid < 0)
		return -1;
	wait_for(pid, started, plan->timeout, &status, &o->timed_out);
	kill_rest(pid);
	sigprocmask(SIG_SETMASK, &saved, NULL);
	o->seconds = seconds_now() - started;
	read_status(status_pipe, plan, o);
	close(status_pipe);
	if (WIFSIGNALED(status))
		o->signal = WTERMSIG(status);
	o->status = o->signal ? 128 + o->signal : WEXITSTATUS(status);
	return 0;
}

static int read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	text[len] = '\0';
	while (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	return (int)len;
}

int run_probe(const struct plan *plan, struct error *err)
{
	struct executable bwrap;
	struct arena arena = {0};
	char said[512];
	int ends[2], status = -1, found;
	pid_t pid;

	found = executable_find("bwrap", sandbox_directories, 3, &arena, &bwrap, err);
	if (found == 0)
		executable_close(&bwrap);
	arena_release(&arena);
	if (found != 0) {
		err->code = EXIT_REFUSED;
		return error_prefix(err, "no sandbox (install bubblewrap, or --no-sandbox)");
	}
	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot make a pipe");
	pid = fork();
	if (pid == 0)
		child_probe(plan, ends[1]);
	close(ends[1]);
	read_all(ends[0], said, sizeof said);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (status != 0)
		return error_set(err, EXIT_REFUSED,
			"the sandbox does not work here (%s); --no-sandbox runs without",
			*said ? said : "bubblewrap failed");
	return 0;
}
