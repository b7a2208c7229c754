#include "exec/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "exec/devices.h"
#include "exec/filter_calls.h"
#include "exec/run.h"
#include "exec/sandbox.h"

/* Where a script is handed to its interpreter; what else is kept lies above. */
enum {
	SCRIPT_FD = 3,
	KEEP_FD = 10
};

static char *const empty_environment[] = {NULL};

/* The one place that executes anything (rules 4 and 6). */
static void execute(int fd, const char *const *argv, char *const *environment)
{
	execveat(fd, "", (char *const *)argv, environment, AT_EMPTY_PATH);
}

static void say_failed(int status, const struct error *err)
{
	char text[2 + sizeof err->message];
	int len = snprintf(text, sizeof text, "%c%c%s", SAY_FAILED, (char)err->code, err->message);

	if (write(status, text, (size_t)len) < 0)
		_exit(EXIT_FAILURE_OWN);
	_exit(err->code);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP)
			signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The words for the kernel: the argv itself, or the interpreter with the script. */
static const char *const *exec_words(const struct plan *p, const char *script, struct arena *arena)
{
	const char **words;
	size_t n = 0;

	if (!p->exe.interpreter)
		return p->argv;
	words = arena_zalloc(arena, ((size_t)p->argc + 3) * sizeof *words);
	words[n++] = p->exe.interpreter;
	if (p->exe.interpreter_argument)
		words[n++] = p->exe.interpreter_argument;
	words[n++] = script;
	for (int i = 1; i < p->argc; i++)
		words[n++] = p->argv[i];
	return words;
}

static int digest_again(const struct plan *p, struct error *err)
{
	char digest[65];

	if (plan_digest(p, AT_FDCWD, digest, err) != 0)
		return -1;
	if (strcmp(digest, p->digest) != 0)
		return error_set(err, EXIT_REFUSED,
			"executable, directory or environment changed after the question: refused");
	return 0;
}

/* The path that was shown still leads to the directory that is open. */
static int directory_unmoved(const struct plan *p, struct error *err)
{
	struct stat st;

	if (stat(p->directory, &st) != 0 || st.st_dev != p->directory_device ||
		st.st_ino != p->directory_inode)
		return error_set(
			err, EXIT_REFUSED, "%s was replaced in the meantime", p->directory);
	return 0;
}

/* Descriptor 0 from nowhere or the input, everything beyond 2 closed by the execution. */
static int set_descriptors(int input, int keep_script, int *fd, int *status, struct error *err)
{
	if (input < 0)
		input = open("/dev/null", O_RDONLY);
	if (input < 0 || dup2(input, 0) < 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "standard input");
	if (keep_script >= 0) {
		/* Others may sit on 3 already: move them out of the way first. */
		*fd = fcntl(*fd, F_DUPFD, KEEP_FD);
		*status = fcntl(*status, F_DUPFD, KEEP_FD);
		keep_script = fcntl(keep_script, F_DUPFD, KEEP_FD);
		if (*fd < 0 || *status < 0 || keep_script < 0 || dup2(keep_script, SCRIPT_FD) < 0)
			return error_set_errno(err, EXIT_FAILURE_OWN, "descriptors");
	}
	if (close_range(keep_script >= 0 ? SCRIPT_FD + 1 : 3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot close descriptors");
	return 0;
}

/* Last steps before the command: in the working directory, in the sandbox or in
 * the forked child.  Does not return. */
static void __attribute__((noreturn)) finish(const struct plan *p, int inside, int status)
{
	const char started[] = {SAY_STARTED};
	int fd = p->exe.interpreter ? p->exe.interpreter_fd : p->exe.fd;
	int keep = p->exe.interpreter && !inside ? p->exe.fd : -1;
	const char *const *words;
	struct arena arena = {0};
	struct error err;

	words = exec_words(p, inside ? sandbox_script_path(p) : "/proc/self/fd/3", &arena);
	if (digest_again(p, &err) != 0 ||
		set_descriptors(p->input_fd, keep, &fd, &status, &err) != 0)
		say_failed(status, &err);
	limits_set(&p->limits);
	umask((mode_t)p->umask);
	reset_signals();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
		error_set_errno(&err, EXIT_FAILURE_OWN, "cannot give up new privileges");
		say_failed(status, &err);
	}
	if (filter_calls_install(inside, &err) != 0)
		say_failed(status, &err);
	if (write(status, started, sizeof started) != sizeof started)
		_exit(EXIT_FAILURE_OWN);
	execute(fd, words, (char *const *)p->environment);
	error_set_errno(&err, errno == ENOENT ? EXIT_NOTFOUND : EXIT_REFUSED, "cannot execute %s",
		p->exe.path);
	say_failed(status, &err);
	_exit(EXIT_FAILURE_OWN);
}

/*
 * Rule 12 for those who kill us: bubblewrap's process 1 ties its life to ours when it
 * starts to reap, and that may be after it has started us here; were we killed before,
 * the command would outlive us.  So a child is given to it (CLONE_PARENT): once that is
 * reaped, the tie is there.  The report that follows fails when it came too late.
 */
static int wait_for_init(struct error *err)
{
	const struct timespec pause = {0, 1000000};
	pid_t pid;

	if (getppid() != 1)
		return 0;
	pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot fork");
	while (kill(pid, 0) == 0)
		nanosleep(&pause, NULL);
	return 0;
}

void run_inside(int fd)
{
	struct arena arena = {0};
	struct plan plan;
	struct error err;
	int status;

	if (plan_unpack(fd, &arena, &plan, &status, &err) != 0)
		die_error(&err);
	if (wait_for_init(&err) != 0)
		say_failed(status, &err);
	finish(&plan, 1, status);
}

static int keep_open(int fd)
{
	return fd < 0 ? 0 : fcntl(fd, F_SETFD, 0);
}

/* Executes bubblewrap, which executes us again as run_inside().  What it is to
 * hand on must stay open; it closes the script's copy itself. */
static int enter_sandbox(const struct plan *p, int status, struct error *err)
{
	char self_path[32], plan_number[16];
	const char *command[] = {self_path, RUN_INSIDE_OPTION, plan_number, NULL};
	struct arena arena = {0};
	struct executable bwrap;
	int script = -1, self, packed, filter = filter_calls_file(err);

	if (filter < 0 ||
		executable_find("bwrap", sandbox_directories, 3, &arena, &bwrap, err) != 0)
		return -1;
	if (p->exe.interpreter) {
		script = content_copy(p->exe.fd, &p->exe.identity, err);
		if (script < 0)
			return -1;
	}
	packed = plan_pack(p, status, err);
	if (packed < 0)
		return -1;
	self = open("/proc/self/exe", O_RDONLY);
	if (self < 0 || keep_open(packed) || keep_open(script) || keep_open(filter) ||
		keep_open(status) || keep_open(p->exe.fd) || keep_open(p->exe.interpreter_fd) ||
		keep_open(p->input_fd))
		return error_set_errno(err, EXIT_FAILURE_OWN, "cannot hand on descriptors");
	snprintf(self_path, sizeof self_path, "/proc/self/fd/%d", self);
	snprintf(plan_number, sizeof plan_number, "%d", packed);
	execute(bwrap.fd, sandbox_arguments(p, devices_make(), filter, script, command, &arena),
		empty_environment);
	return error_set_errno(err, EXIT_FAILURE_OWN, "cannot execute %s", bwrap.path);
}

void child_run(const struct plan *p, int directory, pid_t parent, const int output[2], int status)
{
	struct error err;

	if (dup2(output[0], 1) < 0 || dup2(output[1], 2) < 0 || setsid() < 0 ||
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || fchdir(directory) != 0) {
		error_set_errno(&err, EXIT_FAILURE_OWN, "cannot prepare the child");
		say_failed(status, &err);
	}
	if (getppid() != parent)
		_exit(EXIT_FAILURE_OWN);
	if (directory_unmoved(p, &err) != 0 || executable_unmoved(&p->exe, &err) != 0 ||
		digest_again(p, &err) != 0)
		say_failed(status, &err);
	if (!p->sandbox)
		finish(p, 0, status);
	enter_sandbox(p, status, &err);
	say_failed(status, &err);
	_exit(EXIT_FAILURE_OWN);
}

void child_probe(const struct plan *p, int said)
{
	static const char *const command[] = {"/usr/bin/true", NULL};
	struct arena arena = {0};
	struct executable bwrap;
	struct error err;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), filter = filter_calls_file(&err);

	dup2(null, 0);
	dup2(null, 1);
	dup2(said, 2);
	if (filter >= 0 && keep_open(filter) == 0 &&
		executable_find("bwrap", sandbox_directories, 3, &arena, &bwrap, &err) == 0)
		execute(bwrap.fd, sandbox_arguments(p, devices_make(), filter, -1, command, &arena),
			empty_environment);
	_exit(EXIT_FAILURE_OWN);
}
