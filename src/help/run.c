/* run.c - a request for help, in a sandbox. */
#include "help/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WORDS_MAX = 128
};

/* Plain, wide, English, unpaged. */
static char path_of_system[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
static char *const environment[] = {path_of_system, "HOME=/tmp/home", "TMPDIR=/tmp",
	"XDG_RUNTIME_DIR=/tmp/home", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "LANGUAGE=en", "TERM=dumb",
	"NO_COLOR=1", "COLUMNS=160", "TERMINAL_WIDTH=160", "LINES=1000", "PAGER=cat",
	"MANPAGER=cat", "GIT_PAGER=cat", "SYSTEMD_PAGER=cat", "SYSTEMD_COLORS=0",
	"PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1", NULL};

struct words {
	const char *list[WORDS_MAX];
	size_t n;
};

static void add(struct words *w, const char *word)
{
	if (w->n < WORDS_MAX - 1)
		w->list[w->n++] = word;
}

static void add_all(struct words *w, const char *const *words)
{
	for (; *words; words++)
		add(w, *words);
}

/* The folder above that of a program, which holds what it needs; where it is one that
 * the sandbox hides, it is shown. */
static void show_prefix(struct words *w, const char *program, struct arena *arena)
{
	static const char *const hidden[] = {"/tmp/", "/run/", "/var/tmp/", "/home/", "/root/"};
	char *prefix = arena_strdup(arena, program), *slash = strrchr(prefix, '/');
	int found = 0;

	if (!slash || slash == prefix)
		return;
	*slash = '\0';
	slash = strrchr(prefix, '/');
	/* /tmp/x/tool: /tmp/x; .../venv/bin/tool: .../venv. */
	if (slash && slash != prefix && !strcmp(slash, "/bin"))
		*slash = '\0';
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		found |= !strncmp(prefix, hidden[i], strlen(hidden[i]));
	if (!found)
		return;
	add(w, "--ro-bind");
	add(w, prefix);
	add(w, prefix);
}

/* The interpreter that a script names in its first line; NULL: none. */
static const char *interpreter(const char *program, struct arena *arena)
{
	char line[PATH_MAX + 3] = "";
	FILE *f = fopen(program, "re");
	size_t got = f ? fread(line, 1, sizeof line - 1, f) : 0;

	if (f)
		fclose(f);
	line[got] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return NULL;
	return arena_strndup(arena, line + 2 + strspn(line + 2, " "),
		strcspn(line + 2 + strspn(line + 2, " "), " \t\n"));
}

static void show_program(struct words *w, const char *program, struct arena *arena)
{
	const char *script = interpreter(program, arena);
	char real[PATH_MAX];

	if (realpath(program, real))
		show_prefix(w, real, arena);
	show_prefix(w, program, arena);
	if (!script)
		return;
	if (realpath(script, real))
		show_prefix(w, real, arena);
	show_prefix(w, script, arena);
}

static void command_line(
	struct words *w, const char *program, const char *const *argv, struct arena *arena)
{
	static const char *const sandbox[] = {"bwrap", "--die-with-parent", "--new-session",
		"--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev",
		"--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--tmpfs", "/tmp",
		"--tmpfs", "/run", "--tmpfs", "/var/tmp", "--tmpfs", "/home", "--tmpfs", "/root",
		"--dir", "/tmp/home", "--chdir", "/tmp/home", NULL};

	add_all(w, sandbox);
	show_program(w, program, arena);
	add(w, "--");
	add(w, program);
	add_all(w, argv);
	w->list[w->n] = NULL;
}

static void limit(int what, rlim_t value)
{
	struct rlimit l = {value, value};

	setrlimit(what, &l);
}

static void child_run(const char *bwrap, const struct words *w, int out, int timeout)
{
	int null = open("/dev/null", O_RDONLY);

	if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || dup2(null, 0) < 0 ||
		dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(125);
	close_range(3, ~0U, 0);
	limit(RLIMIT_CPU, (rlim_t)timeout + 1);
	limit(RLIMIT_AS, (rlim_t)4 << 30);
	limit(RLIMIT_FSIZE, 16 << 20);
	limit(RLIMIT_CORE, 0);
	execve(bwrap, (char *const *)w->list, environment);
	_exit(125);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Reads until the end, the bound or the time: 0 ended, 1 stopped. */
static int output_read(int fd, int timeout, struct buf *out)
{
	long long end = now_ms() + timeout * 1000LL;
	char part[65536];

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		long long left = end - now_ms();
		ssize_t got;

		if (left <= 0 || out->len >= HELP_OUTPUT_MAX)
			return 1;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		got = read(fd, part, sizeof part);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		buf_add(out, part, (size_t)got);
	}
}

int help_run(const char *bwrap, const char *program, const char *const *argv, int timeout,
	struct buf *out, int *status, struct error *err)
{
	struct words w = {.n = 0};
	struct arena arena = {0};
	int ends[2], stopped;
	pid_t pid;

	command_line(&w, program, argv, &arena);
	if (pipe2(ends, O_CLOEXEC) < 0) {
		arena_release(&arena);
		return error_set_errno(err, EXIT_INTERNAL, "cannot make a pipe");
	}
	pid = fork();
	if (pid < 0) {
		arena_release(&arena);
		close(ends[0]);
		close(ends[1]);
		return error_set_errno(err, EXIT_INTERNAL, "cannot start a process");
	}
	if (pid == 0)
		child_run(bwrap, &w, ends[1], timeout);
	arena_release(&arena);
	close(ends[1]);
	stopped = output_read(ends[0], timeout, out);
	close(ends[0]);
	/* Whoever closed its output may still run: with bubblewrap all of them end. */
	if (stopped) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
	}
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return stopped;
}
