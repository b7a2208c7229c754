/*
 * helper-probe - reports what a command gets from the program that executes it.
 * The tests of confirm-exec run it under the name "probe" (testdata/exec/probe.json).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static int show_words(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("[%s]\n", argv[i]);
	return 0;
}

static int show_environment(void)
{
	for (char **e = environ; *e; e++)
		puts(*e);
	return 0;
}

static int show_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir))
			printf("fd %s\n", entry->d_name);
	return 0;
}

static int show_network(void)
{
	FILE *f = fopen("/proc/net/dev", "r");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof line, f))
		n += strchr(line, ':') != NULL;
	printf("interfaces %s\n", n > 1 ? "many" : "one");
	return 0;
}

static int show_inside(void)
{
	char c;
	struct rlimit core;
	int tty = open("/dev/tty", O_RDWR);
	mode_t mask = umask(0);

	printf("stdin %zd\n", read(0, &c, 1));
	printf("tty %s\n", tty < 0 ? "none" : "open");
	printf("push %s\n", ioctl(1, TIOCSTI, "x") < 0 && errno == EPERM ? "refused" : "done");
	printf("leader %s\n", getsid(0) == getpid() || getpid() == 2 ? "yes" : "no");
	printf("privileges %s\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) ? "fixed" : "open");
	getrlimit(RLIMIT_CORE, &core);
	printf("core %lu\n", (unsigned long)core.rlim_max);
	printf("umask %03o\n", (unsigned)mask);
	printf("sigpipe %s\n", signal(SIGPIPE, SIG_DFL) == SIG_DFL ? "default" : "ignored");
	return show_network();
}

static void on_interrupt(int sig)
{
	(void)sig;
	if (write(1, "interrupted\n", 12) == 12)
		_exit(7);
}

/* A process that has left the group.  It holds a lock on the file as long as it lives,
 * and has it when this returns. */
static void leave_behind(const char *file)
{
	int fd, ends[2];
	char c;

	if (pipe(ends) != 0)
		exit(1);
	if (fork() != 0) {
		close(ends[1]);
		if (read(ends[0], &c, 1) != 1)
			exit(1);
		return;
	}
	setsid();
	signal(SIGTERM, SIG_IGN);
	fd = open(file, O_WRONLY | O_CREAT, 0666);
	if (fd < 0 || flock(fd, LOCK_EX) != 0 || write(ends[1], "x", 1) != 1)
		_exit(1);
	close(1);
	close(2);
	sleep(300);
	_exit(0);
}

static int leave_tree(int argc, char **argv)
{
	leave_behind("alive");
	puts("planted");
	fflush(stdout);
	if (argc > 2 && strcmp(argv[2], "--stay") == 0)
		sleep(600);
	return 0;
}

static int write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	printf("write %s\n", fd < 0 ? strerror(errno) : "done");
	return fd < 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc < 2) {
		puts("1..0 # SKIP a helper of t/0750-confirm-exec.bats");
		return 0;
	}
	if (strcmp(what, "env") == 0)
		return show_environment();
	if (strcmp(what, "fds") == 0)
		return show_descriptors();
	if (strcmp(what, "inside") == 0)
		return show_inside();
	if (strcmp(what, "net") == 0)
		return show_network();
	if (strcmp(what, "tree") == 0)
		return leave_tree(argc, argv);
	if (strcmp(what, "write") == 0)
		return write_file(argv[argc - 1]);
	if (strcmp(what, "status") == 0)
		return atoi(argv[argc - 1]);
	if (strcmp(what, "signal") == 0)
		return raise(atoi(argv[argc - 1])) + 99;
	if (strcmp(what, "interrupts") == 0) {
		signal(SIGINT, on_interrupt);
		puts("waiting");
		fflush(stdout);
		sleep(20);
		return 1;
	}
	return show_words(argc, argv);
}
