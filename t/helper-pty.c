/*
 * helper-pty - runs a command with a terminal of its own and plays the person.
 *
 *	helper-pty [-i] [STEP]... -- COMMAND [WORD]...
 *
 * The steps, in order: `type TEXT` types (\n: return, \x03: control-C, \x04: end of
 * file), `after TEXT` waits until the terminal has shown TEXT since the last such
 * wait, `do COMMAND` lets sh do something meanwhile, `raw` leaves the terminal in raw
 * mode without echo, `hang-up -` closes it.  Steps before the first `after` happen before
 * the start.
 *
 * Standard input is the command's (-i: the terminal is); its output and errors go to the
 * terminal, and what that shows to our standard output.  Exit status: the command's; 99
 * when a step waited in vain (60 s).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
	SHOWN_MAX = 1 << 20,
	PATIENCE = 60
};

static char shown[SHOWN_MAX + 1];
static size_t shown_len, seen;
static int master, terminal_input, hung_up;

static void die_now(const char *what)
{
	fprintf(stderr, "helper-pty: %s: %s\n", what, strerror(errno));
	exit(98);
}

/* Takes what the terminal shows; 0 at its end. */
static int take(int milliseconds)
{
	struct pollfd p = {master, POLLIN, 0};
	ssize_t n;

	if (poll(&p, 1, milliseconds) <= 0)
		return 1;
	n = read(master, shown + shown_len, SHOWN_MAX - shown_len);
	if (n <= 0)
		return 0;
	if (write(1, shown + shown_len, (size_t)n) != n)
		die_now("write");
	shown_len += (size_t)n;
	shown[shown_len] = '\0';
	return 1;
}

static void wait_for(const char *text)
{
	time_t end = time(NULL) + PATIENCE;
	int open = 1;

	for (;;) {
		char *at = memmem(shown + seen, shown_len - seen, text, strlen(text));

		if (at) {
			seen = (size_t)(at - shown) + strlen(text);
			return;
		}
		if (!open || time(NULL) > end) {
			fprintf(stderr, "helper-pty: never saw '%s'\n", text);
			exit(99);
		}
		open = take(200);
	}
}

static void type(const char *text)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '\\' && text[1] == 'n') {
			c = '\r';
			text++;
		} else if (c == '\\' && text[1] == 'x') {
			char hex[3] = {text[2], text[3], '\0'};

			c = (char)strtol(hex, NULL, 16);
			text += 3;
		}
		if (write(master, &c, 1) != 1)
			die_now("typing");
	}
}

static void step(const char *what, const char *text)
{
	if (strcmp(what, "type") == 0)
		type(text);
	else if (strcmp(what, "after") == 0)
		wait_for(text);
	else if (strcmp(what, "do") == 0) {
		if (system(text) != 0)
			die_now(text);
	} else if (strcmp(what, "hang-up") == 0) {
		close(master);
		hung_up = 1;
	} else
		die_now(what);
}

static pid_t start(int slave, char **command)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	setsid();
	if (ioctl(slave, TIOCSCTTY, 0) != 0)
		die_now("TIOCSCTTY");
	if (terminal_input)
		dup2(slave, 0);
	dup2(slave, 1);
	dup2(slave, 2);
	close(master);
	if (slave > 2)
		close(slave);
	execvp(command[0], command);
	die_now(command[0]);
	return -1;
}

static void make_raw(int slave)
{
	struct termios t;

	if (tcgetattr(slave, &t) != 0)
		die_now("tcgetattr");
	cfmakeraw(&t);
	if (tcsetattr(slave, TCSANOW, &t) != 0)
		die_now("tcsetattr");
}

/* Waits for the end of the command, but not for ever. */
static int finish(pid_t pid)
{
	time_t end = time(NULL) + PATIENCE;
	int open = !hung_up, status = 0;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (time(NULL) > end) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			fprintf(stderr, "helper-pty: the command does not end\n");
			return 99;
		}
		if (open)
			open = take(50);
		else
			usleep(20000);
	}
	while (open && poll(&(struct pollfd){master, POLLIN, 0}, 1, 50) > 0)
		open = take(50);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	int end = 1, slave, at = 1;
	pid_t pid;

	if (argc < 2) {
		puts("1..0 # SKIP a helper of other tests");
		return 0;
	}
	if (strcmp(argv[1], "-i") == 0)
		terminal_input = at = end = 2;
	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	if (end + 1 >= argc || openpty(&master, &slave, NULL, NULL, NULL) != 0)
		die_now("usage, or no terminal");
	fcntl(master, F_SETFD, FD_CLOEXEC);
	for (; at < end && strcmp(argv[at], "after") != 0; at += 2) {
		if (strcmp(argv[at], "raw") == 0) {
			make_raw(slave);
			at--;
		} else {
			step(argv[at], argv[at + 1]);
		}
	}
	pid = start(slave, argv + end + 1);
	close(slave);
	for (; at + 1 < end; at += 2)
		step(argv[at], argv[at + 1]);
	return finish(pid);
}
