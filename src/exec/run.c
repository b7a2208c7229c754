/*
 * The rules of execution; those up to 14 have tests of their number in
 * t/0750-confirm-exec.bats, the others are in t/0752-policy.bats and t/0773-attacks-running.sh.
 *
 *  1. The command MUST be one argv that the verifier accepts in canonical form,
 *     whatever the record claims; anything else is refused (126).
 *  2. Exactly one record MUST have been read, to the end of its stream.
 *  3. Consent MUST be typed by a person at /dev/tty after the question was shown:
 *     nothing typed ahead, no pipe, no signal, no passing of time answers it.  The
 *     default is no.  Only the policy can stand in (15).
 *  4. No shell MUST be involved.  There is one place that executes: execute() in child.c.
 *  5. argv[0] MUST be named in the policy, which gives its path: never an inherited PATH
 *     or the working directory.  No one else may be able to change it, nor any directory
 *     or link on the way, and where its hash is pinned it MUST have that.
 *  6. What is executed MUST be the descriptor that was opened before the question.
 *  7. The digest of words, executable, directory and environment MUST be the same
 *     before the question and right before the execution.
 *  8. Everything shown MUST be printable ASCII; nothing is cut off.
 *  9. The environment MUST be made from nothing and a list of names.
 * 10. The command MUST get descriptors 0 (/dev/null, or a file that was named), 1 and 2
 *     (pipes) only (a script without a sandbox: also the script itself, for its
 *     interpreter to read, as 3).
 * 11. The command MUST have no controlling terminal and no way to new privileges.
 * 12. Its whole process tree MUST be gone when we end, or after the time limit.
 * 13. A sandbox that does not work MUST be a refusal, never a run without it.
 * 14. The decision MUST be in the log, on disk, before the execution.
 * 15. The policy MUST be a file that no one else can write, the same at the question and
 *     at the execution.  What it denies is not asked about; what it lets through without a
 *     question needs --allow-auto and is never a danger.
 * 16. Output MUST reach a terminal without anything that a terminal obeys, and end at its
 *     bound.
 * 17. Time, processes, memory and files MUST be bounded; signals MUST hit no stranger.
 */
#include "exec/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exec/child.h"
#include "exec/relay.h"
#include "exec/sandbox.h"
#include "exec/tree.h"

enum {
	GRACE_SECONDS = 5
};
#define LOOK_SECONDS 0.1

const char *const bound_names[] = {"none", "time", "output", "processes"};

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

/* Looks after one command. */
struct watch {
	const struct plan *plan;
	struct outcome *outcome;
	pid_t pid;
	int ended, status; /* of pid */
	int signals;	   /* descriptor of those that came for us */
	int interrupts;
	double deadline;
	struct relay relay;
};

/* Reaps what has ended, adopted orphans too. */
static void reap(struct watch *w)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != w->pid)
			continue;
		w->ended = 1;
		w->status = status;
	}
}

/* Asks the tree to end, and kills it after a grace. */
static void bound_reached(struct watch *w, enum bound bound)
{
	if (w->outcome->bound == BOUND_NONE && bound != BOUND_PROCESSES) {
		tree_signal(SIGTERM);
		w->deadline = seconds_now() + GRACE_SECONDS;
	} else {
		tree_kill();
		w->deadline = seconds_now() + 1;
	}
	if (w->outcome->bound == BOUND_NONE)
		w->outcome->bound = bound;
}

static void take_signals(struct watch *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (++w->interrupts >= 3)
			tree_kill();
		else
			tree_signal((int)info.ssi_signo);
	}
	reap(w);
}

/* Waits for output, signals, or the next look at the clock and the processes. */
static void wait_some(struct watch *w, double left)
{
	struct pollfd fds[2 * RELAY_STREAMS + 1];
	nfds_t n = relay_poll(&w->relay, fds);

	fds[n++] = (struct pollfd){w->signals, POLLIN, 0};
	if (left > LOOK_SECONDS)
		left = LOOK_SECONDS;
	poll(fds, n, left > 0 ? (int)(left * 1000) + 1 : 0);
}

/* Ends a tree that is too large.  When to look again: sooner where it grows, and never so
 * often that looking costs more than a twentieth of a processor while it does not. */
static double look_at_tree(struct watch *w, size_t most)
{
	double before = seconds_now(), after, pause;
	size_t count = tree_count();

	if (count > most + RUN_OWN_PROCESSES)
		bound_reached(w, BOUND_PROCESSES);
	after = seconds_now();
	if (count > most / 4)
		return after + LOOK_SECONDS / 20;
	pause = 20 * (after - before);
	return after + (pause > LOOK_SECONDS ? pause : LOOK_SECONDS);
}

static void watch_command(struct watch *w)
{
	size_t most = (size_t)w->plan->limits.processes;
	double look = seconds_now() + LOOK_SECONDS;

	while (!w->ended) {
		double now = seconds_now();

		if (now >= w->deadline)
			bound_reached(w, BOUND_TIME);
		if (most && now >= look && w->outcome->bound == BOUND_NONE)
			look = look_at_tree(w, most);
		wait_some(w, (look < w->deadline ? look : w->deadline) - now);
		take_signals(w);
		if (relay_move(&w->relay) && w->outcome->bound == BOUND_NONE)
			bound_reached(w, BOUND_OUTPUT);
	}
}

/* What was written before the end is still passed on; an interrupt ends that. */
static void pass_rest(struct watch *w)
{
	int before = w->interrupts;

	while (!relay_done(&w->relay) && w->interrupts == before) {
		wait_some(w, 1);
		take_signals(w);
		if (relay_move(&w->relay) && w->outcome->bound == BOUND_NONE)
			w->outcome->bound = BOUND_OUTPUT;
	}
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
	else if (o->bound == BOUND_NONE)
		error_set(&o->failure, EXIT_FAILURE_OWN,
			"the %s could not be made: nothing was run",
			p->sandbox ? "sandbox" : "child");
}

/* The child of the command; *status: read end of its status pipe. */
static pid_t fork_child(
	const struct plan *p, int directory, const int output[2], int *status, struct error *err)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot make a pipe");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0)
		child_run(p, directory, parent, output, ends[1]);
	close(ends[1]);
	*status = ends[0];
	if (pid < 0) {
		close(ends[0]);
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot fork");
	}
	return pid;
}

static int start(struct watch *w, int directory, int *status, struct error *err)
{
	int output[2];
	sigset_t set;

	wait_signals(&set);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signals < 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot wait for signals");
	if (relay_open(&w->relay, (unsigned long long)w->plan->output_mib << 20, output, err) == 0)
		w->pid = fork_child(w->plan, directory, output, status, err);
	for (size_t i = 0; i < 2; i++)
		if (output[i] >= 0)
			close(output[i]);
	if (w->pid > 0)
		return 0;
	relay_close(&w->relay);
	close(w->signals);
	return -1;
}

int run_plan(const struct plan *plan, int directory, struct outcome *o, struct error *err)
{
	double started = seconds_now();
	struct watch w = {
		.plan = plan, .outcome = o, .pid = -1, .deadline = started + plan->timeout};
	int status_pipe = -1;
	sigset_t set, saved;

	memset(o, 0, sizeof *o);
	wait_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &saved);
	if (start(&w, directory, &status_pipe, err) != 0) {
		sigprocmask(SIG_SETMASK, &saved, NULL);
		return -1;
	}
	watch_command(&w);
	tree_kill();
	pass_rest(&w);
	o->output = w.relay.bytes;
	relay_close(&w.relay);
	close(w.signals);
	sigprocmask(SIG_SETMASK, &saved, NULL);
	o->seconds = seconds_now() - started;
	read_status(status_pipe, plan, o);
	close(status_pipe);
	if (WIFSIGNALED(w.status))
		o->signal = WTERMSIG(w.status);
	o->status = o->signal ? 128 + o->signal : WEXITSTATUS(w.status);
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
